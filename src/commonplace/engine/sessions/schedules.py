"""When a cron expression comes due next, in a time zone. Knows no reminder and no store.

Five fields with names, lists, ranges and steps. When both days are restricted either one is enough;
a field that covers its whole range is unrestricted, however it is written. Where clocks change, a
turn with a set hour comes once: right after the gap when its time is skipped, on the first pass
when its time is repeated. Otherwise the pace is kept.
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
# The library knows more signs (L, #) and stumbles over some mixtures of them; these are the ones
# people know from cron.
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
    """The time zone the machine is set to, with its changes of summer and winter time."""

    def utcoffset(self, dt: datetime | None, /) -> timedelta | None:
        """How far local time is from UTC at a local time; `fold` tells the two halves of a repeated
        hour apart.
        """
        return None if dt is None else dt.replace(tzinfo=None).astimezone().utcoffset()

    def dst(self, dt: datetime | None, /) -> timedelta | None:
        """Not known; nothing here asks."""
        return None

    def tzname(self, dt: datetime | None, /) -> str | None:
        """The short name in use at a local time."""
        return None if dt is None else dt.replace(tzinfo=None).astimezone().tzname()

    def fromutc(self, dt: datetime, /) -> datetime:
        """The local time of a moment in UTC."""
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


def checked_cron(expression: object) -> str:
    """A cron expression in plain form: five fields, one space between them. One that never comes
    due is refused.
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
    """The first moment after now that an expression means; None when there is none in the next
    fifty years.
    """
    try:
        moments = CronSim(_library_form(expression), datetime.fromtimestamp(now // 1000, local))
    except CronSimError:
        # The fields were checked one by one, so what is left is a day that none of the months has.
        return None
    try:
        # In a repeated hour the library answers with the first pass even when the second has begun.
        return next(
            (moment for found in moments if (moment := round(found.timestamp()) * 1000) > now), None
        )
    except OverflowError:  # The calendar ends with the year 9999.
        return None


def _library_form(expression: str) -> str:
    """The expression in numbers alone, a star only for a whole range: the library reads more into
    other spellings.
    """
    fields = expression.split()
    if len(fields) != len(_FIELDS):
        raise Invalid(f"The cron expression has {len(fields)} fields.", hint=_HINT)
    numbers = [
        set[int]().union(*(_numbers(i, item) for item in field.split(",")))
        for i, field in enumerate(fields)
    ]
    spelled = [_spelled(found, whole) for found, whole in zip(numbers, _RANGES, strict=True)]
    if spelled[0] == "*" != spelled[1]:
        # The library takes a star here for a pace that goes on through changes of the clock; with
        # set hours it is not.
        spelled[0] = "0-59"
    return " ".join(spelled)


def _spelled(numbers: set[int], whole: range) -> str:
    return "*" if numbers == set(whole) else ",".join(map(str, sorted(numbers)))


def _numbers(index: int, item: str) -> set[int]:
    """The numbers one item of a field means."""
    if not _ITEM.fullmatch(item):
        raise Invalid(f'"{item}" is not a {_FIELDS[index]}.', hint=_HINT)
    span, _, step = item.partition("/")
    found = _library_numbers(index, span)
    if step and not (len(found) == 1 and "-" in span):
        # The library takes `5-5/10` for `5/10`, which goes on to the end of the range; a range ends
        # where it says.
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
