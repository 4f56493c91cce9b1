"""Purge: erase for good. What was said goes, and everything that was made of it or still tells it."""

from collections.abc import Sequence

from commonplace.engine import standings
from commonplace.engine.banks import known
from commonplace.engine.drafts import checked_filter, checked_origin
from commonplace.engine.memories import bounded, get
from commonplace.engine.parts import Parts
from commonplace.engine.redacting import Redacting
from commonplace.engine.revising import Revising
from commonplace.records import Filter, Memory, Origin
from commonplace.storage import banks, erasing, grounds, memories, scrubbing, snapshots

_EVERYTHING = Filter(status="any", expired=True)


def purge(parts: Parts, bank: str, memory_ids: Sequence[int | str], origin: Origin = Origin()) -> tuple[int, ...]:
    """Erase memories for good: rows, versions, index, vectors, links, documents and free pages. Their ids."""
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


def _purge(parts: Parts, found: Sequence[Memory], revising: Revising) -> tuple[int, ...]:
    if not found:
        return ()
    for project in sorted({memory.scope.project for memory in found}):
        revising.number(project)
    purged, bank_id = tuple(dict.fromkeys(memory.id for memory in found)), found[0].bank_id
    # What was made of them goes with them, with its history; what is left of its sources is looked at again.
    resting = list(memories.by_ids(parts.db, bank_id, grounds.holders(parts.db, purged)))
    gone = [*purged, *resting]
    left = set(grounds.beneath(parts.db, resting)) - set(purged)
    standings.release(parts, gone)
    documents = Redacting(parts, gone)
    documents.redact(gone)
    memories.purge(parts.db, bank_id, gone)
    documents.drop()
    erasing.blank_traces(parts.db, bank_id, gone, documents.names)
    grounds.unsettle(parts.db, bank_id, sorted(left))
    return purged
