"""Counts over the whole store."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from commonplace.records.work import JobState
from commonplace.storage.database import Database


@dataclass(frozen=True, slots=True)
class Totals:
    """The number of memories and jobs of a store, and its size."""

    memory_count: int
    job_counts: Mapping[str, int]
    store_bytes: int


def count_totals(db: Database) -> Totals:
    """Count the rows. Every state of a job is listed, also with the count 0."""
    jobs = {row["state"]: int(row["count"]) for row in db.all("count_jobs_by_state")}
    return Totals(
        memory_count=int(db.value("count_all_memories")),
        job_counts={state: jobs.get(state, 0) for state in get_args(JobState)},
        store_bytes=int(db.value("count_store_bytes")),
    )
