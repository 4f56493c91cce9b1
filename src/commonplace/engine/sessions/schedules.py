"""Computes the next time of a cron expression in a time zone. Independent of reminders and the
store.

Five fields with names, lists, ranges and steps. When both days are restricted, either one is
enough; a field that covers its whole range counts as unrestricted. At clock changes a time with a
set hour occurs once: right after the gap if it is skipped, and on the first pass if it is repeated.
Otherwise the interval is kept.
"""

import re
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from commonplace import validation
from commonplace.errors import Invalid

_FIELDS = ("minute", "hour", "day of month", "month", "day of week")
_WEEKDAY = 4
_RANGES = (range(60), range(24), range(1, 32), range(1, 13), range(7))
# The library accepts more signs (L, #) and fails on some mixtures; these are the common ones of
# cron.
_ITEM = re.compile(
    r"(\*|([0-9]{1,2}|[a-z]{3})(-([0-9]{1,2}|[a-z]{3}))?)(/[0-9]{1,2})?", re.IGNORECASE
)
_HINT = (
    'Use five fields: minute, hour, day of month, month, day of week, for example "30 9 * *'
    ' MON-FRI".'
)
_NICKNAMES = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}


class MachineZone(tzinfo):
    """The time zone of the machine, with its daylight saving time."""

    def utcoffset(self, dt: datetime | None, /) -> timedelta | None:
        """The UTC offset at a local time; `fold` distinguishes the two passes of a repeated
        hour.
        """
        return None if dt is None else dt.replace(tzinfo=None).astimezone().utcoffset()

    def dst(self, dt: datetime | None, /) -> timedelta | None:
        """Unknown and not used here."""
        return None

    def tzname(self, dt: datetime | None, /) -> str | None:
        """The abbreviated name at a local time."""
        return None if dt is None else dt.replace(tzinfo=None).astimezone().tzname()

    def fromutc(self, dt: datetime, /) -> datetime:
        """The local time for a time in UTC."""
        exact = dt.replace(tzinfo=UTC).astimezone()
        local = exact.replace(tzinfo=self)
        return local if local.utcoffset() == exact.utcoffset() else local.replace(fold=1)


def zone(name: str) -> tzinfo:
    """The time zone of an IANA name; an empty name is the machine's own."""
    checked = validation.line(name, what="time zone")
    if not checked:
        return MachineZone()
    try:
        return ZoneInfo(checked)
    except (KeyError, ValueError, OSError) as error:
        raise Invalid(
            f"There is no time zone {checked!r}.",
            hint="Use a name such as Europe/Rome, America/New_York or UTC.",
        ) from error


def validate_cron(expression: object) -> str:
    """A valid cron expression in plain form: five fields, one space between them. One that never
    occurs is refused.
    """
    if not isinstance(expression, str):
        raise Invalid("The cron expression is not a string.", hint=_HINT)
    plain = validation.name(" ".join(expression.split()), what="cron expression")
    if plain.lower() in _NICKNAMES:
        raise Invalid(
            f"{plain} is not a cron expression.",
            hint=f'Write it out: "{_NICKNAMES[plain.lower()]}".',
        )
    _library_form(plain)
    if next_time(plain, UTC, 0) is None:
        raise Invalid(
            f'"{plain}" never matches a date.', hint="Use a day that exists in one of the months."
        )
    return plain


def next_time(expression: str, local: tzinfo, now: int) -> int | None:
    """The first time after now that matches an expression; None if there is none in the next fifty
    years.
    """
    try:
        moments = CronSim(_library_form(expression), datetime.fromtimestamp(now // 1000, local))
    except CronSimError:
        # The fields are valid one by one, so the error is a day that none of the months has.
        return None
    try:
        # In a repeated hour the library returns the first pass even after the second has begun.
        return next(
            (moment for found in moments if (moment := round(found.timestamp()) * 1000) > now), None
        )
    except OverflowError:  # The calendar ends with the year 9999.
        return None


def _library_form(expression: str) -> str:
    """The expression in numbers, with a star only for a whole range. The library interprets other
    spellings differently.
    """
    fields = expression.split()
    if len(fields) != len(_FIELDS):
        raise Invalid(f"The cron expression has {len(fields)} fields.", hint=_HINT)
    numbers = [
        set[int]().union(*(_item_numbers(i, item) for item in field.split(",")))
        for i, field in enumerate(fields)
    ]
    spelled = [_format_field(found, whole) for found, whole in zip(numbers, _RANGES, strict=True)]
    if spelled[0] == "*" != spelled[1]:
        # The library treats a star here as an interval that ignores clock changes; with set hours
        # it is not.
        spelled[0] = "0-59"
    return " ".join(spelled)


def _format_field(numbers: set[int], whole: range) -> str:
    return "*" if numbers == set(whole) else ",".join(map(str, sorted(numbers)))


def _item_numbers(index: int, item: str) -> set[int]:
    """The numbers of one item of a field."""
    if not _ITEM.fullmatch(item):
        raise Invalid(f'"{item}" is not a {_FIELDS[index]}.', hint=_HINT)
    span, _, step = item.partition("/")
    found = _library_numbers(index, span)
    if step and not (len(found) == 1 and "-" in span):
        # The library reads `5-5/10` as `5/10`, which continues to the end of the range; a range
        # must end at its end.
        found = _library_numbers(index, item)
    return {number % 7 for number in found} if index == _WEEKDAY else found


def _library_numbers(index: int, item: str) -> set[int]:
    alone = ["*"] * len(_FIELDS)
    alone[index] = item
    try:
        read = CronSim(" ".join(alone), datetime.fromtimestamp(0, UTC))
    except CronSimError as error:
        least, most = _RANGES[index][0], 7 if index == _WEEKDAY else _RANGES[index][-1]
        raise Invalid(
            f'"{item}" is not a {_FIELDS[index]}.',
            hint=f"Use {least} to {most}, lower number first.",
        ) from error
    found = (read.minutes, read.hours, read.days, read.months, read.weekdays)[index]
    return {number for number in found if isinstance(number, int)}
