"""Hindsight's operations through the MCP layer, with a worker that does them and a model that takes
its time.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from commonplace.engine.engine import Engine
from commonplace.engine.operations.maintenance import JOB_TASKS
from commonplace.engine.operations.worker import Worker, run_pending
from commonplace.errors import Invalid, ModelFailed
from commonplace.records.memory import Edit
from tests.dialects.hindsight_client import Hindsight
from tests.dialects.requirements import requirement

WAIT_S = 20


@dataclass
class Slow:
    """A model that thinks until it may answer, and then has nothing to say."""

    asked: threading.Event = field(default_factory=threading.Event)
    may_answer: threading.Event = field(default_factory=threading.Event)

    def within(self, _seconds: float) -> "Slow":
        return self

    def ask(self, _instructions: str, _text: str) -> Mapping[str, Any]:
        self.asked.set()
        assert self.may_answer.wait(WAIT_S)
        raise ModelFailed("It does not know.")


@dataclass
class Missionary:
    """A model that tells observations in given words, and is of no use for anything else."""

    answer: Callable[[str], Mapping[str, Any]]
    asked: list[str] = field(default_factory=list[str])

    def within(self, _seconds: float) -> "Missionary":
        return self

    def ask(self, instructions: str, text: str) -> Mapping[str, Any]:
        if "You keep observations" not in instructions:
            raise ModelFailed("Only observations here.")
        self.asked.append(text)
        return self.answer(text)


@pytest.fixture
def slow() -> Iterator[Slow]:
    model = Slow()
    yield model
    model.may_answer.set()


@pytest.fixture
def working(engine: Engine, slow: Slow) -> Iterator[Engine]:
    """The engine with a slow model, and a worker that asks it."""
    parts = replace(engine, llm=lambda: slow)
    worker = Worker(parts, JOB_TASKS, poll_s=0.05)
    worker.start()
    yield parts
    slow.may_answer.set()
    worker.stop()
    assert worker.join(WAIT_S)


def until(check: Callable[[], object]) -> None:
    deadline = time.monotonic() + WAIT_S
    while not check():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def make(hindsight: Hindsight, name: str) -> str:
    answer = hindsight(
        "create_mental_model", name=name, source_query="Where is the office?", mental_model_id=name
    )
    number: str = answer["operation_id"]
    return number


@requirement(
    "hindsight:operations:cancel", "hindsight:operations:running", "hindsight:operations:list"
)
@requirement("hindsight:model:asynchronous")
@pytest.mark.parametrize("bank", ["", "alice"])
def test_pending_and_running_operations_are_cancelled(
    engine: Engine, working: Engine, slow: Slow, bank: str
) -> None:
    Hindsight(engine, bank).sync_retain("The office is in Oslo.")
    hindsight = Hindsight(working, bank)
    running, pending = make(hindsight, "one"), make(hindsight, "two")
    assert slow.asked.wait(WAIT_S)
    for status, number in (
        ("running", running),
        ("processing", running),
        ("RUNNING", running),
        ("pending", pending),
    ):
        [shown] = hindsight("list_operations", status=status)["operations"]
        assert (shown["id"], shown["operation_type"]) == (number, "refresh_mental_model")
    assert hindsight("get_operation", operation_id=running)["progress"]["stage"] == "reading"
    for number in (running, pending):
        done = hindsight("cancel_operation", operation_id=number)
        assert (done["success"], done["operation_id"]) == (True, number)
        # At once, although the model still thinks.
        assert hindsight("get_operation", operation_id=number)["status"] == "cancelled"
        refused = hindsight("cancel_operation", operation_id=number)["error"]
        assert "is cancelled" in refused
        assert "pending and running" in refused
    assert {
        one["id"] for one in hindsight("list_operations", status="cancelled")["operations"]
    } == {running, pending}
    slow.may_answer.set()
    third = make(hindsight, "three")
    until(lambda: hindsight("get_operation", operation_id=third)["status"] == "completed")
    contents = [
        hindsight("get_mental_model", mental_model_id=one)["content"]
        for one in ("one", "two", "three")
    ]
    assert ["Oslo" in one for one in contents] == [False, False, True]
    assert contents[:2] == ["", ""]


@requirement("hindsight:operations:soon")
def test_small_work_is_done_when_the_call_returns(hindsight: Hindsight, engine: Engine) -> None:
    worker = Worker(engine, JOB_TASKS, poll_s=0.05)
    worker.start()
    try:
        made = hindsight(
            "create_mental_model", name="m", source_query="What is there?", mental_model_id="m"
        )
        kept = hindsight("retain", content="The kettle is blue.")
        fresh = hindsight("refresh_mental_model", mental_model_id="m")
        for one in (made, kept, fresh):
            assert (
                hindsight("get_operation", operation_id=one["operation_id"])["status"]
                == "completed"
            )
        assert (fresh["status"], made["status"], kept["status"]) == (
            "queued",
            "created",
            "accepted",
        )
    finally:
        worker.stop()
        assert worker.join(WAIT_S)


@requirement("hindsight:operations:list", "hindsight:operations:get")
def test_operations_are_listed_in_pages_with_all_their_fields(hindsight: Hindsight) -> None:
    for number in range(103):
        hindsight("retain", content=f"Shelf {number} is full.", document_id=f"d{number}")
    page = hindsight("list_operations")
    assert (len(page["operations"]), page["total"]) == (100, 103)
    assert [one["document_id"] for one in page["operations"][:2]] == ["d102", "d101"]
    rest = hindsight("list_operations", offset=100, limit=2, type="retain", exclude_parents=True)
    assert [one["document_id"] for one in rest["operations"]] == ["d2", "d1"]
    assert hindsight("list_operations", type="consolidation") == {"total": 0, "operations": []}
    assert "at least 1" in hindsight.failure("list_operations", limit=0)
    whole = hindsight("get_operation", operation_id=page["operations"][0]["operation_id"])
    nobody = hindsight("get_operation", operation_id="00000000-0000-4000-8000-000000000000")
    assert set(nobody) == {"id", "operation_id", "status"} < set(whole)
    listed = {"id", "operation_id", "operation_type", "status", "document_id", "created_at"}
    assert set(page["operations"][0]) == listed
    assert set(whole) == {*listed, "progress", "completed_at", "result_metadata"}


@requirement("hindsight:operations:list", "hindsight:operations:get")
def test_an_operation_that_fails_says_why(hindsight: Hindsight, engine: Engine) -> None:
    hindsight.sync_retain("Shelf 1 is full.")
    job = engine.enqueue(hindsight.client.bank, "refresh_mental_model", {"mental_model": "m"})
    run_pending(engine, JOB_TASKS)
    [failed] = hindsight("list_operations", status="failed")["operations"]
    assert (
        failed["error_message"] == f"Mental model 'm' not found in bank '{hindsight.client.bank}'"
    )
    assert hindsight("get_operation", operation_id=failed["id"])["status"] == "failed"
    assert engine.get_job(hindsight.client.bank, job.id).state == "failed"
    assert "is failed" in hindsight("cancel_operation", operation_id=failed["id"])["error"]


def test_a_model_with_a_wrong_address_is_told_of_by_the_operation(hindsight: Hindsight) -> None:
    def wrong() -> None:
        raise Invalid("The address of the model is no address.")

    broken = hindsight.with_model(wrong)
    broken("update_bank", config_updates={"observations_mission": "Everything."})
    made = broken(
        "create_mental_model", name="m", source_query="What is there?", mental_model_id="m"
    )
    shown = broken("get_operation", operation_id=made["operation_id"])
    assert (shown["status"], shown["error_message"]) == (
        "failed",
        "The address of the model is no address.",
    )
    assert broken("get_mental_model", mental_model_id="m")["last_refresh_failed_at"] is not None


@requirement("hindsight:observations:mission")
def test_a_model_tells_observations_by_the_mission_of_the_bank(
    hindsight: Hindsight, engine: Engine
) -> None:
    def answer(text: str) -> Mapping[str, Any]:
        assert "Mission: Only where people live." in text
        if "Subject: emil" in text:
            return {"sentences": []}
        lives = next(line[0] for line in text.splitlines() if "Berlin" in line)
        return {
            "sentences": [
                {"text": "Dora now lives in Berlin.", "sources": [int(lives)]},
                {"text": "Dora owns a castle in Wales.", "sources": [int(lives)]},
                {"text": "Dora is well.", "sources": []},
            ]
        }

    model = Missionary(answer)
    hindsight = hindsight.with_model(lambda: model)
    parts, bank = hindsight.client.engine, hindsight.client.bank
    hindsight("update_bank", config_updates={"observations_mission": "Only where people live."})
    hindsight.sync_retain(
        "Dora lives in Rome. Dora works at Acme. Emil likes tea. Emil likes cake."
    )
    hindsight.sync_retain("Dora lives in Berlin.")
    assert Hindsight(engine)("get_bank_stats", bank_id=bank)["pending_consolidation"] == 1
    assert len(hindsight("list_memories", type="observation")["items"]) == 2
    run_pending(parts, JOB_TASKS)
    [told] = hindsight("list_memories", type="observation")["items"]
    assert (told["text"], told["proof_count"]) == ("Dora now lives in Berlin.", 3)
    [done] = hindsight("list_operations", type="consolidation")["operations"]
    assert done["status"] == "completed"
    # What was told stays so until its facts change.
    count = len(model.asked)
    hindsight.sync_retain("Dora lives in Berlin.", document_id="again")
    run_pending(parts, JOB_TASKS)
    assert (observed(hindsight), len(model.asked)) == (["Dora now lives in Berlin."], count)
    [fact] = [one for one in hindsight.facts() if "Berlin" in one["text"]]
    engine.revise(bank, fact["id"], Edit(text="Dora lives in Bonn."))
    assert observed(hindsight) == [
        "Dora lives in Bonn. Dora works at Acme. Earlier: Dora lives in Rome."
    ]
    engine.purge(bank, [fact["id"]])
    assert observed(hindsight) == ["Dora works at Acme. Dora lives in Rome."]


@requirement("hindsight:observations:mission")
@pytest.mark.parametrize(
    "answer", [{}, {"sentences": [{"text": "Zoe has Zeppelins.", "sources": [1]}]}]
)
def test_what_a_model_makes_up_is_not_taken(hindsight: Hindsight, answer: dict[str, Any]) -> None:
    hindsight = hindsight.with_model(lambda: Missionary(lambda _: answer))
    hindsight("update_bank", config_updates={"observations_mission": "Everything."})
    hindsight.sync_retain("Dora lives in Rome. Dora works at Acme.")
    run_pending(hindsight.client.engine, JOB_TASKS)
    assert observed(hindsight) == ["Dora works at Acme. Dora lives in Rome."]


def observed(hindsight: Hindsight) -> list[str]:
    return [one["text"] for one in hindsight("list_memories", type="observation")["items"]]
