"""Erases a part of a bank for good: what belongs to a user, a project, a document or a session.
Ends with a receipt.
"""

from collections.abc import Sequence

from commonplace import ids
from commonplace.engine import documents, erasure
from commonplace.engine.banks import known
from commonplace.engine.draft_validation import checked_origin
from commonplace.engine.erasure_ledger import Ledger
from commonplace.engine.facts import retain
from commonplace.engine.memories import bounded, get
from commonplace.engine.reflect import mental_model_rows
from commonplace.engine.runtime import Parts
from commonplace.errors import Invalid, NotFound
from commonplace.records.memory import Bank, Origin
from commonplace.records.query import Filter
from commonplace.records.receipt import WHOLE, Portion, Receipt
from commonplace.storage import documents as document_rows
from commonplace.storage import erasure as rows
from commonplace.storage import memories, session_files


def erase(parts: Parts, bank: str, portion: Portion, origin: Origin = Origin()) -> Receipt:
    """Erase for good what a part of a bank holds, and all that was made of it.

    A user and a project together mean what that user has in that project. Where neither has
    anything, the receipt is empty; a document or a session that is not there is an error.
    """
    if portion == WHOLE:
        raise Invalid(
            "Nothing was selected.", hint="Name a user, a project, a document or a session."
        )
    place, author = known(parts, bank), checked_origin(origin)
    ledger = Ledger(parts, place, author)
    if portion.document is not None:
        _document(parts, place, portion.document, author, ledger)
    if portion.session is not None:
        _sessions(parts, place, portion, ledger)
    if portion.document is None and portion.session is None:
        found = memories.select_ids(parts.db, place.id, meant(portion), parts.clock.now())
        projects = {*rows.projects(parts.db, place.id, portion), portion.project or ""}
        erasure.erase_memories(parts, place, found, author, ledger)
        if not portion.forgotten:
            _around(parts, place, portion, ledger)
            _traces(parts, place, portion, projects, ledger)
    return ledger.receipt(portion, log_emptied=erasure.scrub(parts))


def erase_ids(
    parts: Parts, bank: str, memory_ids: Sequence[int | str], origin: Origin = Origin()
) -> Receipt:
    """Erase memories by their ids, all of which must be there."""
    place, author = known(parts, bank), checked_origin(origin)
    found = [get(parts, bank, memory_id).id for memory_id in bounded(memory_ids)]
    ledger = Ledger(parts, place, author)
    erasure.erase_memories(parts, place, found, author, ledger)
    return ledger.receipt(WHOLE, log_emptied=erasure.scrub(parts))


def erase_bank(parts: Parts, bank: str, origin: Origin = Origin()) -> Receipt:
    """Erase a bank for good, with all it holds."""
    place, author = known(parts, bank), checked_origin(origin)
    ledger = Ledger(parts, place, author)
    # Before their answers are taken away with the memories that these rest on.
    mental_model_rows.note(parts, place, ledger)
    found = memories.select_ids(parts.db, place.id, erasure.EVERYTHING, parts.clock.now())
    erasure.erase_memories(parts, place, found, author, ledger)
    _around(parts, place, WHOLE, ledger)
    erasure.delete_bank(parts, bank, author, ledger)
    return ledger.receipt(WHOLE, log_emptied=erasure.scrub(parts))


def meant(portion: Portion) -> Filter:
    """The memories of a part of a bank."""
    return Filter(
        users=None if portion.user is None else (portion.user,),
        projects=None if portion.project is None else (portion.project,),
        status="forgotten" if portion.forgotten else "any",
        expired=True,
    )


def _document(parts: Parts, place: Bank, name: str, author: Origin, ledger: Ledger) -> None:
    found = documents.get_document(parts, place.name, name)
    ledger.gone("document", found.id, found.text)
    retain.erase_document(parts, place.name, name, author, ledger)


def _around(parts: Parts, place: Bank, portion: Portion, ledger: Ledger) -> None:
    """What a user, a project or a bank has besides memories."""
    _sessions(parts, place, portion, ledger)
    with erasure.for_good(parts):
        for number, text in rows.reminders(parts.db, place.id, portion):
            rows.delete_reminder(parts.db, number)
            ledger.gone("reminder", number, text)
        for number, text in rows.open_streams(parts.db, place.id, portion):
            rows.delete_stream(parts.db, number)
            ledger.gone("stream", number, text)
        for number, text in rows.bare_documents(parts.db, place.id, portion):
            document_rows.delete(parts.db, number)
            ledger.gone("document", number, text)


def _traces(
    parts: Parts, place: Bank, portion: Portion, projects: set[str], ledger: Ledger
) -> None:
    """The jobs that name a user or a project, and the changes of projects in which nothing is
    left.
    """
    with erasure.for_good(parts):
        ledger.rows("job", rows.delete_jobs(parts.db, place.id, portion))
        for project in sorted(projects - {""}):
            ledger.rows("revision", rows.delete_revisions(parts.db, place.id, project))


def _sessions(parts: Parts, place: Bank, portion: Portion, ledger: Ledger) -> None:
    """Sessions with their events and snapshots, each session in a transaction of its own."""
    number = None if portion.session is None else ids.parse(portion.session)
    found = rows.sessions(parts.db, place.id, portion, number)
    if number is not None and not found:
        raise NotFound(f"There is no session {portion.session}.", hint="Check the id and the bank.")
    for session_id, title in found:
        with parts.db.transaction():
            for event, text in rows.events(parts.db, session_id):
                ledger.gone("event", event, text, derived=True)
            for one in rows.snapshots(parts.db, session_id):
                session_files.remove(parts.db.path.parent, place.name, one)
                ledger.gone("snapshot", one.id, one.text, derived=True)
            rows.delete_session(parts.db, session_id)
            ledger.gone("session", session_id, title)
