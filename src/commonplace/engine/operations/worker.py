"""Runs jobs: in a worker thread with an owner, a stop and a join, or immediately in the caller's
thread.

A task is a function that takes a JobContext and returns a JSON value. It may run more than once,
because a worker can die between the work and its record, so a task must be idempotent.
"""

import json
import os
import platform
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

from commonplace import validation
from commonplace.engine.operations.background_task import BackgroundTask
from commonplace.engine.runtime import Runtime
from commonplace.errors import (
    CommonplaceError,
    Forbidden,
    Invalid,
    NotFound,
    TooLarge,
    Unsupported,
    trace_summary,
)
from commonplace.limits import COUNT_MAX, JOB_BYTES_MAX, LIST_MAX
from commonplace.records.work import Job, Progress
from commonplace.storage.rows import jobs

if TYPE_CHECKING:
    from logging import Logger

LEASE_MS = 300_000
POLL_S = 1.0
# A job that is due for longer than this shows that no worker runs, or that it is too slow.
LATE_MS = 60_000
_RETRY_MS = 5_000
_RETRY_MS_MAX = 600_000
_ERROR_CHARS_MAX = 500
# A retry of these would fail in the same way.
_FINAL_ERRORS = (Invalid, Forbidden, NotFound, TooLarge, Unsupported)
# A file path: a slash at the start of a word and another one later in it. URLs do not match.
_FILE_PATH = re.compile(r"(?<![\w:/.])(?:[A-Za-z]:)?(?:[/\\][^\s/\\'\":]+)*[/\\]([^\s/\\'\":]+)")


class JobStopped(Exception):
    """Not an error: ends a task whose job was cancelled, lost or released."""

    def __init__(self, why: Literal["cancelled", "lost", "released"]) -> None:
        super().__init__(why)
        self.why = why


def _never_stops() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class JobContext:
    """The argument of a task: the runtime, its job, and a method to report progress."""

    runtime: Runtime
    job: Job
    lease_ms: int = LEASE_MS
    stopping: Callable[[], bool] = _never_stops

    @property
    def bank(self) -> str:
        """The name of the job's bank."""
        return self.job.bank

    @property
    def payload(self) -> Mapping[str, object]:
        """The payload of the job."""
        return self.job.payload

    def progress(
        self, done_count: int = 0, total_count: int | None = None, stage: str = ""
    ) -> None:
        """Report progress and renew the lease. Raises JobStopped if the job is to stop.

        A task that does not report within the lease loses the job to another worker. Each call is a
        commit, so report once per batch, not per item.
        """
        validation.count(done_count, what="number done", most=COUNT_MAX)
        if total_count is not None:
            validation.count(total_count, what="number in all", most=COUNT_MAX)
        progress = Progress(done_count, total_count, validation.line(stage, what="stage"))
        with self.runtime.db.transaction():
            held = jobs.record_progress(
                self.runtime.db, self.job, progress, self.runtime.clock.now(), self.lease_ms
            )
            current = jobs.find(self.runtime.db, self.job.id)
        if current is None or not held:
            raise JobStopped("cancelled" if current and current.cancel_asked else "lost")
        if self.stopping():
            raise JobStopped("released")


Task: TypeAlias = Callable[[JobContext], object]
Tasks: TypeAlias = Mapping[str, Task]


def run_pending(runtime: Runtime, tasks: Tasks, *, jobs_max: int = LIST_MAX) -> tuple[Job, ...]:
    """Immediate mode: run the due jobs in this thread and return them as they ended.

    Call it after the commit. A failed job with attempts left waits for its retry.
    """
    if runtime.db.in_transaction:
        raise RuntimeError("Jobs run after the commit, not inside the transaction.")
    ended: list[Job] = []
    while len(ended) < jobs_max and (
        job := _run_one(runtime, tasks, _worker_name(), LEASE_MS, _never_stops)
    ):
        ended.append(job)
    return tuple(ended)


def run_or_defer(runtime: Runtime, job: Job, task: Task, *, slow: bool) -> Job:
    """Leave a slow job to the worker of this process; run any other job now in the caller's
    thread.
    """
    if runtime.db.in_transaction or (slow and runtime.work_signal.notify()):
        return job
    taken = jobs.claim_by_id(runtime.db, job.id, _worker_name(), runtime.clock.now(), LEASE_MS)
    return _run_job(runtime, taken, task, LEASE_MS, _never_stops) if taken else job


def has_model(runtime: Runtime) -> bool:
    """Whether a language model is configured. A wrong address is reported by the job that needs the
    model.
    """
    try:
        return runtime.llm() is not None
    except CommonplaceError:
        return False


@dataclass(frozen=True, slots=True)
class WorkerHealth:
    """The health of a worker, for monitoring."""

    state: Literal["ok", "failing", "behind", "stopped"]
    text: str = ""


class Worker:
    """Runs jobs one after the other in its own thread, from `start` until its owner calls `stop`.

    Whenever no job is due, it runs the tasks in `idle`, which should be brief. No error ends the
    thread.
    """

    def __init__(
        self,
        runtime: Runtime,
        tasks: Tasks,
        *,
        poll_s: float = POLL_S,
        lease_ms: int = LEASE_MS,
        idle: Mapping[str, Callable[[Runtime], object]] = MappingProxyType({}),
    ) -> None:
        self._runtime = runtime
        self._tasks = tasks
        self._poll_s = poll_s
        self._lease_ms = lease_ms
        self._job_task = BackgroundTask("jobs", self._next_job, poll_s)
        self._idle_tasks = [
            BackgroundTask(what, partial(work, runtime), poll_s) for what, work in idle.items()
        ]
        self._late_ms = 0
        self._progress_at = time.monotonic()
        self._started = False
        self._wake = threading.Event()
        self._stopping = threading.Event()
        # A daemon, so that it does not keep a crashed process alive. An interrupted job is claimed
        # again after its lease.
        self._thread = threading.Thread(target=self._loop, name="commonplace-worker", daemon=True)

    def start(self) -> None:
        """Start the thread. A worker starts only once."""
        self._runtime.work_signal.register(self.notify)
        self._thread.start()
        self._started = True

    def notify(self) -> None:
        """Look for jobs now instead of at the next poll."""
        self._wake.set()

    def stop(self) -> None:
        """Ask the worker to end. A running task ends at its next report, and its job is released
        without counting the attempt.
        """
        self._runtime.work_signal.unregister(self.notify)
        self._stopping.set()
        self._wake.set()

    def join(self, timeout_s: float | None = None) -> bool:
        """Wait for the end of the thread. Returns whether it ended."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def health(self) -> WorkerHealth:
        """Whether the thread runs, its tasks succeed, and it keeps up. Reads no file and takes no
        lock.
        """
        if self._started and not self._thread.is_alive() and not self._stopping.is_set():
            return WorkerHealth("stopped", "The thread has ended; restart the server.")
        quiet_s = time.monotonic() - self._progress_at
        if quiet_s * 1000 > self._lease_ms:
            return WorkerHealth("behind", f"There has been no progress for {quiet_s:,.0f} s.")
        if failed := [task for task in (self._job_task, *self._idle_tasks) if task.failure]:
            return WorkerHealth(
                "failing", f"The background task {failed[0].name!r} fails; the log has the reason."
            )
        if self._late_ms > LATE_MS:
            return WorkerHealth("behind", f"The current job is {self._late_ms // 1000:,} s late.")
        return WorkerHealth("ok")

    def _loop(self) -> None:
        while not self._stopping.is_set():
            self._progress_at = time.monotonic()
            # Cleared before the search for jobs, so that a signal meanwhile ends the wait.
            self._wake.clear()
            if self._job_task.run() is not None:
                continue
            for task in self._idle_tasks:
                self._progress_at = time.monotonic()
                task.run()
            if not self._stopping.is_set():
                self._wake.wait(self._poll_s)

    def _next_job(self) -> Job | None:
        job = jobs.claim(
            self._runtime.db, _worker_name(), self._runtime.clock.now(), self._lease_ms, self._tasks
        )
        self._late_ms = self._runtime.clock.now() - job.run_at if job else 0
        return (
            _run_job(self._runtime, job, self._tasks[job.kind], self._lease_ms, self._is_stopping)
            if job
            else None
        )

    def _is_stopping(self) -> bool:
        """Whether the worker is to stop. Each call by a task also counts as progress."""
        self._progress_at = time.monotonic()
        return self._stopping.is_set()


def _run_one(
    runtime: Runtime, tasks: Tasks, worker: str, lease_ms: int, stopping: Callable[[], bool]
) -> Job | None:
    """Run one due job, or return None."""
    job = jobs.claim(runtime.db, worker, runtime.clock.now(), lease_ms, tasks)
    return _run_job(runtime, job, tasks[job.kind], lease_ms, stopping) if job else None


def _run_job(
    runtime: Runtime, job: Job, task: Task, lease_ms: int, stopping: Callable[[], bool]
) -> Job:
    """Run the task of a claimed job and record the result. Returns the job."""
    started_at = runtime.clock.now()
    try:
        result = task(JobContext(runtime, job, lease_ms, stopping))
        validation.metadata({"result": result}, what="result", bytes_max=JOB_BYTES_MAX)
    except JobStopped as stopped:
        _release_if_stopping(runtime, job, stopped)
    except Exception as error:
        # Errors of tasks end here: one sentence in the job's row, and the traceback in the log.
        _log().error("Job %d (%s) failed: %s", job.id, job.kind, trace_summary(error))
        _fail(runtime, job, error)
    else:
        with runtime.db.transaction():
            jobs.finish(
                runtime.db, job, json.dumps(result, ensure_ascii=False), runtime.clock.now()
            )
    ended = jobs.find(runtime.db, job.id) or job
    _log().info(
        "Job %d (%s) is %s after %d ms.",
        job.id,
        job.kind,
        ended.state,
        runtime.clock.now() - started_at,
    )
    return ended


def _release_if_stopping(runtime: Runtime, job: Job, stopped: JobStopped) -> None:
    if stopped.why == "released":
        with runtime.db.transaction():
            jobs.release(runtime.db, job, runtime.clock.now())


def _fail(runtime: Runtime, job: Job, error: Exception) -> None:
    sentence = _error_text(error)
    with runtime.db.transaction():
        now = runtime.clock.now()
        if isinstance(error, _FINAL_ERRORS) or job.attempt_count >= job.attempts_max:
            jobs.fail(runtime.db, job, sentence, now)
        else:
            wait_ms = min(_RETRY_MS * 2 ** (job.attempt_count - 1), _RETRY_MS_MAX)
            jobs.postpone(runtime.db, job, sentence, now, run_at=now + wait_ms)


def _error_text(error: Exception) -> str:
    """The error for the user: one sentence, without a traceback or local paths."""
    if not isinstance(error, CommonplaceError):
        return (
            f"An internal error stopped the job ({type(error).__name__}); the log has the details."
        )
    plain = " ".join(error.message.split()).encode(errors="replace").decode().replace("\x00", "")
    return _FILE_PATH.sub(r"\1", plain)[:_ERROR_CHARS_MAX]


def _log() -> "Logger":
    # Most processes start without a log, and importing it takes a tenth of such a start.
    import logging

    return logging.getLogger(__name__)


def _worker_name() -> str:
    return f"{platform.node()}:{os.getpid()}:{threading.get_native_id()}"
