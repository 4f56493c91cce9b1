"""Does the jobs: in a thread of its own that has an owner, a stop and a join, or at once in the
caller's thread.

A task is a function that takes a JobContext and returns what JSON can hold. It may run more than
once, because a worker can die after the work and before the note of it, so a task must bear
repetition.
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
from commonplace.engine.operations.duties import Duty
from commonplace.engine.runtime import Parts
from commonplace.errors import (
    CommonplaceError,
    Forbidden,
    Invalid,
    NotFound,
    TooLarge,
    Unsupported,
    traced,
)
from commonplace.limits import COUNT_MAX, JOB_BYTES_MAX, LIST_MAX
from commonplace.records.work import Job, Progress
from commonplace.storage import jobs

if TYPE_CHECKING:
    from logging import Logger

LEASE_MS = 300_000
POLL_S = 1.0
LATE_MS = 60_000  # A job that waits longer than this for its turn shows that nobody does jobs, or too slowly.
_RETRY_MS = 5_000
_RETRY_MS_MAX = 600_000
_ERROR_CHARS_MAX = 500
# Trying these again gives the same answer again.
_FINAL = (Invalid, Forbidden, NotFound, TooLarge, Unsupported)
# A slash that opens a word and is followed by another one later in it: a path, and not a web
# address.
_PATH = re.compile(r"(?<![\w:/.])(?:[A-Za-z]:)?(?:[/\\][^\s/\\'\":]+)*[/\\]([^\s/\\'\":]+)")


class JobStopped(Exception):
    """Not an error: tells a task to leave off, because nobody waits for its work any more."""

    def __init__(self, why: Literal["cancelled", "lost", "released"]) -> None:
        super().__init__(why)
        self.why = why


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class JobContext:
    """What a task is given: the parts, its job, and a way to say how far it is."""

    parts: Parts
    job: Job
    lease_ms: int = LEASE_MS
    stopping: Callable[[], bool] = _never

    @property
    def bank(self) -> str:
        """The name of the job's bank."""
        return self.job.bank

    @property
    def payload(self) -> Mapping[str, object]:
        """What the job was asked to do."""
        return self.job.payload

    def progress(
        self, done_count: int = 0, total_count: int | None = None, stage: str = ""
    ) -> None:
        """Show how far the job is and keep its lease; leaves the task when the job is to stop.

        A task that is silent for longer than the lease loses the job to another worker. Each call
        is a commit, so report once for every batch rather than for every item.
        """
        validation.count(done_count, what="number done", most=COUNT_MAX)
        if total_count is not None:
            validation.count(total_count, what="number in all", most=COUNT_MAX)
        progress = Progress(done_count, total_count, validation.line(stage, what="stage"))
        with self.parts.db.transaction():
            held = jobs.progress(
                self.parts.db, self.job, progress, self.parts.clock.now(), self.lease_ms
            )
            current = jobs.find(self.parts.db, self.job.id)
        if current is None or not held:
            raise JobStopped("cancelled" if current and current.cancel_asked else "lost")
        if self.stopping():
            raise JobStopped("released")


Task: TypeAlias = Callable[[JobContext], object]
Tasks: TypeAlias = Mapping[str, Task]


def run_pending(parts: Parts, tasks: Tasks, *, jobs_max: int = LIST_MAX) -> tuple[Job, ...]:
    """Immediate mode: do what is due now, in this thread, and give back the jobs as they ended.

    Call it after the commit. A job that failed and may be tried again waits for its time.
    """
    if parts.db.in_transaction:
        raise RuntimeError("Jobs run after the commit, not inside the transaction.")
    ended: list[Job] = []
    while len(ended) < jobs_max and (
        job := _run_one(parts, tasks, _worker_name(), LEASE_MS, _never)
    ):
        ended.append(job)
    return tuple(ended)


def do_or_leave(parts: Parts, job: Job, task: Task, *, slow: bool) -> Job:
    """A job left to the worker of this process if it is slow, and otherwise done at once in the
    caller's thread.
    """
    if parts.db.in_transaction or (slow and parts.bell.ring()):
        return job
    taken = jobs.take(parts.db, job.id, _worker_name(), parts.clock.now(), LEASE_MS)
    return _ended(parts, taken, task, LEASE_MS, _never) if taken else job


def asks_a_model(parts: Parts) -> bool:
    """Whether there is a language model to wait for; one with a wrong address is told of by the job
    that needs it.
    """
    try:
        return parts.llm() is not None
    except CommonplaceError:
        return False


@dataclass(frozen=True, slots=True)
class WorkerHealth:
    """How a worker fares, for whoever watches the server."""

    state: Literal["ok", "failing", "behind", "stopped"]
    text: str = ""


class Worker:
    """Runs jobs one after the other in its own thread, from `start` until its owner calls `stop`.

    At each turn without a job it runs what is in `idle`, which should be brief. No error ends the
    thread.
    """

    def __init__(
        self,
        parts: Parts,
        tasks: Tasks,
        *,
        poll_s: float = POLL_S,
        lease_ms: int = LEASE_MS,
        idle: Mapping[str, Callable[[Parts], object]] = MappingProxyType({}),
    ) -> None:
        self._parts = parts
        self._tasks = tasks
        self._poll_s = poll_s
        self._lease_ms = lease_ms
        self._jobs = Duty("jobs", self._next_job, poll_s)
        self._idle = [Duty(what, partial(work, parts), poll_s) for what, work in idle.items()]
        self._late_ms = 0
        self._moved_at = time.monotonic()
        self._started = False
        self._wake = threading.Event()
        self._stopping = threading.Event()
        # A daemon, so that an owner who crashes is not kept alive; an interrupted job is claimed
        # again after its lease.
        self._thread = threading.Thread(target=self._loop, name="commonplace-worker", daemon=True)

    def start(self) -> None:
        """Begin. A worker starts once; make a new one to begin again."""
        self._parts.bell.hear(self.notify)
        self._thread.start()
        self._started = True

    def notify(self) -> None:
        """Look for jobs now instead of at the next turn."""
        self._wake.set()

    def stop(self) -> None:
        """Ask the worker to end. A running task is left at its next report and its job given back
        untried.
        """
        self._parts.bell.leave(self.notify)
        self._stopping.set()
        self._wake.set()

    def join(self, timeout_s: float | None = None) -> bool:
        """Wait for the end; whether it came."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def health(self) -> WorkerHealth:
        """Whether the thread runs, its work succeeds, and it keeps up. It reads no file and takes
        no lock.
        """
        if self._started and not self._thread.is_alive() and not self._stopping.is_set():
            return WorkerHealth("stopped", "The thread has ended; restart the server.")
        quiet_s = time.monotonic() - self._moved_at
        if quiet_s * 1000 > self._lease_ms:
            return WorkerHealth("behind", f"There has been no progress for {quiet_s:,.0f} s.")
        if failed := [duty for duty in (self._jobs, *self._idle) if duty.failure]:
            return WorkerHealth(
                "failing", f"The work on {failed[0].name} is failing; the log says why."
            )
        if self._late_ms > LATE_MS:
            return WorkerHealth("behind", f"The current job is {self._late_ms // 1000:,} s late.")
        return WorkerHealth("ok")

    def _loop(self) -> None:
        while not self._stopping.is_set():
            self._moved_at = time.monotonic()
            # Cleared before looking: a notice that comes while looking is then still seen by the
            # wait.
            self._wake.clear()
            if self._jobs.turn() is not None:
                continue
            for duty in self._idle:
                self._moved_at = time.monotonic()
                duty.turn()
            if not self._stopping.is_set():
                self._wake.wait(self._poll_s)

    def _next_job(self) -> Job | None:
        job = jobs.claim(
            self._parts.db, _worker_name(), self._parts.clock.now(), self._lease_ms, self._tasks
        )
        self._late_ms = self._parts.clock.now() - job.run_at if job else 0
        return (
            _ended(self._parts, job, self._tasks[job.kind], self._lease_ms, self._reported)
            if job
            else None
        )

    def _reported(self) -> bool:
        """Whether the worker is to stop; asked at each report of a task, which shows that it
        moves.
        """
        self._moved_at = time.monotonic()
        return self._stopping.is_set()


def _run_one(
    parts: Parts, tasks: Tasks, worker: str, lease_ms: int, stopping: Callable[[], bool]
) -> Job | None:
    """One job done as far as it goes, or None when nothing is due."""
    job = jobs.claim(parts.db, worker, parts.clock.now(), lease_ms, tasks)
    return _ended(parts, job, tasks[job.kind], lease_ms, stopping) if job else None


def _ended(parts: Parts, job: Job, task: Task, lease_ms: int, stopping: Callable[[], bool]) -> Job:
    """A job that is held, after its task."""
    started_at = parts.clock.now()
    try:
        result = task(JobContext(parts, job, lease_ms, stopping))
        validation.metadata({"result": result}, what="result", bytes_max=JOB_BYTES_MAX)
    except JobStopped as stopped:
        _leave(parts, job, stopped)
    except Exception as error:
        # The worker is where a task's failure ends: one sentence into the job's row, its places
        # into the log, once.
        _log().error("Job %d (%s) failed: %s", job.id, job.kind, traced(error))
        _fail(parts, job, error)
    else:
        with parts.db.transaction():
            jobs.finish(parts.db, job, json.dumps(result, ensure_ascii=False), parts.clock.now())
    ended = jobs.find(parts.db, job.id) or job
    _log().info(
        "Job %d (%s) is %s after %d ms.",
        job.id,
        job.kind,
        ended.state,
        parts.clock.now() - started_at,
    )
    return ended


def _leave(parts: Parts, job: Job, stopped: JobStopped) -> None:
    if stopped.why == "released":
        with parts.db.transaction():
            jobs.release(parts.db, job, parts.clock.now())


def _fail(parts: Parts, job: Job, error: Exception) -> None:
    sentence = _sentence(error)
    with parts.db.transaction():
        now = parts.clock.now()
        if isinstance(error, _FINAL) or job.attempt_count >= job.attempts_max:
            jobs.fail(parts.db, job, sentence, now)
        else:
            wait_ms = min(_RETRY_MS * 2 ** (job.attempt_count - 1), _RETRY_MS_MAX)
            jobs.postpone(parts.db, job, sentence, now, run_at=now + wait_ms)


def _sentence(error: Exception) -> str:
    """What went wrong, for the person who asked: one sentence, no trace, no path of this
    machine.
    """
    if not isinstance(error, CommonplaceError):
        return (
            f"An internal error stopped the job ({type(error).__name__}); the log has the details."
        )
    plain = " ".join(error.message.split()).encode(errors="replace").decode().replace("\x00", "")
    return _PATH.sub(r"\1", plain)[:_ERROR_CHARS_MAX]


def _log() -> "Logger":
    # The engine can do jobs in any process, and most start without one; this module is a tenth of
    # such a start.
    import logging

    return logging.getLogger(__name__)


def _worker_name() -> str:
    return f"{platform.node()}:{os.getpid()}:{threading.get_native_id()}"
