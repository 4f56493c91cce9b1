"""Forget and restore. Forgetting is a version and can be taken back; `erasing` is what cannot."""

from collections.abc import Sequence
from dataclasses import replace

from commonplace import reserved_metadata
from commonplace.engine.banks import known
from commonplace.engine.draft_validation import checked_filter, checked_origin
from commonplace.engine.memories import bounded, get, next_version
from commonplace.engine.revisions import Revising
from commonplace.engine.runtime import Parts
from commonplace.errors import NotFound
from commonplace.records.memory import Memory, Origin, Outcome, Version
from commonplace.records.query import Filter
from commonplace.storage import banks, memories

# What an older version says again; whose memory it is, its key and its document stay.
_RESTORED = (
    "text",
    "title",
    "kind",
    "tags",
    "paths",
    "category",
    "happened_at",
    "happened_until",
    "expires_at",
)


def forget(
    parts: Parts, bank: str, memory_ids: Sequence[int | str], origin: Origin = Origin()
) -> tuple[Outcome, ...]:
    """Forget memories in one transaction; one already forgotten stays as it is."""
    author = checked_origin(origin)
    with parts.db.transaction():
        revising = Revising(parts, known(parts, bank).id, "forget", author)
        return tuple(
            _forget(parts, get(parts, bank, memory_id), revising)
            for memory_id in bounded(memory_ids)
        )


def forget_where(
    parts: Parts, bank: str, chosen: Filter, origin: Origin = Origin()
) -> tuple[Outcome, ...]:
    """Forget every live memory a filter means, in one transaction."""
    checked, author = checked_filter(chosen), checked_origin(origin)
    with parts.db.transaction():
        revising = Revising(parts, known(parts, bank).id, "forget", author)
        found = _all(parts, revising, bank, checked)
        return tuple(
            _forget(parts, memory, revising) for memory in found if memory.forgotten_at is None
        )


def restore(
    parts: Parts, bank: str, memory_ids: Sequence[int | str], origin: Origin = Origin()
) -> tuple[Outcome, ...]:
    """Bring forgotten memories back as they were; one that is not forgotten stays as it is."""
    author = checked_origin(origin)
    with parts.db.transaction():
        revising = Revising(parts, known(parts, bank).id, "restore", author)
        return tuple(
            _restore(parts, get(parts, bank, memory_id), revising)
            for memory_id in bounded(memory_ids)
        )


def restore_version(
    parts: Parts, bank: str, memory_id: int | str, number: int, origin: Origin = Origin()
) -> Outcome:
    """Have a memory say again what it said in one of its versions, as its newest version; a
    forgotten one is back.
    """
    author = checked_origin(origin)
    with parts.db.transaction():
        revising = Revising(parts, known(parts, bank).id, "restore", author)
        memory = get(parts, bank, memory_id)
        wanted = _as_it_was(memory, _version(parts, memory, number))
        if wanted == replace(memory, forgotten_at=None):
            return _restore(parts, memory, revising)
        after = next_version(wanted, banks.new_ids(parts.db, revising.now)[0], revising.now)
        return Outcome("restored", after, revising.write(after, "restore"))


def _version(parts: Parts, memory: Memory, number: int) -> Version:
    found = memories.find_numbered_version(parts.db, memory.id, number)
    if found is None:
        raise NotFound(
            f"The memory has no version {number}; its newest is {memory.version}.",
            hint="See `commonplace history` for its versions.",
        )
    return found


def _as_it_was(memory: Memory, version: Version) -> Memory:
    """A memory with the content of a version. What is noted of its file is true of the file as it
    lies there now.
    """
    told = {
        name: value
        for name, value in version.metadata.items()
        if not reserved_metadata.is_note(name, value)
    }
    noted = {
        name: value
        for name, value in memory.metadata.items()
        if reserved_metadata.is_note(name, value)
    }
    content = {name: getattr(version, name) for name in _RESTORED}
    return replace(memory, forgotten_at=None, metadata={**told, **noted}, **content)


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
