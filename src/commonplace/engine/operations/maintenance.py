"""The work of a worker: the tasks of jobs by their kind, and maintenance in idle time."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from commonplace.engine import catch_up
from commonplace.engine.erasure import erasure
from commonplace.engine.facts import observation_writer, propagation, retain
from commonplace.engine.links import link_judging
from commonplace.engine.operations import jobs
from commonplace.engine.operations.worker import Tasks
from commonplace.engine.reflect import mental_models
from commonplace.engine.runtime import Runtime
from commonplace.engine.sessions import streams
from commonplace.storage.rows import banks

CATCH_UP_MS = 200
JOBS_KEPT_MS = 30 * 24 * 3_600_000
_BANKS_MAX = 10_000

JOB_TASKS: Tasks = MappingProxyType(
    {
        mental_models.JOB: mental_models.run_refresh_job,
        observation_writer.JOB: observation_writer.rewrite_observations,
        retain.JOB: retain.extract_with_model,
    }
)


def _propagate(runtime: Runtime) -> None:
    """Propagate changes to derived memories."""
    propagation.propagate_all(runtime)


def _embed(runtime: Runtime) -> None:
    """Embed pending memories for a short time."""
    catch_up.catch_up_all_embeddings(runtime, CATCH_UP_MS)


def _link(runtime: Runtime) -> None:
    """Link pending memories for a short time, and let the model judge links."""
    catch_up.catch_up_all_links(runtime, CATCH_UP_MS)
    link_judging.judge_all_with_model(runtime)


# The idle tasks in their order, by the names in the log and in /health. Each run continues where
# the last one ended.
IDLE_TASKS: Mapping[str, Callable[[Runtime], None]] = MappingProxyType(
    {
        "propagation": _propagate,
        "vectors": _embed,
        "links": _link,
        "scrubbing": erasure.scrub_if_pending,
    }
)


def run_idle_tasks(runtime: Runtime) -> None:
    """Run every idle task once."""
    for work in IDLE_TASKS.values():
        work(runtime)


def sweep(runtime: Runtime) -> None:
    """Delete idle streams and old finished jobs in every bank, and schedule missing refreshes of
    mental models.
    """
    mental_models.schedule_missing(runtime)
    before = runtime.clock.now() - JOBS_KEPT_MS
    for bank in banks.list_banks(runtime.db, _BANKS_MAX):
        streams.expire_streams(runtime, bank.name)
        jobs.delete_finished_jobs(runtime, bank.name, before=before)
