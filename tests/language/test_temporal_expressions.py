"""The time expressions of texts, resolved from Sunday, 15 November 2026."""

import pytest

from commonplace import clock
from commonplace.language import temporal_expressions

NOW = clock.parse_moment("2026-11-15T12:00:00Z")


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("We met yesterday.", "2026-11-14", "2026-11-15"),
        ("the day before yesterday", "2026-11-13", "2026-11-14"),
        ("See you tomorrow!", "2026-11-16", "2026-11-17"),
        ("on March 5, 2026 it rained", "2026-03-05", "2026-03-06"),
        ("the 5th of May 2025", "2025-05-05", "2025-05-06"),
        ("(March-15-2024) user", "2024-03-15", "2024-03-16"),
        ("on 15-Mar-2024", "2024-03-15", "2024-03-16"),
        ("on 3 January", "2027-01-03", "2027-01-04"),
        ("It began in March 2024.", "2024-03-01", "2024-04-01"),
        ("last March", "2026-03-01", "2026-04-01"),
        ("released in 2019", "2019-01-01", "2020-01-01"),
        ("two weeks ago", "2026-10-26", "2026-11-02"),
        ("a couple of months ago", "2026-09-01", "2026-10-01"),
        ("in 3 days", "2026-11-18", "2026-11-19"),
        ("last weekend", "2026-11-07", "2026-11-09"),
        ("next week", "2026-11-16", "2026-11-23"),
        ("on Monday", "2026-11-09", "2026-11-10"),
        ("next Friday", "2026-11-20", "2026-11-21"),
        ("due 2026-02-03T10:00:00Z", "2026-02-03", "2026-02-04"),
        ("this morning", "2026-11-15", "2026-11-16"),
        ("yesterday afternoon", "2026-11-14", "2026-11-15"),
        ("last Friday", "2026-11-13", "2026-11-14"),
        ("this past Monday", "2026-11-09", "2026-11-10"),
        ("We had lunch Tuesday.", "2026-11-10", "2026-11-11"),
        ("We will meet on Friday.", "2026-11-20", "2026-11-21"),
        ("The report is due by Friday.", "2026-11-20", "2026-11-21"),
        ("next month", "2026-12-01", "2027-01-01"),
        ("They met in March.", "2026-03-01", "2026-04-01"),
        ("The launch is in March.", "2027-03-01", "2027-04-01"),
        ("13 hours ago", "2026-11-14", "2026-11-15"),
        ("a fortnight ago", "2026-10-26", "2026-11-02"),
        ("the last three months", "2026-08-15", "2026-11-16"),
        ("the next 2 weeks", "2026-11-15", "2026-11-30"),
        ("on 03/05/2026", "2026-03-05", "2026-03-06"),
        ("on 25/12/2025", "2025-12-25", "2025-12-26"),
        ("am 5.3.2026", "2026-03-05", "2026-03-06"),
        ("2026/03/05", "2026-03-05", "2026-03-06"),
        ("2026年3月5日", "2026-03-05", "2026-03-06"),
        ("她昨天搬家了", "2026-11-14", "2026-11-15"),
        ("March 3-5, 2026", "2026-03-03", "2026-03-06"),
        ("from 3 to 5 May 2026", "2026-05-03", "2026-05-06"),
        ("early March 2024", "2024-03-01", "2024-03-11"),
        ("in Q3 2025", "2025-07-01", "2025-10-01"),
        ("the third quarter of 2024", "2024-07-01", "2024-10-01"),
        ("last summer", "2026-06-01", "2026-09-01"),
        ("in the 1990s", "1990-01-01", "2000-01-01"),
        ("between 2015 and 2018", "2015-01-01", "2019-01-01"),
        ("by the end of the year", "2026-12-01", "2027-01-01"),
        ("It will be deployed on Friday.", "2026-11-20", "2026-11-21"),
        ("He wants it merged before the demo on Friday.", "2026-11-20", "2026-11-21"),
        ("Let's meet on Tuesday.", "2026-11-17", "2026-11-18"),
        ("I have a dentist appointment on Tuesday.", "2026-11-17", "2026-11-18"),
        ("I have had a cold since Tuesday.", "2026-11-10", "2026-11-11"),
        ("I'm planning a trip in May.", "2027-05-01", "2027-06-01"),
        ("The launch moved from March 17 to March 24, 2026.", "2026-03-24", "2026-03-25"),
        ("between 2026-09-01 and 2026-09-14", "2026-09-01", "2026-09-15"),
        ("from 28 December to 3 January 2027", "2026-12-28", "2027-01-04"),
        ("May 3 - May 9, 2025", "2025-05-03", "2025-05-10"),
        ("On May 3, 2026 and May 9, 2026", "2026-05-03", "2026-05-04"),
        ("She was born in Warsaw in 1867.", "1867-01-01", "1868-01-01"),
        ("Ayer compré un coche.", "2026-11-14", "2026-11-15"),
        ("Gestern war es kalt.", "2026-11-14", "2026-11-15"),
        ("Мы встретились вчера.", "2026-11-14", "2026-11-15"),
        ("昨日、自転車を買いました。", "2026-11-14", "2026-11-15"),
        ("hire two by end of Q4", "2026-10-01", "2027-01-01"),
        ("in mid-2024", "2024-01-01", "2025-01-01"),
        ("We hiked over the weekend.", "2026-11-14", "2026-11-16"),
        ("我明年去日本", "2027-01-01", "2028-01-01"),
        ("上个月她搬家了", "2026-10-01", "2026-11-01"),
    ],
)
def test_a_time_expression_is_resolved(text: str, start: str, end: str) -> None:
    span = temporal_expressions.first_span(text, NOW)
    assert span is not None
    assert (clock.iso(span.start)[:10], clock.iso(span.end)[:10]) == (start, end)


@pytest.mark.parametrize(
    "text",
    [
        "May I march with you?",
        "2026-02-31",
        "Feb 30",
        "port 2024",
        "second to none",
        "",
        "31.11.2026",
        "version 1.2.2024",
        "Mondays are slow",
        "fall in love",
        "the spring is broken",
        "we use Q2 Audio",
        "Rubbish day is Wednesday.",
        "The standup is every Monday.",
        "half a year ago",
    ],
)
def test_other_words_are_no_times(text: str) -> None:
    assert temporal_expressions.first_span(text, NOW) is None


def test_every_time_is_found_once_and_in_order() -> None:
    found = temporal_expressions.find_spans(
        "From March 2024 until 2026-01-05, and again yesterday.", NOW
    )
    assert [one.words for one in found] == ["March 2024 until 2026-01-05", "yesterday"]
