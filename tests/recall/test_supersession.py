"""Which hits a newer memory has replaced, and their order."""

import pytest

from commonplace import Draft, Engine, Query
from tests.conftest import StoppedClock

MOVED = (
    "Staging API listens on port 8041.",
    "The label printer speaks raw ZPL over TCP.",
    "Wim borrowed the hammer drill.",
    "Team meetings are held in the Aurora room on Mondays.",
    "The accountant wants semicolons in the export.",
    "Staging API now listens on port 8077, behind the new proxy.",
    "Lunch is at noon.",
)
DAY_MS = 86_400_000
QUESTION = "which port does the staging API listen on?"


@pytest.fixture
def moved(engine: Engine, clock: StoppedClock) -> Engine:
    write(engine, clock, *MOVED)
    return engine


def write(engine: Engine, clock: StoppedClock, *texts: str) -> None:
    """One memory a day."""
    for text in texts:
        clock.advance(DAY_MS)
        engine.remember("b", Draft(text))


def texts(engine: Engine, query: Query) -> list[str]:
    return [hit.memory.text for hit in engine.recall("b", query).hits]


def test_without_a_limit_a_replaced_memory_is_left_out(moved: Engine) -> None:
    assert texts(moved, Query(QUESTION)) == [MOVED[5]]


def test_explain_says_that_a_newer_memory_replaced_it(moved: Engine) -> None:
    answer = moved.recall("b", Query(QUESTION, explain=True))
    older = next(
        hit.memory.id
        for hit in moved.recall("b", Query(MOVED[0], limit=2)).hits
        if hit.memory.text == MOVED[0]
    )
    assert (
        next(one.why for one in answer.dropped if one.memory_id == older)
        == "a newer memory replaced it"
    )


def test_with_a_limit_the_newer_one_stands_before_the_older(moved: Engine) -> None:
    answer = moved.recall("b", Query(QUESTION, limit=10))
    assert [hit.memory.text for hit in answer.hits][:2] == [MOVED[5], MOVED[0]]
    scores = [hit.score for hit in answer.hits]
    assert scores == sorted(scores, reverse=True)


def test_the_newer_one_comes_first_also_when_the_older_has_more_of_the_question(
    engine: Engine, clock: StoppedClock
) -> None:
    write(
        engine,
        clock,
        "Salaries are paid on the 26th.",
        *MOVED[1:5],
        "From August salaries come on the last working day.",
    )
    assert texts(engine, Query("when are salaries paid?", limit=10))[0].startswith("From August")


def test_unrelated_memories_do_not_replace_each_other(moved: Engine) -> None:
    moved.remember("b", Draft("Now the coffee machine is new."))
    assert texts(moved, Query("who borrowed the hammer drill?"))[0] == MOVED[2]


def test_a_memory_of_the_time_asked_for_is_not_replaced(
    engine: Engine, clock: StoppedClock
) -> None:
    clock.advance(DAY_MS)
    then = clock.now()
    engine.remember("b", Draft(MOVED[0], happened_at=then))
    clock.advance(90 * DAY_MS)
    engine.remember("b", Draft(MOVED[5], happened_at=clock.now()))
    asked = Query(QUESTION, limit=2, during=(then - 1000, then + 1000))
    assert texts(engine, asked)[0] == MOVED[0]


def test_a_question_in_the_words_of_a_memory_finds_that_one(moved: Engine) -> None:
    assert texts(moved, Query("Staging API listens on port 8041", limit=10))[0] == MOVED[0]


@pytest.mark.parametrize(
    ("first", "later", "question"),
    [
        (
            "Bruno was vaccinated against rabies on 3 May.",
            "Bruno is now vaccinated against lyme as well, since 7 September.",
            "when was Bruno vaccinated against rabies?",
        ),
        (
            "Ana joined the choir on 3 May.",
            "Ana joined the orchestra too, on 7 September.",
            "when did Ana join the choir?",
        ),
        (
            "Paid 300 euros to the plumber on 3 May.",
            "Paid the plumber again on 7 September, 120 euros now.",
            "how long ago was it that we did pay the plumber 300 euros?",
        ),
    ],
)
def test_no_later_memory_changes_when_something_happened(
    engine: Engine, clock: StoppedClock, first: str, later: str, question: str
) -> None:
    write(engine, clock, first, *MOVED[1:5], later)
    assert texts(engine, Query(question))[0] == first


def test_a_question_for_the_last_time_finds_the_newest(engine: Engine, clock: StoppedClock) -> None:
    often = [
        f"The certificate of the web server was renewed on {day}."
        for day in ("3 May", "7 September")
    ]
    write(engine, clock, often[0], *MOVED[1:5], often[1])
    assert texts(engine, Query("when was the certificate last renewed?"))[0] == often[1]


@pytest.mark.parametrize(
    ("asked_for", "sibling", "question"),
    [
        (
            "Fixed the login bug by pinning openssl.",
            "Fixed the logout bug by clearing the cookie.",
            "how did we fix the login bug?",
        ),
        (
            "The kitchen was painted sage green in spring.",
            "The hall was painted light grey in autumn.",
            "which colour did we paint the kitchen?",
        ),
        (
            "We chose Postgres for the orders service.",
            "We chose Redis for the session cache.",
            "which database did we choose for orders?",
        ),
    ],
)
def test_a_later_event_with_another_object_replaces_nothing(
    engine: Engine, clock: StoppedClock, asked_for: str, sibling: str, question: str
) -> None:
    write(engine, clock, asked_for, *MOVED[1:5], sibling)
    assert texts(engine, Query(question))[0] == asked_for


def test_a_memory_with_another_number_replaces_nothing(engine: Engine, clock: StoppedClock) -> None:
    vans = (
        "Van 4 spends its nights at the Millbrook depot.",
        "Moved van 5 to Quayside for the nights.",
    )
    write(engine, clock, vans[0], *MOVED[1:5], vans[1])
    assert texts(engine, Query("where is van 4 kept overnight"))[0] == vans[0]


def test_a_memory_without_words_of_the_question_replaces_nothing(
    engine: Engine, clock: StoppedClock
) -> None:
    write(
        engine,
        clock,
        "Vitest runs the unit suite of the web shop",
        "Jest runs the unit suite of the web shop now",
    )
    assert texts(engine, Query("vitest", limit=2))[0].startswith("Vitest")


def test_a_memory_with_the_type_asked_for_is_not_replaced_by_one_without(
    engine: Engine, clock: StoppedClock
) -> None:
    for text in (
        "We use npm in the shop repo.",
        "The shop repo is in TypeScript.",
        "We use pnpm in the shop repo now.",
        "The admin repo uses yarn.",
    ):
        clock.advance(DAY_MS)
        engine.remember("b", Draft(text))
    assert (
        texts(engine, Query("Which language is the shop repo in?"))[0]
        == "The shop repo is in TypeScript."
    )
    assert texts(engine, Query("Which package manager does the shop repo use?"))[0].startswith(
        "We use pnpm"
    )


def test_news_of_something_else_about_the_same_person_replaces_nothing(
    engine: Engine, clock: StoppedClock
) -> None:
    write(
        engine,
        clock,
        "Mia is allergic to peanuts.",
        "Mia lives in Berlin.",
        *MOVED,
        "Mia moved to Hamburg.",
    )

    assert (
        texts(engine, Query("What is Mia allergic to?", limit=5))[0]
        == "Mia is allergic to peanuts."
    )
    assert texts(engine, Query("Where does Mia live?", limit=5))[0] == "Mia moved to Hamburg."


def test_a_change_that_names_what_was_before_needs_none_of_the_question_s_words(
    engine: Engine, clock: StoppedClock
) -> None:
    write(
        engine,
        clock,
        "The newsletter is sent with Mailgun.",
        *MOVED,
        "Closed the Mailgun account, Postmark does it now.",
    )
    assert texts(engine, Query("how is the newsletter sent?", limit=10))[0].startswith(
        "Closed the Mailgun account"
    )


@pytest.mark.parametrize(
    ("settled", "passing", "question"),
    [
        (
            "Therapy is on Tuesdays at 17:00.",
            "Therapy is on Friday at 9:00 this week.",
            "when is therapy?",
        ),
        (
            "Rides a Canyon to work.",
            "Wants to swap the Canyon for a gravel bike.",
            "what does she ride to work?",
        ),
    ],
)
def test_an_exception_or_a_plan_replaces_nothing(
    engine: Engine, clock: StoppedClock, settled: str, passing: str, question: str
) -> None:
    write(engine, clock, settled, *MOVED, passing)
    assert texts(engine, Query(question, limit=10))[0] == settled


def test_a_shared_name_alone_is_no_replacement(engine: Engine, clock: StoppedClock) -> None:
    write(engine, clock, "Callum lives in Dunedin.", *MOVED, "Gave the old watch to Callum.")
    assert (
        texts(engine, Query("Where does Callum live?", limit=10))[0] == "Callum lives in Dunedin."
    )


def test_a_rule_stands_until_another_rule_or_a_change(engine: Engine, clock: StoppedClock) -> None:
    rule = "Always use pnpm when you install packages in the web repo."
    question = "How do I install packages for the web repo?"
    write(
        engine,
        clock,
        rule,
        "The web repo lives at git.example.org/web and is built with Vite.",
        "Lunch is at noon.",
    )
    assert texts(engine, Query(question))[0] == rule
    clock.advance(DAY_MS)
    changed = "Always use bun when you install packages in the web repo."
    engine.remember("b", Draft(changed))
    assert texts(engine, Query(question))[0] == changed


@pytest.mark.parametrize(
    ("facts", "question"),
    [
        (
            (
                "Staging database is on port 5432.",
                "Production database is on port 6432.",
                "Backups run at 2am.",
            ),
            "What port is the staging database on?",
        ),
        (
            (
                "Production database is on port 6432.",
                "Backups of the production database run at 2am.",
                "Lunch is at 12.",
            ),
            "What port is the production database on?",
        ),
        (
            ("Anna is allergic to peanuts.", "Ben is allergic to cats.", "Lunch is at 12."),
            "What is Anna allergic to?",
        ),
        (
            (
                "The web repo uses React 19.",
                "The web repo's CI runs on GitHub Actions.",
                "Lunch is at 12.",
            ),
            "Which framework does the web repo use?",
        ),
    ],
)
def test_a_sibling_replaces_nothing(
    engine: Engine, clock: StoppedClock, facts: tuple[str, ...], question: str
) -> None:
    for fact in facts:
        clock.advance(DAY_MS)
        engine.remember("b", Draft(fact))
    assert texts(engine, Query(question))[0] == facts[0]
