"""Types of things: a memory about a dog answers a question for pets."""

from dataclasses import replace
from importlib import resources

import pytest

from commonplace.engine.engine import Engine
from commonplace.language import analyzer
from commonplace.recall import type_lexicon
from commonplace.records.memory import Draft
from commonplace.records.query import Query


def _named(question: str, said: str) -> float:
    members = type_lexicon.asked_members(question)
    assert members, question
    terms = analyzer.index_text(said)
    return members.mention_share(terms, len(terms.split()))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which pets does Anna have?", "Anna's dog is called Biscuit."),
        ("what database do we use for billing", "Billing moved to Postgres 16."),
        ("Which pet does Anna have?", "Anna adopted Biscuit, a whippet."),
        ("What kind of music does he listen to?", "He mostly plays jazz in the car."),
        ("Does she play any instruments?", "She practises the violin every evening."),
        ("What's my favourite fruit?", "I could eat mangoes all day."),
        ("What is the name of the streaming service we pay for?", "Netflix is 12 euros a month."),
        ("Where did they go in May?", "In May they went to Portugal."),
        ("What does Callum do for a living?", "Callum is a vet."),
        ("Which city does Imogen live in?", "Imogen found a flat in New York."),
    ],
)
def test_members_of_the_type_asked_for_are_found(question: str, answer: str) -> None:
    assert _named(question, answer) > 0
    assert _named(question, "The meeting was put off because of the train.") == 0


def test_two_members_count_more_than_one_and_in_a_long_text_less() -> None:
    one, two = "We have a dog.", "We have a dog and a cat."
    assert 0 < _named("Which pets do you have?", one) < _named("Which pets do you have?", two) == 1
    assert _named("Which pets do you have?", one + " It was a long day in the office." * 20) < 0.3


@pytest.mark.parametrize(
    "question",
    [
        "When does the shop open?",
        "How do I restart the worker?",
        "Anna told me about her dog and her cat.",
        "Which pets do you have? " + "It was a long day in the office. " * 20,
        "",
    ],
)
def test_a_question_without_a_type_has_no_members(question: str) -> None:
    assert type_lexicon.asked_members(question) is None


def test_a_member_in_the_question_itself_does_not_count() -> None:
    assert _named("Which pet is friends with the dog?", "The dog sleeps.") == 0
    assert _named("Which pet is friends with the guinea pig?", "The guinea pig sleeps.") == 0
    assert _named("Which pet is friends with the dog?", "The dog sleeps beside the guinea pig.") > 0


def test_only_a_type_that_is_named_counts_as_missing(engine: Engine) -> None:
    for said in (
        "The birdsong files are under /data/birdsong.",
        "Our lake house stands empty in winter.",
    ):
        engine.remember("b", Draft(said))
    stored = engine.recall("b", Query("Where are the birdsong files?", limit=5))
    asked = engine.recall("b", Query("Which country are the birdsong files from?", limit=5))
    assert all("kind" not in hit.channels for hit in stored.hits)
    assert [hit.channels["kind"] for hit in asked.hits] == [0] * len(asked.hits)


def test_a_member_of_the_type_comes_before_a_text_with_only_the_words(engine: Engine) -> None:
    for said in ("Callum is a vet.", "Callum works at home on Fridays."):
        engine.remember("b", Draft(said))
    # What the reranker says is one more kind of evidence, and here the weaker one is wanted by
    # itself.
    found = replace(engine, reranker=lambda: None).recall(
        "b", Query("What does Callum do for a living?", limit=2)
    )
    assert found.hits[0].memory.text == "Callum is a vet."


def test_each_line_has_a_type_and_each_member_once() -> None:
    lines = (
        resources.files("commonplace.recall")
        .joinpath("type_lexicon.txt")
        .read_text(encoding="utf-8")
        .splitlines()
    )
    assert lines == sorted(lines, key=lambda line: line.split(":")[0].split(",")[0])
    for line in lines:
        names, _, things = line.partition(": ")
        assert line == line.lower(), names
        assert names, line
        cut = [analyzer.index_text(thing) for thing in things.split(", ")]
        assert len(cut) >= 8, names
        assert all(cut), names
        assert len(cut) == len(set(cut)), names
