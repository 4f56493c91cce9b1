"""Hindsight with a language model, through the MCP layer: what it may find and say, and what happens when it fails."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from commonplace.engine.engine import Engine
from commonplace.engine.tasks import TASKS
from commonplace.engine.worker import Worker
from commonplace.errors import ModelFailed
from commonplace.models.llm import LanguageModel
from tests.dialects.hindsight_client import Hindsight
from tests.dialects.requirements import requirement
from tests.models.scripted import Answer, Scripted, model, nobody, silent

TEXT = "On Monday the disk of db-1 was full, so Maria Rossi stopped the billing job. She likes tea."
FOUND: list[dict[str, Any]] = [
    {"text": "The disk of db-1 was full.", "start": "2026-09-21", "entities": ["db-1"]},
    {
        "text": "Maria Rossi stopped the billing job.",
        "type": "experience",
        "entities": ["Maria Rossi"],
        "caused_by": [0],
    },
    {"text": "Maria Rossi likes tea.", "type": "world", "entities": ["Maria Rossi", "Paris"]},
]


@contextmanager
def asked(
    engine: Engine, *answers: Answer, bank: str = "", call_s_max: float = 5
) -> Iterator[tuple[Hindsight, Scripted]]:
    """A client of an engine with a model that says what it is told to, and the model."""
    with model(*answers) as server:
        spoken = replace(engine, llm=lambda: LanguageModel(server.url, call_s_max=call_s_max))
        yield Hindsight(spoken, bank), server


@requirement("hindsight:retain:model")
@pytest.mark.parametrize("bank", ["", "alice"])
def test_a_model_finds_facts_dates_types_names_and_causes(engine: Engine, bank: str) -> None:
    with asked(engine, {"facts": FOUND}, bank=bank) as (client, server):
        numbers = client.keep(TEXT, timestamp="2026-09-22T09:00:00Z")
        disk, job, tea = (client("get_memory", memory_id=number) for number in numbers)
        assert [one["text"] for one in (disk, job, tea)] == [one["text"] for one in FOUND]
        assert (disk["type"], job["type"], tea["type"]) == ("world", "experience", "world")
        assert (disk["occurred_start"], disk["occurred_end"]) == (
            "2026-09-21T00:00:00.000Z",
            "2026-09-21T23:59:59.999Z",
        )
        assert tea["occurred_start"] is None
        assert tea["entities"] == ["Maria Rossi"]  # The text says nothing of Paris.
        assert "Said on 2026-09-22 (Tuesday)." in server.texts[0]
        links = Hindsight(engine)("get_bank_stats", bank_id=bank or "default")["link_counts"]
        assert links == {"temporal": 3, "entity": 1, "caused_by": 1}
        assert client.found("Why was the billing job stopped?")[:1] == ["Maria Rossi stopped the billing job."]
        assert "The disk of db-1 was full." in client.found("Why was the billing job stopped?")


@requirement("hindsight:retain:wishes")
def test_the_bank_says_how_a_text_is_read(engine: Engine) -> None:
    vocabulary = [
        {"key": "mood", "description": "how it felt", "values": [{"value": "calm"}, {"value": "tense"}]},
        "person",
    ]
    wanted = {
        "retain_mission": "Keep only what concerns the kitchen.",
        "retain_extraction_mode": "custom",
        "retain_custom_instructions": "Write like a ship's log.",
        "entity_labels": vocabulary,
        "entities_allow_free_form": False,
    }
    labels = [
        {"label": "mood", "value": "tense"},
        {"label": "mood", "value": "odd"},
        {"label": "person", "value": "Ann"},
    ]
    fact = {"text": "Ann burnt the soup in Rome.", "entities": ["Ann", "Rome"], "labels": labels}
    with asked(engine, {"facts": [fact]}, {"facts": []}) as (client, server):
        client("update_bank", config_updates=wanted)
        [number] = client.keep("Ann burnt the soup in Rome, it was tense.")
        assert client("get_memory", memory_id=number)["entities"] == ["mood:tense", "Ann"]
        told = server.asked[0]["messages"][0]["content"]
        assert all(
            part in told for part in ("concerns the kitchen", "ship's log", "mood (one of: calm, tense)", "person")
        )
        assert client("sync_retain", content="Bob sold the car.") == {
            "status": "completed",
            "message": "Memory stored successfully",
            "memory_ids": [],
        }
        client("update_bank", config_updates=dict.fromkeys(wanted) | {"retain_extraction_mode": "verbose"})
        client.keep("Bob sold the bus.")
        assert "every detail" in server.asked[-1]["messages"][0]["content"]


@requirement("hindsight:retain:model-fails")
@pytest.mark.parametrize(
    ("answers", "why"),
    [
        (["no JSON at all"], "The model did not answer with a JSON object."),
        ([{"facts": "many"}], "The model did not answer with a list of facts."),
        ([{"facts": [{"text": "The moon is made of cheese."}]}], "The model's facts are not in the text."),
        ([{"facts": [{"text": "The gate code is 9999."}]}], "The model's facts are not in the text."),
        ([{"facts": []}], "The model found nothing in a text that says something."),
        ([500], "The model's server answered with status 500."),
        ([silent], "The model did not answer within 0.3 seconds."),
    ],
)
def test_when_the_model_fails_the_rules_keep_everything(engine: Engine, answers: list[Answer], why: str) -> None:
    with asked(engine, *answers, call_s_max=0.3) as (client, server):
        answer = client("sync_retain", content="The gate code is 4411. Nina has the key.")
        assert answer["note"] == f"Made without the model: {why}"
        assert [one["text"] for one in client.facts()] == ["The gate code is 4411.", "Nina has the key."]
        assert len(server.asked) <= 2  # Rubbish is asked for once more, silence is not.


def test_a_second_answer_can_mend_the_first(engine: Engine) -> None:
    with asked(engine, "rubbish", {"facts": ["Nina has the key."]}) as (client, server):
        answer = client("sync_retain", content="Nina has the key.")
        assert "note" not in answer
        assert "could not be used" in server.texts[1]


def test_nobody_there_and_nothing_configured_are_told(engine: Engine) -> None:
    def refused() -> LanguageModel:
        raise ModelFailed("The language model of openai needs a key.")

    for llm in (lambda: LanguageModel(nobody()), refused):
        client = Hindsight(replace(engine, llm=llm))
        answer = client("sync_retain", content="Tea is at four.", document_id=str(id(llm)))
        assert answer["note"].startswith("Made without the model: The ")


@requirement("hindsight:retain:model-chunks")
def test_only_what_changed_is_read_again(engine: Engine) -> None:
    first, second = ("The red hall has 10 seats. " * 8).strip(), ("The blue hall has 20 seats. " * 8).strip()
    red, blue, green = (
        {"facts": [f"The {colour} hall has {n}0 seats."]} for n, colour in ((1, "red"), (2, "blue"), (3, "green"))
    )
    with asked(engine, red, blue, green) as (client, server):
        client("update_bank", config_updates={"retain_chunk_size": 250, "retain_chunk_batch_size": 1})
        kept = client.keep(f"{first}\n{second}", document_id="halls", tags=["a"])
        assert len(kept) == len(server.asked) == 2
        assert client.keep(f"{first}\n{second}", document_id="halls", tags=["a"]) == []
        assert len(server.asked) == 2
        third = ("The green hall has 30 seats. " * 8).strip()
        new = client.keep(f"{first}\n{third}", document_id="halls", tags=["a"])
        assert len(new) == 1
        assert len(server.asked) == 3
        assert {one["id"] for one in client.facts()} == {kept[0], *new}
        assert len(client.keep(f"{first}\n{third}", document_id="halls", tags=["b"])) == 2
        assert len(server.asked) == 3  # Other tags make other facts, but no other reading.


def test_what_one_part_fails_at_is_cut_by_rules(engine: Engine) -> None:
    text = "\n".join(
        f"The {colour} hall has many seats and a door that leads to the yard." for colour in ("red", "blue")
    )
    with asked(engine, {"facts": ["The red hall has many seats."]}, "rubbish") as (client, _):
        client("update_bank", config_updates={"retain_chunk_size": 100, "retain_chunk_batch_size": 1})
        answer = client("sync_retain", content=text)
        assert (
            answer["note"] == "1 of 2 parts were made without the model: The model did not answer with a JSON object."
        )
        assert [one["text"] for one in client.facts()] == ["The red hall has many seats.", text.splitlines()[1]]


@requirement("hindsight:retain:model-async")
def test_retain_does_not_wait_for_the_model(engine: Engine) -> None:
    with asked(engine, {"facts": ["Nina has the key."]}) as (client, server):
        worker = Worker(client.client.engine, TASKS, poll_s=0.01)
        client.client.engine.bell.hear(bool)  # Somebody does jobs, and has not begun.
        made = client("retain", content="Nina has the key, I think, and so on.", document_id="d")
        assert client("get_operation", operation_id=made["operation_id"])["status"] == "pending"
        assert [one["text"] for one in client.facts()] == ["Nina has the key, I think, and so on."]
        assert server.asked == []
        worker.start()
        done = made
        for _ in range(500):
            done = client("get_operation", operation_id=made["operation_id"])
            if done["status"] == "completed":
                break
            server.over.wait(0.01)
        worker.stop()
        assert worker.join(5)
        assert done["status"] == "completed"
        assert [one["text"] for one in client.facts()] == ["Nina has the key."]
        assert done["result_metadata"]["memories"] == [one["id"] for one in client.facts()]


def test_without_a_worker_the_model_is_asked_at_once(engine: Engine) -> None:
    with asked(engine, {"facts": ["Nina has the key."]}) as (client, _):
        made = client("retain", content="Nina has the key, I think, and so on.")
        assert client("get_operation", operation_id=made["operation_id"])["status"] == "completed"
        assert [one["text"] for one in client.facts()] == ["Nina has the key."]


@requirement("hindsight:reflect:model")
def test_a_model_must_cite_what_it_was_shown(engine: Engine) -> None:
    [number] = Hindsight(engine).keep("Tea is served at four.")
    cited = [{"text": "Tea is at four.", "sources": [1]}, {"text": "Cake is free.", "sources": [9]}]
    with asked(engine, {"sentences": cited}, {"sentences": [{"text": "Nobody said this."}]}) as (client, _):
        assert client("reflect", query="When is tea?")["text"] == f"Tea is at four. [{number}]"
        text = client("reflect", query="When is tea?")["text"]
    assert f"- Tea is served at four. (2026-09-21) [{number}]" in text
    assert text.endswith("(Made without the model: The model cited no memory it was shown.)")
