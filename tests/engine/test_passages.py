"""Passages: of a long text, the part that comes nearest to a question."""

from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commonplace.app import open_engine
from commonplace.engine.engine import Engine
from commonplace.errors import Invalid
from commonplace.recall.passages import PASSAGE_CHARS_MAX
from commonplace.settings import load

FILLER = [
    f"Paragraph {number} is about the garden, the weather and the neighbours."
    for number in range(2_000)
]
PORT = "The staging database listens on port 5433."
TEA = "Ada prefers green tea over coffee in the morning."


def long_text(answer: str, *, place: int, between: str) -> str:
    return between.join([*FILLER[:place], answer, *FILLER[place:]])


@pytest.mark.parametrize("between", ["\n", "\n\n", " ", "。"])
@pytest.mark.parametrize("place", [0, 777, 2_000])
def test_the_passage_of_a_long_text_has_the_answer(
    engine: Engine, place: int, between: str
) -> None:
    text = long_text(PORT, place=place, between=between)

    (passage,) = engine.passages_of("which port does the staging database use?", [text])

    assert PORT in passage
    assert passage in text
    assert len(passage) <= PASSAGE_CHARS_MAX


def test_an_answer_in_other_words_is_found_by_its_meaning(engine: Engine) -> None:
    (passage,) = engine.passages_of(
        "favourite hot drink", [long_text(TEA, place=999, between="\n")]
    )

    assert TEA in passage


def test_without_an_embedder_the_words_decide(home: Path) -> None:
    plain = open_engine(load({"COMMONPLACE_HOME": str(home), "COMMONPLACE_EMBEDDER": "none"}))
    with closing(plain.db):
        (passage,) = plain.passages_of("staging port", [long_text(PORT, place=999, between="\n")])

    assert PORT in passage


def test_a_short_text_comes_back_whole_and_each_text_in_its_place(engine: Engine) -> None:
    long = long_text(PORT, place=3, between="\n")
    first, second, third = engine.passages_of("staging port", [TEA, long, "  two\n\nlines \n"])

    assert (first, third) == (TEA, "  two\n\nlines \n")
    assert PORT in second


def test_of_a_long_text_without_a_word_nothing_is_left(engine: Engine) -> None:
    assert engine.passages_of("staging port", [" \n" * 1_000]) == ("",)


def test_a_question_without_a_word_is_refused(engine: Engine) -> None:
    with pytest.raises(Invalid, match="The question is empty"):
        engine.passages_of("  ", [TEA])


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(alphabet=st.sampled_from("ab .!?。\n\r\t\u2028x"), min_size=721, max_size=3_000),
    st.text("ab x", min_size=1),
)
def test_every_passage_is_a_part_of_its_text(engine: Engine, text: str, question: str) -> None:
    (passage,) = engine.passages_of(f"q {question}", [text])

    assert passage in text
    assert len(passage) <= PASSAGE_CHARS_MAX
