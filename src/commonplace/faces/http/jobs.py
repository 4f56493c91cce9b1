"""The page of a job: its progress and its result."""

from typing import Any

from commonplace import clock, ids
from commonplace.engine.engine import Engine


def job_page(engine: Engine, bank: str, job_id: str) -> dict[str, Any]:
    """A job as JSON. Accepts any form of its id."""
    job = engine.get_job(bank, job_id)
    return {
        "job_id": ids.job_form(job.id),
        "kind": job.kind,
        "status": job.state,
        "done": job.done_count,
        "total": job.total_count,
        "stage": job.stage,
        "result": job.result,
        "error": job.error,
        "created_at": clock.iso(job.created_at),
        "finished_at": None if job.finished_at is None else clock.iso(job.finished_at),
    }
