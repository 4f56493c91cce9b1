"""Purge: erases memories for good, with everything derived from them or quoting them.

Many memories are erased in short transactions, so that other writers wait only briefly. Each
transaction leaves the store consistent, so an interrupted erasure is finished by repeating it.
"""

import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager

from commonplace.engine.banks import require_bank
from commonplace.engine.draft_validation import validate_filter, validate_origin
from commonplace.engine.erasure.document_redaction import DocumentRedactor
from commonplace.engine.erasure.ledger import Ledger
from commonplace.engine.erasure.session_redaction import SessionRedactor
from commonplace.engine.hooks import hook_log
from commonplace.engine.memories import check_item_count, get
from commonplace.engine.reflect import mental_model_rows
from commonplace.engine.runtime import Runtime
from commonplace.engine.versions.revisions import RevisionWriter
from commonplace.records.memory import Bank, Memory, Origin
from commonplace.records.query import Filter
from commonplace.storage import secure_delete
from commonplace.storage.rows import (
    banks,
    derivations,
    erasure,
    memories,
    note_files,
    session_files,
)

EVERYTHING = Filter(status="any", expired=True)
_FIRST_BATCH, _BATCH_MAX = 50, 500
# Bounds for the duration of a transaction, and the pause in which others can write.
_SHORT_S, _LONG_S, _PAUSE_S = 0.03, 0.1, 0.02


def purge(
    runtime: Runtime,
    bank: str,
    memory_ids: Sequence[int | str],
    origin: Origin = Origin(),
    ledger: Ledger | None = None,
) -> tuple[int, ...]:
    """Erase memories for good: rows, versions, index, vectors, links, documents and free pages.
    Returns their ids.
    """
    author = validate_origin(origin)
    with runtime.db.snapshot():
        found = [get(runtime, bank, memory_id).id for memory_id in check_item_count(memory_ids)]
    return erase_memories(runtime, require_bank(runtime, bank), found, author, ledger)


def purge_where(
    runtime: Runtime,
    bank: str,
    chosen: Filter,
    origin: Origin = Origin(),
    ledger: Ledger | None = None,
) -> tuple[int, ...]:
    """Erase every memory that matches a filter, for good."""
    checked, author = validate_filter(chosen), validate_origin(origin)
    target = require_bank(runtime, bank)
    found = memories.select_ids(runtime.db, target.id, checked, runtime.clock.now())
    return erase_memories(runtime, target, found, author, ledger)


def delete_bank(
    runtime: Runtime, bank: str, origin: Origin = Origin(), ledger: Ledger | None = None
) -> int:
    """Erase a bank for good with all its content. Returns the number of its memories."""
    erased = set(purge_where(runtime, bank, EVERYTHING, origin, ledger))
    with erasing_transaction(runtime):
        bank_record = require_bank(runtime, bank)
        # Memories written since the first purge.
        erased |= set(purge_where(runtime, bank, EVERYTHING, origin, ledger))
        if ledger:
            mental_model_rows.record_in_ledger(runtime, bank_record, ledger)
            ledger.record_erased("bank", bank_record.id, bank_record.name)
        rows = banks.erase(runtime.db, bank_record.id)
        if ledger:
            ledger.count_rows("revision", rows["revisions"])
            ledger.count_rows("job", rows["jobs"])
        session_files.erase(runtime.db.path.parent, bank_record.name)
        hook_log.erase(runtime.db.path.parent, bank_record.name)
    return len(erased)


def erase_memories(
    runtime: Runtime,
    bank: Bank,
    memory_ids: Sequence[int],
    origin: Origin,
    ledger: Ledger | None = None,
) -> tuple[int, ...]:
    """Erase memories of a bank by their ids and return the ids that existed. Missing ids are
    skipped.
    """
    erased_ids = list(dict.fromkeys(memory_ids))
    if not erased_ids:
        return ()
    SessionRedactor(runtime, bank, ledger).redact(erased_ids)
    erasure = _Erasure(runtime, bank, origin, ledger, erased_ids)
    purged: list[int] = []
    for batch in paced_batches(runtime, erased_ids):
        with runtime.db.transaction():
            purged += erasure.erase(batch)
    scrub(runtime)
    return tuple(purged)


def paced_batches(runtime: Runtime, numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    """Ids in batches, one transaction each. Inside a transaction there is one batch."""
    if runtime.db.in_transaction:
        yield numbers
        return
    at, size = 0, _FIRST_BATCH
    while at < len(numbers):
        began = time.monotonic()
        yield numbers[at : at + size]
        took, at = time.monotonic() - began, at + size
        if at < len(numbers):
            time.sleep(_PAUSE_S)
        if took < _SHORT_S:
            size = min(_BATCH_MAX, size * 2)
        elif took > _LONG_S:
            size = max(1, size // 2)


@contextmanager
def erasing_transaction(runtime: Runtime) -> Generator[None]:
    """A transaction whose deletions cannot be recovered from the files of the store."""
    with runtime.db.transaction():
        secure_delete.require_scrub(runtime.db)
        yield
    scrub(runtime)


def scrub(runtime: Runtime) -> bool:
    """Overwrite the remains of erased rows in the database file and its log. Inside a transaction
    this is left to the outermost one.
    """
    if not runtime.db.in_transaction and note_files.banks_to_erase(runtime.db):
        runtime.sync_note_files(runtime)
    return secure_delete.scrub(runtime.db)


def scrub_if_pending(runtime: Runtime) -> None:
    """Scrub if an erasure could not: another process was reading, or its own process was
    stopped.
    """
    if secure_delete.is_scrub_due(runtime.db):
        scrub(runtime)


class _Erasure:
    """Erases memories of a bank batch by batch."""

    def __init__(
        self,
        runtime: Runtime,
        bank: Bank,
        origin: Origin,
        ledger: Ledger | None,
        erased_ids: Sequence[int],
    ) -> None:
        self._runtime, self._bank, self._ledger = runtime, bank, ledger
        self._writer = RevisionWriter(runtime, bank.id, "purge", origin)
        self._documents = DocumentRedactor(runtime, erased_ids, ledger)

    def erase(self, memory_ids: Sequence[int]) -> list[int]:
        """Erase a batch inside a transaction. Returns the ids that existed."""
        db = self._runtime.db
        secure_delete.require_scrub(db)
        found = memories.by_ids(db, self._bank.id, memory_ids)
        for project in sorted({memory.scope.project for memory in found.values()}):
            self._writer.ensure_revision(project)
        purged = list(found)
        # Derived memories are erased with their history. The remaining sources of these become
        # stale, so that they are derived again.
        derived_memories = memories.by_ids(db, self._bank.id, derivations.derived_ids(db, purged))
        erased = list(dict.fromkeys([*purged, *derived_memories]))
        remaining = set(derivations.source_ids(db, list(derived_memories))) - set(erased)
        self._record(found, derived_memories, erased)
        self._documents.redact(erased)
        erasure.clear_reasons(db, self._bank.id, erased)
        memories.purge(db, self._bank.id, erased)
        self._documents.delete_empty_documents()
        erasure.clear_traces(db, self._bank.id, erased, self._documents.names)
        derivations.mark_changed(db, self._bank.id, sorted(remaining))
        return purged

    def _record(
        self, found: dict[int, Memory], derived_memories: dict[int, Memory], erased: Sequence[int]
    ) -> None:
        cleared = mental_model_rows.clear_answers(self._runtime, erased)
        if self._ledger is None:
            return
        for memory in (*found.values(), *derived_memories.values()):
            kind = "observation" if memory.kind == "observation" else "memory"
            self._ledger.record_erased(kind, memory.id, memory.text, derived=memory.id not in found)
            self._ledger.count_rows("version", memory.version)
        for model in cleared:
            self._ledger.record_redacted("mental_model", model.id, model.content)
