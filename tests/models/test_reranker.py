"""The reranker as installed: it reads a question and a text together, and says when it is not there."""

import pytest

from commonplace.errors import Unsupported
from commonplace.models.reranker import CrossEncoder

QUESTION = "Who fixes the heating?"
ANSWER = "Herr Puls repairs radiators, lights and the goods lift in our building."
STRANGER = "The standup is at a quarter to ten."


@pytest.fixture(scope="module")
def reranker() -> CrossEncoder:
    return CrossEncoder()


def test_an_answer_in_other_words_is_far_above_a_stranger(reranker: CrossEncoder) -> None:
    stranger, answer = reranker.scores(QUESTION, [STRANGER, ANSWER])
    assert answer > stranger + 5


def test_a_text_is_scored_the_same_whatever_is_read_beside_it(reranker: CrossEncoder) -> None:
    (alone,) = reranker.scores(QUESTION, [ANSWER])
    among = reranker.scores(QUESTION, [STRANGER * 9, ANSWER, *[STRANGER] * 20])[1]
    assert among == alone


def test_no_text_has_no_score_and_an_empty_one_has_a_low_one(reranker: CrossEncoder) -> None:
    assert reranker.scores(QUESTION, []) == []
    assert reranker.scores(QUESTION, [""])[0] < reranker.scores(QUESTION, [ANSWER])[0]


def test_a_text_of_any_length_is_read(reranker: CrossEncoder) -> None:
    assert len(reranker.scores(QUESTION * 50, [ANSWER * 500, "\0", "🜁" * 900])) == 3


def test_a_reranker_that_is_not_installed_says_how_to_install_it() -> None:
    with pytest.raises(Unsupported) as caught:
        CrossEncoder("no_such_package_anywhere")
    assert "make reranker" in caught.value.hint
