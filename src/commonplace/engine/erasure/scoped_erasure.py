"""Erases a part of a bank for good: the content of a user, a project, a document or a session.
Returns a receipt.
"""

from collections.abc import Sequence

from commonplace import ids
from commonplace.engine import documents
from commonplace.engine.banks import require_bank
from commonplace.engine.draft_validation import validate_origin
from commonplace.engine.erasure import erasure
from commonplace.engine.erasure.ledger import Ledger
from commonplace.engine.facts import fact_erasure
from commonplace.engine.hooks import hook_log
from commonplace.engine.memories import check_item_count, get
from commonplace.engine.reflect import mental_model_rows
from commonplace.engine.runtime import Runtime
from commonplace.errors import Invalid, NotFound
from commonplace.records.memory import Bank, Origin
from commonplace.records.query import Filter
from commonplace.records.receipt import WHOLE_BANK, Portion, Receipt
from commonplace.storage.rows import documents as document_rows
from commonplace.storage.rows import erasure as rows
from commonplace.storage.rows import memories, session_files


def erase(runtime: Runtime, bank: str, portion: Portion, origin: Origin = Origin()) -> Receipt:
    """Erase for good the content of a part of a bank and everything derived from it.

    A user and a project together mean that user's content in that project. Without any content the
    receipt is empty; an unknown document or session is an error.
    """
    if portion == WHOLE_BANK:
        raise Invalid(
            "Nothing was selected.", hint="Name a user, a project, a document or a session."
        )
    target, author = require_bank(runtime, bank), validate_origin(origin)
    ledger = Ledger(runtime, target, author)
    if portion.document is not None:
        _erase_document(runtime, target, portion.document, author, ledger)
    if portion.session is not None:
        _erase_sessions(runtime, target, portion, ledger)
    if portion.document is None and portion.session is None:
        found = memories.select_ids(
            runtime.db, target.id, portion_filter(portion), runtime.clock.now()
        )
        projects = {*rows.projects(runtime.db, target.id, portion), portion.project or ""}
        erasure.erase_memories(runtime, target, found, author, ledger)
        if not portion.forgotten:
            _erase_non_memories(runtime, target, portion, ledger)
            _erase_traces(runtime, target, portion, projects, ledger)
    return ledger.receipt(portion, log_emptied=erasure.scrub(runtime))


def erase_ids(
    runtime: Runtime, bank: str, memory_ids: Sequence[int | str], origin: Origin = Origin()
) -> Receipt:
    """Erase memories by their ids. All of them must exist."""
    target, author = require_bank(runtime, bank), validate_origin(origin)
    found = [get(runtime, bank, memory_id).id for memory_id in check_item_count(memory_ids)]
    ledger = Ledger(runtime, target, author)
    erasure.erase_memories(runtime, target, found, author, ledger)
    return ledger.receipt(WHOLE_BANK, log_emptied=erasure.scrub(runtime))


def erase_bank(runtime: Runtime, bank: str, origin: Origin = Origin()) -> Receipt:
    """Erase a bank for good with all its content."""
    target, author = require_bank(runtime, bank), validate_origin(origin)
    ledger = Ledger(runtime, target, author)
    # Recorded first, because erasing the memories clears the content of the mental models.
    mental_model_rows.record_in_ledger(runtime, target, ledger)
    found = memories.select_ids(runtime.db, target.id, erasure.EVERYTHING, runtime.clock.now())
    erasure.erase_memories(runtime, target, found, author, ledger)
    _erase_non_memories(runtime, target, WHOLE_BANK, ledger)
    erasure.delete_bank(runtime, bank, author, ledger)
    return ledger.receipt(WHOLE_BANK, log_emptied=erasure.scrub(runtime))


def portion_filter(portion: Portion) -> Filter:
    """The filter of the memories in a part of a bank."""
    return Filter(
        users=None if portion.user is None else (portion.user,),
        projects=None if portion.project is None else (portion.project,),
        status="forgotten" if portion.forgotten else "any",
        expired=True,
    )


def _erase_document(
    runtime: Runtime, target: Bank, name: str, author: Origin, ledger: Ledger
) -> None:
    found = documents.get_document(runtime, target.name, name)
    ledger.record_erased("document", found.id, found.text)
    fact_erasure.erase_document(runtime, target.name, name, author, ledger)


def _erase_non_memories(runtime: Runtime, target: Bank, portion: Portion, ledger: Ledger) -> None:
    """Erase what a user, a project or a bank has besides memories."""
    _erase_sessions(runtime, target, portion, ledger)
    with erasure.erasing_transaction(runtime):
        for number, text in rows.reminders(runtime.db, target.id, portion):
            rows.delete_reminder(runtime.db, number)
            ledger.record_erased("reminder", number, text)
        for number, text in rows.open_streams(runtime.db, target.id, portion):
            rows.delete_stream(runtime.db, number)
            ledger.record_erased("stream", number, text)
        for number, text in rows.documents_without_memories(runtime.db, target.id, portion):
            document_rows.delete(runtime.db, number)
            ledger.record_erased("document", number, text)


def _erase_traces(
    runtime: Runtime, target: Bank, portion: Portion, projects: set[str], ledger: Ledger
) -> None:
    """Delete the jobs that name a user or a project, the revisions of projects that are empty now,
    and what the log of hooks has of an erased project.
    """
    with erasure.erasing_transaction(runtime):
        ledger.count_rows("job", rows.delete_jobs(runtime.db, target.id, portion))
        for project in sorted(projects - {""}):
            ledger.count_rows("revision", rows.delete_revisions(runtime.db, target.id, project))
        if portion.project and portion.user is None:
            hook_log.erase(runtime.db.path.parent, target.name, portion.project)


def _erase_sessions(runtime: Runtime, target: Bank, portion: Portion, ledger: Ledger) -> None:
    """Erase sessions with their events and snapshots, one transaction per session."""
    number = None if portion.session is None else ids.parse(portion.session)
    found = rows.sessions(runtime.db, target.id, portion, number)
    if number is not None and not found:
        raise NotFound(f"There is no session {portion.session}.", hint="Check the id and the bank.")
    for session_id, title in found:
        with runtime.db.transaction():
            for event, text in rows.events(runtime.db, session_id):
                ledger.record_erased("event", event, text, derived=True)
            for one in rows.snapshots(runtime.db, session_id):
                session_files.remove(runtime.db.path.parent, target.name, one)
                ledger.record_erased("snapshot", one.id, one.text, derived=True)
            rows.delete_session(runtime.db, session_id)
            ledger.record_erased("session", session_id, title)
