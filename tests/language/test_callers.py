"""Every caller that must know whether a statement was replaced asks the one judge."""

from dataclasses import replace
from pathlib import Path

import pytest

import commonplace
from commonplace import Draft, Engine, Query
from commonplace.engine.add_messages import MessageBatch
from commonplace.engine.facts.observations import KIND
from commonplace.engine.facts.retain_request import RetainRequest
from commonplace.engine.keypaths import TextSource
from commonplace.extract.statement_splitting import Message
from commonplace.language.judgement import Judgement, Relation, Statement
from commonplace.records.memory import Scope
from commonplace.records.query import Filter
from tests.conftest import StoppedClock
from tests.language.pairs import Pair, table

BANK = "b"
DAY_MS = 86_400_000
STRANGERS = (
    "The label printer speaks raw ZPL over TCP.",
    "Wim borrowed the hammer drill.",
    "The accountant wants semicolons in the export.",
    "Choir practice needs a new piano tuner.",
)
ROWS = {pair.name: pair for pair in table("en")}
OVER = [
    ROWS[name]
    for name in (
        "move_city",
        "move_now",
        "job_joined",
        "tool_switched_to",
        "port_now",
        "price_raised",
        "deadline_moved",
        "meeting_time_from",
        "rhythm_now",
        "status_closed",
        "language_rewritten",
        "smoking_stopped",
        "time_plain",
        "denial_likes",
    )
]
BESIDE = [
    ROWS[name]
    for name in (
        "add_too",
        "add_detail",
        "add_property",
        "sibling_van",
        "sibling_env",
        "sibling_sprint",
        "person_other",
        "person_brother",
        "period_season",
        "plan_wants",
        "exception_week",
        "past_used_to",
    )
]


def write(engine: Engine, clock: StoppedClock, *texts: str) -> list[int]:
    """One memory a day."""
    numbers: list[int] = []
    for text in texts:
        clock.advance(DAY_MS)
        numbers.append(engine.remember(BANK, Draft(text)).memory.id)
    return numbers


def tell(engine: Engine, text: str) -> list[str]:
    """What becomes of each statement of a message."""
    return [
        one.change
        for one in engine.add_messages(BANK, MessageBatch((Message("user", text),))).outcomes
    ]


@pytest.mark.parametrize("pair", OVER, ids=str)
def test_adding_revises_the_replaced_memory(engine: Engine, pair: Pair) -> None:
    assert tell(engine, pair.older) == ["added"]
    assert tell(engine, pair.newer) == ["revised"]
    assert [one.text for one in engine.list(BANK)] == [pair.newer]


@pytest.mark.parametrize("pair", BESIDE, ids=str)
def test_adding_leaves_what_still_holds(engine: Engine, pair: Pair) -> None:
    tell(engine, pair.older)
    assert "revised" not in tell(engine, pair.newer)
    assert pair.older in [one.text for one in engine.list(BANK)]


@pytest.mark.parametrize("pair", OVER, ids=str)
def test_consolidation_keeps_the_newer_of_two(
    engine: Engine, clock: StoppedClock, pair: Pair
) -> None:
    older, newer = write(engine, clock, pair.older, pair.newer)
    (merge,) = engine.consolidate(BANK, Filter()).merges
    assert (merge.winner_id, merge.loser_ids) == (newer, (older,))


@pytest.mark.parametrize("pair", BESIDE, ids=str)
def test_consolidation_merges_nothing_that_still_holds(
    engine: Engine, clock: StoppedClock, pair: Pair
) -> None:
    write(engine, clock, pair.older, pair.newer)
    assert engine.consolidate(BANK, Filter()).merges == ()


@pytest.mark.parametrize("pair", [*OVER, *BESIDE], ids=str)
def test_a_link_marks_the_replaced_statement(
    engine: Engine, clock: StoppedClock, pair: Pair
) -> None:
    older, newer = write(engine, clock, pair.older, pair.newer)
    found = [
        one for one in engine.list_links(BANK, [older]) if one.kind in ("supersedes", "contradicts")
    ]
    assert [(one.from_id, one.to_id) for one in found] == ([(newer, older)] if pair in OVER else [])


# Keys are made of words without numbers, so two sprints that ended in May meet under one key.
OTHER_KEYS = [pair for pair in BESIDE if pair.name != "sibling_sprint"]


@pytest.mark.parametrize("pair", [*OVER, *OTHER_KEYS], ids=str)
def test_a_key_is_kept_by_the_statement_that_replaces_its_value(engine: Engine, pair: Pair) -> None:
    (old,) = engine.absorb(BANK, Scope(), pair.older, TextSource("notes"))
    new = engine.absorb(BANK, Scope(), pair.newer, TextSource("notes"))
    assert (old.memory.key in [one.memory.key for one in new]) == (pair in OVER)


NAMED = (
    "move_city",
    "job_joined",
    "port_now",
    "price_raised",
    "rhythm_now",
    "status_closed",
)


@pytest.mark.parametrize("name", NAMED)
def test_an_observation_has_the_older_value_as_earlier(
    engine: Engine, clock: StoppedClock, name: str
) -> None:
    pair = ROWS[name]
    for text in (pair.older, pair.newer):
        clock.advance(DAY_MS)
        engine.retain(BANK, RetainRequest(text))
    (one,) = engine.list(BANK, Filter(kinds=(KIND,)))
    assert f"Earlier: {pair.older}" in one.text


QUESTIONS = {
    "move_city": "where does Nadia live?",
    "job_joined": "who does Karim work for?",
    "tool_switched_to": "which database does the shop run on?",
    "port_now": "which port does the gateway listen on?",
    "price_raised": "how much is the membership?",
    "deadline_moved": "when is the deadline?",
    "meeting_time_from": "what time is the standup?",
    "rhythm_now": "how often are the keys rotated?",
    "status_closed": "can I go to the pool?",
    "language_rewritten": "which language is the parser written in?",
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_recall_puts_the_newer_one_first(engine: Engine, clock: StoppedClock, name: str) -> None:
    pair = ROWS[name]
    write(engine, clock, pair.older, *STRANGERS, pair.newer)
    found = [hit.memory.text for hit in engine.recall(BANK, Query(QUESTIONS[name], limit=5)).hits]
    assert found[0] == pair.newer


@pytest.mark.parametrize("name", QUESTIONS)
def test_without_a_limit_recall_leaves_out_what_was_replaced(
    engine: Engine, clock: StoppedClock, name: str
) -> None:
    pair = ROWS[name]
    write(engine, clock, pair.older, *STRANGERS, pair.newer)
    assert pair.older not in [
        hit.memory.text for hit in engine.recall(BANK, Query(QUESTIONS[name])).hits
    ]


def test_another_judge_decides_for_every_caller(home: Path, clock: StoppedClock) -> None:
    def never(older: Statement, newer: Statement) -> Judgement:
        return Judgement(
            Relation.UNRELATED, 1.0, f"{len(older.text)} and {len(newer.text)} are not compared."
        )

    engine = replace(commonplace.open(home), judge=never)
    pair = ROWS["port_now"]
    tell(engine, pair.older)
    assert tell(engine, pair.newer) == ["added"]
    assert engine.consolidate(BANK, Filter()).merges == ()
    first, second = (one.id for one in engine.list(BANK))
    assert engine.list_links(BANK, [first, second]) == ()
    engine.db.close()
