"""The graph of facts: what hangs together with some of them by a thing that both name, by their
words, or as a cause.

Links by words and by cause are rows; those by names are looked up in the text index when somebody
asks, because a name that many facts share would make as many rows as there are pairs of them. Being
said on the same day links too, but by itself that says so little that it only adds to what is
reached in another way.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from commonplace.engine import links as linking
from commonplace.engine.facts.fact_metadata import mark_of
from commonplace.engine.runtime import Parts
from commonplace.language import analyzer
from commonplace.records.memory import LinkKind, Memory
from commonplace.records.query import Filter
from commonplace.storage import links, memories, text_index

DAY_MS = 86_400_000
_NAMES: dict[LinkKind, str] = {
    "similar_to": "semantic",
    "contradicts": "semantic",
    "supersedes": "semantic",
    "caused_by": "causal",
}
_LINKS_MAX = 200
_NAMES_MAX = 4
_COMMON = 200  # A name in so many texts links everything with everything.
_SHARING_MAX = 12
_SAME_DAY = 0.1


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A fact that hangs together with others, how closely from 0 to 1, and in which ways."""

    memory: Memory
    weight: float
    ways: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Around:
    """Where to look for neighbours: what a filter allows, what is known already, and what was
    asked.
    """

    allowed: Filter
    known: frozenset[int]
    asked: str = ""


def neighbours(
    parts: Parts, bank_id: int, seeds: Sequence[Memory], around: Around, limit: int
) -> list[Neighbour]:
    """The facts one step away from some others that are not known yet, the closest first."""
    linking.heal(parts, bank_id, seeds, linking.HEAL_MS)
    ways = _linked(parts, bank_id, {one.id for one in seeds})
    fresh = [number for number in ways if number not in around.known]
    names = _names(seeds, around.asked)
    chosen = (
        text_index.passing(parts.db, bank_id, fresh, around.allowed, parts.clock.now())
        if fresh
        else set[int]()
    )
    chosen |= _sharing(parts, bank_id, names, around)
    found: list[Neighbour] = []
    moments = [_moment(one) for one in seeds]
    for one in memories.by_ids(parts.db, bank_id, sorted(chosen)).values():
        if one.kind == "observation":  # It says again what its facts say.
            continue
        reached = dict(ways.get(one.id, {}))
        shared = len(set(names) & {name.casefold() for name in mark_of(one).entities})
        if shared:
            reached["entity"] = math.tanh(0.5 * shared)
        if reached:
            found.append(_weighed(one, reached, moments))
    return sorted(found, key=lambda one: (-one.weight, -one.memory.id))[:limit]


def _names(seeds: Sequence[Memory], asked: str) -> list[str]:
    """The names that lead on from some facts; what the question names itself was looked for
    already.
    """
    said = f" {analyzer.indexed(asked)} "
    every = dict.fromkeys(name.casefold() for one in seeds for name in mark_of(one).entities)
    return [name for name in every if f" {analyzer.indexed(name)} " not in said][:_NAMES_MAX]


def said_near(one: Memory, moments: Iterable[int]) -> float:
    """How near in time a fact is to the nearest of some moments: 1 at the same one, 0 from a day
    on.
    """
    mine = _moment(one)
    nearest = min((abs(mine - moment) for moment in moments), default=DAY_MS)
    return max(0.0, 1 - nearest / DAY_MS)


def causes_in_bank(parts: Parts, bank_id: int, terms: Sequence[str]) -> tuple[str, ...]:
    """The keys of the facts that have every one of some terms, those that fit best first."""
    if not terms:
        return ()
    chosen, now = Filter(kinds=("world", "experience"), users=("",)), parts.clock.now()
    numbers = text_index.keyword_ids(
        parts.db, bank_id, text_index.all_of(terms), chosen, now, limit=1
    )
    return tuple(one.key for one in memories.by_ids(parts.db, bank_id, numbers).values() if one.key)


def _weighed(one: Memory, reached: dict[str, float], moments: Sequence[int]) -> Neighbour:
    near = said_near(one, moments)
    if near:
        reached["temporal"] = near
    # Several ways add up, each to what the others left open.
    open_ = math.prod(
        1 - min(0.95, weight * (_SAME_DAY if way == "temporal" else 1))
        for way, weight in reached.items()
    )
    return Neighbour(one, 1 - open_, tuple(sorted(reached)))


def _linked(parts: Parts, bank_id: int, seeds: set[int]) -> dict[int, dict[str, float]]:
    found: dict[int, dict[str, float]] = {}
    for link in links.of(parts.db, bank_id, seeds, links.FACT_KINDS, limit=_LINKS_MAX):
        for near, far in ((link.from_id, link.to_id), (link.to_id, link.from_id)):
            if near in seeds and far not in seeds:
                found.setdefault(far, {}).setdefault(_NAMES[link.kind], link.confidence)
    return found


def _sharing(parts: Parts, bank_id: int, names: Sequence[str], around: Around) -> set[int]:
    """The facts that are not known yet whose texts have one of some names."""
    phrases = [phrase for name in names if (phrase := analyzer.indexed(name))]
    telling = [
        one
        for one, count in text_index.term_counts(parts.db, phrases, _COMMON).items()
        if 1 < count < _COMMON
    ]
    now, limit = parts.clock.now(), _SHARING_MAX
    found = (
        text_index.keyword_ids(
            parts.db, bank_id, text_index.any_of([one]), around.allowed, now, limit
        )
        for one in telling
    )
    return {number for some in found for number in some} - around.known


def _moment(one: Memory) -> int:
    return mark_of(one).mentioned_at if one.happened_at is None else one.happened_at
