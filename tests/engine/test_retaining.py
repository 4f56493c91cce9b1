"""Retaining and asking, through the engine."""

import pytest

from commonplace.engine.asking import Question
from commonplace.engine.engine import Engine
from commonplace.engine.marks import mark_of, proof_count
from commonplace.engine.retaining import Passage
from commonplace.errors import Invalid, NotFound, TooLarge
from commonplace.records import Filter
from tests.conftest import StoppedClock


def test_a_fact_said_by_two_documents_outlives_one_of_them(engine: Engine) -> None:
    engine.retain("b", Passage("The gate is green.", name="one"))
    [number] = engine.retain("b", Passage("The gate is green. The roof is red.", name="two")).memory_ids[:1]
    assert proof_count(engine.get("b", number)) == 2
    engine.erase_document("b", "one")
    fact = engine.get("b", number)
    assert (proof_count(fact), fact.document_id) == (1, engine.get_document("b", "two").id)
    assert len(engine.erase_document("b", "two")) == 2
    with pytest.raises(NotFound):
        engine.get("b", number)


def test_a_fact_that_comes_back_is_the_same_memory(engine: Engine) -> None:
    [first] = engine.retain("b", Passage("The gate is green.", name="one")).memory_ids
    engine.retain("b", Passage("The gate is blue.", name="one"))
    assert engine.get("b", first).forgotten_at is not None
    assert engine.retain("b", Passage("The gate is green.", name="one")).memory_ids == (first,)
    assert [one.action for one in engine.history("b", first)] == ["remember", "forget", "remember"]


def test_a_text_that_is_refused_leaves_nothing(engine: Engine) -> None:
    for passage, error in (
        (Passage("x" * 1_000_001), TooLarge),
        (Passage("Fine.", metadata={"fact": "mine"}), Invalid),
        (Passage("Fine.", tags=("a\nb",)), Invalid),
    ):
        with pytest.raises(error):
            engine.retain_as_job("b", passage)
    assert engine.list_banks() == ()


def test_what_is_linked_stands_after_what_answers(engine: Engine) -> None:
    engine.retain("b", Passage("The backup of the billing server runs every night at two."))
    engine.retain("b", Passage("Every night at two the backup of the archive machine runs."))
    [first, *_] = engine.ask("b", Question("billing server backup"))
    engine.list_links("b", [first.memory.id])
    found = engine.ask("b", Question("billing"))
    assert "billing" in found[0].memory.text
    assert [one.final for one in found] == sorted((one.final for one in found), reverse=True)


def test_dates_are_reckoned_from_when_it_was_said(engine: Engine, clock: StoppedClock) -> None:
    [number] = engine.retain("b", Passage("The party was yesterday.", said_at=clock.now() - 86_400_000)).memory_ids
    fact = engine.get("b", number)
    assert mark_of(fact).mentioned_at == clock.now() - 86_400_000
    assert fact.happened_at is not None
    assert fact.happened_at < clock.now() - 86_400_000


def test_browsing_takes_words_as_they_are(engine: Engine) -> None:
    engine.retain("b", Passage("It is 100% done."))
    engine.retain("b", Passage("It is 100 times done."))
    assert engine.browse("b", Filter(), "100%")[1] == 1
    assert engine.browse("b", Filter(), "_")[1] == 0
