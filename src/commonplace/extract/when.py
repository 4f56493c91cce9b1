"""Finds the times a text speaks of, from its words alone: dates, months, years, and words such as "last week".

What is relative is reckoned from a moment that the caller gives, in UTC. Rules only: a word that could mean something
else ("may", "march") is a month only beside a number.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_MONTHS = "january february march april may june july august september october november december".split()
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_MONTH = r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|" + (
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_COUNTS: dict[str, int] = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
}
_COUNTS.update({"nine": 9, "ten": 10, "a couple of": 2, "a few": 3, "several": 4})
_COUNT = r"(?P<count>\d{1,4}|a couple of|a few|several|an?|one|two|three|four|five|six|seven|eight|nine|ten)"
_READ_CHARS_MAX = 10_000
_UNIT = r"(?P<unit>day|week|month|year)s?"


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time that a text names: from a moment up to, and without, another; and the words that name it."""

    start: int
    end: int
    words: str


def spans(text: str, now: int) -> tuple[Span, ...]:
    """Every time a text names, in the order of its words; of two readings of the same words the longer one."""
    today = datetime.fromtimestamp(now / 1000, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    taken: list[tuple[int, int]] = []
    found: list[tuple[int, Span]] = []
    text = text[:_READ_CHARS_MAX]
    for pattern, read in _RULES:
        for match in pattern.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            try:
                start, end = read(match, today)
            except (ValueError, OverflowError):  # The 31st of a month that has none, or a year that no calendar has.
                continue
            taken.append(match.span())
            found.append((match.start(), Span(_ms(start), _ms(end), match[0])))
    return tuple(span for _, span in sorted(found, key=lambda pair: pair[0]))


def first(text: str, now: int) -> Span | None:
    """The first time a text names."""
    return next(iter(spans(text, now)), None)


def _ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def _month_number(name: str) -> int:
    return next(place for place, month in enumerate(_MONTHS, start=1) if month.startswith(name.lower()[:3]))


def _days(start: datetime, count: int = 1) -> tuple[datetime, datetime]:
    return start, start + timedelta(days=count)


def _months(start: datetime, count: int) -> datetime:
    years, month = divmod(start.year * 12 + start.month - 1 + count, 12)
    last = 31
    while True:
        try:
            return start.replace(year=years, month=month + 1, day=min(start.day, last))
        except ValueError:
            last -= 1
            if last < 28:
                raise


def _exact(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    return _days(today.replace(year=int(match["year"]), month=int(match["m"]), day=int(match["d"])))


def _named_day(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    month, day = _month_number(match["month"]), int(match["day"])
    if match["year"]:
        return _days(today.replace(year=int(match["year"]), month=month, day=day))
    # Without a year the nearest one is meant: people speak of what was or will be soon.
    near = [today.replace(year=today.year + step, month=month, day=day) for step in (-1, 0, 1)]
    return _days(min(near, key=lambda one: abs(one - today)))


def _whole_month(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    groups = match.groupdict()
    month = int(groups["m"]) if groups.get("m") else _month_number(match["month"])
    start = today.replace(year=int(match["year"]), month=month, day=1)
    return start, _months(start, 1)


def _plain_month(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    start = today.replace(month=_month_number(match["month"]), day=1)
    step = {"next": 12, "last": -12}.get((match["which"] or "").lower())
    if step and (start > today) != (step > 0):
        start = _months(start, step)
    elif not step and start > today:
        start = _months(start, -12)
    return start, _months(start, 1)


def _whole_year(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    start = today.replace(year=int(match["year"]), month=1, day=1)
    return start, start.replace(year=start.year + 1)


def _near_day(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    steps = {"yesterday": -1, "last night": -1, "today": 0, "tonight": 0, "this morning": 0, "tomorrow": 1}
    steps |= {"this afternoon": 0, "this evening": 0}
    word = " ".join(match[0].lower().split())
    far = {"the day before yesterday": -2, "the day after tomorrow": 2}
    return _days(today + timedelta(days=far.get(word, steps.get(word, 0))))


def _ago(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    word = " ".join(match["count"].lower().split())
    count = _COUNTS.get(word) or int(word)
    sign = -1 if match["way"].lower() == "ago" else 1
    return _counted(today, match["unit"].lower(), sign * count)


def _in(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    word = " ".join(match["count"].lower().split())
    return _counted(today, match["unit"].lower(), _COUNTS.get(word) or int(word))


def _counted(today: datetime, unit: str, count: int) -> tuple[datetime, datetime]:
    if unit == "day":
        return _days(today + timedelta(days=count))
    if unit == "week":
        middle = today + timedelta(weeks=count)
        return _days(middle - timedelta(days=middle.weekday()), 7)
    start = _months(today, count * (12 if unit == "year" else 1))
    if unit == "month":
        return start.replace(day=1), _months(start.replace(day=1), 1)
    return start.replace(month=1, day=1), start.replace(year=start.year + 1, month=1, day=1)


def _which(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    step = {"last": -1, "previous": -1, "past": -1, "this": 0, "next": 1}[match["which"].lower()]
    unit = match["unit"].lower()
    if unit == "weekend":
        saturday = today - timedelta(days=today.weekday()) + timedelta(days=5, weeks=step)
        return _days(saturday, 2)
    return _counted(today, unit, step)


def _weekday(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    name = match["weekday"].lower()
    wanted = next(place for place, day in enumerate(_DAYS) if day == name)
    which = (match["which"] or "").lower()
    if which in ("next", "this", "coming"):
        return _days(today + timedelta(days=(wanted - today.weekday() - 1) % 7 + 1))
    return _days(today - timedelta(days=(today.weekday() - wanted - 1) % 7 + 1))


_Reading = Callable[[re.Match[str], datetime], tuple[datetime, datetime]]


def _rules() -> Iterator[tuple[re.Pattern[str], _Reading]]:
    """The rules, those that read most words first."""
    weekday = "|".join(_DAYS)
    table: tuple[tuple[str, _Reading], ...] = (
        (
            rf"(?<![\d-]){_YEAR}-(?P<m>0[1-9]|1[0-2])-(?P<d>[0-2]\d|3[01])(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?(?![\d-])",
            _exact,
        ),
        (rf"\b{_MONTH}\s+{_DAY}(?:\s*,?\s+{_YEAR})?\b", _named_day),
        (rf"\b{_DAY}\s+(?:of\s+)?{_MONTH}(?:\s*,?\s+{_YEAR})?(?!\w)", _named_day),
        (rf"\b{_MONTH}\s*,?\s+(?:of\s+)?{_YEAR}\b", _whole_month),
        (rf"(?<![\d-]){_YEAR}-(?P<m>0[1-9]|1[0-2])(?![\d-])", _whole_month),
        (rf"\b{_COUNT}\s+{_UNIT}\s+(?P<way>ago|from now|later)\b", _ago),
        (rf"\bin\s+{_COUNT}\s+{_UNIT}\b", _in),
        (r"\bthe day before yesterday\b|\bthe day after tomorrow\b", _near_day),
        (
            r"\byesterday\b|\blast night\b|\btonight\b|\btoday\b|\btomorrow\b|\bthis (?:morning|afternoon|evening)\b",
            _near_day,
        ),
        (r"\b(?P<which>last|previous|past|this|next)\s+(?P<unit>weekend|week|month|year)\b", _which),
        (rf"\b(?:(?P<which>last|next|this|coming|on)\s+)(?P<weekday>{weekday})\b", _weekday),
        (rf"\b(?:in|during|since|until|by|(?P<which>last|next))\s+{_MONTH}(?=\W|$)(?!\s+\d)", _plain_month),
        (rf"\b(?:in|during|since|of|from|until|by|year)\s+{_YEAR}\b(?!\s*(?:[a-z]+s\b|%))", _whole_year),
    )
    return ((re.compile(pattern, re.IGNORECASE), read) for pattern, read in table)


_RULES = tuple(_rules())
