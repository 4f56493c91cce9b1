"""The metrics, on cases small enough to work out by hand."""

import math

import pytest

from commonplace.evaluation import metrics
from commonplace.evaluation.metrics import PACE, PRECISION, RANKING, Answer, estimate_measures


def answer(
    expected: str, found: str, superseded: str = "", also_fine: str = "", unsure: bool = False
) -> Answer:
    """Every letter is a memory."""
    return Answer(
        frozenset(expected), tuple(found), frozenset(superseded), frozenset(also_fine), unsure
    )


def value(measure: str, *answers: Answer) -> float:
    return estimate_measures(answers, {**RANKING, **PRECISION}, draws=10)[measure].value


def test_recall_is_the_share_of_the_expected_and_any_is_whether_there_is_one() -> None:
    half = answer("ab", "xxaxxxxb")

    assert metrics.recall_at(half, 5) == 0.5
    assert metrics.recall_at(half, 10) == 1
    assert value("recall@5", half) == 0.5
    assert value("any@5", half) == 1


def test_the_mean_is_over_questions_and_not_over_memories() -> None:
    assert value("recall@10", answer("abcd", "x"), answer("a", "a")) == 0.5


def test_ndcg_is_one_with_the_expected_on_top_and_less_below() -> None:
    assert metrics.ndcg_at(answer("ab", "ba"), 10) == pytest.approx(1)
    assert metrics.ndcg_at(answer("a", "xa"), 10) == pytest.approx(1 / math.log2(3))
    assert metrics.ndcg_at(answer("a", "x" * 10 + "a"), 10) == 0
    # Twelve are right and ten may be shown: ten right ones are the best there is.
    assert metrics.ndcg_at(answer("abcdefghijkl", "abcdefghij"), 10) == pytest.approx(1)


def test_the_reciprocal_rank_is_that_of_the_first_right_one() -> None:
    assert metrics.reciprocal_rank(answer("ab", "xxab")) == pytest.approx(1 / 3)
    assert metrics.reciprocal_rank(answer("a", "xyz")) == 0
    assert metrics.reciprocal_rank(answer("a", "")) == 0


def test_precision_is_the_share_of_all_that_was_returned_to_answerable_questions() -> None:
    returned = (answer("a", "a"), answer("b", "bxx"), answer("c", ""), answer("", "xxxxx"))

    assert value("precision", *returned) == 2 / 4
    assert value("recall", *returned) == pytest.approx(2 / 3)


def test_lenient_precision_lets_pass_what_is_fine_and_what_is_superseded_below_its_successor() -> (
    None
):
    assert value("precision", answer("a", "aof", superseded="o", also_fine="f")) == pytest.approx(
        1 / 3
    )
    assert value("precision, lenient", answer("a", "aof", superseded="o", also_fine="f")) == 1
    assert value(
        "precision, lenient", answer("a", "oaf", superseded="o", also_fine="f")
    ) == pytest.approx(2 / 3)


def test_an_unanswerable_question_is_admitted_by_silence_or_by_saying_unsure() -> None:
    asked = (answer("", ""), answer("", "x", unsure=True), answer("", "x"), answer("a", ""))

    assert value("unanswerable admitted", *asked) == pytest.approx(2 / 3)


def test_unsure_answers_have_no_recall() -> None:
    hedged = answer("a", "a", unsure=True)

    assert value("recall", hedged, answer("b", "b")) == 0.5
    assert value("precision", hedged, answer("b", "bx")) == 0.5


@pytest.mark.parametrize(
    ("found", "outranked"),
    [("oa", True), ("ao", False), ("xa", False), ("xo", True), ("x", False), ("", False)],
)
def test_a_superseded_value_outranks_above_the_current_one_or_in_its_place(
    found: str, outranked: bool
) -> None:
    assert metrics.is_outranked(answer("a", found, superseded="o")) is outranked


@pytest.mark.parametrize(
    ("asked", "fault"),
    [
        (answer("a", "a"), ""),
        (answer("ab", "ax"), "missed in part"),
        (answer("a", "x"), "missed"),
        (answer("a", "a", unsure=True), "known but unsure"),
        (answer("a", "oa", superseded="o"), "superseded on top"),
        (answer("", "x"), "answered without knowing"),
        (answer("", "x", unsure=True), ""),
        (answer("", ""), ""),
    ],
)
def test_a_fault_has_a_name(asked: Answer, fault: str) -> None:
    assert metrics.fault_of(asked) == fault


def test_a_measure_without_questions_is_left_out() -> None:
    found = estimate_measures([answer("a", "a")], {**RANKING, **PRECISION, **PACE})

    assert "unanswerable admitted" not in found
    assert "superseded on top" not in found
    assert "questions/s" not in found
    assert found["recall"].count == 1
    assert estimate_measures([], RANKING) == {}


def test_the_interval_holds_the_value_narrows_with_more_questions_and_is_the_same_every_time() -> (
    None
):
    few = [answer("a", "a"), answer("a", "x")] * 10
    once, again = (estimate_measures(few, RANKING)["recall@5"] for _ in range(2))
    many = estimate_measures(few * 20, RANKING)["recall@5"]

    assert once == again
    assert once.low < once.value == 0.5 < once.high
    assert many.high - many.low < (once.high - once.low) / 3
    # Four hundred throws of a coin: two standard errors of 0.025 to each side.
    assert many.low == pytest.approx(0.45, abs=0.01)
    assert many.high == pytest.approx(0.55, abs=0.01)


def test_the_pace_is_the_number_of_questions_per_second() -> None:
    slow, quick = (Answer(frozenset("a"), ("a",), seconds=seconds) for seconds in (0.3, 0.1))

    assert estimate_measures([slow, quick], PACE)["questions/s"].value == pytest.approx(5)
