"""Reminders: messages with a schedule. Nothing fires by itself; `run_due` hands out what has come
due.
"""

from dataclasses import replace

from commonplace import ids, validation
from commonplace.engine.banks import known
from commonplace.engine.erasure import for_good
from commonplace.engine.runtime import Parts
from commonplace.engine.sessions.schedules import checked_cron, next_time, zone
from commonplace.errors import NotFound
from commonplace.limits import FILTER_VALUES_MAX, LIST_MAX
from commonplace.records.work import DueReminder, Reminder, ReminderDraft
from commonplace.storage import banks, reminders

_Names = tuple[str, ...]


def add_reminder(parts: Parts, bank: str, draft: ReminderDraft) -> Reminder:
    """A new reminder, with the moment it comes due first."""
    name = validation.name(bank, what="bank")
    message = validation.body(draft.message, what="message")
    cron = checked_cron(draft.cron)
    timezone = validation.line(draft.timezone, what="time zone") or parts.timezone
    local = zone(timezone)
    project, user = (
        validation.line(draft.project, what="project"),
        validation.line(draft.user, what="user"),
    )
    with parts.db.transaction():
        now = parts.clock.now()
        reminder = Reminder(
            id=banks.new_ids(parts.db, now)[0],
            bank_id=banks.ensure(parts.db, name, now).id,
            project=project,
            user=user,
            cron=cron,
            timezone=timezone,
            message=message,
            enabled=True,
            next_at=next_time(cron, local, now),
            last_at=None,
            created_at=now,
        )
        reminders.add(parts.db, reminder)
    return reminder


def get_reminder(parts: Parts, bank: str, reminder_id: int | str) -> Reminder:
    """One reminder."""
    return _found(parts, bank, reminder_id)


def list_reminders(
    parts: Parts,
    bank: str,
    *,
    projects: _Names | None = None,
    users: _Names | None = None,
    include_disabled: bool = False,
    limit: int = LIST_MAX,
) -> tuple[Reminder, ...]:
    """Reminders of some projects and users, the next one first, disabled ones last; None is
    "any".
    """
    validation.count(limit, what="limit", most=LIST_MAX)
    _check_names(projects, users)
    found = banks.find(parts.db, validation.name(bank, what="bank"))
    if found is None:
        return ()
    return tuple(
        reminders.listed(
            parts.db,
            found.id,
            projects=projects,
            users=users,
            include_disabled=include_disabled,
            limit=limit,
        )
    )


def run_due(
    parts: Parts,
    bank: str,
    *,
    projects: _Names | None = None,
    users: _Names | None = None,
    dry_run: bool = False,
) -> tuple[DueReminder, ...]:
    """The reminders that came due, the longest waiting first, each once however many of its turns
    were missed.

    What one call hands out no other gets: the next turn is set in the same transaction. A dry run
    changes nothing.
    """
    _check_names(projects, users)
    found = banks.find(parts.db, validation.name(bank, what="bank"))
    if found is None:
        return ()
    scope = {"projects": projects, "users": users}
    if dry_run:
        waiting = reminders.due(parts.db, found.id, parts.clock.now(), **scope, limit=LIST_MAX)
        return tuple(DueReminder(due_at=r.next_at or 0, reminder=r) for r in waiting)
    with parts.db.transaction():
        # Read after the wait for the lock: what another process handed out meanwhile is no longer
        # due.
        now = parts.clock.now()
        waiting = reminders.due(parts.db, found.id, now, **scope, limit=LIST_MAX)
        return tuple(
            DueReminder(due_at=r.next_at or 0, reminder=_advance(parts, r, now)) for r in waiting
        )


def enable_reminder(parts: Parts, bank: str, reminder_id: int | str) -> Reminder:
    """A reminder that comes due again, counted from now."""
    with parts.db.transaction():
        reminder = _found(parts, bank, reminder_id)
        next_at = next_time(reminder.cron, zone(reminder.timezone), parts.clock.now())
        return _scheduled(parts, replace(reminder, enabled=True, next_at=next_at))


def disable_reminder(parts: Parts, bank: str, reminder_id: int | str) -> Reminder:
    """A reminder that rests until it is enabled again."""
    with parts.db.transaction():
        return _scheduled(
            parts, replace(_found(parts, bank, reminder_id), enabled=False, next_at=None)
        )


def delete_reminder(parts: Parts, bank: str, reminder_id: int | str) -> Reminder:
    """The reminder as it was before it was removed."""
    with for_good(parts):
        reminder = _found(parts, bank, reminder_id)
        reminders.delete(parts.db, reminder.id)
    return reminder


def _advance(parts: Parts, reminder: Reminder, now: int) -> Reminder:
    next_at = next_time(reminder.cron, zone(reminder.timezone), now)
    return _scheduled(
        parts, replace(reminder, enabled=next_at is not None, next_at=next_at, last_at=now)
    )


def _scheduled(parts: Parts, reminder: Reminder) -> Reminder:
    reminders.schedule(parts.db, reminder)
    return reminder


def _found(parts: Parts, bank: str, reminder_id: int | str) -> Reminder:
    found = reminders.find(parts.db, known(parts, bank).id, ids.parse(reminder_id))
    if found is None:
        raise NotFound(
            f"There is no reminder {reminder_id}.",
            hint="List the reminders, disabled ones included.",
        )
    return found


def _check_names(*values: _Names | None) -> None:
    for names in values:
        validation.count(len(names or ()), what="number of values", most=FILTER_VALUES_MAX)
