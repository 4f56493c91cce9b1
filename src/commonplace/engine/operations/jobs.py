"""Jobs: work enqueued in the transaction that causes it, and done after the commit by worker.py."""

from collections.abc import Mapping
from typing import get_args

from commonplace import ids, validation
from commonplace.engine.banks import require_bank
from commonplace.engine.runtime import Runtime
from commonplace.errors import Conflict, NotFound
from commonplace.limits import BULK_MAX, COUNT_MAX, JOB_ATTEMPTS_MAX, JOB_BYTES_MAX, LIST_MAX
from commonplace.records.work import Job, JobState, ResultPage
from commonplace.storage.rows import banks, jobs

ATTEMPTS_MAX = 3


def enqueue(
    runtime: Runtime,
    bank: str,
    kind: str,
    payload: Mapping[str, object],
    *,
    run_at: int | None = None,
    attempts_max: int = ATTEMPTS_MAX,
) -> Job:
    """Add a pending job. Inside a transaction it exists only if that transaction commits.

    Put ids into the payload, not texts: a payload stays with the job, and purging a memory does not
    change it.
    """
    name, wanted = validation.name(bank, what="bank"), validation.name(kind, what="kind of job")
    validation.metadata(payload, what="payload", bytes_max=JOB_BYTES_MAX)
    validation.moment(run_at, what="time to run")
    validation.count(attempts_max, what="number of attempts", least=1, most=JOB_ATTEMPTS_MAX)
    with runtime.db.transaction():
        now = runtime.clock.now()
        job = Job(
            id=banks.new_ids(runtime.db, now)[0],
            bank_id=banks.ensure(runtime.db, name, now).id,
            bank=name,
            kind=wanted,
            payload=dict(payload),
            state="pending",
            done_count=0,
            total_count=None,
            stage="",
            attempt_count=0,
            attempts_max=attempts_max,
            run_at=now if run_at is None else run_at,
            leased_until=None,
            worker="",
            cancel_asked=False,
            error="",
            result=None,
            created_at=now,
            updated_at=now,
            finished_at=None,
        )
        jobs.add(runtime.db, job)
    return job


def get_job(runtime: Runtime, bank: str, job_id: int | str) -> Job:
    """One job."""
    found = jobs.find(runtime.db, ids.parse(job_id))
    if found is None or found.bank_id != require_bank(runtime, bank).id:
        raise NotFound(
            f"There is no job {job_id}.",
            hint="Check the id and the bank; old finished jobs are removed.",
        )
    return found


def list_jobs(
    runtime: Runtime,
    bank: str,
    *,
    state: JobState | None = None,
    kind: str | None = None,
    limit: int = 20,
    offset: int = 0,
) -> ResultPage[Job]:
    """Jobs of a bank, newest first; None is "any"."""
    validation.count(limit, what="limit", most=LIST_MAX)
    validation.count(offset, what="offset", most=COUNT_MAX)
    if state is not None:
        validation.choice(state, get_args(JobState), what="state")
    if kind is not None:
        validation.name(kind, what="kind of job")
    with runtime.db.snapshot():
        found = banks.find(runtime.db, validation.name(bank, what="bank"))
        if found is None:
            return ResultPage()
        items = jobs.list_jobs(
            runtime.db, found.id, state=state, kind=kind, limit=limit, offset=offset
        )
        return ResultPage(tuple(items), jobs.count(runtime.db, found.id, state=state, kind=kind))


def count_jobs(runtime: Runtime, bank: str) -> dict[JobState, int]:
    """The number of jobs of a bank by state. A state without jobs is left out."""
    found = banks.find(runtime.db, validation.name(bank, what="bank"))
    return jobs.counts(runtime.db, found.id) if found else {}


def cancel_job(runtime: Runtime, bank: str, job_id: int | str) -> Job:
    """Cancel a job. A running job loses its lease, and its task stops at its next report."""
    with runtime.db.transaction():
        job = get_job(runtime, bank, job_id)
        if not jobs.cancel(runtime.db, job.id, runtime.clock.now()):
            raise Conflict(
                f"Job {job_id} is {job.state}.",
                hint="Only pending and running jobs can be cancelled.",
            )
        return get_job(runtime, bank, job.id)


def retry_job(runtime: Runtime, bank: str, job_id: int | str) -> Job:
    """Make a failed or cancelled job pending again, with all its attempts."""
    with runtime.db.transaction():
        job = get_job(runtime, bank, job_id)
        if not jobs.retry(runtime.db, job.id, runtime.clock.now()):
            raise Conflict(
                f"Job {job_id} is {job.state}.",
                hint="Only failed and cancelled jobs can be retried.",
            )
        return get_job(runtime, bank, job.id)


def delete_finished_jobs(runtime: Runtime, bank: str, *, before: int) -> int:
    """Delete jobs that ended before a time. Returns how many."""
    validation.moment(before, what="moment")
    with runtime.db.transaction():
        found = banks.find(runtime.db, validation.name(bank, what="bank"))
        return (
            jobs.delete_finished(runtime.db, found.id, before=before, limit=BULK_MAX)
            if found
            else 0
        )
