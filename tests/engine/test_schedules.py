"""A table of cron expressions: what they mean, when they come due, and which are refused."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace.clock import MOMENT_MAX
from commonplace.engine.sessions.schedules import MachineZone, next_time, validate_cron, zone
from commonplace.errors import CommonplaceError, Invalid

MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")


def moment(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1000)


def turns(cron: str, zone_name: str, start: str, count: int) -> list[str]:
    """The next turns in local time with its offset; the start is local too."""
    local = zone(zone_name)
    now = int(datetime.fromisoformat(start).replace(tzinfo=local).timestamp() * 1000)
    found: list[str] = []
    for _ in range(count):
        following = next_time(cron, local, now)
        assert following is not None
        assert following > now
        found.append(datetime.fromtimestamp(following / 1000, local).isoformat(timespec="minutes"))
        now = following
    return found


# 2026-03-01 is a Sunday.
@pytest.mark.parametrize(
    ("cron", "expected"),
    [
        ("* * * * *", ["03-01T00:01", "03-01T00:02"]),
        ("*/15 * * * *", ["03-01T00:15", "03-01T00:30"]),
        ("5/10 * * * *", ["03-01T00:05", "03-01T00:15"]),
        ("5-5/10 * * * *", ["03-01T00:05", "03-01T01:05"]),
        ("0 9 * * MON-1/2", ["03-02T09:00", "03-09T09:00"]),
        ("10-20/5 3 * * *", ["03-01T03:10", "03-01T03:15", "03-01T03:20", "03-02T03:10"]),
        ("0,30 9 * * *", ["03-01T09:00", "03-01T09:30", "03-02T09:00"]),
        ("0 9 * * MON-FRI", ["03-02T09:00", "03-03T09:00"]),
        ("0 9 * * mon,Wed", ["03-02T09:00", "03-04T09:00", "03-09T09:00"]),
        ("0 9 * * 0", ["03-01T09:00", "03-08T09:00"]),
        ("0 9 * * 7", ["03-01T09:00", "03-08T09:00"]),
        ("0 9 * * SUN", ["03-01T09:00", "03-08T09:00"]),
        ("0 9 * * 5-7", ["03-01T09:00", "03-06T09:00", "03-07T09:00", "03-08T09:00"]),
        ("0 0 1 JAN,JUL *", ["07-01T00:00", "01-01T00:00"]),
        ("0 0 31 * *", ["03-31T00:00", "05-31T00:00", "07-31T00:00"]),
        # Both days restricted: either one is enough.
        ("0 0 13 * FRI", ["03-06T00:00", "03-13T00:00", "03-20T00:00"]),
        ("0 0 3 * MON", ["03-02T00:00", "03-03T00:00", "03-09T00:00"]),
        ("0 0 */10 * MON", ["03-02T00:00", "03-09T00:00", "03-11T00:00"]),
        ("0 0 4 * */3", ["03-04T00:00", "03-07T00:00", "03-08T00:00"]),
        # A field that covers its whole range is unrestricted, however it is written.
        ("0 0 1-31 * MON", ["03-02T00:00", "03-09T00:00"]),
        ("0 0 */1 * MON", ["03-02T00:00", "03-09T00:00"]),
        ("0 0 1-15,16-31 * MON", ["03-02T00:00", "03-09T00:00"]),
        ("0 0 13 * 0-6", ["03-13T00:00", "04-13T00:00"]),
        ("0 0 13 * 1-7", ["03-13T00:00", "04-13T00:00"]),
        ("0 0 13 * SUN-SAT", ["03-13T00:00", "04-13T00:00"]),
        ("0-59 0-23 1 1-12 *", ["03-01T00:01", "03-01T00:02"]),
        # A day that exists only with the help of the other field.
        ("0 0 30 2 MON", ["02-01T00:00", "02-08T00:00"]),
    ],
)
def test_an_expression_comes_due_when_it_says(cron: str, expected: list[str]) -> None:
    found = turns(validate_cron(cron), "UTC", "2026-03-01T00:00", len(expected))

    assert [text[5:16] for text in found] == expected


def test_leap_days_are_found_however_far_away() -> None:
    assert turns("0 12 29 2 *", "UTC", "2026-03-01T00:00", 2) == [
        "2028-02-29T12:00+00:00",
        "2032-02-29T12:00+00:00",
    ]
    assert turns("0 12 29 2 *", "UTC", "2096-03-01T00:00", 1) == ["2104-02-29T12:00+00:00"]


@pytest.mark.parametrize(
    ("cron", "start", "expected"),
    [
        # Clocks go from 02:00 to 03:00 on 29 March 2026: a run in the gap happens right after it,
        # once.
        ("30 2 * * *", "2026-03-28T12:00", ["2026-03-29T03:00+02:00", "2026-03-30T02:30+02:00"]),
        ("0 * * * *", "2026-03-29T00:30", ["2026-03-29T01:00+01:00", "2026-03-29T03:00+02:00"]),
        ("*/30 2 * * *", "2026-03-28T12:00", ["2026-03-29T03:00+02:00", "2026-03-30T02:00+02:00"]),
        ("* 2 * * *", "2026-03-28T12:00", ["2026-03-29T03:00+02:00", "2026-03-30T02:00+02:00"]),
        ("0 */2 * * *", "2026-03-29T00:00", ["2026-03-29T03:00+02:00", "2026-03-29T04:00+02:00"]),
        # They go back from 03:00 to 02:00 on 25 October 2026: a set time comes once, a pace is
        # kept.
        ("30 2 * * *", "2026-10-24T12:00", ["2026-10-25T02:30+02:00", "2026-10-26T02:30+01:00"]),
        ("0 */2 * * *", "2026-10-25T00:00", ["2026-10-25T02:00+02:00", "2026-10-25T04:00+01:00"]),
        (
            "30 0-23 * * *",
            "2026-10-25T01:00",
            [
                "2026-10-25T01:30+02:00",
                "2026-10-25T02:30+02:00",
                "2026-10-25T02:30+01:00",
                "2026-10-25T03:30+01:00",
            ],
        ),
        (
            "30 * * * *",
            "2026-10-25T01:00",
            [
                "2026-10-25T01:30+02:00",
                "2026-10-25T02:30+02:00",
                "2026-10-25T02:30+01:00",
                "2026-10-25T03:30+01:00",
            ],
        ),
    ],
)
def test_summer_time_neither_loses_nor_doubles_a_turn(
    cron: str, start: str, expected: list[str]
) -> None:
    assert turns(cron, "Europe/Rome", start, len(expected)) == expected


def test_the_second_pass_of_a_repeated_hour_never_points_into_the_past() -> None:
    rome = ZoneInfo("Europe/Rome")
    now = int(datetime(2026, 10, 25, 2, 10, tzinfo=rome, fold=1).timestamp() * 1000)

    following = next_time("30 2 * * *", rome, now)

    assert following == moment("2026-10-26T02:30+01:00")


@pytest.mark.parametrize(
    "zone_name", ["America/New_York", "Africa/Cairo", "Asia/Beirut", "Australia/Lord_Howe"]
)
@pytest.mark.parametrize("cron", ["0 0 * * *", "30 0 * * *", "15 2 * * *", "59 23 * * *"])
def test_a_daily_turn_comes_once_on_every_date_of_the_year(cron: str, zone_name: str) -> None:
    found = turns(cron, zone_name, "2025-12-31T23:59:30", 365)

    first = datetime(2026, 1, 1, tzinfo=UTC)
    assert [text[:10] for text in found] == [
        f"{first + timedelta(days=day):%Y-%m-%d}" for day in range(365)
    ]


@pytest.mark.parametrize(
    "now_text", ["2026-03-01T09:00:00.000Z", "2026-03-01T09:00:00.999Z", "2026-03-01T09:00:59.999Z"]
)
def test_the_next_turn_is_after_now_and_on_a_whole_minute(now_text: str) -> None:
    assert next_time("* * * * *", UTC, moment(now_text)) == moment("2026-03-01T09:01:00Z")


@pytest.fixture
def machine_in_rome(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Rome")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("machine_in_rome")
@pytest.mark.parametrize(
    "start", ["2026-03-28T12:00", "2026-07-01T00:00", "2026-10-24T12:00", "2026-12-31T23:59"]
)
@pytest.mark.parametrize("cron", ["30 2 * * *", "*/20 * * * *", "0 9 * * MON", "0 */5 * * *"])
def test_the_machines_own_zone_gives_the_turns_of_its_name(cron: str, start: str) -> None:
    assert turns(cron, "", start, 40) == turns(cron, "Europe/Rome", start, 40)


@pytest.mark.usefixtures("machine_in_rome")
def test_the_machines_own_zone_knows_both_passes_of_a_repeated_hour() -> None:
    first = datetime(2026, 10, 25, 0, 30, tzinfo=UTC).astimezone(MachineZone())
    second = datetime(2026, 10, 25, 1, 30, tzinfo=UTC).astimezone(MachineZone())

    assert (first.hour, second.hour, first.fold, second.fold) == (2, 2, 0, 1)
    assert (first.utcoffset(), second.utcoffset()) == (timedelta(hours=2), timedelta(hours=1))


@pytest.mark.parametrize(
    "cron",
    [
        "",
        "   ",
        "* * * *",
        "* * * * * *",
        "0 0 12 * * MON",
        "@daily",
        "@reboot",
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * 32 * *",
        "* * * 0 *",
        "* * * 13 *",
        "* * * * 8",
        "-1 * * * *",
        "5-1 * * * *",
        "* * * * FRI-MON",
        "*/0 * * * *",
        "1/ * * * *",
        "/5 * * * *",
        "1,,2 * * * *",
        "1- * * * *",
        "1-2-3 * * * *",
        "1/2/3 * * * *",
        "MON * * * *",
        "* * * MON *",
        "* * * * JAN",
        "* * L * *",
        "* * LW * *",
        "* * * * 5L",
        "* * * * MON#2",
        "* * * * 1#1/2",
        "1.5 * * * *",
        "? * * * *",
        "٣ * * * *",
        "* * * * *\x00",
        "\ud800 * * * *",
        "1/" + "9" * 5000 + " * * * *",
        # Days that no named month has.
        "0 0 30 2 *",
        "0 0 31 4,6,9,11 *",
        "0 0 30,31 FEB *",
        "0 0 30 2 0-7",
    ],
)
def test_what_cannot_come_due_is_refused_with_a_hint(cron: str) -> None:
    with pytest.raises(CommonplaceError) as refusal:
        validate_cron(cron)

    assert refusal.value.hint


def test_spaces_are_put_in_order() -> None:
    assert validate_cron("  0\t9  * * MON \n") == "0 9 * * MON"


@pytest.mark.parametrize(
    "name",
    ["Mars/Olympus", "../../etc/passwd", "/etc/localtime", "Europe", "UTC\x00", "\ud800", "é"],
)
def test_unknown_time_zones_are_refused_with_a_hint(name: str) -> None:
    with pytest.raises(Invalid) as refusal:
        zone(name)

    assert refusal.value.hint


def field(
    numbers: range, names: tuple[str, ...] = ()
) -> st.SearchStrategy[tuple[str, frozenset[int]]]:
    """A field and the numbers it means."""
    low, high = numbers[0], numbers[-1]
    plain = st.integers(low, high)
    spelled = plain.map(lambda n: (str(n), {n}))
    if names:
        spelled |= plain.map(lambda n: (names[n - low], {n}))
    spans = (
        st.tuples(plain, plain)
        .map(sorted)
        .map(lambda p: (f"{p[0]}-{p[1]}", set(range(p[0], p[1] + 1))))
    )
    stars = st.just(("*", set(numbers)))
    steps = st.tuples(spans | stars, st.integers(1, 20)).map(
        lambda p: (f"{p[0][0]}/{p[1]}", set(sorted(p[0][1])[:: p[1]]))
    )
    items = st.lists(spelled | spans | steps | stars, min_size=1, max_size=3)
    return items.map(
        lambda parts: (",".join(p[0] for p in parts), frozenset().union(*(p[1] for p in parts)))
    )


@settings(deadline=None)
@given(
    minute=field(range(60)),
    hour=field(range(24)),
    day=field(range(1, 32)),
    month=field(range(1, 13), MONTHS),
    weekday=field(range(7), ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")),
    start=st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)),  # noqa: DTZ001
)
def test_the_next_turn_is_what_walking_through_the_days_finds(
    minute: tuple[str, frozenset[int]],
    hour: tuple[str, frozenset[int]],
    day: tuple[str, frozenset[int]],
    month: tuple[str, frozenset[int]],
    weekday: tuple[str, frozenset[int]],
    start: datetime,
) -> None:
    whole_days, whole_weeks = len(day[1]) == 31, len(weekday[1]) == 7

    def day_fits(at: datetime) -> bool:
        by_month, by_week = at.day in day[1], (at.weekday() + 1) % 7 in weekday[1]
        either = by_month or by_week if not whole_days and not whole_weeks else by_month and by_week
        return at.month in month[1] and either

    cron = " ".join(part[0] for part in (minute, hour, day, month, weekday))
    begin = start.replace(tzinfo=UTC)
    now = int(begin.timestamp() * 1000)
    turn = begin.replace(second=0, microsecond=0) + timedelta(minutes=1)
    clock_times = [(h, m) for h in sorted(hour[1]) for m in sorted(minute[1])]
    expected = None
    for offset in range(9 * 366):
        date = (turn + timedelta(days=offset)).replace(hour=0, minute=0)
        if day_fits(date):
            later = [t for h, m in clock_times if (t := date.replace(hour=h, minute=m)) >= turn]
            if later:
                expected = int(later[0].timestamp() * 1000)
                break

    if expected is None:
        with pytest.raises(Invalid):
            validate_cron(cron)
    else:
        assert next_time(validate_cron(cron), UTC, now) == expected


def test_a_moment_at_the_end_of_time_has_no_next_turn() -> None:
    assert next_time("0 0 1 1 *", UTC, MOMENT_MAX) is None
