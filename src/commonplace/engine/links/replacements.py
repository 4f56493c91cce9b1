"""Finds which memories a newer one has replaced.

The verdicts are the links that the judge made when the newer memory was written. For what is not
linked yet, the same judge is asked by the reader.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from commonplace.engine.catch_up import catch_up_links
from commonplace.engine.links import link_derivation
from commonplace.engine.runtime import Runtime
from commonplace.language.judgement import CONFIDENT_MIN, POSSIBLE_MIN
from commonplace.recall import supersession
from commonplace.records.memory import Link, Memory
from commonplace.records.query import Hit, Query, Recall, Replacement
from commonplace.storage import text_index
from commonplace.storage.rows import links, memories

# So many of the best are judged by a reader; the others wait for the queue.
_JUDGED_MAX = 10


def find_replacements(
    runtime: Runtime, bank_id: int, found: Sequence[Memory]
) -> dict[int, Replacement]:
    """For each replaced memory among some, the memory that most surely replaced it."""
    known = {memory.id: memory for memory in found}
    best: dict[int, Link] = {}
    for link in _ending_links(runtime, bank_id, found):
        # Links come best first. Of two that end each other the surer one holds.
        if best.get(link.from_id) is None or best[link.from_id].from_id != link.to_id:
            best.setdefault(link.to_id, link)
    missing = {link.from_id for link in best.values()} - known.keys()
    if missing:
        known |= memories.by_ids(runtime.db, bank_id, list(missing))
    return {
        number: Replacement(
            known[link.from_id], link.confidence, is_sure=link.confidence >= CONFIDENT_MIN
        )
        for number, link in best.items()
        if link.from_id in known
    }


def mark_replaced(runtime: Runtime, bank_id: int, answer: Recall, query: Query) -> Recall:
    """The answer with its replaced hits marked, each after the hit that replaced it.

    A question about a past event or another time keeps its order, because no later memory changes
    what was then.
    """
    found = find_replacements(runtime, bank_id, [hit.memory for hit in answer.hits])
    if not found:
        return answer
    hits = [replace(hit, replacement=found.get(hit.memory.id)) for hit in answer.hits]
    if query.during is None and not supersession.is_about_past_event(query.text):
        hits = _put_newer_first(hits)
        # Pages have a fixed order, in which the newer memory has its own place.
        if not query.depth:
            hits = _add_missing(runtime, bank_id, hits, query)
    return replace(answer, hits=tuple(hits))


def _ending_links(runtime: Runtime, bank_id: int, found: Sequence[Memory]) -> list[Link]:
    """The links that end some memories, surest first."""
    if not found:
        return []
    made, is_behind = _stored_links(runtime, bank_id, found)
    if is_behind:
        catch_up_links(runtime, bank_id)
        made, is_behind = _stored_links(runtime, bank_id, found)
    judged = _judge_links(runtime, bank_id, found[:_JUDGED_MAX]) if is_behind else []
    return sorted([*made, *judged], key=lambda link: (-link.confidence, -link.from_id))


def _stored_links(
    runtime: Runtime, bank_id: int, found: Sequence[Memory]
) -> tuple[list[Link], bool]:
    numbers = [memory.id for memory in found]
    return links.replacements_of(
        runtime.db, bank_id, numbers, min_confidence=POSSIBLE_MIN, now=runtime.clock.now()
    )


def _judge_links(runtime: Runtime, bank_id: int, found: Sequence[Memory]) -> list[Link]:
    """The links among some memories of which one is not linked yet."""
    mark = links.high_water_mark(runtime.db, bank_id)
    pending = {memory.id for memory in found if links.change_position(memory) > mark}
    pairs = [
        pair for pair in combinations(found, 2) if not pending.isdisjoint(one.id for one in pair)
    ]
    judged = (link_derivation.link_between(runtime, *pair) for pair in pairs)
    by_id = {memory.id: memory for memory in found}
    return [
        link
        for link in judged
        if link
        and link.kind in links.ENDING_KINDS
        and _can_replace(by_id[link.from_id], by_id[link.to_id])
    ]


def _can_replace(newer: Memory, older: Memory) -> bool:
    """Whether everybody who sees the older memory sees the newer one. Observations follow their
    facts, and replace none.
    """
    mine, theirs = newer.scope, older.scope
    return (
        "observation" not in (newer.kind, older.kind)
        and newer.forgotten_at is None
        and mine.user == theirs.user
        and mine.project in (theirs.project, "")
        and mine.agent in (theirs.agent, "")
    )


def _put_newer_first(hits: Sequence[Hit]) -> list[Hit]:
    """The hits with each surely replaced one after the hit that replaced it. The scores stay at
    their positions.
    """
    order = list(hits)
    for old in hits:
        # A question in the words of the older memory asks for that one.
        is_verbatim = old.channels.get("vector", 0.0) >= supersession.VERBATIM_MIN
        if old.replacement is None or not old.replacement.is_sure or is_verbatim:
            continue
        ids = [hit.memory.id for hit in order]
        newer_id = old.replacement.memory.id
        if newer_id in ids and (newer := ids.index(newer_id)) > (older := ids.index(old.memory.id)):
            order.insert(older, order.pop(newer))
    return [replace(hit, score=at.score) for hit, at in zip(order, hits, strict=True)]


def _add_missing(runtime: Runtime, bank_id: int, hits: Sequence[Hit], query: Query) -> list[Hit]:
    """The hits with the newer memories that the question did not find, within the limit."""
    known = {hit.memory.id for hit in hits}
    missing = [
        one.memory.id
        for hit in hits
        if (one := hit.replacement) and one.is_sure and one.memory.id not in known
    ]
    if not missing:
        return list(hits)
    passing = text_index.filter_ids(runtime.db, bank_id, missing, query.filter, runtime.clock.now())
    out: list[Hit] = []
    for hit in hits:
        one = hit.replacement
        if one and one.is_sure and one.memory.id in passing and one.memory.id not in known:
            known.add(one.memory.id)
            out.append(Hit(one.memory, hit.score, {}))
        out.append(hit)
    return out[: query.limit]
