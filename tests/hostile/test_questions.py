"""Questions that once stopped everybody are answered within a moment."""

import time

import pytest

from commonplace.engine.engine import Engine
from commonplace.language import analyzer
from commonplace.records.memory import Draft
from commonplace.records.query import Query

QUESTIONS = [
    "!" * 10_000,
    ".?" * 5_000,
    "a" * 10_000,
    "on 3 May" + " " * 9_000 + "to 5 June",
    "between " * 1_200,
    "how many " * 1_100,
    '"' * 10_000,
    "a.b" * 3_300,
    "Aa" * 5_000,
    "你" * 10_000,
]


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda one: repr(one[:12]))
def test_no_question_takes_long_however_its_signs_repeat(engine: Engine, asked: str) -> None:
    engine.remember_many(
        "b", [Draft("Rome hotel" + sign * 30_000 + "booked") for sign in (" ", ".", "\n", "!")]
    )
    engine.recall("b", Query("Rome hotel"))  # loads the models
    started = time.thread_time()
    engine.recall("b", Query(asked))
    engine.recall("b", Query(f"Rome hotel {asked}"[:10_000]))
    assert time.thread_time() - started < 5


def test_a_question_keeps_all_that_says_something() -> None:
    plain = "On 3 May\n\nwhere is `src/main.py`?!  我喜欢在北京吃烤鸭" + "吃" * 300
    assert analyzer.normalize_question(plain) == plain
    assert (
        analyzer.normalize_question("on 3 May" + " " * 9_000 + "to 5 June")
        == "on 3 May        to 5 June"
    )
