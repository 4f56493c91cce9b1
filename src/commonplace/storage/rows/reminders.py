"""Rows of reminders."""

import json

from commonplace.records.work import Reminder
from commonplace.storage.database import Database, Row


def find(db: Database, bank_id: int, number: int) -> Reminder | None:
    """The reminder of an id."""
    row = db.one("find_reminder", bank_id=bank_id, id=number)
    return _reminder(row) if row else None


def list_reminders(
    db: Database,
    bank_id: int,
    *,
    projects: tuple[str, ...] | None,
    users: tuple[str, ...] | None,
    include_disabled: bool,
    limit: int,
) -> list[Reminder]:
    """Reminders of some projects and users, enabled ones first, by their next time."""
    scope = _scope(bank_id, projects, users)
    rows = db.all("list_reminders", **scope, include_disabled=int(include_disabled), limit=limit)
    return [_reminder(row) for row in rows]


def due_reminders(
    db: Database,
    bank_id: int,
    now: int,
    *,
    projects: tuple[str, ...] | None,
    users: tuple[str, ...] | None,
    limit: int,
) -> list[Reminder]:
    """Enabled reminders that are due, the longest waiting first."""
    rows = db.all("due_reminders", **_scope(bank_id, projects, users), now=now, limit=limit)
    return [_reminder(row) for row in rows]


def add(db: Database, reminder: Reminder) -> None:
    """Store a new reminder."""
    db.run(
        "add_reminder",
        id=reminder.id,
        bank_id=reminder.bank_id,
        project=reminder.project,
        user=reminder.user,
        cron=reminder.cron,
        timezone=reminder.timezone,
        message=reminder.message,
        next_at=reminder.next_at,
        created_at=reminder.created_at,
    )


def schedule(db: Database, reminder: Reminder) -> None:
    """Store whether a reminder is enabled, its next time and its last time."""
    db.run(
        "schedule_reminder",
        id=reminder.id,
        enabled=int(reminder.enabled),
        next_at=reminder.next_at,
        last_at=reminder.last_at,
    )


def delete(db: Database, number: int) -> None:
    """Delete a reminder."""
    db.run("delete_reminder", id=number)


def _scope(
    bank_id: int, projects: tuple[str, ...] | None, users: tuple[str, ...] | None
) -> dict[str, object]:
    return {
        "bank_id": bank_id,
        "projects": None if projects is None else json.dumps(projects),
        "users": None if users is None else json.dumps(users),
    }


def _reminder(row: Row) -> Reminder:
    values: Row = {**row, "enabled": bool(row["enabled"])}
    return Reminder(**values)
