"""A survey of a bank of facts: what there is of each kind, whom and what it names, and how it hangs
together.
"""

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from commonplace.engine import links as linking
from commonplace.engine.facts.fact_metadata import mark_of
from commonplace.engine.runtime import Parts
from commonplace.limits import LIST_MAX
from commonplace.records.memory import Memory
from commonplace.records.query import Filter, Page
from commonplace.storage import banks, documents, links, memories

KINDS = ("world", "experience", "observation")
_DAY_MS = 86_400_000
_LINKS_MAX = 1_000_000
_HEAL_MS = 1_000


@dataclass(frozen=True, slots=True)
class Survey:
    """True counts at this moment."""

    kinds: Mapping[str, int]
    links: Mapping[str, int]
    entity_count: int
    document_count: int
    written_at: int | None


def survey(parts: Parts, bank: str) -> Survey:
    """What a bank holds. Facts are linked by each thing both name, by their day, their words, and
    cause and effect.
    """
    _catch_up(parts, bank)
    with parts.db.snapshot():
        place = banks.find(parts.db, bank)
        every = list(_every(parts, place.id)) if place else []
        numbers = {one.id for one in every if one.kind != "observation"}
        similar = (
            links.of(parts.db, place.id, numbers, ("similar_to",), limit=_LINKS_MAX)
            if place
            else []
        )
        document_count = documents.count(parts.db, place.id, None, "") if place else 0
    kinds = Counter(one.kind if one.kind in KINDS else "world" for one in every)
    facts = [mark_of(one) for one in every if one.kind != "observation"]
    keys = {one.key for one in every}
    named = Counter(name.casefold() for mark in facts for name in mark.entities)
    counted = {
        "semantic": sum({one.from_id, one.to_id} <= numbers for one in similar),
        "entity": sum(count * (count - 1) // 2 for count in named.values()),
        "temporal": _pairs_within_a_day(sorted(mark.mentioned_at for mark in facts)),
        "caused_by": sum(len(set(mark.causes) & keys) for mark in facts),
    }
    written = max((one.updated_at for one in every), default=None)
    return Survey(
        dict(kinds), {n: c for n, c in counted.items() if c}, len(named), document_count, written
    )


def holdings(parts: Parts, bank: str) -> tuple[int, int]:
    """How many things the facts of a bank name, and how many documents it has, for whoever empties
    it.
    """
    with parts.db.snapshot():
        place = banks.find(parts.db, bank)
        if place is None:
            return 0, 0
        facts = (mark_of(one) for one in _every(parts, place.id) if one.kind != "observation")
        named = {name.casefold() for mark in facts for name in mark.entities}
        return len(named), documents.count(parts.db, place.id, None, "")


def _catch_up(parts: Parts, bank: str) -> None:
    """Make the links that are still to be made, within a time: what is counted should be there."""
    place, ends_at = banks.find(parts.db, bank), time.monotonic() + _HEAL_MS / 1000
    while place and time.monotonic() < ends_at:
        before = links.mark(parts.db, place.id)
        linking.heal(parts, place.id, (), _HEAL_MS)
        if links.mark(parts.db, place.id) == before:
            return


def _every(parts: Parts, bank_id: int) -> Iterator[Memory]:
    offset, now, chosen = 0, parts.clock.now(), Filter(users=("",))
    while some := memories.select(
        parts.db, bank_id, chosen, Page("created", LIST_MAX, offset), now
    ):
        yield from some
        offset += LIST_MAX


def _pairs_within_a_day(moments: list[int]) -> int:
    pairs = first = 0
    for place, moment in enumerate(moments):
        while moment - moments[first] > _DAY_MS:
            first += 1
        pairs += place - first
    return pairs
