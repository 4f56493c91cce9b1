"""Forget and restore. Forgetting is a version and can be undone; `erasure` cannot."""

from collections.abc import Sequence
from dataclasses import replace

from commonplace import reserved_metadata
from commonplace.engine.banks import require_bank
from commonplace.engine.draft_validation import validate_filter, validate_origin
from commonplace.engine.memories import check_item_count, get, next_version
from commonplace.engine.runtime import Runtime
from commonplace.engine.versions.revisions import RevisionWriter
from commonplace.errors import NotFound
from commonplace.records.memory import Memory, Origin, Outcome, Version
from commonplace.records.query import Filter
from commonplace.storage.rows import banks, memories

# Fields that restoring a version brings back. Scope, key and document stay.
_RESTORED_FIELDS = (
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
    runtime: Runtime, bank: str, memory_ids: Sequence[int | str], origin: Origin = Origin()
) -> tuple[Outcome, ...]:
    """Forget memories in one transaction; one already forgotten stays as it is."""
    author = validate_origin(origin)
    with runtime.db.transaction():
        writer = RevisionWriter(runtime, require_bank(runtime, bank).id, "forget", author)
        return tuple(
            _forget(runtime, get(runtime, bank, memory_id), writer)
            for memory_id in check_item_count(memory_ids)
        )


def forget_where(
    runtime: Runtime, bank: str, chosen: Filter, origin: Origin = Origin()
) -> tuple[Outcome, ...]:
    """Forget every live memory that matches a filter, in one transaction."""
    checked, author = validate_filter(chosen), validate_origin(origin)
    with runtime.db.transaction():
        writer = RevisionWriter(runtime, require_bank(runtime, bank).id, "forget", author)
        found = _select(runtime, writer, bank, checked)
        return tuple(
            _forget(runtime, memory, writer) for memory in found if memory.forgotten_at is None
        )


def restore(
    runtime: Runtime, bank: str, memory_ids: Sequence[int | str], origin: Origin = Origin()
) -> tuple[Outcome, ...]:
    """Restore forgotten memories as they were; one that is not forgotten stays as it is."""
    author = validate_origin(origin)
    with runtime.db.transaction():
        writer = RevisionWriter(runtime, require_bank(runtime, bank).id, "restore", author)
        return tuple(
            _restore(runtime, get(runtime, bank, memory_id), writer)
            for memory_id in check_item_count(memory_ids)
        )


def restore_version(
    runtime: Runtime, bank: str, memory_id: int | str, number: int, origin: Origin = Origin()
) -> Outcome:
    """Restore the content of an earlier version as the newest version of a memory. A forgotten
    memory becomes live.
    """
    author = validate_origin(origin)
    with runtime.db.transaction():
        writer = RevisionWriter(runtime, require_bank(runtime, bank).id, "restore", author)
        memory = get(runtime, bank, memory_id)
        wanted = with_version_content(memory, _require_version(runtime, memory, number))
        if wanted == replace(memory, forgotten_at=None):
            return _restore(runtime, memory, writer)
        after = next_version(wanted, banks.new_ids(runtime.db, writer.now)[0], writer.now)
        return Outcome("restored", after, writer.write(after, "restore"))


def _require_version(runtime: Runtime, memory: Memory, number: int) -> Version:
    found = memories.find_numbered_version(runtime.db, memory.id, number)
    if found is None:
        raise NotFound(
            f"The memory has no version {number}; its newest is {memory.version}.",
            hint="See `commonplace history` for its versions.",
        )
    return found


def with_version_content(memory: Memory, version: Version) -> Memory:
    """A memory with the content of a version. Reserved metadata about its file is kept, because it
    describes the file as it is now.
    """
    own_metadata = {
        name: value
        for name, value in version.metadata.items()
        if not reserved_metadata.is_note_entry(name, value)
    }
    reserved = {
        name: value
        for name, value in memory.metadata.items()
        if reserved_metadata.is_note_entry(name, value)
    }
    content = {name: getattr(version, name) for name in _RESTORED_FIELDS}
    return replace(memory, forgotten_at=None, metadata={**own_metadata, **reserved}, **content)


def _select(runtime: Runtime, writer: RevisionWriter, bank: str, chosen: Filter) -> list[Memory]:
    bank_id = require_bank(runtime, bank).id
    found = memories.select_ids(runtime.db, bank_id, chosen, writer.now)
    by_id = memories.by_ids(runtime.db, bank_id, found)
    return [by_id[number] for number in found]


def _forget(runtime: Runtime, memory: Memory, writer: RevisionWriter) -> Outcome:
    if memory.forgotten_at is not None:
        return Outcome("unchanged", memory)
    after = next_version(memory, banks.new_ids(runtime.db, writer.now)[0], writer.now)
    after = replace(after, forgotten_at=after.updated_at)
    return Outcome("forgotten", after, writer.write(after, "forget"))


def _restore(runtime: Runtime, memory: Memory, writer: RevisionWriter) -> Outcome:
    if memory.forgotten_at is None:
        return Outcome("unchanged", memory)
    after = next_version(memory, banks.new_ids(runtime.db, writer.now)[0], writer.now)
    after = replace(after, forgotten_at=None)
    return Outcome("restored", after, writer.write(after, "restore"))
