"""Background work goes on after every error, says once what was wrong, and shows when it does not
keep up.
"""

import logging
import threading
from collections.abc import Callable

import pytest

from commonplace.engine.engine import Engine
from commonplace.engine.operations import doctor, jobs
from commonplace.engine.operations.background_task import BackgroundTask
from commonplace.engine.operations.worker import LATE_MS, Worker
from commonplace.engine.runtime import Runtime
from commonplace.errors import Busy
from tests.conftest import StoppedClock
from tests.faces.http_client import until

WAIT_S = 30


def failing(errors: list[BaseException]) -> Callable[[Runtime], None]:
    """Work that raises these errors, one at each turn, and then succeeds."""

    def work(_runtime: Runtime) -> None:
        if errors:
            raise errors.pop(0)

    return work


def stopped(worker: Worker) -> None:
    worker.stop()
    assert worker.join(WAIT_S)


ERRORS = [
    OSError(24, "Too many open files", "/home/ada/x"),
    KeyError("x"),
    MemoryError(),
    Busy(),
    RecursionError(),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_a_worker_does_jobs_after_any_error_in_its_other_work(
    engine: Engine, error: Exception
) -> None:
    done = threading.Event()
    worker = Worker(
        engine,
        {"note": lambda _: done.set()},
        poll_s=0.01,
        idle={"broken": failing([error] * 1000)},
    )
    worker.start()
    until(lambda: worker.health().state == "failing")
    assert "broken" in worker.health().text

    jobs.enqueue(engine, "b", "note", {})

    assert done.wait(WAIT_S)
    stopped(worker)


def test_what_fails_holds_up_no_other_work_and_is_well_again_once_it_succeeds(
    engine: Engine,
) -> None:
    turns = threading.Semaphore(0)
    work = {
        "broken": failing([OSError(24, "x"), ValueError("y")]),
        "sound": lambda _: turns.release(),
    }
    worker = Worker(engine, {}, poll_s=0.01, idle=work)
    worker.start()

    assert all(turns.acquire(timeout=WAIT_S) for _ in range(5))
    until(lambda: worker.health().state == "ok")
    stopped(worker)


def test_an_error_that_comes_again_and_again_is_one_line_without_a_path_or_a_trace(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def work() -> None:
        raise OSError(24, "Too many open files", "/home/ada/notes")

    duty = BackgroundTask("notes", work, poll_s=0)
    with caplog.at_level(logging.WARNING):
        for _ in range(5):
            duty.run()

    (line,) = [record.getMessage() for record in caplog.records]
    assert "notes" in line
    assert "OSError at test_worker:" in line
    assert "ada" not in line
    assert caplog.records[0].exc_info is None


def test_work_that_fails_is_tried_again_later_each_time() -> None:
    tries: list[int] = []

    def work() -> None:
        tries.append(1)
        raise ValueError

    duty = BackgroundTask("notes", work, poll_s=WAIT_S)
    for _ in range(100):
        duty.run()

    assert len(tries) == 1


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_worker_whose_thread_ended_says_so(engine: Engine) -> None:
    worker = Worker(engine, {}, poll_s=0.01, idle={"ends": failing([SystemExit()])})
    worker.start()
    assert worker.join(WAIT_S)

    assert worker.health().state == "stopped"


def test_a_worker_that_has_not_moved_for_longer_than_a_lease_is_behind(engine: Engine) -> None:
    begun, end = threading.Event(), threading.Event()

    def work(_runtime: Runtime) -> None:
        begun.set()
        end.wait(WAIT_S)

    worker = Worker(engine, {}, poll_s=0.01, lease_ms=10, idle={"slow": work})
    worker.start()
    assert begun.wait(WAIT_S)

    until(lambda: worker.health().state == "behind")
    end.set()
    stopped(worker)


def test_a_worker_that_gets_to_a_job_long_after_its_time_is_behind(
    engine: Engine, clock: StoppedClock
) -> None:
    begun, end = threading.Event(), threading.Event()

    def task(_context: object) -> None:
        begun.set()
        end.wait(WAIT_S)

    jobs.enqueue(engine, "b", "slow", {})
    clock.advance(LATE_MS + 1)
    worker = Worker(engine, {"slow": task}, poll_s=0.01)
    worker.start()
    assert begun.wait(WAIT_S)

    assert worker.health().state == "behind"
    end.set()
    until(lambda: worker.health().state == "ok")
    stopped(worker)


def test_doctor_warns_of_jobs_that_nobody_does(engine: Engine, clock: StoppedClock) -> None:
    jobs.enqueue(engine, "b", "note", {})

    def finding() -> doctor.Finding:
        return next(one for one in doctor.doctor(engine) if one.check == "jobs")

    assert finding().state == "ok"
    clock.advance(LATE_MS + 1)

    assert finding().state == "warning"
    assert "no worker is running" in finding().text
    assert "commonplace serve" in finding().hint
