"""Remember, read and revise. A reply means the change is on disk, with its version and its
revision.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import TypeVar

from commonplace import ids, validation
from commonplace.engine.banks import known
from commonplace.engine.draft_validation import (
    checked_draft,
    checked_edit,
    checked_filter,
    checked_origin,
)
from commonplace.engine.revisions import Revising
from commonplace.engine.runtime import Parts
from commonplace.errors import Conflict, NotFound, TooLarge
from commonplace.limits import BULK_MAX, LIST_MAX
from commonplace.records.memory import Draft, Edit, Memory, Origin, Outcome, TagCount, Unset
from commonplace.records.query import Filter, Order, Page
from commonplace.storage import banks, documents, memories

_Item = TypeVar("_Item")
_CONTENT = tuple(field.name for field in fields(Draft) if field.name != "scope")


def remember(parts: Parts, bank: str, draft: Draft, origin: Origin = Origin()) -> Outcome:
    """Store a draft. What already has its key gets a new version, or none if nothing differs."""
    return remember_many(parts, bank, [draft], origin)[0]


def remember_many(
    parts: Parts, bank: str, drafts: Sequence[Draft], origin: Origin = Origin()
) -> tuple[Outcome, ...]:
    """Store many drafts in one transaction: all of them or none."""
    checked = bounded([checked_draft(draft) for draft in drafts])
    name, author = validation.name(bank, what="bank"), checked_origin(origin)
    with parts.db.transaction():
        bank_id = banks.ensure(parts.db, name, parts.clock.now()).id
        _check_documents(parts, bank_id, checked)
        revising = Revising(parts, bank_id, "remember", author)
        drawn = banks.new_ids(parts.db, revising.now, 2 * max(1, len(checked)))
        pairs = zip(checked, drawn[::2], drawn[1::2], strict=False)
        return tuple(
            _remember(parts, draft, (first, second), revising) for draft, first, second in pairs
        )


def get(parts: Parts, bank: str, memory_id: int | str) -> Memory:
    """A memory by any form of its id, or of the id of one of its versions; forgotten ones too,
    marked as such.
    """
    number, place = ids.parse(memory_id), banks.find(parts.db, bank)
    found = memories.find(parts.db, place.id, number) if place else None
    if found is None:
        raise _unknown(memory_id)
    return found


def list_memories(
    parts: Parts,
    bank: str,
    chosen: Filter = Filter(),
    *,
    order: Order = "created",
    limit: int = 50,
    offset: int = 0,
) -> tuple[Memory, ...]:
    """The memories a filter means. A bank nobody wrote to has none."""
    validation.count(limit, what="limit", most=LIST_MAX)
    validation.count(offset, what="offset", most=2**53)
    validation.choice(order, ("created", "updated", "happened", "key"), what="order")
    checked, found = checked_filter(chosen), banks.find(parts.db, bank)
    if found is None:
        return ()
    return tuple(
        memories.select(parts.db, found.id, checked, Page(order, limit, offset), parts.clock.now())
    )


def count(parts: Parts, bank: str, chosen: Filter = Filter()) -> int:
    """How many memories a filter means."""
    checked, found = checked_filter(chosen), banks.find(parts.db, bank)
    return memories.count(parts.db, found.id, checked, parts.clock.now()) if found else 0


def revise(
    parts: Parts,
    bank: str,
    memory_id: int | str,
    edit: Edit,
    origin: Origin = Origin(),
    *,
    expected: int | None = None,
) -> Outcome:
    """Make the next version of a live memory. With `expected`, only if that is still its newest
    version.
    """
    checked, author = checked_edit(edit), checked_origin(origin)
    with parts.db.transaction():
        memory = get(parts, bank, memory_id)
        require_version(memory, expected)
        _require_live(memory, memory_id)
        revising = Revising(parts, memory.bank_id, "revise", author)
        return _revise(parts, memory, checked, revising)


def tag(
    parts: Parts,
    bank: str,
    memory_ids: Sequence[int | str],
    origin: Origin = Origin(),
    *,
    add: Sequence[str] = (),
    remove: Sequence[str] = (),
) -> tuple[Outcome, ...]:
    """Add and take away tags on several memories in one transaction."""
    added, removed, author = validation.tags(add), validation.tags(remove), checked_origin(origin)
    with parts.db.transaction():
        revising = Revising(parts, known(parts, bank).id, "tag", author)
        outcomes: list[Outcome] = []
        for memory_id in bounded(memory_ids):
            memory = get(parts, bank, memory_id)
            _require_live(memory, memory_id)
            kept = [label for label in memory.tags if label not in removed]
            outcomes.append(
                _revise(parts, memory, Edit(tags=validation.tags([*kept, *added])), revising)
            )
        return tuple(outcomes)


def list_tags(
    parts: Parts,
    bank: str,
    pattern: str = "",
    *,
    limit: int = 100,
    user: str | None = None,
    labels: bool = False,
) -> tuple[TagCount, ...]:
    """The tags of live memories, or of one user's, with their counts; `*` and `?` in the pattern
    are wildcards.

    With labels, projects and agents count as tags, such as `project:shop`; the pattern is not for
    those.
    """
    validation.count(limit, what="limit", most=LIST_MAX)
    found = banks.find(parts.db, bank)
    wanted = validation.line(pattern, what="pattern")
    if found is None:
        return ()
    counts = Counter(
        {one.tag: one.count for one in memories.tags(parts.db, found.id, wanted, limit, user)}
    )
    if labels:
        counts.update(memories.labels(parts.db, found.id, limit, user, parts.clock.now()))
    return tuple(TagCount(tag, count) for tag, count in counts.most_common())


def _check_documents(parts: Parts, bank_id: int, drafts: Sequence[Draft]) -> None:
    named = {draft.document_id for draft in drafts if draft.document_id is not None}
    if missing := named - documents.names(parts.db, bank_id, list(named)).keys() if named else None:
        raise NotFound(
            f"There is no document {min(missing)}.",
            hint="Store the document first, in the same bank.",
        )


def _remember(parts: Parts, draft: Draft, new_ids: tuple[int, int], revising: Revising) -> Outcome:
    before = (
        memories.find_by_key(parts.db, revising.bank_id, draft.scope, draft.key)
        if draft.key
        else None
    )
    content = {name: getattr(draft, name) for name in _CONTENT}
    if before is None:
        memory = newborn(draft, new_ids, revising)
        return Outcome("added", memory, revising.write(memory, "remember"))
    alive = before.forgotten_at is None
    if alive and all(getattr(before, name) == value for name, value in content.items()):
        return Outcome("unchanged", before)
    memory = replace(next_version(before, new_ids[1], revising.now), forgotten_at=None, **content)
    return Outcome("revised" if alive else "restored", memory, revising.write(memory, "remember"))


def _revise(parts: Parts, memory: Memory, edit: Edit, revising: Revising) -> Outcome:
    given = {f.name: getattr(edit, f.name) for f in fields(edit)}
    changed = {
        name: v
        for name, v in given.items()
        if not isinstance(v, Unset) and v != getattr(memory, name)
    }
    if not changed:
        return Outcome("unchanged", memory)
    new_id = banks.new_ids(parts.db, revising.now)[0]
    after = replace(next_version(memory, new_id, revising.now), **changed)
    return Outcome("revised", after, revising.write(after, "revise"))


def newborn(draft: Draft, new_ids: tuple[int, int], revising: Revising) -> Memory:
    """The first version of a memory: the memory's id and that version's own."""
    return Memory(
        id=new_ids[0],
        bank_id=revising.bank_id,
        version=1,
        version_id=new_ids[1],
        created_at=revising.now,
        updated_at=revising.now,
        forgotten_at=None,
        **{field.name: getattr(draft, field.name) for field in fields(draft)},
    )


def next_version(memory: Memory, version_id: int, now: int) -> Memory:
    """The same memory one version later. Its time never runs backwards, whatever the clock does."""
    return replace(
        memory,
        version=memory.version + 1,
        version_id=version_id,
        updated_at=max(now, memory.updated_at),
    )


def bounded(items: Sequence[_Item]) -> Sequence[_Item]:
    """The items of one call, refused when they are too many."""
    if len(items) > BULK_MAX:
        raise TooLarge(
            f"{len(items):,} items in one call; the limit is {BULK_MAX:,}.",
            hint="Split them over several calls.",
        )
    return items


def require_version(memory: Memory, expected: int | None) -> None:
    """Refuse a change that was made to an older version than the newest one."""
    if expected is not None and memory.version != expected:
        raise Conflict(
            f"The memory is at version {memory.version}, not {expected}.",
            hint="Read it again and repeat the change on its newest version.",
        )


def _require_live(memory: Memory, memory_id: int | str) -> None:
    if memory.forgotten_at is not None:
        raise NotFound(f"Memory {memory_id} is forgotten.", hint="Restore it before changing it.")


def _unknown(memory_id: int | str) -> NotFound:
    return NotFound(
        f"There is no memory {memory_id}.",
        hint="Check the id and the bank; purged memories are gone.",
    )
