"""Undo: take back the newest version of memories, each only if it is still the newest."""

from collections.abc import Sequence
from dataclasses import replace

from commonplace.engine.banks import require_bank
from commonplace.engine.draft_validation import validate_origin
from commonplace.engine.erasure.deletion import with_version_content
from commonplace.engine.memories import check_item_count, get, next_version
from commonplace.engine.runtime import Runtime
from commonplace.engine.versions.revisions import RevisionWriter
from commonplace.records.memory import Action, Change, Memory, Origin, Outcome
from commonplace.storage.rows import banks, memories


def undo(
    runtime: Runtime,
    bank: str,
    steps: Sequence[tuple[int | str, int]],
    origin: Origin = Origin(),
) -> tuple[Outcome, ...]:
    """Take back versions in one transaction; a step is a memory and the version to take back.

    The state before it becomes the newest version. A first version is taken back by forgetting the
    memory. A memory that got a newer version meanwhile stays as it is.
    """
    author = validate_origin(origin)
    with runtime.db.transaction():
        writer = RevisionWriter(runtime, require_bank(runtime, bank).id, "undo", author)
        outcomes: list[Outcome] = []
        for memory_id, number in check_item_count(steps):
            memory = get(runtime, bank, memory_id)
            if memory.version == number:
                outcomes.append(_take_back(runtime, memory, writer))
            else:
                outcomes.append(Outcome("unchanged", memory))
        return tuple(outcomes)


def _take_back(runtime: Runtime, memory: Memory, writer: RevisionWriter) -> Outcome:
    new_id = banks.new_ids(runtime.db, writer.now)[0]
    after = next_version(memory, new_id, writer.now)
    before = memories.find_numbered_version(runtime.db, memory.id, memory.version - 1)
    if before is None or before.forgotten:
        return _write(writer, replace(after, forgotten_at=after.updated_at), "forget")
    if memory.forgotten_at is not None:
        return _write(writer, replace(after, forgotten_at=None), "restore")
    return _write(writer, with_version_content(after, before), "restore")


def _write(writer: RevisionWriter, after: Memory, action: Action) -> Outcome:
    change: Change = "forgotten" if action == "forget" else "restored"
    return Outcome(change, after, writer.write(after, action))
