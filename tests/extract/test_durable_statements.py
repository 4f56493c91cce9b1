"""What stays true after a task is kept; requests, guesses, reports and noise are not."""

import pytest

from commonplace.extract.durable_statements import (
    STATEMENTS_PER_TURN_MAX,
    select_durable,
)
from commonplace.extract.private_text import without_injected, without_private
from commonplace.extract.statement_splitting import Message


def kept(text: str, role: str = "user") -> list[str]:
    return [one.text for one in select_durable([Message(role, text)]).statements]


@pytest.mark.parametrize(
    "text",
    [
        "We use pnpm, not npm.",
        "The staging database listens on port 5433.",
        "Our API is deployed on fly.io.",
        "Always run make lint before committing.",
        "Never push to main without a review.",
        "I prefer tabs over spaces.",
        "We decided to use SQLite because the deployment is one machine.",
        "Test data lives in tests/data.",
        "Unser Server läuft auf Port 8080.",
        "测试服务器的端口是八零八零。",
    ],
)
def test_a_fact_of_the_user_is_kept_word_for_word(text: str) -> None:
    assert kept(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "Fix the failing login test.",
        "Can you look at the parser?",
        "please add a test for it and commit",
        "Let's do the second one.",
        "I want you to rewrite the module.",
        "What if we moved to Postgres?",
        "Maybe we could use Redis for the cache.",
        "Suppose the server had ten workers.",
        "it still fails with the same error",
        "I'm getting a timeout when I run it",
        "use the second option",
        "Thanks, that looks good!",
        "yes",
        "Which port does staging use?",
        "Traceback (most recent call last): File a.py, line 3",
        "at Object.run (/srv/app/index.js:10:5)",
        "| a | b |",
        "const port = process.env.PORT || 3000;",
    ],
)
def test_what_is_no_lasting_fact_is_left_out(text: str) -> None:
    assert kept(text) == []


def test_an_explicit_wish_is_kept_without_the_words_that_ask_for_it() -> None:
    assert kept("Please remember that the release is cut on Thursdays.") == [
        "The release is cut on Thursdays."
    ]
    assert kept("Remember to buy milk") != ["To buy milk"]


def test_a_correction_is_kept_without_the_no() -> None:
    assert kept("No, that's wrong: the port is 9090.") == ["The port is 9090."]


def test_of_an_agents_answer_only_findings_are_kept() -> None:
    answer = (
        "I've updated the config. All tests pass. The root cause was a stale lock file. Let me"
        " know if you need more! You can run it with make."
    )
    assert kept(answer, "assistant") == ["The root cause was a stale lock file."]


def test_code_blocks_are_not_cut_into_statements() -> None:
    assert kept("The port is 9000.\n```\nthe password is hunter2\n```\n") == ["The port is 9000."]


def test_one_turn_gives_a_limited_number_of_statements() -> None:
    text = "\n".join(f"Service number {n} listens on port {9000 + n}." for n in range(50))
    found = select_durable([Message("user", text)])

    assert len(found.statements) == STATEMENTS_PER_TURN_MAX
    assert found.skipped["too many"] == 50 - STATEMENTS_PER_TURN_MAX


def test_private_text_is_taken_out_and_an_open_mark_holds_to_the_end() -> None:
    assert without_private("a <private>secret</private> b") == "a  b"
    assert without_private("a <PRIVATE>secret\nmore") == "a"


def test_text_that_a_hook_injected_is_taken_out() -> None:
    text = "Question\n<commonplace-memory>\nold\n</commonplace-memory>"
    assert without_injected(text) == "Question"
