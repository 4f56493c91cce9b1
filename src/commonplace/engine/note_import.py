"""Notes that were files before they were memories: they come with an id and a past of their own."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from commonplace import ids, validation
from commonplace.engine.draft_validation import checked_draft, checked_edit, checked_origin
from commonplace.engine.memories import bounded, get, newborn, next_version
from commonplace.engine.revisions import Revising
from commonplace.engine.runtime import Parts
from commonplace.errors import Conflict
from commonplace.records.memory import Draft, Edit, Memory, Origin, Unset
from commonplace.storage import banks, note_files


@dataclass(frozen=True, slots=True)
class Past:
    """What a file tells of itself: its id, and when it was made, changed and deleted."""

    id: int
    created_at: int | None = None
    updated_at: int | None = None
    deleted_at: int | None = None


@dataclass(frozen=True, slots=True)
class Adoption:
    """A note that is to be stored, and what its file tells of itself."""

    draft: Draft
    past: Past


def adopt(
    parts: Parts, bank: str, adoptions: Sequence[Adoption], origin: Origin = Origin()
) -> tuple[Memory, ...]:
    """Store notes under the ids they have, all or none. Times that a file cannot have, such as
    coming ones, are now.
    """
    checked = [Adoption(checked_draft(one.draft), one.past) for one in bounded(adoptions)]
    name, author = validation.name(bank, what="bank"), checked_origin(origin)
    numbers = [ids.parse(one.past.id) for one in checked]
    with parts.db.transaction():
        bank_id = banks.ensure(parts.db, name, parts.clock.now()).id
        if taken := note_files.taken(parts.db, numbers):
            raise Conflict(
                f"The id {ids.note(min(taken))} belongs to another memory.", hint="Use another id."
            )
        revising = Revising(parts, bank_id, "adopt", author)
        banks.skip_ids(parts.db, max(numbers, default=0))
        drawn = banks.new_ids(parts.db, revising.now, 2 * max(1, len(checked)))
        pairs = zip(checked, drawn[::2], drawn[1::2], strict=False)
        return tuple(_adopted(one, (first, second), revising) for one, first, second in pairs)


def _adopted(one: Adoption, version_ids: tuple[int, int], revising: Revising) -> Memory:
    past, created = one.past, _earlier(one.past.created_at, revising.now)
    memory = newborn(one.draft, (ids.parse(past.id), version_ids[0]), revising)
    memory = replace(
        memory, created_at=created, updated_at=max(created, _earlier(past.updated_at, revising.now))
    )
    revising.write(memory, "remember")
    if past.deleted_at is None:
        return memory
    deleted = max(memory.updated_at, _earlier(past.deleted_at, revising.now))
    memory = replace(next_version(memory, version_ids[1], deleted), forgotten_at=deleted)
    revising.write(memory, "forget")
    return memory


def amend(parts: Parts, bank: str, memory_id: int, edit: Edit, origin: Origin = Origin()) -> Memory:
    """Change a note that is forgotten; it stays so, since when it was."""
    checked, author = checked_edit(edit), checked_origin(origin)
    with parts.db.transaction():
        memory = get(parts, bank, memory_id)
        if memory.forgotten_at is None:
            raise Conflict(f"The note {ids.note(memory.id)} is not forgotten.", hint="Revise it.")
        given = {one.name: getattr(checked, one.name) for one in fields(checked)}
        changed = {name: value for name, value in given.items() if not isinstance(value, Unset)}
        revising = Revising(parts, memory.bank_id, "revise", author)
        number = banks.new_ids(parts.db, revising.now)[0]
        memory = replace(next_version(memory, number, revising.now), **changed)
        revising.write(memory, "forget")
        return memory


def _earlier(moment: int | None, now: int) -> int:
    return now if moment is None else min(moment, now)
