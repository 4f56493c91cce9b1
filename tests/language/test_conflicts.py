"""How a newer statement relates to an older one, on one table of pairs in four languages."""

import time
from collections.abc import Mapping

import pytest

from commonplace.language.conflicts import has_change_hint, is_exception, judge, lookup_terms
from commonplace.language.judgement import CONFIDENT_MIN, Judgement, Relation, Statement
from tests.language.pairs import LANGUAGES, Pair, table

# What rules cannot tell in a language, and what they say instead. A row that comes out right is
# taken off here.
DEVIATIONS: Mapping[str, Relation] = {
    "de-job_promoted": Relation.ADDS,  # "wurde" also makes the passive, so it tells of no new role.
    "de-same_remember": Relation.ADDS,  # The words of a clause with "dass" stand in another order.
    "es-same_still": Relation.ADDS,  # "sigue trabajando" is another form of the verb.
}
ROWS = [pair for language in LANGUAGES for pair in table(language)]


def relation(older: str, newer: str) -> Judgement:
    return judge(Statement(older), Statement(newer))


def is_as_expected(pair: Pair, found: Judgement) -> bool:
    if pair.expected == "beside":
        return not found.ends_older()
    if pair.expected in (Relation.REPLACES, Relation.CONTRADICTS):
        return found.relation == pair.expected and found.confidence >= CONFIDENT_MIN
    return found.relation == pair.expected


@pytest.mark.parametrize("pair", ROWS, ids=str)
def test_a_pair_of_the_table_is_judged_as_a_reader_would(pair: Pair) -> None:
    found = relation(pair.older, pair.newer)
    if str(pair) in DEVIATIONS:
        assert found.relation == DEVIATIONS[str(pair)]
        assert not is_as_expected(pair, found)
    else:
        assert is_as_expected(pair, found), found
    assert 0 <= found.confidence <= 1
    assert found.reason.endswith(".")


def test_the_table_is_the_same_in_every_language_and_large_enough() -> None:
    names = [[pair.name for pair in table(language)] for language in LANGUAGES]
    assert all(one == names[0] for one in names)
    assert len(set(names[0])) == len(names[0]) >= 120
    assert {str(pair) for pair in ROWS} >= DEVIATIONS.keys()
    assert len(DEVIATIONS) <= len(ROWS) // 50


@pytest.mark.parametrize("pair", table("en"), ids=str)
def test_the_order_of_arguments_does_not_matter_where_times_are_known(pair: Pair) -> None:
    older, newer = Statement(pair.older, said_at=1_000), Statement(pair.newer, said_at=2_000)
    forward, backward = judge(older, newer), judge(newer, older)
    assert (forward.is_reversed, backward.is_reversed) == (False, True)
    assert (backward.relation, backward.confidence) == (forward.relation, forward.confidence)


@pytest.mark.parametrize(
    ("older", "newer", "expected"),
    [
        ("Redis", "Redis and Kafka", Relation.ADDS),
        ("80", "8080", Relation.REPLACES),
        ("We use Redis", "We no longer use Redis", Relation.CONTRADICTS),
        ("The sky is blue", "Lunch is at noon", Relation.REPLACES),
    ],
)
def test_a_key_has_one_value(older: str, newer: str, expected: Relation) -> None:
    assert judge(Statement(older, key="a"), Statement(newer, key="a")).relation == expected


def test_values_under_two_keys_never_replace_each_other() -> None:
    found = judge(Statement("Port: 1", key="a.port"), Statement("Port: 2", key="b.port"))
    assert not found.ends_older(0.0)


def test_two_speakers_each_speak_of_themselves() -> None:
    texts = ("I live in Ghent.", "I moved to Bruges.")
    assert judge(*(Statement(text, speaker="ann") for text in texts)).ends_older()
    assert not judge(
        Statement(texts[0], speaker="ann"), Statement(texts[1], speaker="bob")
    ).ends_older()


def test_the_reason_names_what_a_person_can_check() -> None:
    numbers = relation("Staging listens on port 8080.", "Staging listens on port 9090.").reason
    assert "8080" in numbers
    assert "9090" in numbers
    assert "no longer" in relation("Eva lives in Graz.", "Eva no longer lives in Graz.").reason


def test_a_text_of_several_statements_is_not_surely_over_because_one_is() -> None:
    found = relation("My name is Ana and I live in Rome.", "My name is Bea.")
    assert not found.ends_older()


@pytest.mark.parametrize(
    ("older", "newer"), [("", "Something."), ("???", "!!!"), ("x " * 5_000, "The port is 8.")]
)
def test_an_empty_or_very_long_text_replaces_nothing(older: str, newer: str) -> None:
    assert not relation(older, newer).ends_older()
    assert not relation(newer, older).ends_older()


def test_words_of_a_change_or_a_plan_are_recognized_in_a_text_alone() -> None:
    assert has_change_hint("Use pnpm instead of npm.")
    assert not has_change_hint("Use pnpm.")
    assert is_exception("Maybe we move to Lyon.")
    assert not is_exception("We moved to Lyon.")


def test_lookup_terms_are_those_of_the_subject_or_of_the_slot() -> None:
    assert ["karim"] in list(lookup_terms("Karim joined Feldspat."))
    assert ["live"] in list(lookup_terms("I moved to Leipzig."))


@pytest.mark.parametrize(
    "unit", ["x is ", "a ", ".", "no longer ", "from a to b ", "我们 ", "Port: ", "now ", '"', "-"]
)
def test_texts_of_any_length_are_judged_quickly(unit: str) -> None:
    began = time.perf_counter()
    relation(unit * 20_000, unit * 19_999 + "b")
    assert time.perf_counter() - began < 5
