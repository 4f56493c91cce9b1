"""Retaining and asking, through the engine."""

import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler

import pytest

from commonplace.app import open_engine
from commonplace.engine.engine import Engine
from commonplace.engine.facts.fact_metadata import fact_metadata_of, proof_count
from commonplace.engine.facts.fact_query import Question
from commonplace.engine.facts.retain_request import RetainRequest
from commonplace.engine.operations.maintenance import JOB_TASKS
from commonplace.engine.operations.worker import run_pending
from commonplace.errors import Invalid, NotFound, TooLarge
from commonplace.models.llm import LanguageModel
from commonplace.records.memory import Draft
from commonplace.records.query import Filter
from commonplace.settings import load
from tests.conftest import StoppedClock
from tests.models.scripted import Scripted, model, sent


def test_a_fact_said_by_two_documents_outlives_one_of_them(engine: Engine) -> None:
    engine.retain("b", RetainRequest("The gate is green.", name="one"))
    [number] = engine.retain(
        "b", RetainRequest("The gate is green. The roof is red.", name="two")
    ).memory_ids[:1]
    assert proof_count(fact_metadata_of(engine.get("b", number))) == 2
    engine.erase_document("b", "one")
    fact = engine.get("b", number)
    assert (proof_count(fact_metadata_of(fact)), fact.document_id) == (
        1,
        engine.get_document("b", "two").id,
    )
    assert len(engine.erase_document("b", "two")) == 2
    with pytest.raises(NotFound):
        engine.get("b", number)


def test_a_fact_that_comes_back_is_the_same_memory(engine: Engine) -> None:
    [first] = engine.retain("b", RetainRequest("The gate is green.", name="one")).memory_ids
    engine.retain("b", RetainRequest("The gate is blue.", name="one"))
    assert engine.get("b", first).forgotten_at is not None
    assert engine.retain("b", RetainRequest("The gate is green.", name="one")).memory_ids == (
        first,
    )
    assert [one.action for one in engine.history("b", first)] == ["remember", "forget", "remember"]


def test_a_text_that_is_refused_leaves_nothing(engine: Engine) -> None:
    for passage, error in (
        (RetainRequest("x" * 1_000_001), TooLarge),
        (RetainRequest("Fine.", metadata={"fact": "mine"}), Invalid),
        (RetainRequest("Fine.", tags=("a\nb",)), Invalid),
    ):
        with pytest.raises(error):
            engine.retain_as_job("b", passage)
    assert engine.list_banks() == ()


def test_what_is_linked_stands_after_what_answers(engine: Engine) -> None:
    engine.retain("b", RetainRequest("The backup of the billing server runs every night at two."))
    engine.retain("b", RetainRequest("Every night at two the backup of the archive machine runs."))
    [first, *_] = engine.search_facts("b", Question("billing server backup")).found
    engine.list_links("b", [first.memory.id])
    found = engine.search_facts("b", Question("billing")).found
    assert "billing" in found[0].memory.text
    assert [one.final for one in found] == sorted((one.final for one in found), reverse=True)


def test_dates_are_reckoned_from_when_it_was_said(engine: Engine, clock: StoppedClock) -> None:
    [number] = engine.retain(
        "b", RetainRequest("The party was yesterday.", mentioned_at=clock.now() - 86_400_000)
    ).memory_ids
    fact = engine.get("b", number)
    assert fact_metadata_of(fact).mentioned_at == clock.now() - 86_400_000
    assert fact.happened_at is not None
    assert fact.happened_at < clock.now() - 86_400_000


def test_browsing_takes_words_as_they_are(engine: Engine) -> None:
    engine.retain("b", RetainRequest("It is 100% done."))
    engine.retain("b", RetainRequest("It is 100 times done."))
    assert engine.browse("b", Filter(), "100%")[1] == 1
    assert engine.browse("b", Filter(), "_")[1] == 0


def spoken(fact: str) -> bytes:
    return (
        b'{"choices": [{"message": {"content": "{\\"facts\\": [\\"' + fact.encode() + b'\\"]}"}}]}'
    )


def test_nobody_waits_for_the_model_to_write(engine: Engine) -> None:
    other = open_engine(load({"COMMONPLACE_HOME": str(engine.db.path.parent)}))

    def writing(_: Scripted, to: BaseHTTPRequestHandler) -> None:
        # While the model thinks, another process writes; that would wait for ever if the store were
        # held.
        other.remember("b", Draft("Written meanwhile."))
        sent(to, spoken("The gate is green."))

    with model(writing) as server:
        thinking = replace(engine, llm=lambda: LanguageModel(server.url))
        done = thinking.retain("b", RetainRequest("The gate is green."))
    other.db.close()
    assert (len(done.memory_ids), done.warning) == (1, "")
    assert {one.text for one in engine.list("b")} == {"The gate is green.", "Written meanwhile."}


def test_a_text_that_changes_while_the_model_reads_it_loses_nothing(engine: Engine) -> None:
    changed = threading.Event()

    def appending(_: Scripted, to: BaseHTTPRequestHandler) -> None:
        if not changed.is_set():
            changed.set()
            with_rules = open_engine(load({"COMMONPLACE_HOME": str(engine.db.path.parent)}))
            with_rules.retain("b", RetainRequest("The roof is red.", name="house", append=True))
            with_rules.db.close()
        sent(to, spoken("The gate is green."))

    engine.retain("b", RetainRequest("The wall is white.", name="house"))
    with model(appending) as server:
        thinking = replace(engine, llm=lambda: LanguageModel(server.url))
        thinking.retain("b", RetainRequest("The gate is green.", name="house", append=True))
    text = engine.get_document("b", "house").text
    assert text == "The wall is white.\nThe roof is red.\nThe gate is green."


def test_inside_a_transaction_no_model_is_asked(engine: Engine) -> None:
    with model({"facts": ["The gate is green."]}) as server:
        thinking = replace(engine, llm=lambda: LanguageModel(server.url))
        with thinking.db.transaction():
            thinking.retain("b", RetainRequest("The gate is green, they say."))
        assert server.asked == []
    assert [one.text for one in engine.list("b")] == ["The gate is green, they say."]


def test_a_document_erased_before_the_model_reads_it_stays_erased_and_its_job_with_it(
    engine: Engine,
) -> None:
    with model({"facts": ["The gate is green."]}) as server:
        thinking = replace(engine, llm=lambda: LanguageModel(server.url))
        thinking.work_signal.register(bool)
        job = thinking.retain_as_job("b", RetainRequest("The gate is green.", name="house"))
        thinking.erase_document("b", "house")
        assert job.id not in [one.id for one in run_pending(thinking, JOB_TASKS)]
    with pytest.raises(NotFound):
        engine.get_job("b", job.id)
    assert (engine.list("b"), engine.list_documents("b").total) == ((), 0)
