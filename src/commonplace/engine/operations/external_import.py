"""Taking over what another product remembers: each thing once, however often it is brought, with
its own times.

What was taken is noted as an answer to an idempotency key, in the transaction that stores it. So a
run that was killed goes on where it stopped, and what was forgotten or erased here since does not
come back.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeAlias

from commonplace import validation
from commonplace.engine.draft_validation import checked_draft, checked_origin
from commonplace.engine.facts import fact_metadata
from commonplace.engine.facts.fact_metadata import Mark
from commonplace.engine.memories import bounded, newborn, next_version
from commonplace.engine.revisions import Revising
from commonplace.engine.runtime import Parts
from commonplace.engine.sessions import reminders
from commonplace.engine.sessions.schedules import checked_cron
from commonplace.errors import CommonplaceError
from commonplace.limits import NAME_CHARS_MAX
from commonplace.records.memory import Draft, Memory, Origin
from commonplace.records.work import ReminderDraft
from commonplace.storage import banks, documents, memories
from commonplace.storage import reminders as stored

TakenChange: TypeAlias = Literal["added", "revised", "moved", "unchanged", "left", "refused"]
FORGOTTEN = "forgotten in the store"
ERASED = "erased from the store"
NEWER = "changed in the store since the last import"

# A memory stays whose it is, and a key belongs to one memory for ever.
_FIXED = ("scope", "key", "document_id")


@dataclass(frozen=True, slots=True)
class Foreign:
    """One thing another product remembers. `key` is its name there, the same at every export."""

    key: str
    draft: Draft
    created_at: int | None = None
    updated_at: int | None = None
    # Fields that this form of the source does not tell; those of a known memory stay.
    untold: tuple[str, ...] = ()
    # The document it was found in, by its name here, and what a fact knows of itself.
    document: str = ""
    mark: Mark | None = None


@dataclass(frozen=True, slots=True)
class ForeignReminder:
    """A reminder of another product. `key` is its name there, the same at every export."""

    key: str
    draft: ReminderDraft
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of one thing, why where it was not taken, and the id of its memory where it has
    one.
    """

    change: TakenChange
    why: str = ""
    memory_id: int | None = None


def take_over(
    parts: Parts,
    bank: str,
    source: str,
    things: Sequence[Foreign],
    origin: Origin = Origin(),
    *,
    dry_run: bool = False,
) -> tuple[Taken, ...]:
    """Remember things of another product in one transaction; what cannot be stored is refused by
    itself.

    A thing that is known and changed at its source becomes a new version, and one that is to be
    somebody else's moves. A dry run only tells.
    """
    name, author = validation.name(bank, what="bank"), checked_origin(origin)
    tool = f"import {validation.name(source, what='source')}"
    bounded(things)
    if dry_run:
        with parts.db.snapshot():
            found = banks.find(parts.db, name)
            bank_id = found.id if found else 0
            taking = _Taking(parts, Revising(parts, bank_id, "import", author), tool)
            return tuple(taking.told(one) for one in things)
    with parts.db.transaction():
        bank_id = banks.ensure(parts.db, name, parts.clock.now()).id
        taking = _Taking(parts, Revising(parts, bank_id, "import", author), tool)
        return tuple(taking.take(one) for one in things)


def take_reminder(
    parts: Parts, bank: str, source: str, one: ForeignReminder, *, dry_run: bool = False
) -> Taken:
    """Take over a reminder of another product, once. One that changed there takes the place of the
    one here.
    """
    name = validation.name(bank, what="bank")
    place = {
        "session": "",
        "tool": f"import {validation.name(source, what='source')}",
        "key": _named(f"reminder {one.key}"),
    }
    try:
        validation.body(one.draft.message, what="message")
        checked_cron(one.draft.cron)
    except CommonplaceError as error:
        return Taken("refused", error.message)
    with parts.db.transaction() if not dry_run else parts.db.snapshot():
        found = banks.find(parts.db, name)
        noted = memories.find_reply(parts.db, found.id, **place) if found else None
        number = int(str(noted[1])) if noted else 0
        if found and noted and stored.find(parts.db, found.id, number) is None:
            return Taken("left", ERASED)
        if noted and noted[0] == _hashed(repr(one)):
            return Taken("unchanged")
        if not dry_run:
            _remind(parts, name, one, place, number)
    return Taken("revised" if noted else "added")


def _remind(
    parts: Parts, bank: str, one: ForeignReminder, place: dict[str, Any], before: int
) -> None:
    reminder = reminders.add_reminder(parts, bank, one.draft)
    if not one.enabled:
        reminders.disable_reminder(parts, bank, reminder.id)
    if before:
        reminders.delete_reminder(parts, bank, before)
    note = memories.renew_reply if before else memories.add_reply
    note(
        parts.db,
        reminder.created_at,
        reminder.id,
        bank_id=reminder.bank_id,
        content_hash=_hashed(repr(one)),
        **place,
    )


class _Taking:
    """Some things on their way into a bank."""

    def __init__(self, parts: Parts, revising: Revising, tool: str) -> None:
        self.parts, self.revising, self.tool = parts, revising, tool

    def told(self, one: Foreign) -> Taken:
        """What would become of a thing."""
        try:
            draft = self._draft(one)
        except CommonplaceError as error:
            return Taken("refused", error.message)
        return self._planned(one, draft)[0]

    def take(self, one: Foreign) -> Taken:
        """Store a thing and note that it was taken."""
        try:
            draft = self._draft(one)
        except CommonplaceError as error:
            return Taken("refused", error.message)
        taken, before = self._planned(one, draft)
        if taken.change == "added":
            taken = replace(taken, memory_id=self._add(one, draft))
        elif taken.change == "revised" and before is not None:
            self._revise(one, before, draft)
        elif taken.change == "moved" and before is not None:
            taken = replace(taken, memory_id=self._move(one, before, draft))
        self._note(one, taken)
        return taken

    def _draft(self, one: Foreign) -> Draft:
        # What we note in metadata for ourselves is no source's to say.
        metadata = fact_metadata.kept({}, one.draft.metadata)
        document_id = self._document_id(one.document) if one.document else None
        if one.mark:
            said_at = one.mark.mentioned_at or one.created_at or self.revising.now
            told = () if document_id is None else (document_id,)
            metadata = fact_metadata.marked(
                metadata, replace(one.mark, mentioned_at=said_at, documents=told)
            )
        return checked_draft(replace(one.draft, metadata=metadata, document_id=document_id))

    def _document_id(self, name: str) -> int | None:
        found = documents.find(self.parts.db, self.revising.bank_id, name)
        return found.id if found else None

    def _planned(self, one: Foreign, draft: Draft) -> tuple[Taken, Memory | None]:
        db, bank_id = self.parts.db, self.revising.bank_id
        noted = memories.find_reply(db, bank_id, **self._place(one))
        if noted is None:
            before = (
                memories.find_by_key(db, bank_id, draft.scope, draft.key) if draft.key else None
            )
            return (Taken("added"), None) if before is None else (_met(one, draft, before), before)
        number = int(str(noted[1]))
        before = memories.find(db, bank_id, number)
        if before is None:
            return Taken("left", ERASED), None
        if before.forgotten_at is not None:
            return Taken("left", FORGOTTEN, number), before
        if self._moves(before, draft):
            return Taken("moved"), before
        same = noted[0] == _fingerprint(one) or not _changes(one, before, draft)
        return Taken("unchanged" if same else "revised", memory_id=number), before

    def _add(self, one: Foreign, draft: Draft) -> int:
        now = self.revising.now
        first, second = banks.new_ids(self.parts.db, now, 2)
        created = _past(one.created_at or one.updated_at, now)
        memory = newborn(draft, (first, second), self.revising)
        updated = created if one.updated_at is None else max(created, _past(one.updated_at, now))
        self.revising.write(replace(memory, created_at=created, updated_at=updated), "remember")
        return first

    def _revise(self, one: Foreign, before: Memory, draft: Draft) -> None:
        now = self.revising.now
        at = _past(one.updated_at, now)
        number = banks.new_ids(self.parts.db, now)[0]
        after = replace(next_version(before, number, at), **_changes(one, before, draft))
        self.revising.write(after, "revise")

    def _moves(self, before: Memory, draft: Draft) -> bool:
        """Whether a memory is now said to be the owner's, or to have a project after all; never the
        other way.
        """
        to_owner = before.scope.user != "" and draft.scope.user == ""
        to_project = before.scope.project == "" and draft.scope.project != ""
        if not to_owner and not to_project:
            return False
        taken = (
            memories.find_by_key(self.parts.db, before.bank_id, draft.scope, draft.key)
            if draft.key
            else None
        )
        return taken is None

    def _move(self, one: Foreign, before: Memory, draft: Draft) -> int:
        """Whose a memory is never changes, so it is forgotten there and goes on as another one
        here.
        """
        now = self.revising.now
        first, second, gone = banks.new_ids(self.parts.db, now, 3)
        after = replace(before, id=first, version=1, version_id=second, scope=draft.scope)
        self.revising.write(replace(after, **_changes(one, before, draft)), "remember")
        forgotten = next_version(before, gone, now)
        self.revising.write(
            replace(forgotten, forgotten_at=forgotten.updated_at), "forget", "moved by an import"
        )
        return first

    def _note(self, one: Foreign, taken: Taken) -> None:
        if taken.change == "left" or taken.memory_id is None:
            return
        place: dict[str, Any] = {**self._place(one), "bank_id": self.revising.bank_id}
        at = self.revising.now
        fingerprint = _fingerprint(one)
        noted = memories.find_reply(self.parts.db, **place)
        if noted is None:
            memories.add_reply(
                self.parts.db, at, taken.memory_id, content_hash=fingerprint, **place
            )
        elif noted != (fingerprint, taken.memory_id):
            memories.renew_reply(
                self.parts.db, at, taken.memory_id, content_hash=fingerprint, **place
            )

    def _place(self, one: Foreign) -> dict[str, Any]:
        return {"session": "", "tool": self.tool, "key": _named(one.key)}


def _met(one: Foreign, draft: Draft, before: Memory) -> Taken:
    """What becomes of a thing whose key is taken by a memory that did not come from there."""
    if before.forgotten_at is not None:
        return Taken("left", FORGOTTEN, before.id)
    if before.text == draft.text:
        return Taken("unchanged", memory_id=before.id)
    if one.updated_at is None or one.updated_at <= before.updated_at:
        return Taken("left", NEWER, before.id)
    return Taken("revised", memory_id=before.id)


def _changes(one: Foreign, before: Memory, draft: Draft) -> dict[str, Any]:
    told = [field.name for field in fields(Draft) if field.name not in (*_FIXED, *one.untold)]
    given: dict[str, Any] = {name: getattr(draft, name) for name in told}
    if "metadata" in given:
        # What others noted on the memory stays.
        given["metadata"] = {**before.metadata, **given["metadata"]}
    return {name: value for name, value in given.items() if value != getattr(before, name)}


def _fingerprint(one: Foreign) -> str:
    return _hashed(repr((one.draft, one.untold, one.mark)))


def _named(key: str) -> str:
    # A path or an address may be longer than a name may be, and have anything in it.
    return key if len(key) <= NAME_CHARS_MAX and key.isprintable() else _hashed(key)


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def _past(moment: int | None, now: int) -> int:
    return now if moment is None else min(moment, now)
