"""What was told several times is answered once, and nothing of it is lost."""

from collections.abc import Sequence

import pytest

from commonplace.engine.engine import Engine
from commonplace.records.memory import Draft, Scope
from commonplace.records.query import Hit, Query
from tests.conftest import StoppedClock

CHOIR = "Leonor's choir rehearses on Tuesdays at eight."
OTHERS = (
    "The kiln costs 900 euros.",
    "Bobik is the dog of the neighbours.",
    "The tram leaves at nine.",
)
ASKED = "when does Leonor's choir rehearse?"
DAY_MS = 86_400_000


def told(engine: Engine, *texts: str) -> list[int]:
    return [one.memory.id for one in engine.remember_many("b", [Draft(text) for text in texts])]


def hits(engine: Engine, question: str = ASKED, limit: int | None = 10) -> Sequence[Hit]:
    return engine.recall("b", Query(question, limit=limit)).hits


@pytest.mark.parametrize("limit", [None, 10], ids=["no limit", "limit"])
def test_the_newest_stands_for_all_that_say_the_same(engine: Engine, limit: int | None) -> None:
    first, _, second, _, third, _ = told(
        engine, CHOIR, OTHERS[0], CHOIR, OTHERS[1], CHOIR.lower().rstrip("."), OTHERS[2]
    )
    found = hits(engine, limit=limit)
    assert [hit.memory.id for hit in found if "choir" in hit.memory.text] == [third]
    assert found[0].copies == (second, first)
    assert all(not hit.copies for hit in found[1:])


def test_a_place_among_the_hits_is_taken_once(engine: Engine) -> None:
    told(
        engine,
        *[CHOIR] * 8,
        "Leonor's choir sings in the crypt.",
        "The choir of Leonor has forty members.",
    )
    texts = [hit.memory.text for hit in hits(engine, "Leonor's choir", limit=3)]
    assert len(texts) == len(set(texts)) == 3


def test_what_was_told_hundreds_of_times_hides_nothing_else(engine: Engine) -> None:
    told(
        engine,
        *["The standup was held, nothing to report."] * 300,
        "A report of the standup goes into the green binder.",
    )
    found = hits(engine, "was there nothing to report when the standup was held?")
    assert ["nothing" in found[0].memory.text, "binder" in found[1].memory.text] == [True, True]


def test_without_vectors_it_is_the_same(engine: Engine) -> None:
    *_, newest = told(engine, CHOIR, CHOIR)
    (hit,) = engine.recall("b", Query("choir rehearses", channels=("keyword",))).hits
    assert (hit.memory.id, len(hit.copies)) == (newest, 1)


def test_who_forgets_the_one_that_is_shown_is_shown_the_other(engine: Engine) -> None:
    older, newer = told(engine, CHOIR, CHOIR)
    engine.forget("b", [newer])
    (hit,) = hits(engine)
    assert (hit.memory.id, hit.copies) == (older, ())
    engine.forget("b", [older])
    assert hits(engine) == ()


def test_the_reason_is_told_to_who_asks_why(engine: Engine) -> None:
    older, _ = told(engine, CHOIR, CHOIR)
    dropped = engine.recall("b", Query(ASKED, explain=True)).dropped
    assert [(one.memory_id, one.why) for one in dropped] == [
        (older, "another memory says the same")
    ]


def test_of_what_changed_and_changed_back_the_last_holds(engine: Engine) -> None:
    now = "Leonor's choir now rehearses on Fridays at seven."
    told(engine, CHOIR, OTHERS[0], now, OTHERS[1], CHOIR)
    assert hits(engine, limit=None)[0].memory.text == CHOIR


def test_the_one_of_the_time_that_is_asked_for_stands(engine: Engine, clock: StoppedClock) -> None:
    (then,) = told(engine, "I ran around the lake.")
    clock.advance(10 * DAY_MS)
    (today,) = told(engine, "I ran around the lake.")
    assert hits(engine, "where did I run?")[0].memory.id == today
    assert hits(engine, "where did I run ten days ago?")[0].memory.id == then


def test_the_same_words_of_somebody_else_or_under_another_name_stay_apart(engine: Engine) -> None:
    drafts = [
        Draft("8080", key="staging.port"),
        Draft("8080", key="production.port"),
        Draft("The port is open.", scope=Scope(project="staging")),
        Draft("The port is open.", scope=Scope(project="production")),
        Draft("The port is shut.", tags=("staging",)),
        Draft("The port is shut.", metadata={"at": "production"}),
    ]
    engine.remember_many("b", drafts)
    assert len(hits(engine, "port of staging and production")) == len(drafts)


def test_pages_show_every_one_of_them(engine: Engine) -> None:
    told(engine, *[CHOIR] * 5)
    page = engine.recall("b", Query(ASKED, limit=2, depth=50))
    rest = engine.recall("b", Query(ASKED, limit=9, depth=50, after=page.next))
    assert len({hit.memory.id for hit in (*page.hits, *rest.hits)}) == 5
