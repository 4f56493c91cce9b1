"""Remember, read and revise. When a verb returns, the change is on disk with its version and
revision.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import TypeVar

from commonplace import ids, validation
from commonplace.engine.banks import require_bank
from commonplace.engine.draft_validation import (
    validate_draft,
    validate_edit,
    validate_filter,
    validate_origin,
)
from commonplace.engine.runtime import Runtime
from commonplace.engine.versions.revisions import RevisionWriter
from commonplace.errors import Conflict, NotFound, TooLarge
from commonplace.limits import BULK_MAX, LIST_MAX
from commonplace.records.memory import Draft, Edit, Memory, Origin, Outcome, TagCount, Unset
from commonplace.records.query import Filter, Order, PageRequest
from commonplace.storage.rows import banks, documents, memories

_Item = TypeVar("_Item")
_CONTENT_FIELDS = tuple(field.name for field in fields(Draft) if field.name != "scope")


def remember(runtime: Runtime, bank: str, draft: Draft, origin: Origin = Origin()) -> Outcome:
    """Store a draft. A memory with the same key gets a new version, unless nothing differs."""
    return remember_many(runtime, bank, [draft], origin)[0]


def remember_many(
    runtime: Runtime, bank: str, drafts: Sequence[Draft], origin: Origin = Origin()
) -> tuple[Outcome, ...]:
    """Store many drafts in one transaction: all of them or none."""
    checked = check_item_count([validate_draft(draft) for draft in drafts])
    name, author = validation.name(bank, what="bank"), validate_origin(origin)
    with runtime.db.transaction():
        bank_id = banks.ensure(runtime.db, name, runtime.clock.now()).id
        _require_documents(runtime, bank_id, checked)
        writer = RevisionWriter(runtime, bank_id, "remember", author)
        new_ids_of_call = banks.new_ids(runtime.db, writer.now, 2 * max(1, len(checked)))
        pairs = zip(checked, new_ids_of_call[::2], new_ids_of_call[1::2], strict=False)
        return tuple(
            _remember(runtime, draft, (first, second), writer) for draft, first, second in pairs
        )


def get(runtime: Runtime, bank: str, memory_id: int | str) -> Memory:
    """A memory by any form of its id or of the id of one of its versions. Forgotten memories are
    included.
    """
    number, found_bank = ids.parse(memory_id), banks.find(runtime.db, bank)
    found = memories.find(runtime.db, found_bank.id, number) if found_bank else None
    if found is None:
        raise _not_found(memory_id)
    return found


def list_memories(
    runtime: Runtime,
    bank: str,
    chosen: Filter = Filter(),
    *,
    order: Order = "created",
    limit: int = 50,
    offset: int = 0,
) -> tuple[Memory, ...]:
    """The memories that match a filter. An unknown bank has none."""
    validation.count(limit, what="limit", most=LIST_MAX)
    validation.count(offset, what="offset", most=2**53)
    validation.choice(order, ("created", "updated", "happened", "key"), what="order")
    checked, found = validate_filter(chosen), banks.find(runtime.db, bank)
    if found is None:
        return ()
    return tuple(
        memories.select(
            runtime.db, found.id, checked, PageRequest(order, limit, offset), runtime.clock.now()
        )
    )


def count(runtime: Runtime, bank: str, chosen: Filter = Filter()) -> int:
    """How many memories match a filter."""
    checked, found = validate_filter(chosen), banks.find(runtime.db, bank)
    return memories.count(runtime.db, found.id, checked, runtime.clock.now()) if found else 0


def revise(
    runtime: Runtime,
    bank: str,
    memory_id: int | str,
    edit: Edit,
    origin: Origin = Origin(),
    *,
    expected: int | None = None,
) -> Outcome:
    """Make the next version of a live memory. With `expected`, only if that is its newest
    version.
    """
    checked, author = validate_edit(edit), validate_origin(origin)
    with runtime.db.transaction():
        memory = get(runtime, bank, memory_id)
        require_version(memory, expected)
        _require_live(memory, memory_id)
        writer = RevisionWriter(runtime, memory.bank_id, "revise", author)
        return _revise(runtime, memory, checked, writer)


def tag(
    runtime: Runtime,
    bank: str,
    memory_ids: Sequence[int | str],
    origin: Origin = Origin(),
    *,
    add: Sequence[str] = (),
    remove: Sequence[str] = (),
) -> tuple[Outcome, ...]:
    """Add and remove tags on several memories in one transaction."""
    added, removed, author = validation.tags(add), validation.tags(remove), validate_origin(origin)
    with runtime.db.transaction():
        writer = RevisionWriter(runtime, require_bank(runtime, bank).id, "tag", author)
        outcomes: list[Outcome] = []
        for memory_id in check_item_count(memory_ids):
            memory = get(runtime, bank, memory_id)
            _require_live(memory, memory_id)
            kept = [label for label in memory.tags if label not in removed]
            outcomes.append(
                _revise(runtime, memory, Edit(tags=validation.tags([*kept, *added])), writer)
            )
        return tuple(outcomes)


def list_tags(
    runtime: Runtime,
    bank: str,
    pattern: str = "",
    *,
    limit: int = 100,
    user: str | None = None,
    labels: bool = False,
) -> tuple[TagCount, ...]:
    """The tags of live memories, or of one user's, with their counts; `*` and `?` in the pattern
    are wildcards.

    With labels, projects and agents count as tags, such as `project:shop`; the pattern does not
    apply to those.
    """
    validation.count(limit, what="limit", most=LIST_MAX)
    found = banks.find(runtime.db, bank)
    wanted = validation.line(pattern, what="pattern")
    if found is None:
        return ()
    counts = Counter(
        {one.tag: one.count for one in memories.tags(runtime.db, found.id, wanted, limit, user)}
    )
    if labels:
        counts.update(memories.labels(runtime.db, found.id, limit, user, runtime.clock.now()))
    return tuple(TagCount(tag, count) for tag, count in counts.most_common())


def _require_documents(runtime: Runtime, bank_id: int, drafts: Sequence[Draft]) -> None:
    named = {draft.document_id for draft in drafts if draft.document_id is not None}
    if (
        missing := named - documents.names(runtime.db, bank_id, list(named)).keys()
        if named
        else None
    ):
        raise NotFound(
            f"There is no document {min(missing)}.",
            hint="Store the document first, in the same bank.",
        )


def _remember(
    runtime: Runtime, draft: Draft, new_ids: tuple[int, int], writer: RevisionWriter
) -> Outcome:
    before = (
        memories.find_by_key(runtime.db, writer.bank_id, draft.scope, draft.key)
        if draft.key
        else None
    )
    content = {name: getattr(draft, name) for name in _CONTENT_FIELDS}
    if before is None:
        memory = first_version(draft, new_ids, writer)
        return Outcome("added", memory, writer.write(memory, "remember"))
    is_live = before.forgotten_at is None
    if is_live and all(getattr(before, name) == value for name, value in content.items()):
        return Outcome("unchanged", before)
    memory = replace(next_version(before, new_ids[1], writer.now), forgotten_at=None, **content)
    return Outcome("revised" if is_live else "restored", memory, writer.write(memory, "remember"))


def _revise(runtime: Runtime, memory: Memory, edit: Edit, writer: RevisionWriter) -> Outcome:
    given = {f.name: getattr(edit, f.name) for f in fields(edit)}
    changed = {
        name: v
        for name, v in given.items()
        if not isinstance(v, Unset) and v != getattr(memory, name)
    }
    if not changed:
        return Outcome("unchanged", memory)
    new_id = banks.new_ids(runtime.db, writer.now)[0]
    after = replace(next_version(memory, new_id, writer.now), **changed)
    return Outcome("revised", after, writer.write(after, "revise"))


def first_version(draft: Draft, new_ids: tuple[int, int], writer: RevisionWriter) -> Memory:
    """The first version of a memory. `new_ids` are the memory's id and that of the version."""
    return Memory(
        id=new_ids[0],
        bank_id=writer.bank_id,
        version=1,
        version_id=new_ids[1],
        created_at=writer.now,
        updated_at=writer.now,
        forgotten_at=None,
        **{field.name: getattr(draft, field.name) for field in fields(draft)},
    )


def next_version(memory: Memory, version_id: int, now: int) -> Memory:
    """The next version of a memory. Its time never decreases, even if the clock does."""
    return replace(
        memory,
        version=memory.version + 1,
        version_id=version_id,
        updated_at=max(now, memory.updated_at),
    )


def check_item_count(items: Sequence[_Item]) -> Sequence[_Item]:
    """The items of one call. Too many are refused."""
    if len(items) > BULK_MAX:
        raise TooLarge(
            f"{len(items):,} items in one call; the limit is {BULK_MAX:,}.",
            hint="Split them over several calls.",
        )
    return items


def require_version(memory: Memory, expected: int | None) -> None:
    """Refuse a change that is based on an older version than the newest one."""
    if expected is not None and memory.version != expected:
        raise Conflict(
            f"The memory is at version {memory.version}, not {expected}.",
            hint="Read it again and repeat the change on its newest version.",
        )


def _require_live(memory: Memory, memory_id: int | str) -> None:
    if memory.forgotten_at is not None:
        raise NotFound(f"Memory {memory_id} is forgotten.", hint="Restore it before changing it.")


def _not_found(memory_id: int | str) -> NotFound:
    return NotFound(
        f"There is no memory {memory_id}.",
        hint="Check the id and the bank; purged memories are gone.",
    )
