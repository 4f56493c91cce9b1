"""Forget and restore. Forgetting is a version and can be taken back; `erasing` is what cannot."""

from collections.abc import Sequence
from dataclasses import replace

from commonplace.engine.banks import known
from commonplace.engine.drafts import checked_filter, checked_origin
from commonplace.engine.memories import bounded, get, next_version
from commonplace.engine.parts import Parts
from commonplace.engine.revising import Revising
from commonplace.records import Filter, Memory, Origin, Outcome
from commonplace.storage import banks, memories


def forget(parts: Parts, bank: str, memory_ids: Sequence[int | str], origin: Origin = Origin()) -> tuple[Outcome, ...]:
    """Forget memories in one transaction; one already forgotten stays as it is."""
    author = checked_origin(origin)
    with parts.db.transaction():
        revising = Revising(parts, known(parts, bank).id, "forget", author)
        return tuple(_forget(parts, get(parts, bank, memory_id), revising) for memory_id in bounded(memory_ids))


def forget_where(parts: Parts, bank: str, chosen: Filter, origin: Origin = Origin()) -> tuple[Outcome, ...]:
    """Forget every live memory a filter means, in one transaction."""
    checked, author = checked_filter(chosen), checked_origin(origin)
    with parts.db.transaction():
        revising = Revising(parts, known(parts, bank).id, "forget", author)
        found = _all(parts, revising, bank, checked)
        return tuple(_forget(parts, memory, revising) for memory in found if memory.forgotten_at is None)


def restore(parts: Parts, bank: str, memory_ids: Sequence[int | str], origin: Origin = Origin()) -> tuple[Outcome, ...]:
    """Bring forgotten memories back as they were; one that is not forgotten stays as it is."""
    author = checked_origin(origin)
    with parts.db.transaction():
        revising = Revising(parts, known(parts, bank).id, "restore", author)
        return tuple(_restore(parts, get(parts, bank, memory_id), revising) for memory_id in bounded(memory_ids))


def _all(parts: Parts, revising: Revising, bank: str, chosen: Filter) -> list[Memory]:
    bank_id = known(parts, bank).id
    found = memories.select_ids(parts.db, bank_id, chosen, revising.now)
    by_id = memories.by_ids(parts.db, bank_id, found)
    return [by_id[number] for number in found]


def _forget(parts: Parts, memory: Memory, revising: Revising) -> Outcome:
    if memory.forgotten_at is not None:
        return Outcome("unchanged", memory)
    after = next_version(memory, banks.new_ids(parts.db, revising.now)[0], revising.now)
    after = replace(after, forgotten_at=after.updated_at)
    return Outcome("forgotten", after, revising.write(after, "forget"))


def _restore(parts: Parts, memory: Memory, revising: Revising) -> Outcome:
    if memory.forgotten_at is None:
        return Outcome("unchanged", memory)
    after = next_version(memory, banks.new_ids(parts.db, revising.now)[0], revising.now)
    after = replace(after, forgotten_at=None)
    return Outcome("restored", after, revising.write(after, "restore"))
