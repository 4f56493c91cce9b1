"""Texts that once stopped the whole server are written and found within a moment."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from commonplace.extract import markdown_outline, statement_splitting
from commonplace.extract.statement_splitting import Message

QUICK_S = 5.0  # What is linear takes milliseconds; what is not took minutes.


@contextmanager
def quick() -> Iterator[None]:
    started = time.thread_time()
    yield
    assert time.thread_time() - started < QUICK_S


@pytest.mark.parametrize(
    "text",
    [
        "thanks for your " * 60 + "!x",
        "sorry " * 500 + "!x",
        "abcdef" + " " * 60_000 + "?",
        "# a" + " " * 60_000 + "b",
        "I was away on 3 May" + " " * 9_000 + "to 5 June.\n" * 20,
        "I live here" + ", " * 30_000 + "what?",
    ],
)
def test_a_text_is_cut_into_statements_however_often_its_words_and_blanks_repeat(text: str) -> None:
    with quick():
        statement_splitting.split_statements((Message("user", text),))
        markdown_outline.parse_outline(text)


def test_small_talk_is_still_told_from_what_matters() -> None:
    talk = (
        "Thanks for your help, sounds good. No problem! Good idea. OK, sorry about that. Great,"
        " good morning"
    )
    assert statement_splitting.split_statements((Message("user", talk),)).statements == ()
    said = statement_splitting.split_statements(
        (Message("user", "Thanks for your help. I live in Rome, do you know it?"),)
    )
    assert [one.text for one in said.statements] == ["I live in Rome"]
