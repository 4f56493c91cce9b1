"""Imports notes that existed as files first: with the id and the times in the file."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from commonplace import ids, validation
from commonplace.engine.draft_validation import validate_draft, validate_edit, validate_origin
from commonplace.engine.memories import check_item_count, first_version, get, next_version
from commonplace.engine.runtime import Runtime
from commonplace.engine.versions.revisions import RevisionWriter
from commonplace.errors import Conflict
from commonplace.records.memory import Draft, Edit, Memory, Origin, Unset
from commonplace.storage.rows import banks, note_files


@dataclass(frozen=True, slots=True)
class FileHistory:
    """The history in a file's frontmatter: its id, and when it was created, changed and deleted."""

    id: int
    created_at: int | None = None
    updated_at: int | None = None
    deleted_at: int | None = None


@dataclass(frozen=True, slots=True)
class Adoption:
    """A note to store, and the history in its file."""

    draft: Draft
    history: FileHistory


def adopt(
    runtime: Runtime, bank: str, adoptions: Sequence[Adoption], origin: Origin = Origin()
) -> tuple[Memory, ...]:
    """Store notes under the ids in their files, all or none. Times in the future become now."""
    checked = [
        Adoption(validate_draft(one.draft), one.history) for one in check_item_count(adoptions)
    ]
    name, author = validation.name(bank, what="bank"), validate_origin(origin)
    numbers = [ids.parse(one.history.id) for one in checked]
    with runtime.db.transaction():
        bank_id = banks.ensure(runtime.db, name, runtime.clock.now()).id
        if taken := note_files.ids_in_use(runtime.db, numbers):
            raise Conflict(
                f"The id {ids.note_form(min(taken))} belongs to another memory.",
                hint="Use another id.",
            )
        writer = RevisionWriter(runtime, bank_id, "adopt", author)
        banks.skip_ids(runtime.db, max(numbers, default=0))
        drawn = banks.new_ids(runtime.db, writer.now, 2 * max(1, len(checked)))
        pairs = zip(checked, drawn[::2], drawn[1::2], strict=False)
        return tuple(_adopt(one, (first, second), writer) for one, first, second in pairs)


def _adopt(one: Adoption, version_ids: tuple[int, int], writer: RevisionWriter) -> Memory:
    past, created = one.history, _not_in_future(one.history.created_at, writer.now)
    memory = first_version(one.draft, (ids.parse(past.id), version_ids[0]), writer)
    memory = replace(
        memory,
        created_at=created,
        updated_at=max(created, _not_in_future(past.updated_at, writer.now)),
    )
    writer.write(memory, "remember")
    if past.deleted_at is None:
        return memory
    deleted = max(memory.updated_at, _not_in_future(past.deleted_at, writer.now))
    memory = replace(next_version(memory, version_ids[1], deleted), forgotten_at=deleted)
    writer.write(memory, "forget")
    return memory


def amend(
    runtime: Runtime, bank: str, memory_id: int, edit: Edit, origin: Origin = Origin()
) -> Memory:
    """Change a forgotten note. It stays forgotten, with the same time."""
    checked, author = validate_edit(edit), validate_origin(origin)
    with runtime.db.transaction():
        memory = get(runtime, bank, memory_id)
        if memory.forgotten_at is None:
            raise Conflict(
                f"The note {ids.note_form(memory.id)} is not forgotten.", hint="Revise it."
            )
        given = {one.name: getattr(checked, one.name) for one in fields(checked)}
        changed = {name: value for name, value in given.items() if not isinstance(value, Unset)}
        writer = RevisionWriter(runtime, memory.bank_id, "revise", author)
        number = banks.new_ids(runtime.db, writer.now)[0]
        memory = replace(next_version(memory, number, writer.now), **changed)
        writer.write(memory, "forget")
        return memory


def _not_in_future(moment: int | None, now: int) -> int:
    return now if moment is None else min(moment, now)
