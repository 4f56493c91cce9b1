"""Imports the memories of another product: each item once, however often it is imported, with its
own times.

An imported item is recorded as the reply to an idempotency key, in the transaction that stores it.
So an interrupted import continues, and items that were forgotten or erased here do not return.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeAlias

from commonplace import validation
from commonplace.engine.draft_validation import validate_draft, validate_origin
from commonplace.engine.facts import fact_metadata
from commonplace.engine.facts.fact_metadata import FactMetadata
from commonplace.engine.memories import check_item_count, first_version, next_version
from commonplace.engine.runtime import Runtime
from commonplace.engine.sessions import reminders
from commonplace.engine.sessions.schedules import validate_cron
from commonplace.engine.versions.revisions import RevisionWriter
from commonplace.errors import CommonplaceError
from commonplace.limits import NAME_CHARS_MAX
from commonplace.records.memory import Draft, Memory, Origin
from commonplace.records.work import ReminderDraft
from commonplace.storage.rows import banks, documents, memories
from commonplace.storage.rows import reminders as stored

ImportChange: TypeAlias = Literal["added", "revised", "moved", "unchanged", "left", "refused"]
FORGOTTEN = "forgotten in the store"
ERASED = "erased from the store"
NEWER = "changed in the store since the last import"

# The scope of a memory is fixed, and a key belongs to one memory.
_IMMUTABLE_FIELDS = ("scope", "key", "document_id")


@dataclass(frozen=True, slots=True)
class ExternalItem:
    """One item of another product. `key` is its name there, the same at every export."""

    key: str
    draft: Draft
    created_at: int | None = None
    updated_at: int | None = None
    # Fields that the source format lacks; a stored memory keeps its values.
    absent_fields: tuple[str, ...] = ()
    # The name of the stored document that contains it.
    document: str = ""
    # The metadata of the item if it is a fact.
    fact: FactMetadata | None = None


@dataclass(frozen=True, slots=True)
class ExternalReminder:
    """A reminder of another product. `key` is its name there, the same at every export."""

    key: str
    draft: ReminderDraft
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """The outcome for one item, the reason if it was not imported, and the id of its memory if it
    has one.
    """

    change: ImportChange
    why: str = ""
    memory_id: int | None = None


def import_external(
    runtime: Runtime,
    bank: str,
    source: str,
    items: Sequence[ExternalItem],
    origin: Origin = Origin(),
    *,
    dry_run: bool = False,
) -> tuple[ImportOutcome, ...]:
    """Import items of another product in one transaction. An item that cannot be stored is refused
    alone.

    An item that changed at its source becomes a new version; one with another owner or project
    moves. A dry run only reports.
    """
    name, author = validation.name(bank, what="bank"), validate_origin(origin)
    tool = f"import {validation.name(source, what='source')}"
    check_item_count(items)
    if dry_run:
        with runtime.db.snapshot():
            found = banks.find(runtime.db, name)
            bank_id = found.id if found else 0
            importer = _ExternalImporter(
                runtime, RevisionWriter(runtime, bank_id, "import", author), tool
            )
            return tuple(importer.preview(one) for one in items)
    with runtime.db.transaction():
        bank_id = banks.ensure(runtime.db, name, runtime.clock.now()).id
        importer = _ExternalImporter(
            runtime, RevisionWriter(runtime, bank_id, "import", author), tool
        )
        return tuple(importer.import_item(one) for one in items)


def import_reminder(
    runtime: Runtime, bank: str, source: str, one: ExternalReminder, *, dry_run: bool = False
) -> ImportOutcome:
    """Import a reminder of another product once. If it changed there, it replaces the stored
    one.
    """
    name = validation.name(bank, what="bank")
    reply_address = {
        "session": "",
        "tool": f"import {validation.name(source, what='source')}",
        "key": _reply_key(f"reminder {one.key}"),
    }
    try:
        validation.nonempty_text(one.draft.message, what="message")
        validate_cron(one.draft.cron)
    except CommonplaceError as error:
        return ImportOutcome("refused", error.message)
    with runtime.db.transaction() if not dry_run else runtime.db.snapshot():
        found = banks.find(runtime.db, name)
        reply = (
            memories.find_idempotency_key(runtime.db, found.id, **reply_address) if found else None
        )
        reminder_id = int(str(reply[1])) if reply else 0
        outcome = ImportOutcome("added")
        if found and reply:
            is_erased = stored.find(runtime.db, found.id, reminder_id) is None
            outcome = _reminder_outcome(one, reply[0], is_erased=is_erased)
        if outcome.change in ("added", "revised") and not dry_run:
            _store_reminder(runtime, name, one, reply_address, reminder_id)
    return outcome


def _reminder_outcome(one: ExternalReminder, digest: str, *, is_erased: bool) -> ImportOutcome:
    """The outcome for a reminder that was imported before, when it had this digest."""
    if is_erased:
        return ImportOutcome("left", ERASED)
    return ImportOutcome("unchanged" if digest == _sha256(repr(one)) else "revised")


def _store_reminder(
    runtime: Runtime, bank: str, one: ExternalReminder, reply_address: dict[str, Any], before: int
) -> None:
    reminder = reminders.add_reminder(runtime, bank, one.draft)
    if not one.enabled:
        reminders.disable_reminder(runtime, bank, reminder.id)
    if before:
        reminders.delete_reminder(runtime, bank, before)
    note = memories.update_idempotency_key if before else memories.add_idempotency_key
    note(
        runtime.db,
        reminder.created_at,
        reminder.id,
        bank_id=reminder.bank_id,
        content_hash=_sha256(repr(one)),
        **reply_address,
    )


class _ExternalImporter:
    """Imports items into a bank."""

    def __init__(self, runtime: Runtime, writer: RevisionWriter, tool: str) -> None:
        self.runtime, self.writer, self.tool = runtime, writer, tool

    def preview(self, one: ExternalItem) -> ImportOutcome:
        """The outcome of an import without doing it."""
        try:
            draft = self._draft(one)
        except CommonplaceError as error:
            return ImportOutcome("refused", error.message)
        return self._plan(one, draft)[0]

    def import_item(self, one: ExternalItem) -> ImportOutcome:
        """Import an item and record it."""
        try:
            draft = self._draft(one)
        except CommonplaceError as error:
            return ImportOutcome("refused", error.message)
        outcome, before = self._plan(one, draft)
        if outcome.change == "added":
            outcome = replace(outcome, memory_id=self._add(one, draft))
        elif outcome.change == "revised" and before is not None:
            self._revise(one, before, draft)
        elif outcome.change == "moved" and before is not None:
            outcome = replace(outcome, memory_id=self._move(one, before, draft))
        self._record(one, outcome)
        return outcome

    def _draft(self, one: ExternalItem) -> Draft:
        # Reserved metadata is never taken from a source.
        metadata = fact_metadata.merge_metadata({}, one.draft.metadata)
        document_id = self._document_id(one.document) if one.document else None
        if one.fact:
            mentioned_at = one.fact.mentioned_at or one.created_at or self.writer.now
            fields_of_source = () if document_id is None else (document_id,)
            metadata = fact_metadata.with_fact_metadata(
                metadata, replace(one.fact, mentioned_at=mentioned_at, documents=fields_of_source)
            )
        return validate_draft(replace(one.draft, metadata=metadata, document_id=document_id))

    def _document_id(self, name: str) -> int | None:
        found = documents.find(self.runtime.db, self.writer.bank_id, name)
        return found.id if found else None

    def _plan(self, one: ExternalItem, draft: Draft) -> tuple[ImportOutcome, Memory | None]:
        db, bank_id = self.runtime.db, self.writer.bank_id
        reply = memories.find_idempotency_key(db, bank_id, **self._reply_address(one))
        if reply is None:
            before = (
                memories.find_by_key(db, bank_id, draft.scope, draft.key) if draft.key else None
            )
            return (
                (ImportOutcome("added"), None)
                if before is None
                else (_resolve_key_conflict(one, draft, before), before)
            )
        number = int(str(reply[1]))
        before = memories.find(db, bank_id, number)
        if before is None:
            return ImportOutcome("left", ERASED), None
        if before.forgotten_at is not None:
            return ImportOutcome("left", FORGOTTEN, number), before
        if self._is_moved(before, draft):
            return ImportOutcome("moved"), before
        same = reply[0] == _fingerprint(one) or not _changed_fields(one, before, draft)
        return ImportOutcome("unchanged" if same else "revised", memory_id=number), before

    def _add(self, one: ExternalItem, draft: Draft) -> int:
        now = self.writer.now
        first, second = banks.new_ids(self.runtime.db, now, 2)
        created = _not_in_future(one.created_at or one.updated_at, now)
        memory = first_version(draft, (first, second), self.writer)
        updated = (
            created if one.updated_at is None else max(created, _not_in_future(one.updated_at, now))
        )
        self.writer.write(replace(memory, created_at=created, updated_at=updated), "remember")
        return first

    def _revise(self, one: ExternalItem, before: Memory, draft: Draft) -> None:
        now = self.writer.now
        at = _not_in_future(one.updated_at, now)
        number = banks.new_ids(self.runtime.db, now)[0]
        after = replace(next_version(before, number, at), **_changed_fields(one, before, draft))
        self.writer.write(after, "revise")

    def _is_moved(self, before: Memory, draft: Draft) -> bool:
        """Whether an item now belongs to the owner, or got a project. It never moves the
        other way.
        """
        to_owner = before.scope.user != "" and draft.scope.user == ""
        to_project = before.scope.project == "" and draft.scope.project != ""
        if not to_owner and not to_project:
            return False
        conflicting = (
            memories.find_by_key(self.runtime.db, before.bank_id, draft.scope, draft.key)
            if draft.key
            else None
        )
        return conflicting is None

    def _move(self, one: ExternalItem, before: Memory, draft: Draft) -> int:
        """The scope of a memory never changes, so it is forgotten and stored again as a new
        memory.
        """
        now = self.writer.now
        first, second, forgotten_id = banks.new_ids(self.runtime.db, now, 3)
        after = replace(before, id=first, version=1, version_id=second, scope=draft.scope)
        self.writer.write(replace(after, **_changed_fields(one, before, draft)), "remember")
        forgotten = next_version(before, forgotten_id, now)
        self.writer.write(
            replace(forgotten, forgotten_at=forgotten.updated_at), "forget", "moved by an import"
        )
        return first

    def _record(self, one: ExternalItem, outcome: ImportOutcome) -> None:
        if outcome.change == "left" or outcome.memory_id is None:
            return
        reply_address: dict[str, Any] = {**self._reply_address(one), "bank_id": self.writer.bank_id}
        at = self.writer.now
        fingerprint = _fingerprint(one)
        reply = memories.find_idempotency_key(self.runtime.db, **reply_address)
        if reply is None:
            memories.add_idempotency_key(
                self.runtime.db, at, outcome.memory_id, content_hash=fingerprint, **reply_address
            )
        elif reply != (fingerprint, outcome.memory_id):
            memories.update_idempotency_key(
                self.runtime.db, at, outcome.memory_id, content_hash=fingerprint, **reply_address
            )

    def _reply_address(self, one: ExternalItem) -> dict[str, Any]:
        return {"session": "", "tool": self.tool, "key": _reply_key(one.key)}


def _resolve_key_conflict(one: ExternalItem, draft: Draft, before: Memory) -> ImportOutcome:
    """The outcome for an item whose key belongs to a memory from elsewhere."""
    if before.forgotten_at is not None:
        return ImportOutcome("left", FORGOTTEN, before.id)
    if before.text == draft.text:
        return ImportOutcome("unchanged", memory_id=before.id)
    if one.updated_at is None or one.updated_at <= before.updated_at:
        return ImportOutcome("left", NEWER, before.id)
    return ImportOutcome("revised", memory_id=before.id)


def _changed_fields(one: ExternalItem, before: Memory, draft: Draft) -> dict[str, Any]:
    fields_of_source = [
        field.name
        for field in fields(Draft)
        if field.name not in (*_IMMUTABLE_FIELDS, *one.absent_fields)
    ]
    given: dict[str, Any] = {name: getattr(draft, name) for name in fields_of_source}
    if "metadata" in given:
        # Metadata from other sources stays.
        given["metadata"] = {**before.metadata, **given["metadata"]}
    return {name: value for name, value in given.items() if value != getattr(before, name)}


def _fingerprint(one: ExternalItem) -> str:
    return _sha256(repr((one.draft, one.absent_fields, one.fact)))


def _reply_key(key: str) -> str:
    # A path or a URL may be too long for a name, or contain unprintable characters.
    return key if len(key) <= NAME_CHARS_MAX and key.isprintable() else _sha256(key)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def _not_in_future(moment: int | None, now: int) -> int:
    return now if moment is None else min(moment, now)
