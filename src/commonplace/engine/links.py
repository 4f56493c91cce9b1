"""Links between memories: derived from their texts by the next reader after a write.

A write does not wait for links. Changed memories are processed in the order of their changes,
within a time budget, and a stored mark records the position. So every process sees the same links,
and dropping all links rebuilds them.
"""

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from commonplace import ids
from commonplace.engine.banks import require_bank
from commonplace.engine.facts.fact_metadata import fact_metadata_of, to_statement
from commonplace.engine.runtime import Runtime
from commonplace.errors import Busy, Forbidden, ModelFailed
from commonplace.extract import llm_links
from commonplace.extract.llm_statements import Model
from commonplace.language import analyzer
from commonplace.language.judgement import POSSIBLE_MIN, Judgement, Relation, Statement
from commonplace.records.memory import Link, LinkKind, Memory, Scope
from commonplace.records.query import Filter
from commonplace.storage import text_index
from commonplace.storage.database import Database
from commonplace.storage.rows import banks, links, memories
from commonplace.storage.rows.links import ChangePosition

CATCH_UP_MS = 10  # The time that a reader may spend on links of new memories.
_BATCH = 50
_CANDIDATES_MAX = 12
_TEXT_CHARS_MAX = 600
_TERMS_MAX = 24
_DISTINCTIVE_MAX = 4
_COMMON_TERM_TEXTS = 300  # A more common term yields too many candidates.
_LINKS_MAX = 2_000
_BANKS_MAX = 10_000
_JUDGED_MARK = "judged"
_MODEL_PAUSED_UNTIL = "model_rests_until"
_MODEL_PAUSE_MS = 300_000
_JUDGED_PER_RUN = 5
_SHOWN_MAX = 8
_WAIT_MS = 20
_CAUSE_CONFIDENCE = 0.9
# The weight of a linked memory by the kind of the link.
WEIGHTS: dict[LinkKind, float] = {"contradicts": 1.3, "supersedes": 1.2, "similar_to": 1.0}
_SUPERSEDED_PREFIX = "superseded by "
_KINDS: dict[Relation, LinkKind] = {
    Relation.SAME: "similar_to",
    Relation.ADDS: "similar_to",
    Relation.REPLACES: "supersedes",
    Relation.CONTRADICTS: "contradicts",
}
# Two memories that only resemble each other must share this part of their words.
_SIMILAR_MIN = 0.6

# The seed, the last link, the number of hops and the score of a linked memory.
_Path: TypeAlias = tuple[int, Link, int, float]


@dataclass(frozen=True, slots=True)
class LinkedMemory:
    """A memory found by following links: its seed, the last link, the number of hops, and its
    score.
    """

    memory: Memory
    seed_id: int
    link: Link
    hop_count: int
    score: float


def list_links(runtime: Runtime, bank: str, memory_ids: Sequence[int | str]) -> tuple[Link, ...]:
    """The links from or to some memories, highest confidence first."""
    bank_id = require_bank(runtime, bank).id
    catch_up_links(runtime, bank_id, (), CATCH_UP_MS)
    return tuple(links.links_of(runtime.db, bank_id, map(ids.parse, memory_ids), limit=_LINKS_MAX))


def supersession_reason(winner: int) -> str:
    """The reason text of a superseded memory. Links are rebuilt from it."""
    return f"{_SUPERSEDED_PREFIX}{ids.short_form(winner)}"


def supersedes_link(winner: int, loser: int) -> Link:
    """The link from a memory to one that it supersedes."""
    return Link(
        "supersedes",
        winner,
        loser,
        1.0,
        "It replaced the older one when memories were consolidated.",
    )


def catch_up_links(
    runtime: Runtime, bank_id: int, wanted: Iterable[Memory], budget_ms: int
) -> None:
    """Make the links of some memories and then of all others that changed, within a time budget.

    It hardly waits for another writer, because a reader is waiting; the rest of the work stays
    pending.
    """
    position = links.high_water_mark(runtime.db, bank_id)
    changed = links.changed_since(runtime.db, bank_id, position, _BATCH)
    if not changed:
        return
    deadline = time.monotonic() + budget_ms / 1000
    made: list[tuple[Memory, list[Link]]] = []
    for memory in (one for one in wanted if links.change_position(one) > position):
        made.append((memory, _find_links(runtime, memory, "")))
        if time.monotonic() > deadline:
            break
    for memory, reason in changed:
        made.append((memory, _find_links(runtime, memory, reason)))
        position = links.change_position(memory)
        if time.monotonic() > deadline:
            break
    _save(runtime, bank_id, made, position)


def catch_up_all_links(runtime: Runtime, budget_ms: int) -> None:
    """Make links of changed memories in every bank, one bank after the other, within a time
    budget.
    """
    deadline = time.monotonic() + budget_ms / 1000
    for bank in banks.list_banks(runtime.db, _BANKS_MAX):
        left = (deadline - time.monotonic()) * 1000
        if left <= 0:
            return
        catch_up_links(runtime, bank.id, (), int(left))


def judge_with_model(runtime: Runtime, bank_id: int) -> int:
    """Have the language model, if any, judge the memories linked last. Returns how many were
    judged.

    It runs while the server is idle, so that no caller waits for it. Its links are stored beside
    those derived from words.
    """
    model, position = runtime.llm(), links.high_water_mark(runtime.db, bank_id, _JUDGED_MARK)
    count = 0
    if model is None:
        return count
    for memory, _ in links.changed_since(runtime.db, bank_id, position, _JUDGED_PER_RUN):
        if links.change_position(memory) > links.high_water_mark(runtime.db, bank_id):
            break  # Links derived from words come first, because making them drops the others.
        made = [] if memory.forgotten_at is not None else _judged_links(runtime, model, memory)
        with runtime.db.transaction():
            links.put(runtime.db, bank_id, made, runtime.clock.now())
            links.set_high_water_mark(
                runtime.db, bank_id, links.change_position(memory), _JUDGED_MARK
            )
        count += 1
    return count


def _judged_links(runtime: Runtime, model: Model, memory: Memory) -> list[Link]:
    """The links from a memory to older ones by the language model's judgement."""
    older = [
        one
        for one in candidates(runtime, memory, _SHOWN_MAX)
        if _recency_key(one) < _recency_key(memory)
    ]
    if not older:
        return []
    verdicts = llm_links.judge_relations(model, _full_text(memory), list(map(_full_text, older)))
    return [
        Link(kind, memory.id, older[index].id, verdict.confidence, verdict.reason)
        for index, verdict in verdicts.items()
        if (kind := link_kind(verdict))
    ]


def judge_all_with_model(runtime: Runtime) -> None:
    """Judge the links of every bank. After a failure the model is paused for a while."""
    now = runtime.clock.now()
    if runtime.llm() is None or now < int(banks.store_info(runtime.db, _MODEL_PAUSED_UNTIL) or 0):
        return
    for bank in banks.list_banks(runtime.db, _BANKS_MAX):
        try:
            judge_with_model(runtime, bank.id)
        except ModelFailed:
            with runtime.db.transaction():
                banks.put_store_info(runtime.db, _MODEL_PAUSED_UNTIL, str(now + _MODEL_PAUSE_MS))
            return


def conflicts_among(runtime: Runtime, bank_id: int, among: Sequence[Memory]) -> tuple[Link, ...]:
    """The contradictions between some memories, highest confidence first, one per pair."""
    numbers = {memory.id for memory in among}
    if len(numbers) < 2:
        return ()
    found = links.links_of(runtime.db, bank_id, numbers, ("contradicts",), limit=_LINKS_MAX)
    pairs: dict[tuple[int, int], Link] = {}
    for link in found:
        if {link.from_id, link.to_id} <= numbers:
            pairs.setdefault((min(link.from_id, link.to_id), max(link.from_id, link.to_id)), link)
    return tuple(pairs.values())


def follow_links(
    runtime: Runtime,
    bank_id: int,
    seeds: Sequence[Memory],
    allowed: Filter,
    *,
    depth: int,
    limit: int,
) -> tuple[LinkedMemory, ...]:
    """The memories within some hops of the seeds that match a filter, best first."""
    seen = {memory.id: memory.id for memory in seeds}
    frontier = set(seen)
    paths: dict[int, _Path] = {}
    for hop in range(1, depth + 1):
        found_links = links.links_of(runtime.db, bank_id, frontier, limit=_LINKS_MAX)
        fresh = _next_hop(found_links, seen, frontier, hop)
        seen |= {number: path[0] for number, path in fresh.items()}
        paths |= fresh
        frontier = set(fresh)
    passing = text_index.filter_ids(runtime.db, bank_id, list(paths), allowed, runtime.clock.now())
    best = sorted(
        (number for number in paths if number in passing),
        key=lambda number: (-paths[number][3], -number),
    )
    found = memories.by_ids(runtime.db, bank_id, best[:limit])
    return tuple(LinkedMemory(found[number], *paths[number]) for number in best[:limit])


def _next_hop(
    found: Iterable[Link], seeds: Mapping[int, int], frontier: set[int], hop: int
) -> dict[int, _Path]:
    """The paths to memories that one more hop reaches first; the best link where several lead."""
    fresh: dict[int, _Path] = {}
    for link in found:
        for near, far in ((link.from_id, link.to_id), (link.to_id, link.from_id)):
            if near not in frontier or far in seeds:
                continue
            score = WEIGHTS[link.kind] * link.confidence / hop
            if far not in fresh or fresh[far][3] < score:
                fresh[far] = (seeds[near], link, hop, score)
    return fresh


def candidates(runtime: Runtime, memory: Memory, limit: int = _CANDIDATES_MAX) -> list[Memory]:
    """The memories that share distinctive terms with one and are visible together with it."""
    distinctive = _distinctive_terms(
        runtime.db, analyzer.question_terms(f"{memory.title} {memory.text}"[:_TEXT_CHARS_MAX])
    )
    if not distinctive:
        return []
    scope = memory.scope
    chosen = Filter(
        projects=(scope.project, "") if scope.project else None, users=tuple({scope.user, ""})
    )
    now = runtime.clock.now()
    found = text_index.keyword_ids(
        runtime.db, memory.bank_id, text_index.any_of(distinctive), chosen, now, limit + 1
    )
    others = [number for number in found if number != memory.id]
    by_id = memories.by_ids(runtime.db, memory.bank_id, others)
    return [by_id[number] for number in others if number in by_id]


def _distinctive_terms(db: Database, terms: Sequence[str]) -> list[str]:
    """The rarest of some terms that occur in another text too, unless they are common."""
    counts = text_index.term_counts(db, terms[:_TERMS_MAX], _COMMON_TERM_TEXTS)
    shared = sorted((count, term) for term, count in counts.items() if count > 1)
    few = [term for count, term in shared if count < _COMMON_TERM_TEXTS][:_DISTINCTIVE_MAX]
    return few or [term for _, term in shared[:1]]


def _find_links(runtime: Runtime, memory: Memory, reason: str) -> list[Link]:
    if memory.forgotten_at is not None:
        return _supersedes_links(memory, reason)
    found = _causal_links(runtime, memory)
    for other in candidates(runtime, memory):
        newer, older = (
            (memory, other) if _recency_key(memory) > _recency_key(other) else (other, memory)
        )
        verdict = runtime.judge(_statement(older), _statement(newer))
        if kind := link_kind(verdict):
            if verdict.is_reversed:
                newer, older = older, newer
            found.append(Link(kind, newer.id, older.id, verdict.confidence, verdict.reason))
    return found


def link_kind(verdict: Judgement) -> LinkKind | None:
    """The kind of link for a judgement; None below the least confidence or without a relation."""
    least = _SIMILAR_MIN if verdict.relation is Relation.ADDS else POSSIBLE_MIN
    return _KINDS.get(verdict.relation) if verdict.confidence >= least else None


def _causal_links(runtime: Runtime, memory: Memory) -> list[Link]:
    """The links from a fact to its causes."""
    named = (
        memories.find_by_key(runtime.db, memory.bank_id, Scope(), key)
        for key in fact_metadata_of(memory).causes
    )
    causes = [one for one in named if one and one.id != memory.id]
    return [
        Link("caused_by", memory.id, one.id, _CAUSE_CONFIDENCE, "The text states it.")
        for one in causes
    ]


def _supersedes_links(memory: Memory, reason: str) -> list[Link]:
    winner = re.search(rf"{_SUPERSEDED_PREFIX}(m\w{{11}})$", reason)
    if not winner:
        return []
    return [supersedes_link(ids.parse(winner[1]), memory.id)]


def _save(
    runtime: Runtime,
    bank_id: int,
    made: Sequence[tuple[Memory, list[Link]]],
    position: ChangePosition,
) -> None:
    if runtime.db.in_transaction:
        _store(runtime.db, bank_id, made, position, runtime.clock.now())
        return
    try:
        with runtime.db.transaction(_WAIT_MS):
            _store(runtime.db, bank_id, made, position, runtime.clock.now())
    except (Busy, Forbidden):
        return


def _store(
    db: Database,
    bank_id: int,
    made: Sequence[tuple[Memory, list[Link]]],
    position: ChangePosition,
    now: int,
) -> None:
    for memory, found in made:
        if memory.forgotten_at is None:
            links.drop(db, memory.id)
        links.put(db, bank_id, found, now)
    links.set_high_water_mark(db, bank_id, position)


def _full_text(memory: Memory) -> str:
    return f"{memory.title}\n{memory.text}" if memory.title else memory.text


def _statement(memory: Memory) -> Statement:
    return replace(to_statement(memory), text=_full_text(memory))


def _recency_key(memory: Memory) -> tuple[int, int]:
    return memory.updated_at, memory.version_id
