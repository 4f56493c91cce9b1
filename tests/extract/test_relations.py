"""How a newer statement stands to an older one."""

import time

import pytest

from commonplace.extract.relations import announces, relate, subject


@pytest.mark.parametrize(
    ("newer", "older", "kind"),
    [
        ("Use tabs for indentation in all Go code", "Use tabs for indentation in Go code", "similar_to"),
        ("Deploy the web shop every Tuesday", "Deploy the web shop every Tuesday at noon", "similar_to"),
        ("Port: 9090", "Port: 8080", "contradicts"),
        ("The primary database is MySQL.", "The primary database is PostgreSQL.", "contradicts"),
        ("Do not commit straight to main", "Commit straight to main", "contradicts"),
        ("Commit straight to main", "Never commit straight to main", "contradicts"),
        ("I avoid tea after lunch.", "I prefer tea in the afternoon.", "contradicts"),
        ("She no longer likes coffee.", "She likes coffee with milk.", "supersedes"),
        ("Staging listens on port 9090.", "Staging listens on port 8080.", "contradicts"),
        ("Use pnpm instead of npm.", "Use npm for packages.", "supersedes"),
        ("We no longer deploy on Fridays.", "Deploy on Fridays.", "supersedes"),
        ("npm is deprecated; use pnpm.", "Install with npm.", "supersedes"),
        ("Switched from Jest to Vitest for unit tests", "Unit tests run with Jest", "supersedes"),
        ("PostgreSQL replaced MySQL as the database", "The database runs on MySQL", "supersedes"),
    ],
)
def test_a_relation_is_seen(newer: str, older: str, kind: str) -> None:
    found = relate(newer, older)
    assert found is not None
    assert found.kind == kind
    assert 0.5 <= found.confidence < 1
    assert found.reason.endswith(".")


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("Alice is on holiday", "Alice is a developer"),
        ("TODO: buy milk", "TODO: call Bob"),
        ("Met Bob on 2026-01-02 at the cafe", "Met Bob on 2026-02-03 at the cafe"),
        ("The port is 8080", "Lunch is at noon"),
        ("Use pnpm instead of npm.", "Never use npm."),
        ("", "Something"),
        ("!!!", "???"),
    ],
)
def test_what_is_not_plain_is_no_relation(newer: str, older: str) -> None:
    assert relate(newer, older) is None


def test_statements_about_different_days_and_steps_are_not_at_odds() -> None:
    for newer, older in (("Sprint 13 ended well", "Sprint 12 ended well"), ("Step 2 of setup", "Step 1 of setup")):
        found = relate(newer, older)
        assert found is None or found.kind == "similar_to"


def test_the_reason_names_what_a_person_can_check() -> None:
    numbers = relate("Staging listens on port 9090.", "Staging listens on port 8080.")
    value = relate("The primary database is MySQL.", "The primary database is PostgreSQL.")
    assert numbers is not None
    assert value is not None
    assert "9090" in numbers.reason
    assert "8080" in numbers.reason
    assert '"The primary database"' in value.reason


def test_the_surer_the_more_they_share() -> None:
    near, far = (
        relate("Use pnpm instead of npm.", "Use npm."),
        relate("Use pnpm instead of npm.", "Publish to npm weekly"),
    )
    assert near is not None
    assert far is not None
    assert near.confidence > far.confidence


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Database: PostgreSQL", "database"),
        ("- **Package Manager:** pnpm", "package manager"),
        ("\n\n## Deploy steps:\n1. test", "deploy steps"),
        ("auth.provider: SuperTokens", "auth.provider"),
        ("数据库：MySQL", "数据库"),
        ("TODO: buy milk", ""),
        ("Note: x", ""),
        ("12: x", ""),
        ("https://a.example", ""),
        ("At 10:30 we met", ""),
        ("No colon here", ""),
        ("A label that goes on and on and on and is a sentence: x", ""),
        ("", ""),
    ],
)
def test_what_a_statement_is_about(text: str, expected: str) -> None:
    assert subject(text) == expected


def test_a_text_announces_that_it_replaces_something() -> None:
    assert announces("Use pnpm instead of npm")
    assert not announces("Use pnpm")


def test_long_texts_are_compared_in_no_time() -> None:
    # Nothing here may take long, whatever callers store.
    long = "x is " * 5_000 + "a " * 5_000 + "." * 5_000
    began = time.perf_counter()
    relate(long, long[1:])
    assert subject(long) == ""
    assert time.perf_counter() - began < 5
