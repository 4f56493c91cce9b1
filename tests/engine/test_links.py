"""Links: made after the write by the next read; derived, so they can be dropped and made again."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import commonplace
from commonplace.engine.catch_up import catch_up_links
from commonplace.engine.engine import Engine
from commonplace.engine.operations import maintenance
from commonplace.errors import ModelFailed
from commonplace.records.memory import Draft, Edit, Link, Scope
from commonplace.records.query import Filter, Query
from commonplace.storage.rows import banks, links
from tests.conftest import StoppedClock

BANK = "b"


def remember(engine: Engine, text: str, scope: Scope = Scope()) -> int:
    return engine.remember(BANK, Draft(text, scope=scope)).memory.id


def kinds(found: tuple[Link, ...]) -> list[tuple[str, int, int]]:
    return [(link.kind, link.from_id, link.to_id) for link in found]


def test_a_link_goes_from_the_newer_to_the_older_with_confidence_and_reason(engine: Engine) -> None:
    old = remember(engine, "Port: 8080")
    new = remember(engine, "Port: 9090")
    (link,) = engine.list_links(BANK, [old])
    assert (link.kind, link.from_id, link.to_id) == ("contradicts", new, old)
    assert 0 < link.confidence <= 1
    assert link.reason
    assert engine.list_links(BANK, [new]) == (link,)


def test_a_revision_makes_the_links_again(engine: Engine, clock: StoppedClock) -> None:
    old = remember(engine, "Port: 8080")
    new = remember(engine, "Port: 9090")
    engine.list_links(BANK, [old])
    clock.advance(1)
    engine.revise(BANK, old, Edit(text="Port: 7070"))
    assert kinds(engine.list_links(BANK, [old])) == [("contradicts", old, new)]
    clock.advance(1)
    engine.revise(BANK, old, Edit(text="Lunch is at noon"))
    assert engine.list_links(BANK, [old]) == ()


def test_another_process_sees_the_same_links(engine: Engine, home: Path) -> None:
    old = remember(engine, "Port: 8080")
    remember(engine, "Port: 9090")
    other = commonplace.open(home)
    assert other.list_links(BANK, [old]) == engine.list_links(BANK, [old]) != ()
    other.db.close()


def test_a_purge_takes_the_links_along(engine: Engine) -> None:
    old = remember(engine, "Port: 8080")
    new = remember(engine, "Port: 9090")
    engine.list_links(BANK, [old])
    engine.purge(BANK, [new])
    assert engine.list_links(BANK, [old]) == ()


def test_dropped_links_are_made_again_also_those_of_what_gave_way(
    engine: Engine, clock: StoppedClock
) -> None:
    remember(engine, "Port: 1")
    remember(engine, "Use tabs in Go code of the shop")
    remember(engine, "Use tabs in all Go code of the shop")
    clock.advance(1)
    winner = remember(engine, "Port: 2")
    engine.consolidate(BANK, Filter())
    every = [memory.id for memory in engine.list(BANK)]
    before = kinds(engine.list_links(BANK, every))
    assert [kind for kind, *_ in before] == ["supersedes", "similar_to"]
    assert before[0][1] == winner

    bank_id = engine.get_bank(BANK).id
    with engine.db.transaction():
        for number in every:
            engine.db.run("drop_links_from", ids=f"[{number}]")
        banks.put_store_info(engine.db, f"links:{bank_id}", "")
    assert links.links_of(engine.db, bank_id, every, limit=10) == []
    assert kinds(engine.list_links(BANK, every)) == before


def test_links_stay_within_a_bank_a_user_and_a_project(engine: Engine) -> None:
    first = remember(engine, "Port: 1", Scope(project="a"))
    remember(engine, "Port: 2", Scope(project="b"))
    remember(engine, "Port: 3", Scope(project="c", user="ada"))
    engine.remember("other", Draft("Port: 4"))
    assert engine.list_links(BANK, [first]) == ()
    around = remember(engine, "Port: 5")
    assert kinds(engine.list_links(BANK, [first])) == [("contradicts", around, first)]


def test_keys_say_different_things_on_purpose(engine: Engine) -> None:
    first = engine.remember(BANK, Draft("Port: 1", key="a.port")).memory.id
    engine.remember(BANK, Draft("Port: 2", key="b.port"))
    assert engine.list_links(BANK, [first]) == ()


def test_a_writer_elsewhere_does_not_hold_up_a_reader(engine: Engine, home: Path) -> None:
    old = remember(engine, "Port: 8080")
    remember(engine, "Port: 9090")
    other = commonplace.open(home)
    with other.db.transaction():
        banks.put_store_info(other.db, "x", "y")
        # Nothing can be stored now, and nothing is waited for.
        assert engine.list_links(BANK, [old]) == ()
    assert len(engine.list_links(BANK, [old])) == 1
    other.db.close()


def test_an_idle_server_makes_the_links_of_every_bank(engine: Engine) -> None:
    for bank in ("one", "two"):
        for number in range(2):
            engine.remember(bank, Draft(f"Port: {number}"))
    maintenance.run_idle_tasks(engine)
    for bank in ("one", "two"):
        every = [memory.id for memory in engine.list(bank)]
        assert len(links.links_of(engine.db, engine.get_bank(bank).id, every, limit=10)) == 1


class ScriptedModel:
    """A model that says what it was told to say, and remembers what it was asked."""

    def __init__(self, *answers: object) -> None:
        self.answers, self.asked = list(answers), list[dict[str, Any]]()

    def ask(self, instructions: str, text: str) -> Mapping[str, Any]:
        assert "JSON" in instructions
        self.asked.append(json.loads(text))
        answer = self.answers.pop(0) if self.answers else {"relations": []}
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, dict)
        return answer


def with_model(engine: Engine, model: ScriptedModel) -> Engine:
    return replace(engine, llm=lambda: model)


def test_a_model_finds_what_the_words_do_not_tell(engine: Engine) -> None:
    old = remember(engine, "The shop closes at six in Rome")
    new = remember(engine, "In Rome the shop stays open all night")
    assert engine.list_links(BANK, [old]) == ()
    row = {
        "id": "0",
        "relation": "contradicts",
        "confidence": 0.9,
        "reason": "Open all night is not closed at six.",
    }
    model = ScriptedModel({"relations": [row]})
    maintenance.run_idle_tasks(with_model(engine, model))
    (link,) = engine.list_links(BANK, [old])
    assert (link.kind, link.from_id, link.to_id, link.confidence) == ("contradicts", new, old, 0.9)
    assert link.reason == "Open all night is not closed at six."
    assert model.asked[0]["older"] == {"0": "The shop closes at six in Rome"}
    # What was looked at once is not looked at again.
    maintenance.run_idle_tasks(with_model(engine, model))
    assert len(model.asked) == 1


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"relations": "all of them"},
        {"relations": ["x", None, {"id": "0"}]},
        {"relations": [{"id": "7", "relation": "same", "confidence": 1}]},
        {"relations": [{"id": "0", "relation": "hates", "confidence": 1}]},
        {"relations": [{"id": "0", "relation": "same", "confidence": 0.2}]},
        {"relations": [{"id": "0", "relation": "same", "confidence": 7}]},
        {"relations": [{"id": "0", "relation": "same", "confidence": True}]},
    ],
)
def test_what_a_silly_model_says_is_left_out(engine: Engine, answer: object) -> None:
    old = remember(engine, "The shop closes at six in Rome")
    remember(engine, "In Rome the shop stays open all night")
    maintenance.run_idle_tasks(with_model(engine, ScriptedModel(answer)))
    assert engine.list_links(BANK, [old]) == ()


def test_a_model_that_fails_is_asked_again_later(engine: Engine, clock: StoppedClock) -> None:
    old = remember(engine, "The shop closes at six in Rome")
    remember(engine, "In Rome the shop stays open all night")
    row = {"id": "0", "relation": "replaces", "confidence": 0.8, "reason": "r"}
    model = ScriptedModel(ModelFailed("down"), {"relations": [row]})
    maintenance.run_idle_tasks(with_model(engine, model))
    maintenance.run_idle_tasks(with_model(engine, model))
    assert (engine.list_links(BANK, [old]), len(model.asked)) == ((), 1)
    clock.advance(300_000)
    maintenance.run_idle_tasks(with_model(engine, model))
    assert [link.kind for link in engine.list_links(BANK, [old])] == ["supersedes"]


def test_a_backlog_is_worked_off_in_parts(engine: Engine) -> None:
    engine.remember_many(
        BANK, [Draft(f"Statement number {number} about nothing") for number in range(130)]
    )
    bank_id = engine.get_bank(BANK).id
    marks: list[tuple[int, int]] = []
    for _ in range(200):
        catch_up_links(engine, bank_id, (), 1)
        marks.append(links.high_water_mark(engine.db, bank_id))
        if not links.changed_since(engine.db, bank_id, marks[-1], 1):
            break
    assert marks == sorted(marks)
    assert links.changed_since(engine.db, bank_id, marks[-1], 1) == []


def test_a_read_writes_nothing_into_the_transaction_of_its_caller(engine: Engine) -> None:
    old = remember(engine, "The shop closes at six")
    remember(engine, "The shop closes at nine")
    bank_id = engine.get_bank(BANK).id
    before = links.high_water_mark(engine.db, bank_id)
    with engine.db.transaction():
        assert engine.list_links(BANK, [old]) == ()
        assert engine.recall(BANK, Query("When does the shop close?")).hits
        assert links.high_water_mark(engine.db, bank_id) == before
        assert engine.stale_count() == 2
    assert engine.list_links(BANK, [old]) != ()
    assert links.high_water_mark(engine.db, bank_id) > before
