"""Finds the times a text speaks of, from its words alone: dates, months, years, and words such as
"last week".

What is relative is reckoned from a moment that the caller gives, in UTC. Rules only: a word that
could mean something else ("may", "march") is a month only beside a number. A month or weekday
without more is the last one, or the next one where the sentence speaks of what is to come.
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
# A comma, spaces or both, read in one way only, however many spaces there are.
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
    """A stretch of time that a text names: from a moment up to, and without, another; and the words
    that name it.
    """

    start: int
    end: int
    words: str


def spans(text: str, now: int) -> tuple[Span, ...]:
    """Every time a text names, in the order of its words; of two readings of the same words the
    longer one.
    """
    moment = datetime.fromtimestamp(now / 1000, UTC)
    taken: list[tuple[int, int]] = []
    found: list[tuple[int, Span]] = []
    text = text[:_READ_CHARS_MAX]
    for pattern, read in _RULES:
        for match in pattern.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            try:
                start, end = read(
                    match,
                    (
                        moment
                        if read is date_arithmetic.clock_ago
                        else date_arithmetic.midnight(moment)
                    ),
                )
            except (
                ValueError,
                OverflowError,
            ):  # The 31st of a month that has none, or a year that no calendar has.
                continue
            taken.append(match.span())
            found.append((match.start(), Span(_ms(start), _ms(end), match[0])))
    return tuple(_stretched(text, sorted(found, key=lambda pair: pair[0]), now))


def _stretched(text: str, found: Sequence[tuple[int, Span]], now: int) -> Iterator[Span]:
    """The times of a text, two that are the ends of a stretch as one; of what was moved, where it
    was moved to.
    """
    rest = list(found)
    while rest:
        at, span = rest.pop(0)
        if rest:
            place, after = rest[0]
            before, between = text[:at], text[at + len(span.words) : place]
            if _TO.fullmatch(between) or (_AND.fullmatch(between) and _BETWEEN.search(before)):
                rest.pop(0)
                yield (
                    after
                    if _MOVED.search(before)
                    else _from_to(span, after, text[at : place + len(after.words)], now)
                )
                continue
        yield span


def _from_to(first: Span, last: Span, words: str, now: int) -> Span:
    year = _SOME_YEAR.search(last.words)
    if year and not _SOME_YEAR.search(
        first.words
    ):  # 28 December to 3 January 2027: the year is the last one's.
        dated = (spans(f"{first.words} {int(year[0]) - less}", now) for less in (0, 1))
        first = next((one[0] for one in dated if one and one[0].start <= last.start), first)
    return Span(first.start, last.end, words) if first.start < last.end else first


def first(text: str, now: int) -> Span | None:
    """The first time a text names."""
    return next(iter(spans(text, now)), None)


def main(text: str, now: int) -> Span | None:
    """The time a statement is of: the first that it names, but rather not one since when something
    else has been.
    """
    found = spans(text, now)
    return next(
        (one for one in found if not one.words.casefold().startswith("since")),
        found[0] if found else None,
    )


def weekday(moment: int) -> str:
    """The name of a moment's day of the week."""
    return date_arithmetic.DAYS[datetime.fromtimestamp(moment / 1000, UTC).weekday()].capitalize()


def _ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


_Reading = Callable[[re.Match[str], datetime], tuple[datetime, datetime]]


def _rules() -> Iterator[tuple[re.Pattern[str], _Reading]]:
    """The rules, those that read most words first."""
    yield from (
        (re.compile(pattern, re.IGNORECASE), read)
        for pattern, read in (*_written(), *_relative(), *_wide())
    )


def _written() -> Iterator[tuple[str, _Reading]]:
    """Dates written out."""
    yield (
        rf"(?<![\d/-]){_YEAR}(?P<mark>[-/])(?P<m>0?[1-9]|1[0-2])(?P=mark)(?P<d>0?[1-9]|[12]\d|3[01])"
        r"(?:[T ]\d\d:\d\d[\d:.]*(?:Z|[+-]\d\d:?\d\d)?)?(?![\d/-])",
        date_arithmetic.exact,
    )
    yield (
        rf"(?<!\d){_YEAR}年(?P<m>1[0-2]|0?[1-9])月(?P<d>3[01]|[12]\d|0?[1-9])日",
        date_arithmetic.exact,
    )
    yield rf"(?<!\d){_YEAR}年(?P<m>1[0-2]|0?[1-9])月", date_arithmetic.whole_month
    yield (
        (
            r"(?<![\d./v])(?<!version"
            rf" )(?P<one>\d{{1,2}})(?P<mark>[./])(?P<other>\d{{1,2}})(?P=mark){_YEAR}(?![\d/])"
        ),
        date_arithmetic.slashed,
    )
    yield rf"\b{_MONTH}\s+{_DAY}{_TO_DAY}{_AND_YEAR}\b", date_arithmetic.days_of_month
    yield rf"\b{_DAY}{_TO_DAY}\s+(?:of\s+)?{_MONTH}{_AND_YEAR}(?!\w)", date_arithmetic.days_of_month
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


def _relative() -> Iterator[tuple[str, _Reading]]:
    """Times reckoned from the moment of speaking."""
    yield rf"\b{_COUNT}\s+{_CLOCK}\s+(?P<way>ago|from now|later)\b", date_arithmetic.clock_ago
    yield rf"\bin\s+{_COUNT}\s+{_CLOCK}\b", date_arithmetic.clock_ago
    yield (
        rf"(?<!half )\b{_COUNT}\s+{_UNIT}\s+(?P<way>ago|from now|from today|later)\b",
        date_arithmetic.ago,
    )
    yield rf"\bin\s+{_COUNT}\s+{_UNIT}(?:['’]s?\s+time)?\b", date_arithmetic.ago
    yield (
        rf"\b(?P<which>last|past|previous|next|coming)\s+{_COUNT}\s+{_UNIT}\b",
        date_arithmetic.past_units,
    )
    yield r"\bthe day before yesterday\b|\bthe day after tomorrow\b", date_arithmetic.near_day
    yield "大前天|前天|昨天|昨晚|今天|今早|今晚|明天|后天|昨日|今日|明日", date_arithmetic.near_day
    yield (
        r"\b(?:vorgestern|gestern|heute|anteayer|ayer|hoy|avant-hier|aujourd['’]hui|demain|ieri|oggi|domani|"
        r"вчера|сегодня|завтра)\b",
        date_arithmetic.near_day,
    )
    part = r"(?:morning|noon|afternoon|evening|night)"
    yield (
        rf"\byesterday(?:\s+{part})?\b|\blast night\b|\btonight\b|\b(?:earlier |later )?today\b"
        rf"|\btomorrow(?:\s+{part})?\b|\bthis (?:morning|afternoon|evening)\b",
        date_arithmetic.near_day,
    )
    yield (
        "(?P<way>[去明前后])(?P<unit>年)|(?P<way_>[上下])个?(?P<unit_>周|星期|礼拜|月)",
        date_arithmetic.chinese,
    )
    yield r"\b(?:over|at|on|during) the weekend\b", date_arithmetic.weekend
    whole = r"(?P<unit>weekend|week|month|year)"
    yield (
        rf"\b(?P<which>last|previous|past|this|next|coming|following)\s+{whole}\b",
        date_arithmetic.which,
    )
    weekday = rf"(?P<weekday>{'|'.join(date_arithmetic.DAYS)})\b(?!s)"
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


def _wide() -> Iterator[tuple[str, _Reading]]:
    """Months, seasons and years."""
    yield (
        rf"\b(?:in|during|since|until|by|(?P<which>last|next))\s+{_MONTH}(?=\W|$)(?!\s+\d)",
        date_arithmetic.plain_month,
    )
    season = r"(?P<season>spring|summer|autumn|fall|winter)"
    yield rf"\b(?P<which>){season}\s+(?:of\s+)?{_YEAR}\b", date_arithmetic.season
    yield rf"\b(?P<which>last|this|next)\s+{season}\b(?P<year>)", date_arithmetic.season
    yield (
        rf"\b(?:between|from)\s+{_YEAR}\s+(?:and|to|until|till|through)\s+(?P<until>(?:19|20)\d\d)\b",
        date_arithmetic.years,
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
