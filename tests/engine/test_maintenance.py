import threading

import pytest

from commonplace.engine.engine import Engine
from commonplace.engine.operations import maintenance
from commonplace.engine.operations.worker import Worker
from commonplace.errors import NotFound
from commonplace.records.memory import Draft
from commonplace.records.work import SessionDraft
from tests.conftest import StoppedClock

DAY = 24 * 3_600_000


def test_what_was_written_in_any_bank_is_embedded_when_there_is_time(engine: Engine) -> None:
    engine.remember_many("one", [Draft(f"fact {n}") for n in range(30)])
    engine.remember("two", Draft("another"))
    assert engine.stale_count() == 31
    # Each turn has a bound on its time, which a busy machine may spend on opening the embedder.
    for _ in range(20):
        maintenance.run_idle_tasks(engine)
    assert engine.stale_count() == 0


def test_a_sweep_takes_what_nobody_will_ask_for_and_nothing_else(
    engine: Engine, clock: StoppedClock
) -> None:
    job = engine.enqueue("b", "nothing", {})
    engine.cancel_job("b", job.id)
    waiting = engine.enqueue("b", "nothing", {})
    stream = engine.start_stream("b", Draft(""))
    session = engine.start_session("b", SessionDraft(title="kept"))
    clock.advance(31 * DAY)
    maintenance.sweep(engine)
    with pytest.raises(NotFound):
        engine.get_job("b", job.id)
    with pytest.raises(NotFound):
        engine.get_stream("b", stream.id)
    assert engine.get_job("b", waiting.id).state == "pending"
    assert engine.get_session("b", session.id).title == "kept"


def test_a_worker_without_a_job_does_its_upkeep(engine: Engine) -> None:
    done = threading.Event()
    worker = Worker(engine, {}, poll_s=0.01, idle={"all": lambda _: done.set()})
    worker.start()
    assert done.wait(10)
    worker.stop()
    assert worker.join(10)
