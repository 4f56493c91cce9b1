"""Reminders: messages with a schedule. Nothing runs by itself; `run_due` returns the due ones."""

from dataclasses import replace

from commonplace import ids, validation
from commonplace.engine.banks import require_bank
from commonplace.engine.erasure.erasure import erasing_transaction
from commonplace.engine.runtime import Runtime
from commonplace.engine.sessions.schedules import next_time, validate_cron, zone
from commonplace.errors import NotFound
from commonplace.limits import FILTER_VALUES_MAX, LIST_MAX
from commonplace.records.work import DueReminder, Reminder, ReminderDraft
from commonplace.storage.rows import banks, reminders

_Names = tuple[str, ...]


def add_reminder(runtime: Runtime, bank: str, draft: ReminderDraft) -> Reminder:
    """Add a reminder and compute its first due time."""
    name = validation.name(bank, what="bank")
    message = validation.nonempty_text(draft.message, what="message")
    cron = validate_cron(draft.cron)
    timezone = validation.line(draft.timezone, what="time zone") or runtime.timezone
    local = zone(timezone)
    project, user = (
        validation.line(draft.project, what="project"),
        validation.line(draft.user, what="user"),
    )
    with runtime.db.transaction():
        now = runtime.clock.now()
        reminder = Reminder(
            id=banks.new_ids(runtime.db, now)[0],
            bank_id=banks.ensure(runtime.db, name, now).id,
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
        reminders.add(runtime.db, reminder)
    return reminder


def get_reminder(runtime: Runtime, bank: str, reminder_id: int | str) -> Reminder:
    """One reminder."""
    return _require_reminder(runtime, bank, reminder_id)


def list_reminders(
    runtime: Runtime,
    bank: str,
    *,
    projects: _Names | None = None,
    users: _Names | None = None,
    include_disabled: bool = False,
    limit: int = LIST_MAX,
) -> tuple[Reminder, ...]:
    """Reminders of some projects and users, the next due first, disabled ones last; None is
    "any".
    """
    validation.count(limit, what="limit", most=LIST_MAX)
    _check_name_counts(projects, users)
    found = banks.find(runtime.db, validation.name(bank, what="bank"))
    if found is None:
        return ()
    return tuple(
        reminders.list_reminders(
            runtime.db,
            found.id,
            projects=projects,
            users=users,
            include_disabled=include_disabled,
            limit=limit,
        )
    )


def run_due(
    runtime: Runtime,
    bank: str,
    *,
    projects: _Names | None = None,
    users: _Names | None = None,
    dry_run: bool = False,
) -> tuple[DueReminder, ...]:
    """The due reminders, the longest waiting first, each once however many occurrences were missed.

    Each due reminder is returned by one call only: its next time is set in the same transaction. A
    dry run changes nothing.
    """
    _check_name_counts(projects, users)
    found = banks.find(runtime.db, validation.name(bank, what="bank"))
    if found is None:
        return ()
    scope = {"projects": projects, "users": users}
    if dry_run:
        waiting = reminders.due_reminders(
            runtime.db, found.id, runtime.clock.now(), **scope, limit=LIST_MAX
        )
        return tuple(DueReminder(due_at=r.next_at or 0, reminder=r) for r in waiting)
    with runtime.db.transaction():
        # Read after waiting for the lock: reminders that another process returned meanwhile are not
        # due.
        now = runtime.clock.now()
        waiting = reminders.due_reminders(runtime.db, found.id, now, **scope, limit=LIST_MAX)
        return tuple(
            DueReminder(due_at=r.next_at or 0, reminder=_advance(runtime, r, now)) for r in waiting
        )


def enable_reminder(runtime: Runtime, bank: str, reminder_id: int | str) -> Reminder:
    """Enable a reminder. Its next time is computed from now."""
    with runtime.db.transaction():
        reminder = _require_reminder(runtime, bank, reminder_id)
        next_at = next_time(reminder.cron, zone(reminder.timezone), runtime.clock.now())
        return _save_schedule(runtime, replace(reminder, enabled=True, next_at=next_at))


def disable_reminder(runtime: Runtime, bank: str, reminder_id: int | str) -> Reminder:
    """Disable a reminder until it is enabled again."""
    with runtime.db.transaction():
        return _save_schedule(
            runtime,
            replace(_require_reminder(runtime, bank, reminder_id), enabled=False, next_at=None),
        )


def delete_reminder(runtime: Runtime, bank: str, reminder_id: int | str) -> Reminder:
    """Delete a reminder and return it."""
    with erasing_transaction(runtime):
        reminder = _require_reminder(runtime, bank, reminder_id)
        reminders.delete(runtime.db, reminder.id)
    return reminder


def _advance(runtime: Runtime, reminder: Reminder, now: int) -> Reminder:
    next_at = next_time(reminder.cron, zone(reminder.timezone), now)
    return _save_schedule(
        runtime, replace(reminder, enabled=next_at is not None, next_at=next_at, last_at=now)
    )


def _save_schedule(runtime: Runtime, reminder: Reminder) -> Reminder:
    reminders.schedule(runtime.db, reminder)
    return reminder


def _require_reminder(runtime: Runtime, bank: str, reminder_id: int | str) -> Reminder:
    found = reminders.find(runtime.db, require_bank(runtime, bank).id, ids.parse(reminder_id))
    if found is None:
        raise NotFound(
            f"There is no reminder {reminder_id}.",
            hint="List the reminders, disabled ones included.",
        )
    return found


def _check_name_counts(*values: _Names | None) -> None:
    for names in values:
        validation.count(len(names or ()), what="number of values", most=FILTER_VALUES_MAX)
