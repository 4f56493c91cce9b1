"""Forget, restore and purge. Forgetting is a version and can be taken back; purging leaves nothing behind."""

from collections.abc import Sequence
from dataclasses import replace

from commonplace.engine import standings
from commonplace.engine.banks import known
from commonplace.engine.drafts import checked_filter, checked_origin
from commonplace.engine.memories import bounded, get, next_version
from commonplace.engine.parts import Parts
from commonplace.engine.revising import Revising
from commonplace.records import Filter, Memory, Origin, Outcome
from commonplace.storage import banks, grounds, memories, scrubbing, snapshots

_EVERYTHING = Filter(status="any", expired=True)


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


def purge(parts: Parts, bank: str, memory_ids: Sequence[int | str], origin: Origin = Origin()) -> tuple[int, ...]:
    """Erase memories for good: rows, versions, index, vectors, links and free pages. Their ids."""
    author = checked_origin(origin)
    with parts.db.transaction():
        found = [get(parts, bank, memory_id) for memory_id in bounded(memory_ids)]
        purged = _purge(parts, found, Revising(parts, known(parts, bank).id, "purge", author))
    scrub(parts)
    return purged


def purge_where(parts: Parts, bank: str, chosen: Filter, origin: Origin = Origin()) -> tuple[int, ...]:
    """Erase every memory a filter means, for good."""
    checked, author = checked_filter(chosen), checked_origin(origin)
    with parts.db.transaction():
        revising = Revising(parts, known(parts, bank).id, "purge", author)
        purged = _purge(parts, _all(parts, revising, bank, checked), revising)
    scrub(parts)
    return purged


def delete_bank(parts: Parts, bank: str) -> int:
    """Erase a bank for good, with all it holds; how many memories it had."""
    with parts.db.transaction():
        doomed = known(parts, bank)
        revising = Revising(parts, doomed.id, "purge", Origin())
        purged = _purge(parts, _all(parts, revising, bank, _EVERYTHING), revising)
        banks.erase(parts.db, doomed.id)
    snapshots.erase(parts.db.path.parent, doomed.name)
    scrub(parts)
    return len(purged)


def scrub(parts: Parts) -> None:
    """Overwrite what erased rows left in the file and its log. Inside a transaction it waits for the outermost one."""
    scrubbing.scrub(parts.db)


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


def _purge(parts: Parts, found: Sequence[Memory], revising: Revising) -> tuple[int, ...]:
    if not found:
        return ()
    for project in sorted({memory.scope.project for memory in found}):
        revising.number(project)
    purged, bank_id = tuple(dict.fromkeys(memory.id for memory in found)), found[0].bank_id
    # What was made of them goes with them, with its history; what is left of its sources is looked at again.
    resting = list(memories.by_ids(parts.db, bank_id, grounds.holders(parts.db, purged)))
    left = set(grounds.beneath(parts.db, resting)) - set(purged)
    standings.release(parts, [*purged, *resting])
    memories.purge(parts.db, bank_id, [*purged, *resting])
    grounds.unsettle(parts.db, bank_id, sorted(left))
    return purged
