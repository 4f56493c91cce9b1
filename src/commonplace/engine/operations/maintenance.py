"""What a server does when it has nothing else to do: embeds what waits, and clears away what nobody
will ask for.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from commonplace.engine import erasure, links
from commonplace.engine.facts import propagation
from commonplace.engine.operations import indexing, jobs
from commonplace.engine.reflect import mental_models
from commonplace.engine.runtime import Parts
from commonplace.engine.sessions import streams
from commonplace.storage import banks

HEAL_MS = 200
JOBS_KEPT_MS = 30 * 24 * 3_600_000
_BANKS_MAX = 10_000


def _settle(parts: Parts) -> None:
    """Bring up to date what rests on memories that changed."""
    propagation.settle_all(parts)


def _embed(parts: Parts) -> None:
    """Embed a little of what waits for a vector."""
    indexing.heal_all(parts, HEAL_MS)


def _link(parts: Parts) -> None:
    """Link a little of what waits, and let the model look at it."""
    links.heal_all(parts, HEAL_MS)
    links.judge_all(parts)


# What to do in turn when nothing else is to be done, by the names that the log and /health use.
# Each turn goes on where the last one ended.
IDLE: Mapping[str, Callable[[Parts], None]] = MappingProxyType(
    {
        "what follows from changes": _settle,
        "vectors": _embed,
        "links": _link,
        "erasing": erasure.scrub_if_owed,
    }
)


def heal_idly(parts: Parts) -> None:
    """One turn of all that is done when nothing else is to be done."""
    for work in IDLE.values():
        work(parts)


def sweep(parts: Parts) -> None:
    """Remove streams left alone and jobs that ended long ago, in every bank, and note turns that
    are not noted.
    """
    mental_models.plan_turns(parts)
    before = parts.clock.now() - JOBS_KEPT_MS
    for bank in banks.listed(parts.db, _BANKS_MAX):
        streams.expire_streams(parts, bank.name)
        jobs.delete_finished_jobs(parts, bank.name, before=before)
