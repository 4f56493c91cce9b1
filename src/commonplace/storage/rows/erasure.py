"""The queries of an erasure for everything besides the memories themselves."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from commonplace.records.memory import Metadata
from commonplace.records.receipt import Portion
from commonplace.records.work import Snapshot
from commonplace.storage.database import Database
from commonplace.storage.rows import streams

_PAGE = 200


@dataclass(frozen=True, slots=True)
class VersionText:
    """The text of one version of a memory, and the document of that version."""

    memory_id: int
    text: str
    title: str
    document_id: int | None
    metadata: Metadata


def version_texts(db: Database, memory_ids: Iterable[int]) -> list[VersionText]:
    """Every version of some memories, grouped by memory and in order."""
    rows = db.all("versions_of_memories", ids=json.dumps(list(memory_ids)))
    return [
        VersionText(
            row["memory_id"],
            row["text"],
            row["title"],
            row["document_id"],
            json.loads(row["metadata"]),
        )
        for row in rows
    ]


def memories_of_document(db: Database, number: int) -> set[int]:
    """The memories that came from a document in any version."""
    return {row["id"] for row in db.all("memories_of_document", id=number)}


def delete_empty(db: Database, document_ids: Iterable[int]) -> None:
    """Delete those of some documents that no memory refers to."""
    db.run("delete_empty_documents", ids=json.dumps(list(document_ids)))


def clear_traces(
    db: Database, bank_id: int, memory_ids: Sequence[int], document_names: Sequence[str]
) -> None:
    """Remove erased memories and documents from finished jobs and stored idempotent answers."""
    db.run("blank_job_results", bank_id=bank_id)
    names = json.dumps(list(document_names), ensure_ascii=False)
    db.run("delete_jobs_of_documents", bank_id=bank_id, names=names)
    db.run("blank_jobs_of_documents", bank_id=bank_id, names=names)
    db.run("blank_idempotency_keys", bank_id=bank_id, ids=json.dumps(list(memory_ids)))


def delete_jobs_of_model(db: Database, bank_id: int, name: str) -> None:
    """Delete the jobs that generated a mental model."""
    db.run("delete_jobs_of_model", bank_id=bank_id, name=name)


def clear_reasons(db: Database, bank_id: int, memory_ids: Sequence[int]) -> None:
    """Clear the reasons of all changes to some memories."""
    db.run("blank_reasons", bank_id=bank_id, ids=json.dumps(list(memory_ids)))


def events_after(db: Database, bank_id: int, after: int) -> list[tuple[int, str]]:
    """A page of the events of a bank with a greater id, with their texts."""
    rows = db.all("events_after", bank_id=bank_id, after=after, limit=_PAGE)
    return [(row["id"], row["text"]) for row in rows]


def snapshots_after(db: Database, bank_id: int, after: int) -> list[Snapshot]:
    """A page of the snapshots of a bank with a greater id."""
    return [
        Snapshot(**row)
        for row in db.all("snapshots_after", bank_id=bank_id, after=after, limit=_PAGE)
    ]


def rewrite_event(db: Database, number: int, text: str) -> None:
    """Replace the text of an event."""
    db.run("rewrite_event", id=number, text=text)


def rewrite_snapshot(db: Database, number: int, text: str) -> None:
    """Replace the text of a snapshot."""
    db.run("rewrite_snapshot", id=number, text=text)


def sessions(
    db: Database, bank_id: int, portion: Portion, session_id: int | None
) -> list[tuple[int, str]]:
    """The sessions of a part of a bank, with their titles."""
    values = {
        "bank_id": bank_id,
        "user": portion.user,
        "project": portion.project,
        "session": session_id,
    }
    return [(row["id"], row["title"]) for row in db.all("sessions_of_portion", **values)]


def events(db: Database, session_id: int) -> list[tuple[int, str]]:
    """All events of a session, with their texts."""
    return [(row["id"], row["text"]) for row in db.all("events_of_session", session_id=session_id)]


def snapshots(db: Database, session_id: int) -> list[Snapshot]:
    """All snapshots of a session."""
    return [Snapshot(**row) for row in db.all("snapshots_of_session", session_id=session_id)]


def delete_session(db: Database, session_id: int) -> None:
    """Remove a session with its events and snapshots."""
    for name in ("delete_snapshots_of_session", "delete_events_of_session", "delete_session"):
        db.run(name, session_id=session_id)


def reminders(db: Database, bank_id: int, portion: Portion) -> list[tuple[int, str]]:
    """The reminders of a part of a bank, with their messages."""
    rows = db.all(
        "reminders_of_portion", bank_id=bank_id, user=portion.user, project=portion.project
    )
    return [(row["id"], row["text"]) for row in rows]


def delete_reminder(db: Database, number: int) -> None:
    """Remove a reminder."""
    db.run("delete_reminder", id=number)


def open_streams(db: Database, bank_id: int, portion: Portion) -> list[tuple[int, str]]:
    """The open streams of a part of a bank, with the text received so far."""
    rows = db.all("streams_of_portion", bank_id=bank_id, user=portion.user, project=portion.project)
    return [(row["id"], row["text"]) for row in rows]


def delete_stream(db: Database, number: int) -> None:
    """Remove a stream with its chunks."""
    streams.delete(db, number)


def documents_without_memories(
    db: Database, bank_id: int, portion: Portion
) -> list[tuple[int, str]]:
    """The documents of a user or a project without memories, with their texts."""
    rows = db.all("bare_documents", bank_id=bank_id, user=portion.user, project=portion.project)
    return [(row["id"], row["text"]) for row in rows]


def projects(db: Database, bank_id: int, portion: Portion) -> list[str]:
    """The projects in which a user or a project has memories."""
    rows = db.all(
        "projects_of_portion", bank_id=bank_id, user=portion.user, project=portion.project
    )
    return [row["project"] for row in rows]


def delete_jobs(db: Database, bank_id: int, portion: Portion) -> int:
    """Delete the jobs that name a user or a project. Returns their number."""
    return db.run(
        "delete_jobs_of_portion", bank_id=bank_id, user=portion.user, project=portion.project
    )


def delete_revisions(db: Database, bank_id: int, project: str) -> int:
    """Delete the revisions of a project without memories. Returns their number."""
    return db.run("delete_revisions_of_project", bank_id=bank_id, project=project)
