"""Reminders come due once, whoever asks and however late."""

from pathlib import Path

import pytest

from commonplace.app import open_engine
from commonplace.clock import iso
from commonplace.engine.engine import Engine
from commonplace.engine.sessions import reminders
from commonplace.errors import CommonplaceError, Invalid, NotFound, TooLarge
from commonplace.limits import TEXT_BYTES_MAX
from commonplace.records.work import ReminderDraft
from commonplace.settings import load
from tests.conftest import StoppedClock
from tests.crowd import crowd

HOUR = 3_600_000
STAND_UP = ReminderDraft("0 9 * * MON-FRI", "Stand up", timezone="Europe/Rome")


def run_due_often(home: Path, now: int, rounds: int) -> list[tuple[int, int]]:
    clock = StoppedClock(now)
    engine = open_engine(load({"COMMONPLACE_HOME": str(home)}), clock)
    handed_out: list[tuple[int, int]] = []
    for _ in range(rounds):
        handed_out += [(due.reminder.id, due.due_at) for due in reminders.run_due(engine, "b")]
        clock.advance(60_000)
    engine.db.close()
    return handed_out


def test_a_reminder_shows_when_it_comes_due_first(engine: Engine, clock: StoppedClock) -> None:
    # The stopped clock stands at 14:13:20 UTC on Monday 21 September 2026.
    reminder = reminders.add_reminder(engine, "b", STAND_UP)

    assert reminder.next_at is not None
    assert iso(reminder.next_at) == "2026-09-22T07:00:00.000Z"
    assert (reminder.enabled, reminder.last_at, reminder.created_at) == (True, None, clock.now())
    assert reminders.get_reminder(engine, "b", reminder.id) == reminder
    assert reminders.list_reminders(engine, "b") == (reminder,)


def test_without_a_time_zone_the_engines_own_is_meant(home: Path, clock: StoppedClock) -> None:
    environment = {"COMMONPLACE_HOME": str(home), "COMMONPLACE_TIMEZONE": "Asia/Tokyo"}
    engine = open_engine(load(environment), clock)

    reminder = reminders.add_reminder(engine, "b", ReminderDraft("0 9 * * *", "Ohayo"))

    assert reminder.timezone == "Asia/Tokyo"
    assert iso(reminder.next_at or 0) == "2026-09-22T00:00:00.000Z"
    engine.db.close()


def test_nothing_is_due_before_its_moment(engine: Engine, clock: StoppedClock) -> None:
    reminder = reminders.add_reminder(engine, "b", STAND_UP)
    clock.advance((reminder.next_at or 0) - clock.now() - 1)
    assert reminders.run_due(engine, "b") == ()

    clock.advance(1)
    (due,) = reminders.run_due(engine, "b")

    assert (due.due_at, due.reminder.message) == (reminder.next_at, "Stand up")
    assert due.reminder.last_at == clock.now()


def test_missed_turns_come_due_once_and_the_next_is_in_the_future(
    engine: Engine, clock: StoppedClock
) -> None:
    reminders.add_reminder(engine, "b", ReminderDraft("*/5 * * * *", "Blink", timezone="UTC"))
    clock.advance(50 * HOUR)

    (due,) = reminders.run_due(engine, "b")

    assert due.reminder.next_at is not None
    assert clock.now() < due.reminder.next_at <= clock.now() + 300_000
    assert reminders.run_due(engine, "b") == ()
    assert reminders.list_reminders(engine, "b") == (due.reminder,)


def test_a_dry_run_shows_what_is_due_and_changes_nothing(
    engine: Engine, clock: StoppedClock
) -> None:
    before = reminders.add_reminder(engine, "b", STAND_UP)
    clock.advance(48 * HOUR)

    for _ in range(2):
        (due,) = reminders.run_due(engine, "b", dry_run=True)
        assert (due.due_at, due.reminder) == (before.next_at, before)

    assert reminders.get_reminder(engine, "b", before.id) == before
    assert len(reminders.run_due(engine, "b")) == 1


def test_due_reminders_come_longest_waiting_first(engine: Engine, clock: StoppedClock) -> None:
    for cron, message in (
        ("0 20 * * *", "late"),
        ("0 16 * * *", "early"),
        ("0 18 * * *", "between"),
    ):
        reminders.add_reminder(engine, "b", ReminderDraft(cron, message, timezone="UTC"))
    clock.advance(24 * HOUR)

    assert [due.reminder.message for due in reminders.run_due(engine, "b")] == [
        "early",
        "between",
        "late",
    ]


def test_scopes_hold_on_lists_and_runs(engine: Engine, clock: StoppedClock) -> None:
    for project, user in (("p", ""), ("", ""), ("q", ""), ("p", "u")):
        draft = ReminderDraft(
            "* * * * *", f"{project}/{user}", timezone="UTC", project=project, user=user
        )
        reminders.add_reminder(engine, "b", draft)
    clock.advance(HOUR)

    listed = reminders.list_reminders(engine, "b", projects=("p", ""), users=("",))
    assert sorted(r.message for r in listed) == ["/", "p/"]
    assert sorted(
        d.reminder.message for d in reminders.run_due(engine, "b", projects=("p", ""))
    ) == ["/", "p/", "p/u"]
    assert [d.reminder.message for d in reminders.run_due(engine, "b")] == ["q/"]


def test_a_disabled_reminder_rests_until_it_is_enabled(engine: Engine, clock: StoppedClock) -> None:
    reminder = reminders.add_reminder(engine, "b", STAND_UP)

    resting = reminders.disable_reminder(engine, "b", reminder.id)
    clock.advance(72 * HOUR)

    assert (resting.enabled, resting.next_at) == (False, None)
    assert reminders.run_due(engine, "b") == ()
    assert reminders.list_reminders(engine, "b") == ()
    assert reminders.list_reminders(engine, "b", include_disabled=True) == (resting,)
    awake = reminders.enable_reminder(engine, "b", reminder.id)
    assert (awake.enabled, iso(awake.next_at or 0)) == (True, "2026-09-25T07:00:00.000Z")
    assert reminders.run_due(engine, "b") == ()


def test_a_deleted_reminder_is_gone(engine: Engine) -> None:
    reminder = reminders.add_reminder(engine, "b", STAND_UP)

    assert reminders.delete_reminder(engine, "b", reminder.id) == reminder

    with pytest.raises(NotFound):
        reminders.delete_reminder(engine, "b", reminder.id)
    assert reminders.list_reminders(engine, "b", include_disabled=True) == ()


@pytest.mark.servers
def test_several_processes_never_hand_out_the_same_turn(
    engine: Engine, home: Path, clock: StoppedClock
) -> None:
    added = [
        reminders.add_reminder(
            engine, "b", ReminderDraft("* * * * *", f"R{index}", timezone="UTC")
        ).id
        for index in range(20)
    ]

    handed_out = crowd(3, run_due_often, home, clock.now() + 60_000, 40)

    everything = [turn for turns in handed_out for turn in turns]
    assert len(everything) == len(set(everything))
    assert {reminder_id for reminder_id, _ in everything} == set(added)


def test_unknown_reminders_and_those_of_another_bank_are_not_found(engine: Engine) -> None:
    reminder = reminders.add_reminder(engine, "b", STAND_UP)
    reminders.add_reminder(engine, "c", STAND_UP)

    for bank, number in (("b", 4711), ("c", reminder.id), ("nowhere", reminder.id)):
        for verb in (
            reminders.get_reminder,
            reminders.enable_reminder,
            reminders.disable_reminder,
            reminders.delete_reminder,
        ):
            with pytest.raises(NotFound) as refusal:
                verb(engine, bank, number)
            assert refusal.value.hint
    assert reminders.get_reminder(engine, "b", reminder.id) == reminder


@pytest.mark.parametrize(
    "draft",
    [
        ReminderDraft("0 0 30 2 *", "Never"),
        ReminderDraft("not cron", "x"),
        ReminderDraft("* * * * *", ""),
        ReminderDraft("* * * * *", "  "),
        ReminderDraft("* * * * *", "nul \x00"),
        ReminderDraft("* * * * *", "x" * (TEXT_BYTES_MAX + 1)),
        ReminderDraft("* * * * *", "x", timezone="Mars/Olympus"),
        ReminderDraft("* * * * *", "x", project="p" * 201),
        ReminderDraft("* * * * *", "x", user="a\nb"),
    ],
)
def test_a_bad_reminder_is_refused_with_a_hint_and_nothing_changes(
    engine: Engine, draft: ReminderDraft
) -> None:
    with pytest.raises((Invalid, TooLarge)) as refusal:
        reminders.add_reminder(engine, "b", draft)

    assert refusal.value.hint
    assert engine.list_banks() == ()


def test_reading_does_not_make_a_bank_and_limits_hold(engine: Engine) -> None:
    assert reminders.list_reminders(engine, "nowhere") == ()
    assert reminders.run_due(engine, "nowhere") == ()
    assert engine.list_banks() == ()
    for limit in (-1, 1001):
        with pytest.raises(CommonplaceError):
            reminders.list_reminders(engine, "b", limit=limit)
