"""Move memories to another bank or project, by storing them there and forgetting them here."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from commonplace import ids, reserved_metadata, validation
from commonplace.engine.banks import require_bank
from commonplace.engine.draft_validation import validate_origin
from commonplace.engine.erasure.deletion import forget
from commonplace.engine.memories import check_item_count, get, remember_many
from commonplace.engine.runtime import Runtime
from commonplace.errors import Conflict, Invalid, NotFound
from commonplace.records.memory import Draft, Memory, Origin, Outcome
from commonplace.storage.rows import banks, memories


@dataclass(frozen=True, slots=True)
class Moved:
    """The copies at the destination, and the originals, which are forgotten."""

    copies: tuple[Outcome, ...]
    originals: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class Destination:
    """The target of a move. Memories keep their bank or project if none is given."""

    bank: str = ""
    project: str | None = None


def move(
    runtime: Runtime,
    bank: str,
    memory_ids: Sequence[int | str],
    destination: Destination,
    origin: Origin = Origin(),
) -> Moved:
    """Move live memories in one transaction. They get new ids, and their history stays behind."""
    author = validate_origin(origin)
    target = validation.name(destination.bank or bank, what="bank")
    if target == bank and destination.project is None:
        raise Invalid("There is no destination.", hint="Name a bank or a project.")
    with runtime.db.transaction():
        require_bank(runtime, bank)
        chosen = [get(runtime, bank, one) for one in check_item_count(memory_ids)]
        drafts = [_draft(one, destination.project, same_bank=target == bank) for one in chosen]
        for memory, draft in zip(chosen, drafts, strict=True):
            _require_movable(runtime, memory, draft, target)
        reason = author.reason or f"moved from {bank}"
        copies = remember_many(runtime, target, drafts, replace(author, reason=reason))
        reason_at_source = author.reason or f"moved to {target}"
        originals = forget(
            runtime, bank, [one.id for one in chosen], replace(author, reason=reason_at_source)
        )
        return Moved(copies, originals)


def _draft(memory: Memory, project: str | None, *, same_bank: bool) -> Draft:
    # Metadata about the file of a note stays with the original.
    own_metadata = {
        name: value
        for name, value in memory.metadata.items()
        if not reserved_metadata.is_note_entry(name, value)
    }
    scope = memory.scope if project is None else replace(memory.scope, project=project)
    return Draft(
        text=memory.text,
        title=memory.title,
        kind=memory.kind,
        key=memory.key,
        tags=memory.tags,
        metadata=own_metadata,
        paths=memory.paths,
        category=memory.category,
        happened_at=memory.happened_at,
        happened_until=memory.happened_until,
        expires_at=memory.expires_at,
        # A document belongs to one bank.
        document_id=memory.document_id if same_bank else None,
        scope=scope,
    )


def _require_movable(runtime: Runtime, memory: Memory, draft: Draft, target: str) -> None:
    name = ids.short_form(memory.id)
    if memory.forgotten_at is not None:
        raise NotFound(f"Memory {name} is forgotten.", hint="Restore it before moving it.")
    found = banks.find(runtime.db, target)
    if found is None or not draft.key:
        return
    if memories.find_by_key(runtime.db, found.id, draft.scope, draft.key) is not None:
        raise Conflict(
            f"There is a memory with the key {draft.key} in the destination.",
            hint="Change or erase one of the two, then move the other.",
        )
