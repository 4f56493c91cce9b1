"""Links between memories: made from their words after they were written, by whoever next wants to
know.

A write does not wait for them. What changed since is looked at in the order of the changes, within
a time budget, and a mark tells how far that came; so every process sees the same links, and
dropping them all makes them again.
"""

import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from commonplace import ids
from commonplace.engine.banks import known
from commonplace.engine.facts.fact_metadata import mark_of, statement
from commonplace.engine.runtime import Parts
from commonplace.errors import Busy, Forbidden, ModelFailed
from commonplace.extract import llm_links
from commonplace.language import analyzer
from commonplace.language.judgement import POSSIBLE, Judgement, Relation, Statement
from commonplace.records.memory import Link, LinkKind, Memory, Scope
from commonplace.records.query import Filter
from commonplace.storage import banks, links, memories, text_index
from commonplace.storage.database import Database
from commonplace.storage.links import Mark

HEAL_MS = 10  # What a reader may spend on links for what was written since the last one.
_BATCH = 50
_CANDIDATES_MAX = 12
_TEXT_CHARS_MAX = 600
_TERMS_MAX = 24
_TERMS_TELLING = 4
_COMMON = 300  # A term in so many texts brings more candidates than it is worth.
_LINKS_MAX = 2_000
_BANKS_MAX = 10_000
_JUDGED = "judged"
_MODEL_RESTS = "model_rests_until"
_MODEL_REST_MS = 300_000
_JUDGED_AT_ONCE = 5
_SHOWN_MAX = 8
_WAIT_MS = 20
_CAUSE_SURE = 0.9
# What a memory is worth that was reached over a link of a kind.
WEIGHTS: dict[LinkKind, float] = {"contradicts": 1.3, "supersedes": 1.2, "similar_to": 1.0}
_SUPERSEDED = "superseded by "
_KINDS: dict[Relation, LinkKind] = {
    Relation.SAME: "similar_to",
    Relation.ADDS: "similar_to",
    Relation.REPLACES: "supersedes",
    Relation.CONTRADICTS: "contradicts",
}
_ALIKE_MIN = 0.6  # As much of their words must two memories share that only resemble each other.


@dataclass(frozen=True, slots=True)
class Reached:
    """A memory found over links: from which one, over which last link, how far away, and what that
    is worth.
    """

    memory: Memory
    seed_id: int
    link: Link
    hop_count: int
    score: float


def list_links(parts: Parts, bank: str, memory_ids: Sequence[int | str]) -> tuple[Link, ...]:
    """The links that begin or end at some memories, the surest first."""
    bank_id = known(parts, bank).id
    heal(parts, bank_id, (), HEAL_MS)
    return tuple(links.of(parts.db, bank_id, map(ids.parse, memory_ids), limit=_LINKS_MAX))


def superseded_by(winner: int) -> str:
    """The reason of a memory that gave way to another; links are made again from it."""
    return f"{_SUPERSEDED}{ids.short(winner)}"


def succession(winner: int, loser: int) -> Link:
    """The link of a memory to one that gave way to it."""
    return Link(
        "supersedes",
        winner,
        loser,
        1.0,
        "It replaced the older one when memories were consolidated.",
    )


def heal(parts: Parts, bank_id: int, wanted: Iterable[Memory], budget_ms: int) -> None:
    """Make the links of some memories, and then those of what else changed since the last time,
    within a time.

    Another writer is hardly waited for: the answer at hand is more urgent, and the work stays to be
    done.
    """
    mark = links.mark(parts.db, bank_id)
    changed = links.changed_since(parts.db, bank_id, mark, _BATCH)
    if not changed:
        return
    deadline = time.monotonic() + budget_ms / 1000
    made: list[tuple[Memory, list[Link]]] = []
    for memory in (one for one in wanted if links.place(one) > mark):
        made.append((memory, _links_of(parts, memory, "")))
        if time.monotonic() > deadline:
            break
    for memory, reason in changed:
        made.append((memory, _links_of(parts, memory, reason)))
        mark = links.place(memory)
        if time.monotonic() > deadline:
            break
    _keep(parts, bank_id, made, mark)


def heal_all(parts: Parts, budget_ms: int) -> None:
    """Make links of what changed in every bank, the banks one after the other, within a time."""
    deadline = time.monotonic() + budget_ms / 1000
    for bank in banks.listed(parts.db, _BANKS_MAX):
        left = (deadline - time.monotonic()) * 1000
        if left <= 0:
            return
        heal(parts, bank.id, (), int(left))


def judge(parts: Parts, bank_id: int) -> int:
    """Have the language model look at what was linked last, if there is one; how many memories it
    was asked about.

    Nobody waits for it: it is asked when a server is idle, and what it says stands beside what the
    words say.
    """
    model, mark = parts.llm(), links.mark(parts.db, bank_id, _JUDGED)
    count = 0
    if model is None:
        return count
    for memory, _ in links.changed_since(parts.db, bank_id, mark, _JUDGED_AT_ONCE):
        if links.place(memory) > links.mark(parts.db, bank_id):
            break  # Links made from the words come first, because they drop what was there.
        older = [one for one in candidates(parts, memory, _SHOWN_MAX) if _age(one) < _age(memory)]
        found = llm_links.judged(model, _said(memory), list(map(_said, older))) if older else {}
        made = [
            Link(kind, memory.id, older[at].id, verdict.confidence, verdict.reason)
            for at, verdict in found.items()
            if (kind := kind_of(verdict))
        ]
        with parts.db.transaction():
            kept = [link for link in made if memory.forgotten_at is None]
            links.put(parts.db, bank_id, kept, parts.clock.now())
            links.set_mark(parts.db, bank_id, links.place(memory), _JUDGED)
        count += 1
    return count


def judge_all(parts: Parts) -> None:
    """The same for every bank; a model that fails is left alone for a while."""
    now = parts.clock.now()
    if parts.llm() is None or now < int(banks.fact(parts.db, _MODEL_RESTS) or 0):
        return
    for bank in banks.listed(parts.db, _BANKS_MAX):
        try:
            judge(parts, bank.id)
        except ModelFailed:
            with parts.db.transaction():
                banks.set_fact(parts.db, _MODEL_RESTS, str(now + _MODEL_REST_MS))
            return


def conflicts(parts: Parts, bank_id: int, among: Sequence[Memory]) -> tuple[Link, ...]:
    """The contradictions between some memories, the surest first, one a pair."""
    numbers = {memory.id for memory in among}
    if len(numbers) < 2:
        return ()
    found = links.of(parts.db, bank_id, numbers, ("contradicts",), limit=_LINKS_MAX)
    pairs: dict[tuple[int, int], Link] = {}
    for link in found:
        if {link.from_id, link.to_id} <= numbers:
            pairs.setdefault((min(link.from_id, link.to_id), max(link.from_id, link.to_id)), link)
    return tuple(pairs.values())


def reached(
    parts: Parts, bank_id: int, seeds: Sequence[Memory], allowed: Filter, *, depth: int, limit: int
) -> tuple[Reached, ...]:
    """The memories a few hops away from some others that a filter allows, the worthiest first."""
    seen = {memory.id: memory.id for memory in seeds}
    edge = set(seen)
    ways: dict[int, tuple[int, Link, int, float]] = {}
    for hop in range(1, depth + 1):
        fresh: dict[int, tuple[int, Link, int, float]] = {}
        for link in links.of(parts.db, bank_id, edge, limit=_LINKS_MAX):
            for near, far in ((link.from_id, link.to_id), (link.to_id, link.from_id)):
                worth = WEIGHTS[link.kind] * link.confidence / hop
                if near in edge and far not in seen and (far not in fresh or fresh[far][3] < worth):
                    fresh[far] = (seen[near], link, hop, worth)
        seen |= {number: way[0] for number, way in fresh.items()}
        ways |= fresh
        edge = set(fresh)
    passing = text_index.passing(parts.db, bank_id, list(ways), allowed, parts.clock.now())
    best = sorted(
        (number for number in ways if number in passing),
        key=lambda number: (-ways[number][3], -number),
    )
    found = memories.by_ids(parts.db, bank_id, best[:limit])
    return tuple(Reached(found[number], *ways[number]) for number in best[:limit])


def candidates(parts: Parts, memory: Memory, limit: int = _CANDIDATES_MAX) -> list[Memory]:
    """The memories that share telling words with one, among those that a reader may see together
    with it.
    """
    telling = _telling(
        parts.db, analyzer.question_terms(f"{memory.title} {memory.text}"[:_TEXT_CHARS_MAX])
    )
    if not telling:
        return []
    scope = memory.scope
    chosen = Filter(
        projects=(scope.project, "") if scope.project else None, users=tuple({scope.user, ""})
    )
    now = parts.clock.now()
    found = text_index.keyword_ids(
        parts.db, memory.bank_id, text_index.any_of(telling), chosen, now, limit + 1
    )
    others = [number for number in found if number != memory.id]
    by_id = memories.by_ids(parts.db, memory.bank_id, others)
    return [by_id[number] for number in others if number in by_id]


def _telling(db: Database, terms: Sequence[str]) -> list[str]:
    """The rarest of some terms that another text has too, as long as few texts have them."""
    counts = text_index.term_counts(db, terms[:_TERMS_MAX], _COMMON)
    shared = sorted((count, term) for term, count in counts.items() if count > 1)
    few = [term for count, term in shared if count < _COMMON][:_TERMS_TELLING]
    return few or [term for _, term in shared[:1]]


def _links_of(parts: Parts, memory: Memory, reason: str) -> list[Link]:
    if memory.forgotten_at is not None:
        return _succession(memory, reason)
    found = _caused(parts, memory)
    for other in candidates(parts, memory):
        newer, older = (memory, other) if _age(memory) > _age(other) else (other, memory)
        verdict = parts.judge(_statement(older), _statement(newer))
        if kind := kind_of(verdict):
            if verdict.is_reversed:
                newer, older = older, newer
            found.append(Link(kind, newer.id, older.id, verdict.confidence, verdict.reason))
    return found


def kind_of(verdict: Judgement) -> LinkKind | None:
    """The kind of link that a judgement makes; None when it is too unsure, or nothing that links
    two memories.
    """
    least = _ALIKE_MIN if verdict.relation is Relation.ADDS else POSSIBLE
    return _KINDS.get(verdict.relation) if verdict.confidence >= least else None


def _caused(parts: Parts, memory: Memory) -> list[Link]:
    """The links of a fact to those that are its causes."""
    named = (
        memories.find_by_key(parts.db, memory.bank_id, Scope(), key)
        for key in mark_of(memory).causes
    )
    causes = [one for one in named if one and one.id != memory.id]
    return [
        Link("caused_by", memory.id, one.id, _CAUSE_SURE, "The text states it.") for one in causes
    ]


def _succession(memory: Memory, reason: str) -> list[Link]:
    winner = re.search(rf"{_SUPERSEDED}(m\w{{11}})$", reason)
    if not winner:
        return []
    return [succession(ids.parse(winner[1]), memory.id)]


def _keep(
    parts: Parts, bank_id: int, made: Sequence[tuple[Memory, list[Link]]], mark: Mark
) -> None:
    if parts.db.in_transaction:
        _store(parts.db, bank_id, made, mark, parts.clock.now())
        return
    try:
        with parts.db.transaction(_WAIT_MS):
            _store(parts.db, bank_id, made, mark, parts.clock.now())
    except (Busy, Forbidden):
        return


def _store(
    db: Database, bank_id: int, made: Sequence[tuple[Memory, list[Link]]], mark: Mark, now: int
) -> None:
    for memory, found in made:
        if memory.forgotten_at is None:
            links.drop(db, memory.id)
        links.put(db, bank_id, found, now)
    links.set_mark(db, bank_id, mark)


def _said(memory: Memory) -> str:
    return f"{memory.title}\n{memory.text}" if memory.title else memory.text


def _statement(memory: Memory) -> Statement:
    return replace(statement(memory), text=_said(memory))


def _age(memory: Memory) -> tuple[int, int]:
    return memory.updated_at, memory.version_id
