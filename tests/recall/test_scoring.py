"""The arithmetic of relevance."""

from collections.abc import Mapping

import pytest

from commonplace.recall import scoring
from commonplace.recall.evidence import Evidence, Features, checked_weights

ALL = {
    "keyword": 0.8,
    "coverage": 1.0,
    "passage": 1.0,
    "vector": 1.0,
    "tokens": 1.0,
    "passage_tokens": 1.0,
}


def evidence_of(
    values: Mapping[str, float], memory_id: int = 1, *, exact: bool = False
) -> Evidence:
    return Evidence(memory_id, exact, Features(**values))


def relevance(evidence: Evidence) -> float:
    (scored,) = scoring.rank([evidence])
    return scored.relevance


SURE = evidence_of(ALL)
NOTHING = evidence_of(
    dict.fromkeys(ALL, 0.0) | {"vector": 0.2, "tokens": 0.3, "passage_tokens": 0.3}, 2
)


def asked(text: str, counts: dict[str, int], rows: int = 1000) -> scoring.Question:
    return scoring.build_question(text, counts, rows, rows * 20)


def test_a_text_that_equals_the_question_is_relevant() -> None:
    assert relevance(SURE) > 0.95


def test_an_unrelated_text_is_below_the_least_hit() -> None:
    assert relevance(NOTHING) < scoring.HIT_MIN


@pytest.mark.parametrize("channel", [*ALL, "coverage_around", "vector_around", "tokens_around"])
def test_more_evidence_of_any_kind_is_more_relevant(channel: str) -> None:
    values = dict.fromkeys(ALL, 0.4)
    less, more = (relevance(evidence_of(values | {channel: v})) for v in (0.3, 0.5))
    assert less < more


@pytest.mark.parametrize("channel", scoring.ORDER_WEIGHTS)
def test_features_of_the_order_do_not_change_the_relevance(channel: str) -> None:
    values = dict.fromkeys(ALL, 0.4)
    plain, further = evidence_of(values), evidence_of(values | {channel: 1.0})
    assert relevance(plain) == relevance(further)
    (one,), (other,) = scoring.rank([plain]), scoring.rank([further])
    assert one.score != other.score


def test_a_channel_that_was_not_searched_lowers_no_relevance() -> None:
    words = {name: ALL[name] for name in ("keyword", "coverage", "passage")}
    meaning = {name: ALL[name] for name in ("vector", "tokens", "passage_tokens")}
    for values in (words, meaning):
        assert relevance(evidence_of(values)) > 0.9


def test_the_best_passage_of_a_long_text_counts() -> None:
    question = asked("zebra meeting room", {"zebra": 2, "meet": 6, "room": 6})
    together = "zebra meet room " + "word " * 400
    apart = "zebra " + "word " * 200 + "meet " + "word " * 200 + "room"
    near, far = scoring.match_words(question, together), scoring.match_words(question, apart)
    assert near.coverage == far.coverage == near.passage
    assert far.passage < near.passage / 2


def test_a_passage_does_not_count_terms_outside_its_window() -> None:
    question = asked("zebra meeting", {"zebra": 2, "meet": 6})
    terms = " ".join(["zebra"] + ["x"] * scoring.PASSAGE_TERMS + ["meet", "meet"])
    assert scoring.match_words(question, terms).passage < 1
    assert scoring.match_words(question, terms + " zebra").passage == 1


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    question = asked("zebra meeting", {"zebra": 2, "meet": 600})
    rare, common = (
        scoring.match_words(question, terms).coverage for terms in ("zebra stripe", "meet stripe")
    )
    assert rare > 2 * common


def test_in_a_small_store_a_word_of_every_text_still_counts() -> None:
    question = scoring.build_question("deploy key place", {"deploy": 1, "key": 1, "place": 0}, 1, 8)
    assert scoring.match_words(question, "the deploy key is in the vault").coverage > 0.6


def test_an_identifier_must_be_whole() -> None:
    question = asked("PROJ-12", {"proj-12": 1})
    assert scoring.has_identifiers(question, "fix proj-12 now")
    assert not scoring.has_identifiers(question, "fix proj-123 now")


def test_a_memory_with_the_identifier_is_never_outranked() -> None:
    weak = evidence_of(dict.fromkeys(ALL, 0.1), exact=True)
    ordered = scoring.rank([SURE, weak])
    assert [one.evidence.memory_id for one in ordered] == [1, 1]
    assert ordered[0].evidence.exact
    assert ordered[0].score >= 0.5 >= ordered[1].score


def test_of_equals_the_newer_comes_first() -> None:
    twin = evidence_of(ALL, 9)
    assert [one.evidence.memory_id for one in scoring.rank([SURE, twin])] == [9, 1]


def test_a_very_long_question_keeps_its_beginning_and_its_end() -> None:
    terms = [str(number) for number in range(2_000)]
    kept = scoring.shorten_terms(terms)
    assert len(kept) == scoring.QUESTION_TERMS_MAX
    assert kept[0] == "0"
    assert kept[-1] == "1999"


def test_the_threshold_of_an_answer_rises_with_the_number_of_memories() -> None:
    bars = [scoring.answer_min(count) for count in (0, 1, 10, 1_000, 100_000, 10_000_000)]
    assert bars == sorted(bars)
    assert bars[0] >= scoring.HIT_MIN
    assert bars[-1] < 0.5


def test_a_weight_for_a_feature_that_does_not_exist_is_refused() -> None:
    with pytest.raises(LookupError, match="passage tokens"):
        checked_weights(Features, {"vector": 3.0, "passage tokens": 2.4})
