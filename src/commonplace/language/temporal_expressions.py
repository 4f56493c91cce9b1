"""Finds temporal expressions in a text: dates, months, years, and words such as "last week".

Relative times are computed from a moment of the caller, in UTC. Only rules decide. An ambiguous
word ("may", "march") is a month only next to a number. A month or a weekday alone is the last one,
or the next one in a sentence about the future.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from commonplace.language import date_arithmetic

_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    + r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:1[6-9]|20)\d\d)"
# A comma, spaces or both, matched without backtracking.
_GAP = r"\s*+(?:,\s++)?(?<=\s)"
_AND_YEAR = rf"(?:{_GAP}{_YEAR})?"
_TO_DAY = r"\s*(?:[-–—]|to|through|until)\s*(?P<until>\d{1,2})(?:st|nd|rd|th)?"
_COUNT = (
    r"(?P<count>\d{1,4}|(?:a )?couple of|(?:a"
    r" )?few|several|an?|one|two|three|four|five|six|seven|eight|nine|ten|"
    r"eleven|twelve)"
)
_CLOCK = r"(?P<unit>second|minute|hour)s?"
_UNIT = r"(?P<unit>day|week|fortnight|month|year|decade)s?"
_READ_CHARS_MAX = 10_000
_SOME_YEAR = re.compile(r"\b(?:1[6-9]|20)\d\d\b")
_TO = re.compile(r"\s*(?:to|until|till|through|[-–—])\s*", re.IGNORECASE)
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\s+$", re.IGNORECASE)
_MOVED = re.compile(
    r"\b(?:mov(?:e[sd]?|ing)|postponed?|delayed|reschedul(?:ed?|ing)|shift(?:s|ed)?|push(?:es|ed)?|slip(?:s|ped)?|"
    r"chang(?:es|ed))\b[^.!?\n]{0,60}$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Span:
    """A span of time, the end not included, and the words that name it."""

    start: int
    end: int
    words: str


def find_spans(text: str, now: int) -> tuple[Span, ...]:
    """The spans of time in a text, in the order of its words. Of two matches of the same words, the
    longer one counts.
    """
    moment = datetime.fromtimestamp(now / 1000, UTC)
    taken: list[tuple[int, int]] = []
    found: list[tuple[int, Span]] = []
    text = text[:_READ_CHARS_MAX]
    for pattern, compute in _RULES:
        for match in pattern.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            try:
                is_clock = compute is date_arithmetic.hours_ago
                start, end = compute(
                    match, moment if is_clock else date_arithmetic.midnight(moment)
                )
            except (ValueError, OverflowError):
                continue  # The 31st of a month with 30 days, or a year outside the calendar.
            taken.append(match.span())
            found.append((match.start(), Span(_ms(start), _ms(end), match[0])))
    return tuple(_join_ranges(text, sorted(found, key=lambda pair: pair[0]), now))


def _join_ranges(text: str, found: Sequence[tuple[int, Span]], now: int) -> Iterator[Span]:
    """The spans of a text, with the two ends of a range joined. Of an event that was moved, only
    the new time counts.
    """
    rest = list(found)
    while rest:
        at, span = rest.pop(0)
        if not rest or not _is_range(text, (at, span), rest[0]):
            yield span
            continue
        end, last = rest.pop(0)
        if _MOVED.search(text[:at]):
            yield last
        else:
            yield _range(span, last, text[at : end + len(last.words)], now)


def _is_range(text: str, first: tuple[int, Span], last: tuple[int, Span]) -> bool:
    """Whether the words around two spans make them the ends of a range."""
    before, between = text[: first[0]], text[first[0] + len(first[1].words) : last[0]]
    return bool(_TO.fullmatch(between) or (_AND.fullmatch(between) and _BETWEEN.search(before)))


def _range(first: Span, last: Span, words: str, now: int) -> Span:
    year = _SOME_YEAR.search(last.words)
    if year and not _SOME_YEAR.search(first.words):
        # "28 December to 3 January 2027": the year belongs to the last day.
        dated = (find_spans(f"{first.words} {int(year[0]) - less}", now) for less in (0, 1))
        first = next((one[0] for one in dated if one and one[0].start <= last.start), first)
    return Span(first.start, last.end, words) if first.start < last.end else first


def first_span(text: str, now: int) -> Span | None:
    """The first span of time in a text."""
    return next(iter(find_spans(text, now)), None)


def main_span(text: str, now: int) -> Span | None:
    """The time of a statement: the first span that does not begin with "since"."""
    found = find_spans(text, now)
    return next(
        (one for one in found if not one.words.casefold().startswith("since")),
        found[0] if found else None,
    )


def weekday_name(moment: int) -> str:
    """The name of the weekday of a moment."""
    number = datetime.fromtimestamp(moment / 1000, UTC).weekday()
    return date_arithmetic.WEEKDAYS[number].capitalize()


def _ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


_Computation = Callable[[re.Match[str], datetime], tuple[datetime, datetime]]


def _rules() -> Iterator[tuple[re.Pattern[str], _Computation]]:
    """The rules, the ones that match most words first."""
    yield from (
        (re.compile(pattern, re.IGNORECASE), compute)
        for pattern, compute in (*_absolute(), *_relative(), *_wide())
    )


def _absolute() -> Iterator[tuple[str, _Computation]]:
    """Absolute dates."""
    yield (
        rf"(?<![\d/-]){_YEAR}(?P<mark>[-/])(?P<m>0?[1-9]|1[0-2])(?P=mark)(?P<d>0?[1-9]|[12]\d|3[01])"
        r"(?:[T ]\d\d:\d\d[\d:.]*(?:Z|[+-]\d\d:?\d\d)?)?(?![\d/-])",
        date_arithmetic.iso_date,
    )
    yield (
        rf"(?<!\d){_YEAR}年(?P<m>1[0-2]|0?[1-9])月(?P<d>3[01]|[12]\d|0?[1-9])日",
        date_arithmetic.iso_date,
    )
    yield rf"(?<!\d){_YEAR}年(?P<m>1[0-2]|0?[1-9])月", date_arithmetic.whole_month
    yield (
        (
            r"(?<![\d./v])(?<!version"
            rf" )(?P<one>\d{{1,2}})(?P<mark>[./])(?P<other>\d{{1,2}})(?P=mark){_YEAR}(?![\d/])"
        ),
        date_arithmetic.numeric_date,
    )
    yield rf"\b{_MONTH}\s+{_DAY}{_TO_DAY}{_AND_YEAR}\b", date_arithmetic.day_range
    yield rf"\b{_DAY}{_TO_DAY}\s+(?:of\s+)?{_MONTH}{_AND_YEAR}(?!\w)", date_arithmetic.day_range
    yield rf"\b{_MONTH}-{_DAY}-{_YEAR}\b", date_arithmetic.named_day
    yield rf"\b{_DAY}-{_MONTH}-{_YEAR}\b", date_arithmetic.named_day
    yield rf"\b{_MONTH}\s+(?:the\s+)?{_DAY}{_AND_YEAR}\b(?!\s*%)", date_arithmetic.named_day
    yield rf"\b{_DAY}\s+(?:of\s+)?{_MONTH}{_AND_YEAR}(?!\w)", date_arithmetic.named_day
    part = r"(?P<part>early|mid|late|beginning of|start of|middle of|end of)[\s-]+"
    yield rf"\b{part}{_MONTH}{_GAP}(?:of\s++)?{_YEAR}\b", date_arithmetic.part_of_month
    yield rf"\b{_MONTH}{_GAP}(?:of\s++)?{_YEAR}\b", date_arithmetic.whole_month
    yield rf"(?<![\d-]){_YEAR}-(?P<m>0[1-9]|1[0-2])(?![\d-])", date_arithmetic.whole_month
    yield rf"\bQ(?P<quarter>[1-4])(?P<ordinal>)\s*(?:of\s+)?{_YEAR}\b", date_arithmetic.quarter
    yield rf"\b(?:early|mid|late)[\s-]+{_YEAR}\b", date_arithmetic.whole_year
    of = r"(?:(?:the\s+)?(?:early|mid|late|start of|beginning of|end of)[\s-]+)?"
    yield (
        rf"\b(?:in|by|during|for|until|since|at)\s+{of}Q(?P<quarter>[1-4])(?P<ordinal>)\b(?P<year>)",
        date_arithmetic.quarter,
    )
    yield (
        rf"\b(?P<ordinal>first|second|third|fourth|last)\s+quarter(?P<quarter>)\s+of\s+{_YEAR}\b",
        date_arithmetic.quarter,
    )
    yield (
        rf"\b{part}(?P<which>last\s+|next\s+)?{_MONTH}(?=\W|$)(?!\s+\d)",
        date_arithmetic.part_of_month,
    )


def _relative() -> Iterator[tuple[str, _Computation]]:
    """Times relative to the moment of the text."""
    yield rf"\b{_COUNT}\s+{_CLOCK}\s+(?P<way>ago|from now|later)\b", date_arithmetic.hours_ago
    yield rf"\bin\s+{_COUNT}\s+{_CLOCK}\b", date_arithmetic.hours_ago
    yield (
        rf"(?<!half )\b{_COUNT}\s+{_UNIT}\s+(?P<way>ago|from now|from today|later)\b",
        date_arithmetic.units_ago,
    )
    yield rf"\bin\s+{_COUNT}\s+{_UNIT}(?:['’]s?\s+time)?\b", date_arithmetic.units_ago
    yield (
        rf"\b(?P<which>last|past|previous|next|coming)\s+{_COUNT}\s+{_UNIT}\b",
        date_arithmetic.unit_range,
    )
    yield r"\bthe day before yesterday\b|\bthe day after tomorrow\b", date_arithmetic.relative_day
    yield (
        "大前天|前天|昨天|昨晚|今天|今早|今晚|明天|后天|昨日|今日|明日",
        date_arithmetic.relative_day,
    )
    yield (
        r"\b(?:vorgestern|gestern|heute|anteayer|ayer|hoy|avant-hier|aujourd['’]hui|demain|ieri|oggi|domani|"
        r"вчера|сегодня|завтра)\b",
        date_arithmetic.relative_day,
    )
    part = r"(?:morning|noon|afternoon|evening|night)"
    yield (
        rf"\byesterday(?:\s+{part})?\b|\blast night\b|\btonight\b|\b(?:earlier |later )?today\b"
        rf"|\btomorrow(?:\s+{part})?\b|\bthis (?:morning|afternoon|evening)\b",
        date_arithmetic.relative_day,
    )
    yield (
        "(?P<way>[去明前后])(?P<unit>年)|(?P<way_>[上下])个?(?P<unit_>周|星期|礼拜|月)",
        date_arithmetic.chinese_unit,
    )
    yield r"\b(?:over|at|on|during) the weekend\b", date_arithmetic.weekend
    whole = r"(?P<unit>weekend|week|month|year)"
    yield (
        rf"\b(?P<which>last|previous|past|this|next|coming|following)\s+{whole}\b",
        date_arithmetic.relative_unit,
    )
    weekday = rf"(?P<weekday>{'|'.join(date_arithmetic.WEEKDAYS)})\b(?!s)"
    yield (
        (
            r"\b(?P<which>last|next|this past|this"
            rf" coming|this|coming|past|previous|on|by|until|since)\s+{weekday}"
        ),
        date_arithmetic.weekday,
    )
    # "Every Monday" and "rubbish day is Monday" name no day.
    yield (
        rf"(?<![\w-])(?<!every )(?<!each )(?<!day is )(?P<which>){weekday}"
        r"(?=\s+(?:morning|afternoon|evening|night)|[.,;!?]|\s*$)",
        date_arithmetic.weekday,
    )


def _wide() -> Iterator[tuple[str, _Computation]]:
    """Months, seasons and years."""
    yield (
        rf"\b(?:in|during|since|until|by|(?P<which>last|next))\s+{_MONTH}(?=\W|$)(?!\s+\d)",
        date_arithmetic.month_without_year,
    )
    season = r"(?P<season>spring|summer|autumn|fall|winter)"
    yield rf"\b(?P<which>){season}\s+(?:of\s+)?{_YEAR}\b", date_arithmetic.season
    yield rf"\b(?P<which>last|this|next)\s+{season}\b(?P<year>)", date_arithmetic.season
    yield (
        rf"\b(?:between|from)\s+{_YEAR}\s+(?:and|to|until|till|through)\s+(?P<until>(?:19|20)\d\d)\b",
        date_arithmetic.year_range,
    )
    yield (
        r"\bend of (?P<which>the|this|next|last)\s+(?P<unit>week|month|year)\b",
        date_arithmetic.end_of,
    )
    yield r"\bthe\s+(?P<decade>(?:19|20)\d0)s\b", date_arithmetic.decade
    yield (
        rf"\b(?:in|during|since|of|from|until|by|year)\s+{_YEAR}\b(?!\s*(?:[a-z]+s\b|%))",
        date_arithmetic.whole_year,
    )


_RULES = tuple(_rules())
