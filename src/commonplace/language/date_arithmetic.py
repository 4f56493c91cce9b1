"""Computes the span of time of a temporal expression, relative to a day.

Each function takes a match of a pattern in temporal_expressions.py and the midnight of the day of
the text. It returns a start and an end, the end not included. Words that name no day, such as the
31st of a month with 30 days, raise ValueError or OverflowError.
"""

import re
from datetime import datetime, timedelta

_MONTHS = (
    "january february march april may june july august september october november december".split()
)
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_NUMBERS = "one two three four five six seven eight nine ten eleven twelve".split()
_COUNTS = {word: number for number, word in enumerate(_NUMBERS, 1)} | {
    "a": 1,
    "an": 1,
    "couple of": 2,
    "few": 3,
    "several": 4,
}
_CLOCK = {"second": 1, "minute": 60, "hour": 3600}
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 4}
_PAST_WORDS = ("last", "past", "this past", "previous")
_FUTURE = re.compile(
    r"\b(?:will|shall|going"
    r" to|plan(?:s|ned|ning)?\b|scheduled|due|upcoming|deadline|expects?|expected|intends?|"
    r"wants?|must|should|can|before|moves|flies|fly|meet|ship|submit|next|"
    r"(?:have|has) (?:an?|my|our|his|her) (?:[\w’'-]+"
    r" ){0,2}(?:appointment|meeting|call|interview|flight|exam|date)|"
    r"launch(?:es)?|starts|begins|opens|arrives|leaves|ends|expires|(?:is|are)"
    r" (?:in|on|by)|until|by)\b"
    r"|['’]ll\b|\bsee you\b|\blet['’]s\b",
    re.IGNORECASE,
)
_NEAR_CHARS = 200  # A text may have no sentences; words farther away do not belong to the match.
_PAST = re.compile(
    r"\b(?:was|were|had|did|been|(?!planned|scheduled|expected|need|feed)\w{2,}ed|went|met|saw|came|got|took|bought|wrote|"
    r"began|left|ran)\b",
    re.IGNORECASE,
)
# "It will be finished on Friday" and "she wants it merged by Friday" are future despite the -ed.
_FUTURE_PASSIVE = re.compile(
    r"\b(?:(?:will|shall|must|should|to|going to) (?:\w+ly )?(?:be|have|get)|(?:wants?|needs?)"
    r" \S+(?: \S+)?) \w+ed\b",
    re.I,
)


def midnight(moment: datetime) -> datetime:
    """The midnight at which the day of a moment begins."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _is_future(match: re.Match[str]) -> bool:
    """Whether the sentence of a match is about the future."""
    start = max(match.string.rfind(mark, 0, match.start()) for mark in ".!?\n")
    end = min(
        (at for mark in "!?\n." if (at := match.string.find(mark, match.end())) >= 0),
        default=len(match.string),
    )
    start, end = max(start + 1, match.start() - _NEAR_CHARS), min(end, match.end() + _NEAR_CHARS)
    sentence = _FUTURE_PASSIVE.sub(" will ", match.string[start:end])
    return _FUTURE.search(sentence) is not None and _PAST.search(sentence) is None


def _month_number(name: str) -> int:
    return next(
        place for place, month in enumerate(_MONTHS, start=1) if month.startswith(name.lower()[:3])
    )


def _day_span(start: datetime, count: int = 1) -> tuple[datetime, datetime]:
    return start, start + timedelta(days=count)


def _add_months(start: datetime, count: int) -> datetime:
    years, month = divmod(start.year * 12 + start.month - 1 + count, 12)
    last = 31
    while True:
        try:
            return start.replace(year=years, month=month + 1, day=min(start.day, last))
        except ValueError:
            last -= 1
            if last < 28:
                raise


def iso_date(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    """A day in numbers, the year first."""
    return _day_span(
        today.replace(year=int(match["year"]), month=int(match["m"]), day=int(match["d"]))
    )


def named_day(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    """A day of a named month, with or without a year."""
    month, day = _month_number(match["month"]), int(match["day"])
    if match["year"]:
        return _day_span(today.replace(year=int(match["year"]), month=month, day=day))
    # Without a year it is the nearest one.
    near = [today.replace(year=today.year + step, month=month, day=day) for step in (-1, 0, 1)]
    return _day_span(min(near, key=lambda one: abs(one - today)))


def whole_month(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    """A month of a year."""
    groups = match.groupdict()
    month = int(groups["m"]) if groups.get("m") else _month_number(match["month"])
    start = today.replace(year=int(match["year"]), month=month, day=1)
    return start, _add_months(start, 1)


def month_without_year(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    """A month without a year: the last one, or the next one in a sentence about the future."""
    start = today.replace(month=_month_number(match["month"]), day=1)
    step = {"next": 12, "last": -12}.get((match["which"] or "").strip().lower())
    if step and (start > today) != (step > 0):
        start = _add_months(start, step)
    elif not step and _is_future(match):
        start = start if _add_months(start, 1) > today else _add_months(start, 12)
    elif not step and start > today:
        start = _add_months(start, -12)
    return start, _add_months(start, 1)


def numeric_date(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    """A date in numbers: a number above 12 is the day; otherwise the month comes first."""
    one, other, year = int(match["one"]), int(match["other"]), int(match["year"])
    month, day = (other, one) if one > 12 or match["mark"] == "." else (one, other)
    return _day_span(today.replace(year=year, month=month, day=day))


def day_range(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    """A range of days in one month."""
    start, _ = named_day(match, today)
    end = start.replace(day=int(match["until"]))
    if end < start:
        raise ValueError("The days run backwards.")
    return start, end + timedelta(days=1)


def quarter(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    """A quarter of a year, by default of this one."""
    word = (match["quarter"] or match["ordinal"]).lower()
    number = int(word) if word.isdigit() else _QUARTERS[word]
    start = today.replace(
        year=int(match["year"]) if match["year"] else today.year, month=3 * number - 2, day=1
    )
    return start, _add_months(start, 3)


def season(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    """A season of the north, three whole months; winter begins in the year that names it."""
    first = _SEASONS[match["season"].lower()]
    if match["year"]:
        start = today.replace(year=int(match["year"]), month=first, day=1)
        return start, _add_months(start, 3)
    start, which = today.replace(month=first, day=1), (match["which"] or "").lower()
    if which == "next" and start <= today:
        start = _add_months(start, 12)
    elif (
        which != "next"
        and not (which == "this" or _is_future(match))
        and _add_months(start, 3) > today
    ):
        start = _add_months(start, -12)
    return start, _add_months(start, 3)


def part_of_month(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    """The first, the middle or the last third of a month."""
    month = whole_month if match.groupdict().get("year") else month_without_year
    start, end = month(match, today)
    part = match["part"].lower()
    if part in ("early", "beginning of", "start of"):
        return _day_span(start, 10)
    if part in ("mid", "middle of"):
        return _day_span(start + timedelta(days=10), 10)
    return start + timedelta(days=20), end


def year_range(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    """A range of years, both included."""
    start, end = (
        today.replace(year=int(match[name]), month=1, day=1) for name in ("year", "until")
    )
    if end < start:
        raise ValueError("The years run backwards.")
    return start, end.replace(year=end.year + 1)


def end_of(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    """The last days of a week, the last third of a month, the last month of a year."""
    unit = match["unit"].lower()
    start, end = _units_away(today, unit, {"last": -1, "next": 1}.get(match["which"].lower(), 0))
    return max(start, end - timedelta(days={"week": 3, "month": 10, "year": 31}[unit])), end


def decade(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    """Ten years."""
    start = today.replace(year=int(match["decade"]), month=1, day=1)
    return start, start.replace(year=start.year + 10)


def hours_ago(match: re.Match[str], moment: datetime) -> tuple[datetime, datetime]:
    """The day that lies a number of hours or minutes before or after a moment."""
    return _day_span(
        midnight(
            moment
            + timedelta(seconds=_sign(match) * _number_in(match) * _CLOCK[match["unit"].lower()])
        )
    )


def whole_year(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    """A year."""
    start = today.replace(year=int(match["year"]), month=1, day=1)
    return start, start.replace(year=start.year + 1)


def relative_day(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    """Yesterday, today or tomorrow, or a part of that day."""
    word = " ".join(match[0].lower().split())
    far = {"the day before yesterday": -2, "the day after tomorrow": 2}
    far |= {
        "大前天": -3,
        "前天": -2,
        "昨天": -1,
        "昨晚": -1,
        "明天": 1,
        "后天": 2,
        "昨日": -1,
        "明日": 1,
    }
    far |= dict.fromkeys(("vorgestern", "anteayer", "avant-hier"), -2) | dict.fromkeys(
        ("demain", "domani", "завтра"), 1
    )
    far |= dict.fromkeys(("gestern", "ayer", "ieri", "вчера"), -1)
    near = next(
        (
            step
            for name, step in (("yesterday", -1), ("last night", -1), ("tomorrow", 1))
            if name in word
        ),
        0,
    )
    return _day_span(today + timedelta(days=far.get(word, near)))


def _number_in(match: re.Match[str]) -> int:
    word = " ".join(match["count"].lower().split())
    return _COUNTS.get(word) or _COUNTS.get(word.removeprefix("a ")) or int(word)


def units_ago(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    """The day, week, month or year that lies a number of units before or after."""
    return _units_away(today, match["unit"].lower(), _sign(match) * _number_in(match))


def _sign(match: re.Match[str]) -> int:
    return -1 if (match.groupdict().get("way") or "").lower() == "ago" else 1


def unit_range(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    """A range of some units that ends or begins today."""
    unit, count = match["unit"].lower(), _number_in(match)
    if match["which"].lower() not in ("next", "coming"):
        count = -count
    days, months = {"day": 1, "week": 7, "fortnight": 14}, {"month": 1, "year": 12, "decade": 120}
    far = (
        today + timedelta(days=count * days[unit])
        if unit in days
        else _add_months(today, count * months[unit])
    )
    return min(today, far), max(today, far) + timedelta(days=1)


def _units_away(today: datetime, unit: str, count: int) -> tuple[datetime, datetime]:
    if unit == "decade":
        unit, count = "year", 10 * count
    if unit == "day":
        return _day_span(today + timedelta(days=count))
    if unit in ("week", "fortnight"):
        count *= 2 if unit == "fortnight" else 1
        middle = today + timedelta(weeks=count)
        return _day_span(middle - timedelta(days=middle.weekday()), 7)
    start = _add_months(today, count * (12 if unit == "year" else 1))
    if unit == "month":
        return start.replace(day=1), _add_months(start.replace(day=1), 1)
    return start.replace(month=1, day=1), start.replace(year=start.year + 1, month=1, day=1)


def relative_unit(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    """The last, this or the next week, weekend, month or year."""
    which = " ".join(match["which"].lower().split())
    step = {
        "last": -1,
        "previous": -1,
        "past": -1,
        "this": 0,
        "next": 1,
        "coming": 1,
        "following": 1,
    }[which]
    unit = match["unit"].lower()
    if unit == "weekend":
        saturday = today - timedelta(days=today.weekday()) + timedelta(days=5, weeks=step)
        return _day_span(saturday, 2)
    return _units_away(today, unit, step)


def weekend(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    """The weekend: the last one, or the next one in a sentence about the future."""
    saturday = today + timedelta(days=5 - today.weekday())
    return _day_span(
        saturday if today >= saturday or _is_future(match) else saturday - timedelta(weeks=1), 2
    )


def chinese_unit(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    """The last or the next week, month or year."""
    step = {"去": -1, "上": -1, "明": 1, "下": 1, "前": -2, "后": 2}[match["way"] or match["way_"]]
    return _units_away(
        today, {"年": "year", "月": "month"}.get(match["unit"] or match["unit_"], "week"), step
    )


def weekday(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    """A day of the week: the last one, or the next one in a sentence about the future."""
    name = match["weekday"].lower()
    wanted = next(place for place, day in enumerate(WEEKDAYS) if day == name)
    which = " ".join((match["which"] or "").lower().split())
    is_past = which == "since" or which in _PAST_WORDS
    if which in ("next", "this", "coming", "this coming") or (not is_past and _is_future(match)):
        return _day_span(today + timedelta(days=(wanted - today.weekday() - 1) % 7 + 1))
    return _day_span(today - timedelta(days=(today.weekday() - wanted - 1) % 7 + 1))
