"""A model may name keys and nothing else; whatever it answers, the promises of absorbing a text
hold.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from commonplace.engine.engine import Engine
from commonplace.engine.keypaths import Key
from commonplace.errors import ModelFailed
from commonplace.records.memory import Edit, Scope
from tests.dialects.requirements import requirement

APP = Scope(project="app")
TEXT = "# Notes\nThe staging API listens on port 8080.\nWe decided to use PostgreSQL.\nowner: Ada\n"


class ScriptedModel:
    """Answers as it is told, and remembers what it was asked."""

    def __init__(self, answer: Callable[[str], Mapping[str, Any]]) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def ask(self, instructions: str, text: str) -> Mapping[str, Any]:
        self.asked.append(text)
        return self.answer(text)


def with_model(
    engine: Engine, answer: Mapping[str, Any] | Callable[[str], Mapping[str, Any]]
) -> Engine:
    model = ScriptedModel(answer if callable(answer) else lambda _: answer)
    return replace(engine, llm=lambda: model)


def naming(**names: str) -> Callable[[str], Mapping[str, Any]]:
    """Names each statement by a word in it."""

    def answer(text: str) -> Mapping[str, Any]:
        shown = json.loads(text)["statements"]
        found = {
            n: name
            for n, one in shown.items()
            for word, name in names.items()
            if word in one["text"]
        }
        return {"keys": found}

    return answer


def keys(engine: Engine) -> dict[str, str]:
    return {memory.key: memory.text for memory in engine.list("b", limit=100)}


@requirement("memstate:remember:model")
def test_a_model_names_the_keys_and_the_words_stay(engine: Engine) -> None:
    clever = with_model(engine, naming(staging="api.staging.port", PostgreSQL="Database.Choice"))
    clever.absorb("b", APP, TEXT)
    assert keys(engine) == {
        "api.staging.port": "The staging API listens on port 8080.",
        "database.choice": "We decided to use PostgreSQL.",
        "notes.owner": "Ada",
    }


def test_the_same_text_again_changes_nothing_whatever_the_model_says_now(engine: Engine) -> None:
    with_model(
        engine, naming(staging="api.port", PostgreSQL="database", Ada="people.owner")
    ).absorb("b", APP, TEXT)
    before, revision = keys(engine), engine.revision("b", "app")
    assert with_model(engine, {"keys": {"0": "x", "1": "y", "2": "z"}}).absorb("b", APP, TEXT) == ()
    assert engine.absorb("b", APP, TEXT) == ()
    assert (keys(engine), engine.revision("b", "app")) == (before, revision)


def test_one_edited_line_changes_the_key_that_the_model_named(engine: Engine) -> None:
    with_model(
        engine, naming(staging="api.port", PostgreSQL="database", Ada="people.owner")
    ).absorb("b", APP, TEXT)
    (changed,) = engine.absorb("b", APP, TEXT.replace("8080", "9090"))
    assert (changed.memory.key, changed.memory.version) == ("api.port", 2)
    (changed,) = engine.absorb("b", APP, TEXT.replace("8080", "9090").replace("Ada", "Bob"))
    assert (changed.memory.key, changed.memory.text) == ("people.owner", "Bob")


def test_a_model_cannot_touch_a_key_that_belongs_to_something_else(engine: Engine) -> None:
    engine.set_key("b", Key(APP, "api.port"), Edit(text="443"))
    with_model(engine, naming(staging="api.port", PostgreSQL="same", Ada="same")).absorb(
        "b", APP, TEXT
    )
    found = keys(engine)
    assert found["api.port"] == "443"
    assert sorted(found.values()) == sorted(
        ["443", "The staging API listens on port 8080.", "We decided to use PostgreSQL.", "Ada"]
    )


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"keys": []},
        {"keys": {"0": 7, "1": None, "99": "x"}},
        {"keys": {"0": "", "1": "...", "2": "a.b.c.d.e.f"}},
        {"keys": {"0": "project.other.x"}},
        {"keys": {"0": "k" * 5000}},
    ],
)
def test_a_silly_answer_is_as_good_as_none(engine: Engine, answer: Mapping[str, Any]) -> None:
    with_model(engine, answer).absorb("b", APP, TEXT)
    assert sorted(keys(engine).values()) == sorted(
        ["The staging API listens on port 8080.", "We decided to use PostgreSQL.", "Ada"]
    )
    assert engine.absorb("b", APP, TEXT) == ()


def test_a_model_that_fails_is_as_good_as_none(engine: Engine) -> None:
    def fail(_: str) -> Mapping[str, Any]:
        raise ModelFailed

    assert len(with_model(engine, fail).absorb("b", APP, TEXT)) == 3


def test_nobody_waits_for_the_model_to_write(engine: Engine) -> None:
    def answer(_: str) -> Mapping[str, Any]:
        assert not engine.db.in_transaction
        engine.set_key("b", Key(APP, "meanwhile"), Edit(text="written"))
        return {"keys": {"0": "meanwhile"}}

    with_model(engine, answer).absorb_as_job("b", APP, TEXT)
    assert keys(engine)["meanwhile"] == "written"
    assert len(keys(engine)) == 4
