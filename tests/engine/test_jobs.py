"""Jobs are done once by whoever comes first, tried again within limits, and stop when asked."""

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commonplace.app import open_engine
from commonplace.clock import SystemClock
from commonplace.engine.engine import Engine
from commonplace.engine.operations import jobs
from commonplace.engine.operations.worker import (
    LEASE_MS,
    JobContext,
    JobStopped,
    Worker,
    run_pending,
)
from commonplace.errors import Busy, CommonplaceError, Conflict, Invalid, ModelFailed, NotFound
from commonplace.limits import JOB_BYTES_MAX
from commonplace.settings import load
from commonplace.storage.rows import jobs as stored
from tests.conftest import StoppedClock
from tests.crowd import crowd

WAIT_S = 30


def double(context: JobContext) -> object:
    number = context.payload["number"]
    assert isinstance(number, int)
    return {"doubled": number * 2}


def raising(error: Exception) -> Callable[[JobContext], object]:
    def task(context: JobContext) -> object:
        raise error

    return task


def claim_all(home: Path) -> list[int]:
    engine = open_engine(load({"COMMONPLACE_HOME": str(home)}), SystemClock())
    done = [job.id for job in run_pending(engine, {"double": double})]
    engine.db.close()
    return done


def test_a_job_is_pending_until_it_is_run_and_keeps_its_result(
    engine: Engine, clock: StoppedClock
) -> None:
    job = jobs.enqueue(engine, "b", "double", {"number": 21})
    assert jobs.get_job(engine, "b", job.id) == job
    assert (job.state, job.attempt_count, job.bank) == ("pending", 0, "b")

    (ended,) = run_pending(engine, {"double": double})

    assert (ended.id, ended.state, ended.result) == (job.id, "completed", {"doubled": 42})
    assert (ended.attempt_count, ended.finished_at, ended.leased_until) == (1, clock.now(), None)
    assert run_pending(engine, {"double": double}) == ()


def test_a_job_of_a_transaction_that_is_taken_back_never_was(engine: Engine) -> None:
    def write_and_fail() -> None:
        with engine.db.transaction():
            jobs.enqueue(engine, "b", "double", {"number": 1})
            raise Busy

    with pytest.raises(Busy):
        write_and_fail()

    assert jobs.list_jobs(engine, "b").total == 0


def test_jobs_do_not_run_inside_a_transaction(engine: Engine) -> None:
    with pytest.raises(RuntimeError), engine.db.transaction():
        run_pending(engine, {"double": double})


def test_due_jobs_run_in_the_order_of_their_time(engine: Engine, clock: StoppedClock) -> None:
    late = jobs.enqueue(engine, "b", "double", {"number": 1}, run_at=clock.now() + 50)
    first = jobs.enqueue(engine, "b", "double", {"number": 2})
    second = jobs.enqueue(engine, "c", "double", {"number": 3})

    assert [job.id for job in run_pending(engine, {"double": double}, jobs_max=1)] == [first.id]
    assert [job.id for job in run_pending(engine, {"double": double})] == [second.id]
    clock.advance(50)
    assert [job.id for job in run_pending(engine, {"double": double})] == [late.id]


def test_a_kind_nobody_here_knows_waits_for_somebody_who_does(engine: Engine) -> None:
    job = jobs.enqueue(engine, "b", "triple", {})

    assert run_pending(engine, {"double": double}) == ()
    assert jobs.get_job(engine, "b", job.id) == job


def test_progress_is_seen_by_others_and_renews_the_lease(
    engine: Engine, clock: StoppedClock
) -> None:
    seen: list[Any] = []

    def task(context: JobContext) -> None:
        context.progress(stage="reading")
        clock.advance(LEASE_MS - 1)
        context.progress(3, 10, "writing")
        seen.append(jobs.get_job(engine, "b", context.job.id))

    job = jobs.enqueue(engine, "b", "long", {})
    run_pending(engine, {"long": task})

    assert (seen[0].state, seen[0].done_count, seen[0].total_count, seen[0].stage) == (
        "running",
        3,
        10,
        "writing",
    )
    assert seen[0].leased_until == clock.now() + LEASE_MS
    assert jobs.get_job(engine, "b", job.id).state == "completed"


def test_a_failure_is_tried_again_later_and_later_until_the_attempts_are_spent(
    engine: Engine, clock: StoppedClock
) -> None:
    job = jobs.enqueue(engine, "b", "weak", {}, attempts_max=3)
    tasks = {"weak": raising(ModelFailed("The model said nothing."))}
    waits: list[int] = []

    for _ in range(2):
        (tried,) = run_pending(engine, tasks)
        assert (tried.state, tried.error) == ("pending", "The model said nothing.")
        assert run_pending(engine, tasks) == ()
        waits.append(tried.run_at - clock.now())
        clock.advance(waits[-1])
    (ended,) = run_pending(engine, tasks)

    assert waits == [5_000, 10_000]
    assert (ended.state, ended.attempt_count, ended.finished_at) == ("failed", 3, clock.now())
    clock.advance(10**9)
    assert run_pending(engine, tasks) == ()
    assert jobs.get_job(engine, "b", job.id).error == "The model said nothing."


def test_what_would_fail_again_is_not_tried_again(engine: Engine) -> None:
    jobs.enqueue(engine, "b", "wrong", {})

    (ended,) = run_pending(engine, {"wrong": raising(NotFound("There is no document 'x'."))})

    assert (ended.state, ended.attempt_count) == ("failed", 1)


def test_a_success_after_a_failure_leaves_no_error(engine: Engine, clock: StoppedClock) -> None:
    jobs.enqueue(engine, "b", "double", {"number": 1})
    run_pending(engine, {"double": raising(Busy())})
    clock.advance(5_000)

    (ended,) = run_pending(engine, {"double": double})

    assert (ended.state, ended.error, ended.attempt_count) == ("completed", "", 2)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            ValueError("secret at /home/me/x.py"),
            "An internal error stopped the job (ValueError); the log has the details.",
        ),
        (
            Invalid("Cannot read /home/me/notes/plan.md\nTraceback (most recent call last):"),
            "Cannot read plan.md Traceback (most recent call last):",
        ),
        (Invalid(r"Cannot read C:\Users\me\plan.md now."), "Cannot read plan.md now."),
        (
            Invalid("No answer from https://example.org/v1/models and 3/4 and/or src/a.py."),
            "No answer from https://example.org/v1/models and 3/4 and/or src/a.py.",
        ),
        (Invalid("nul \x00."), "nul ."),
        (Invalid("x" * 9_000), "x" * 500),
    ],
)
def test_a_failure_is_one_sentence_without_trace_or_path(
    engine: Engine, caplog: pytest.LogCaptureFixture, error: Exception, sentence: str
) -> None:
    jobs.enqueue(engine, "b", "wrong", {}, attempts_max=1)

    with caplog.at_level(logging.INFO):
        (ended,) = run_pending(engine, {"wrong": raising(error)})

    assert (ended.state, ended.error) == ("failed", sentence)
    assert [record.levelname for record in caplog.records] == ["ERROR", "INFO"]


def test_half_a_character_in_a_failure_does_not_stop_the_worker(
    engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    jobs.enqueue(engine, "b", "wrong", {})

    # Not logged here, because the test runner cannot send such a text from one process to another.
    with caplog.at_level(logging.CRITICAL + 1, logger="commonplace.engine.operations.worker"):
        (ended,) = run_pending(engine, {"wrong": raising(Invalid("half \ud800"))})

    assert (ended.state, ended.error) == ("failed", "half ?")


@pytest.mark.parametrize(
    "result", [object(), {"x": float("nan")}, "\ud800", "x" * (JOB_BYTES_MAX + 1)]
)
def test_a_result_that_cannot_be_kept_is_a_failure(engine: Engine, result: object) -> None:
    jobs.enqueue(engine, "b", "odd", {}, attempts_max=1)

    (ended,) = run_pending(engine, {"odd": lambda _: result})

    assert (ended.state, ended.result) == ("failed", None)
    assert ended.error


def test_a_pending_job_is_cancelled_at_once(engine: Engine, clock: StoppedClock) -> None:
    job = jobs.enqueue(engine, "b", "double", {"number": 1})

    cancelled = jobs.cancel_job(engine, "b", job.id)

    assert (cancelled.state, cancelled.finished_at) == ("cancelled", clock.now())
    assert run_pending(engine, {"double": double}) == ()


def test_a_running_job_stops_at_its_next_report(engine: Engine) -> None:
    reached: list[str] = []

    def task(context: JobContext) -> None:
        context.progress(1, 3)
        asked = jobs.cancel_job(engine, "b", context.job.id)
        reached.append(f"{asked.state} {asked.cancel_asked}")
        context.progress(2, 3)
        reached.append("too far")

    jobs.enqueue(engine, "b", "long", {})
    (ended,) = run_pending(engine, {"long": task})

    assert reached == ["cancelled True"]
    assert (ended.state, ended.done_count, ended.error) == ("cancelled", 1, "")


def test_what_a_cancelled_job_still_does_counts_for_nothing(engine: Engine) -> None:
    def deaf(context: JobContext) -> str:
        jobs.cancel_job(engine, "b", context.job.id)
        return "done anyway"

    def weak(context: JobContext) -> None:
        jobs.cancel_job(engine, "b", context.job.id)
        raise Busy

    for task in (deaf, weak):
        jobs.enqueue(engine, "b", "stubborn", {})
        (ended,) = run_pending(engine, {"stubborn": task})
        assert (ended.state, ended.result) == ("cancelled", None)


def test_a_finished_job_cannot_be_cancelled_and_a_waiting_one_not_retried(engine: Engine) -> None:
    done = jobs.enqueue(engine, "b", "double", {"number": 1})
    run_pending(engine, {"double": double})
    waiting = jobs.enqueue(engine, "b", "double", {"number": 2})

    with pytest.raises(Conflict) as refusal:
        jobs.cancel_job(engine, "b", done.id)
    assert refusal.value.hint
    for job in (done, waiting):
        with pytest.raises(Conflict):
            jobs.retry_job(engine, "b", job.id)


def test_a_failed_or_cancelled_job_can_be_retried_from_the_start(engine: Engine) -> None:
    failed = jobs.enqueue(engine, "b", "double", {"number": 4}, attempts_max=1)
    run_pending(engine, {"double": raising(Busy())})
    cancelled = jobs.enqueue(engine, "b", "double", {"number": 5})
    jobs.cancel_job(engine, "b", cancelled.id)

    for job in (failed, cancelled):
        again = jobs.retry_job(engine, "b", job.id)
        assert (again.state, again.attempt_count, again.error, again.cancel_asked) == (
            "pending",
            0,
            "",
            False,
        )

    assert [job.result for job in run_pending(engine, {"double": double})] == [
        {"doubled": 8},
        {"doubled": 10},
    ]


def test_a_job_whose_worker_died_is_claimed_again_after_its_lease(
    engine: Engine, clock: StoppedClock
) -> None:
    job = jobs.enqueue(engine, "b", "double", {"number": 1})
    dead = stored.claim(engine.db, "dead", clock.now(), 1_000, ["double"])
    assert dead is not None
    assert (dead.worker, dead.leased_until) == ("dead", clock.now() + 1_000)

    clock.advance(999)
    assert stored.claim(engine.db, "alive", clock.now(), 1_000, ["double"]) is None
    clock.advance(1)
    alive = stored.claim(engine.db, "alive", clock.now(), 1_000, ["double"])

    assert alive is not None
    assert (alive.id, alive.worker, alive.attempt_count) == (job.id, "alive", 2)


def test_who_lost_the_lease_changes_nothing(engine: Engine, clock: StoppedClock) -> None:
    def task(context: JobContext) -> None:
        clock.advance(LEASE_MS)
        assert stored.claim(engine.db, "other", clock.now(), LEASE_MS, ["slow"])
        with pytest.raises(JobStopped):
            context.progress(9, 10)

    jobs.enqueue(engine, "b", "slow", {})
    (left,) = run_pending(engine, {"slow": task})

    assert (left.state, left.worker, left.attempt_count, left.done_count) == (
        "running",
        "other",
        2,
        0,
    )


def test_a_job_that_takes_its_workers_down_fails_in_the_end(
    engine: Engine, clock: StoppedClock
) -> None:
    job = jobs.enqueue(engine, "b", "deadly", {}, attempts_max=2)
    for _ in range(2):
        assert stored.claim(engine.db, "doomed", clock.now(), 10, ["deadly"])
        clock.advance(10)

    assert stored.claim(engine.db, "next", clock.now(), 10, ["deadly"]) is None

    ended = jobs.get_job(engine, "b", job.id)
    assert (ended.state, ended.attempt_count) == ("failed", 2)
    assert ended.error


def test_a_cancelled_job_whose_worker_died_ends_as_cancelled(
    engine: Engine, clock: StoppedClock
) -> None:
    job = jobs.enqueue(engine, "b", "double", {"number": 1})
    assert stored.claim(engine.db, "dead", clock.now(), 10, ["double"])
    jobs.cancel_job(engine, "b", job.id)
    clock.advance(10)

    assert stored.claim(engine.db, "next", clock.now(), 10, ["double"]) is None
    assert jobs.get_job(engine, "b", job.id).state == "cancelled"


@pytest.mark.servers
def test_several_processes_do_each_job_once(engine: Engine, home: Path) -> None:
    with engine.db.transaction():
        added = [
            jobs.enqueue(engine, "b", "double", {"number": n}, run_at=0).id for n in range(300)
        ]

    done = crowd(3, claim_all, home)

    assert sorted(number for numbers in done for number in numbers) == sorted(added)
    everything = jobs.list_jobs(engine, "b", limit=1000).items
    assert {(job.state, job.attempt_count) for job in everything} == {("completed", 1)}


def test_jobs_are_listed_by_state_and_kind_newest_first(
    engine: Engine, clock: StoppedClock
) -> None:
    added: list[int] = []
    for kind in ("double", "other", "double"):
        clock.advance(1)
        added.append(jobs.enqueue(engine, "b", kind, {"number": 1}).id)
    run_pending(engine, {"double": double}, jobs_max=1)

    def listed(**chosen: Any) -> list[int]:
        page = jobs.list_jobs(engine, "b", **chosen)
        assert page.total == len(page.items)
        return [added.index(job.id) for job in page.items]

    assert listed() == [2, 1, 0]
    assert listed(state="completed") == [0]
    assert listed(state="pending", kind="double") == [2]
    page = jobs.list_jobs(engine, "b", limit=1, offset=1)
    assert ([added.index(job.id) for job in page.items], page.total) == ([1], 3)


def test_old_finished_jobs_can_be_removed_and_waiting_ones_stay(
    engine: Engine, clock: StoppedClock
) -> None:
    jobs.enqueue(engine, "b", "double", {"number": 1})
    run_pending(engine, {"double": double})
    waiting = jobs.enqueue(engine, "b", "double", {"number": 2})
    clock.advance(1)

    assert jobs.delete_finished_jobs(engine, "b", before=clock.now() - 1) == 0
    assert jobs.delete_finished_jobs(engine, "b", before=clock.now()) == 1
    assert jobs.list_jobs(engine, "b").items == (waiting,)


def test_unknown_jobs_and_those_of_another_bank_are_not_found(engine: Engine) -> None:
    job = jobs.enqueue(engine, "b", "double", {"number": 1})
    jobs.enqueue(engine, "c", "double", {"number": 1})

    for bank, number in (("b", 5), ("c", job.id), ("nowhere", job.id)):
        for verb in (jobs.get_job, jobs.cancel_job, jobs.retry_job):
            with pytest.raises(NotFound) as refusal:
                verb(engine, bank, number)
            assert refusal.value.hint
    assert jobs.get_job(engine, "b", job.id) == job


def test_bad_jobs_and_bad_lists_are_refused_with_a_hint(engine: Engine) -> None:
    wrong: Any = "wrong"
    calls: list[Callable[[], object]] = [
        lambda: jobs.enqueue(engine, "b", "", {}),
        lambda: jobs.enqueue(engine, "", "double", {}),
        lambda: jobs.enqueue(engine, "b", "double", {"x": object()}),
        lambda: jobs.enqueue(engine, "b", "double", {"x": "\x00"}),
        lambda: jobs.enqueue(engine, "b", "double", {"x": "x" * JOB_BYTES_MAX}),
        lambda: jobs.enqueue(engine, "b", "double", wrong),
        lambda: jobs.enqueue(engine, "b", "double", {}, attempts_max=0),
        lambda: jobs.enqueue(engine, "b", "double", {}, attempts_max=11),
        lambda: jobs.enqueue(engine, "b", "double", {}, run_at=10**20),
        lambda: jobs.list_jobs(engine, "b", limit=-1),
        lambda: jobs.list_jobs(engine, "b", offset=-1),
        lambda: jobs.list_jobs(engine, "b", state=wrong),
        lambda: jobs.get_job(engine, "b", "nonsense"),
    ]
    for call in calls:
        with pytest.raises(CommonplaceError) as refusal:
            call()
        assert refusal.value.hint
    assert engine.list_banks() == ()


def test_a_worker_does_what_comes_while_it_runs(engine: Engine) -> None:
    done = threading.Event()
    results: list[object] = []

    def task(context: JobContext) -> None:
        results.append(context.payload["number"])
        done.set()

    worker = Worker(engine, {"note": task}, poll_s=WAIT_S)
    worker.start()
    for number in range(3):
        jobs.enqueue(engine, "b", "note", {"number": number})
        worker.notify()
        assert done.wait(WAIT_S)
        done.clear()
    worker.stop()

    assert worker.join(WAIT_S)
    assert results == [0, 1, 2]
    assert {job.state for job in jobs.list_jobs(engine, "b").items} == {"completed"}


def test_a_worker_finds_jobs_by_itself(engine: Engine) -> None:
    done = threading.Event()
    worker = Worker(engine, {"note": lambda _: done.set()}, poll_s=0.01)
    worker.start()

    jobs.enqueue(engine, "b", "note", {})

    assert done.wait(WAIT_S)
    worker.stop()
    assert worker.join(WAIT_S)


def test_a_worker_goes_on_after_a_task_failed(engine: Engine) -> None:
    done = threading.Event()
    jobs.enqueue(engine, "b", "wrong", {}, attempts_max=1)
    jobs.enqueue(engine, "b", "note", {})

    worker = Worker(
        engine, {"wrong": raising(ValueError("x")), "note": lambda _: done.set()}, poll_s=WAIT_S
    )
    worker.start()

    assert done.wait(WAIT_S)
    worker.stop()
    assert worker.join(WAIT_S)
    assert jobs.list_jobs(engine, "b", kind="wrong").items[0].state == "failed"


def test_a_stopped_worker_gives_its_job_back_untried(engine: Engine) -> None:
    begun, asked = threading.Event(), threading.Event()

    def task(context: JobContext) -> None:
        begun.set()
        assert asked.wait(WAIT_S)
        context.progress(1, 2)

    job = jobs.enqueue(engine, "b", "long", {})
    worker = Worker(engine, {"long": task}, poll_s=WAIT_S)
    worker.start()
    assert begun.wait(WAIT_S)
    worker.stop()
    assert not worker.join(0)
    asked.set()

    assert worker.join(WAIT_S)
    left = jobs.get_job(engine, "b", job.id)
    assert (left.state, left.attempt_count) == ("pending", 0)
    assert run_pending(engine, {"long": lambda _: "done"})[0].result == "done"


def test_a_stopped_worker_is_stopped_even_when_it_never_had_work(engine: Engine) -> None:
    worker = Worker(engine, {}, poll_s=WAIT_S)
    worker.start()
    worker.stop()

    assert worker.join(WAIT_S)
