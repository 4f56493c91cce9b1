"""Statistics of a bank of facts: counts by kind, entities, documents and links."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from commonplace.engine.catch_up import catch_up_links
from commonplace.engine.facts.fact_metadata import FactMetadata, fact_metadata_of
from commonplace.engine.runtime import Runtime
from commonplace.limits import LIST_MAX
from commonplace.records.memory import Link, Memory
from commonplace.records.query import Filter, PageRequest
from commonplace.storage.rows import banks, documents, links, memories

KINDS = ("world", "experience", "observation")
_DAY_MS = 86_400_000
_LINKS_MAX = 1_000_000
_LINKING_MS = 1_000


@dataclass(frozen=True, slots=True)
class FactStats:
    """The counts of a bank at this moment."""

    kinds: Mapping[str, int]
    links: Mapping[str, int]
    entity_count: int
    document_count: int
    written_at: int | None


@dataclass(frozen=True, slots=True)
class Entity:
    """A person, place or thing that facts name, with their number and their first and last time."""

    name: str
    count: int
    first_at: int
    last_at: int
    # The newest observations about it.
    observations: tuple[Memory, ...] = ()


def entities(runtime: Runtime, bank: str) -> tuple[Entity, ...]:
    """The entities that the memories of a bank name, most mentioned first."""
    found = banks.find(runtime.db, bank)
    if found is None:
        return ()
    counted: dict[str, Entity] = {}
    with runtime.db.snapshot():
        for memory in _all_memories(runtime, found.id):
            at = fact_metadata_of(memory).mentioned_at
            for name in fact_metadata_of(memory).entities:
                before = counted.get(name.casefold(), Entity(name, 0, at, at))
                counted[name.casefold()] = _with_mention(before, memory, at)
    return tuple(sorted(counted.values(), key=lambda one: (-one.count, one.name)))


def _with_mention(entity: Entity, memory: Memory, at: int) -> Entity:
    if memory.kind == "observation":
        return replace(entity, observations=(*entity.observations, memory))
    first, last = min(entity.first_at, at), max(entity.last_at, at)
    return replace(entity, count=entity.count + 1, first_at=first, last_at=last)


def fact_stats(runtime: Runtime, bank: str) -> FactStats:
    """Count the content of a bank. Two facts are linked if they share an entity, were stated within
    a day, have similar texts, or are cause and effect.
    """
    _catch_up_links(runtime, bank)
    with runtime.db.snapshot():
        bank_record = banks.find(runtime.db, bank)
        if bank_record is None:
            return FactStats({}, {}, 0, 0, None)
        rows = list(_all_memories(runtime, bank_record.id))
        fact_rows = [one for one in rows if one.kind != "observation"]
        fact_ids = {one.id for one in fact_rows}
        similar = links.links_of(
            runtime.db, bank_record.id, fact_ids, ("similar_to",), limit=_LINKS_MAX
        )
        document_count = documents.count(runtime.db, bank_record.id, None, "")
    facts = [fact_metadata_of(one) for one in fact_rows]
    link_counts = {
        "semantic": _pairs_among(fact_ids, similar),
        "entity": _pairs_sharing_entities(facts),
        "temporal": _pairs_within_a_day(sorted(fact.mentioned_at for fact in facts)),
        "caused_by": _causal_pairs(facts, {one.key for one in rows}),
    }
    return FactStats(
        _kind_counts(rows),
        +Counter(link_counts),
        len(_entity_counts(facts)),
        document_count,
        max((one.updated_at for one in rows), default=None),
    )


def content_counts(runtime: Runtime, bank: str) -> tuple[int, int]:
    """The number of entities that the facts of a bank name, and of its documents."""
    with runtime.db.snapshot():
        bank_record = banks.find(runtime.db, bank)
        if bank_record is None:
            return 0, 0
        facts = [
            fact_metadata_of(one)
            for one in _all_memories(runtime, bank_record.id)
            if one.kind != "observation"
        ]
        return len(_entity_counts(facts)), documents.count(runtime.db, bank_record.id, None, "")


def _catch_up_links(runtime: Runtime, bank: str) -> None:
    """Make the missing links before they are counted, within a time limit."""
    bank_record, deadline = banks.find(runtime.db, bank), time.monotonic() + _LINKING_MS / 1000
    while bank_record and time.monotonic() < deadline:
        before = links.high_water_mark(runtime.db, bank_record.id)
        catch_up_links(runtime, bank_record.id, (), _LINKING_MS)
        if links.high_water_mark(runtime.db, bank_record.id) == before:
            return


def _all_memories(runtime: Runtime, bank_id: int) -> Iterator[Memory]:
    offset, now, filter_ = 0, runtime.clock.now(), Filter(users=("",))
    while some := memories.select(
        runtime.db, bank_id, filter_, PageRequest("created", LIST_MAX, offset), now
    ):
        yield from some
        offset += LIST_MAX


def _pairs_among(fact_ids: set[int], found: Sequence[Link]) -> int:
    return sum({one.from_id, one.to_id} <= fact_ids for one in found)


def _kind_counts(rows: Sequence[Memory]) -> Counter[str]:
    return Counter(one.kind if one.kind in KINDS else "world" for one in rows)


def _entity_counts(facts: Sequence[FactMetadata]) -> Counter[str]:
    """The number of facts that name each entity."""
    return Counter(name.casefold() for fact in facts for name in fact.entities)


def _pairs_sharing_entities(facts: Sequence[FactMetadata]) -> int:
    return sum(count * (count - 1) // 2 for count in _entity_counts(facts).values())


def _pairs_within_a_day(moments: list[int]) -> int:
    pairs = first = 0
    for index, moment in enumerate(moments):
        while moment - moments[first] > _DAY_MS:
            first += 1
        pairs += index - first
    return pairs


def _causal_pairs(facts: Sequence[FactMetadata], keys: set[str]) -> int:
    return sum(len(set(fact.causes) & keys) for fact in facts)
