"""The reranker as it comes along: it reads a question and a text together."""

import pytest

from commonplace.models.reranker import CrossEncoder

QUESTION = "Who fixes the heating?"
ANSWER = "Herr Puls repairs radiators, lights and the goods lift in our building."
STRANGER = "The standup is at a quarter to ten."
ENOUGH = 500  # Tokens.


@pytest.fixture(scope="module")
def reranker() -> CrossEncoder:
    return CrossEncoder()


def test_an_answer_in_other_words_is_far_above_a_stranger(reranker: CrossEncoder) -> None:
    stranger, answer = reranker.scores(QUESTION, [STRANGER, ANSWER], ENOUGH)
    assert answer > stranger + 5


def test_a_text_is_scored_the_same_whatever_is_read_beside_it(reranker: CrossEncoder) -> None:
    (alone,) = reranker.scores(QUESTION, [ANSWER], ENOUGH)
    among = reranker.scores(QUESTION, [STRANGER * 5, ANSWER, STRANGER], ENOUGH)[1]
    assert among == alone


def test_no_text_has_no_score_and_an_empty_one_has_a_low_one(reranker: CrossEncoder) -> None:
    assert reranker.scores(QUESTION, [], ENOUGH) == []
    assert (
        reranker.scores(QUESTION, [""], ENOUGH)[0] < reranker.scores(QUESTION, [ANSWER], ENOUGH)[0]
    )


def test_a_text_of_any_length_is_read(reranker: CrossEncoder) -> None:
    assert len(reranker.scores(QUESTION, [ANSWER * 500, "\0", "🜁" * 900], ENOUGH)) == 3
    assert len(reranker.scores(QUESTION * 50, [ANSWER], ENOUGH)) == 1


def test_it_reads_more_of_what_is_short_so_that_reading_takes_about_as_long_whatever_is_read(
    reranker: CrossEncoder,
) -> None:
    facts, stories = (
        len(reranker.scores(QUESTION, [text] * 40, ENOUGH)) for text in (ANSWER, ANSWER * 20)
    )
    assert 1 <= stories < facts < 40


@pytest.mark.parametrize("question", ["Where does Mwajuma live?", "Can you serve her paella?"])
def test_it_reads_what_is_asked_in_english(reranker: CrossEncoder, question: str) -> None:
    assert reranker.reads(question, ["Marraskuu"])


@pytest.mark.parametrize(
    "question", ["guest wifi password", "kestrel couriers software", "is Mwajuma vegan"]
)
def test_it_reads_keywords_where_most_texts_are_english(
    reranker: CrossEncoder, question: str
) -> None:
    assert reranker.reads(
        question, ["The password is Regenwurm.", "Kestrel Couriers are on QuickBooks.", "Vegan."]
    )
    assert not reranker.reads(question, ["Das Passwort ist Regenwurm.", "Mwajuma mange de tout."])


@pytest.mark.parametrize(
    "question",
    ["Wo wohnt Anna zurzeit?", "¿Dónde vive mi hermana?", "Où habite ma tante Mireille ?"],
)
def test_it_does_not_read_what_it_has_not_learnt(reranker: CrossEncoder, question: str) -> None:
    assert not reranker.reads(question, [ANSWER])


def test_a_newer_text_that_changes_what_was_answered_has_replaced_the_older_one(
    reranker: CrossEncoder,
) -> None:
    older = "The standup is at nine."
    changed, other = reranker.replacing(
        "When is the standup?",
        [(older, "We moved the daily to half past ten."), (older, "The printer is out of ink.")],
        ENOUGH,
    )
    assert changed > 0 > other


def test_whether_something_was_replaced_depends_on_what_was_asked(reranker: CrossEncoder) -> None:
    pair = ("Ana lives in Porto and drives an old Fiat.", "Ana sold the Fiat and goes by tram now.")
    (car,) = reranker.replacing("Which car does Ana drive?", [pair], ENOUGH)
    (home,) = reranker.replacing("Which city does Ana live in?", [pair], ENOUGH)
    assert car > home
