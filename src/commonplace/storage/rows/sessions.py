"""Rows of sessions, their events and their snapshots."""

import json
from dataclasses import asdict

from commonplace.records.work import (
    Event,
    EventDraft,
    Session,
    SessionDraft,
    SessionFilter,
    SessionStatus,
    Snapshot,
)
from commonplace.storage.database import Database, Row


def find(db: Database, bank_id: int, number: int) -> Session | None:
    """The session of an id."""
    row = db.one("find_session", bank_id=bank_id, id=number)
    return _session(row) if row else None


def list_sessions(
    db: Database, bank_id: int, chosen: SessionFilter, *, limit: int, offset: int
) -> list[Session]:
    """The sessions that match a filter, last started first."""
    rows = db.all(
        "list_sessions", bank_id=bank_id, **_filter_values(chosen), limit=limit, offset=offset
    )
    return [_session(row) for row in rows]


def count(db: Database, bank_id: int, chosen: SessionFilter) -> int:
    """The number of sessions that match a filter."""
    return int(db.value("count_sessions", bank_id=bank_id, **_filter_values(chosen)))


def add(db: Database, bank_id: int, number: int, draft: SessionDraft, now: int) -> None:
    """Store a new session."""
    metadata = json.dumps(draft.metadata, ensure_ascii=False)
    db.run(
        "add_session",
        id=number,
        bank_id=bank_id,
        now=now,
        **{**asdict(draft), "metadata": metadata},
    )


def end(db: Database, number: int, status: SessionStatus, now: int) -> None:
    """Give a session its final status."""
    db.run("end_session", id=number, status=status, now=now)


def add_event(db: Database, session_id: int, number: int, draft: EventDraft, now: int) -> Event:
    """Store an event under the session's next number."""
    values = {**asdict(draft), "meaningful": int(draft.meaningful)}
    db.run("add_event", id=number, session_id=session_id, at=now, **values)
    db.run("touch_session", id=session_id, now=now)
    return _event(db.all("find_event", id=number)[0])


def events(
    db: Database, session_id: int, *, after: int, meaningful_only: bool, limit: int
) -> list[Event]:
    """Events in their order, beginning after a number."""
    rows = db.all(
        "list_events",
        session_id=session_id,
        after=after,
        meaningful_only=int(meaningful_only),
        limit=limit,
    )
    return [_event(row) for row in rows]


def recent_events(
    db: Database, session_id: int, *, meaningful_only: bool, limit: int
) -> list[Event]:
    """The newest events, in their order."""
    rows = db.all(
        "recent_events", session_id=session_id, meaningful_only=int(meaningful_only), limit=limit
    )
    return [_event(row) for row in reversed(rows)]


def add_snapshot(db: Database, snapshot: Snapshot) -> None:
    """Store a snapshot."""
    db.run("add_snapshot", **asdict(snapshot))


def find_snapshot(db: Database, bank_id: int, number: int) -> Snapshot | None:
    """The snapshot of an id."""
    row = db.one("find_snapshot", bank_id=bank_id, id=number)
    return Snapshot(**row) if row else None


def snapshots(db: Database, session_id: int, *, limit: int) -> list[Snapshot]:
    """A session's snapshots, newest first."""
    return [Snapshot(**row) for row in db.all("list_snapshots", session_id=session_id, limit=limit)]


def _filter_values(chosen: SessionFilter) -> dict[str, object]:
    return {
        "status": chosen.status,
        "projects": None if chosen.projects is None else json.dumps(chosen.projects),
        "users": None if chosen.users is None else json.dumps(chosen.users),
    }


def _session(row: Row) -> Session:
    return Session(**{**row, "metadata": json.loads(row["metadata"])})


def _event(row: Row) -> Event:
    values: Row = {**row, "meaningful": bool(row["meaningful"])}
    return Event(**values)
