"""Rows of jobs. A lease is identified by the worker and the attempt; a worker that has lost it
changes nothing.
"""

import json
from collections.abc import Iterable

from commonplace.records.work import Job, JobState, Progress
from commonplace.storage.database import Database, Row

_NO_ATTEMPTS_LEFT = "The worker has stopped, and no attempts are left."


def find(db: Database, number: int) -> Job | None:
    """The job of an id, in any bank."""
    row = db.one("find_job", id=number)
    return _job(row) if row else None


def list_jobs(
    db: Database, bank_id: int, *, state: JobState | None, kind: str | None, limit: int, offset: int
) -> list[Job]:
    """Jobs of a bank, newest first."""
    rows = db.all("list_jobs", bank_id=bank_id, state=state, kind=kind, limit=limit, offset=offset)
    return [_job(row) for row in rows]


def count(db: Database, bank_id: int, *, state: JobState | None, kind: str | None) -> int:
    """How many jobs a bank has."""
    return int(db.value("count_jobs", bank_id=bank_id, state=state, kind=kind))


def counts(db: Database, bank_id: int) -> dict[JobState, int]:
    """The number of jobs of a bank by state. A state without jobs is left out."""
    return {row["state"]: row["count"] for row in db.all("count_bank_jobs", bank_id=bank_id)}


def add(db: Database, job: Job) -> None:
    """Store a new job."""
    db.run(
        "add_job",
        id=job.id,
        bank_id=job.bank_id,
        kind=job.kind,
        payload=json.dumps(job.payload, ensure_ascii=False),
        attempts_max=job.attempts_max,
        run_at=job.run_at,
        now=job.created_at,
    )


def claim(db: Database, worker: str, now: int, lease_ms: int, kinds: Iterable[str]) -> Job | None:
    """Lease the job that has been due for the longest time to a worker. None if no job is due.

    A job whose lease has expired is due again while it has attempts left.
    """
    wanted = json.dumps(list(kinds))
    # Checked without the write lock first, so that an idle worker does not block writers.
    if db.one("next_job", now=now, kinds=wanted) is None:
        return None
    with db.transaction():
        db.run("fail_spent_jobs", now=now, error=_NO_ATTEMPTS_LEFT)
        row = db.one("next_job", now=now, kinds=wanted)
        if row is None:
            return None
        db.run("claim_job", id=row["id"], worker=worker, leased_until=now + lease_ms, now=now)
        return find(db, row["id"])


def claim_by_id(db: Database, number: int, worker: str, now: int, lease_ms: int) -> Job | None:
    """Lease a job to a worker. None if it has ended or is leased to another worker."""
    with db.transaction():
        found = find(db, number)
        if found is None or found.state != "pending":
            return None
        db.run("claim_job", id=number, worker=worker, leased_until=now + lease_ms, now=now)
        return find(db, number)


def record_progress(db: Database, job: Job, progress: Progress, now: int, lease_ms: int) -> bool:
    """Store the progress of a job and renew its lease. Returns whether the lease was still held."""
    return bool(
        db.run(
            "progress_job",
            **_lease(job),
            done_count=progress.done_count,
            total_count=progress.total_count,
            stage=progress.stage,
            leased_until=now + lease_ms,
            now=now,
        )
    )


def finish(db: Database, job: Job, result: str, now: int) -> bool:
    """Complete a job with its result as JSON. Returns whether the lease was still held."""
    return bool(db.run("finish_job", **_lease(job), result=result, now=now))


def complete_pending(db: Database, number: int, result: str, now: int) -> None:
    """Complete a pending job whose work was done in the transaction that added it."""
    db.run("conclude_job", id=number, result=result, now=now)


def fail(db: Database, job: Job, error: str, now: int) -> bool:
    """Fail a job for good. Returns whether the lease was still held."""
    return bool(db.run("fail_job", **_lease(job), error=error, now=now))


def postpone(db: Database, job: Job, error: str, now: int, *, run_at: int) -> bool:
    """Schedule another attempt of a job. Returns whether the lease was still held."""
    return bool(db.run("postpone_job", **_lease(job), error=error, run_at=run_at, now=now))


def release(db: Database, job: Job, now: int) -> bool:
    """Release a job without counting the attempt. Returns whether the lease was still held."""
    return bool(db.run("release_job", **_lease(job), now=now))


def cancel(db: Database, number: int, now: int) -> bool:
    """Cancel a job unless it has ended. Returns whether it was cancelled."""
    return bool(db.run("cancel_job", id=number, now=now))


def retry(db: Database, number: int, now: int) -> bool:
    """Reset a failed or cancelled job to all its attempts. Returns whether it was reset."""
    return bool(db.run("retry_job", id=number, now=now))


def delete_finished(db: Database, bank_id: int, *, before: int, limit: int) -> int:
    """Delete jobs that ended before a moment. Returns their number."""
    return db.run("delete_finished_jobs", bank_id=bank_id, before=before, limit=limit)


def _lease(job: Job) -> dict[str, object]:
    return {"id": job.id, "worker": job.worker, "attempt_count": job.attempt_count}


def _job(row: Row) -> Job:
    values: Row = {
        **row,
        "payload": json.loads(row["payload"]),
        "result": json.loads(row["result"]),
    }
    values["cancel_asked"] = bool(row["cancel_asked"])
    return Job(**values)
