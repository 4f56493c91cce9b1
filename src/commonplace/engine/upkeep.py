"""What a server does when it has nothing else to do: embeds what waits, and clears away what nobody will ask for."""

from commonplace.engine import derived, erasing, jobs, links, mental_models, settling, streams
from commonplace.engine.parts import Parts
from commonplace.storage import banks

HEAL_MS = 200
JOBS_KEPT_MS = 30 * 24 * 3_600_000
_BANKS_MAX = 10_000


def heal_idly(parts: Parts) -> None:
    """Bring up to date what rests on memories, embed and link a little of what waits, let the model look at it.

    The next turn goes on, also with emptying the log after an erasure.
    """
    settling.settle_all(parts)
    derived.heal_all(parts, HEAL_MS)
    links.heal_all(parts, HEAL_MS)
    links.judge_all(parts)
    erasing.scrub_if_owed(parts)


def sweep(parts: Parts) -> None:
    """Remove streams left alone and jobs that ended long ago, in every bank, and note turns that are not noted."""
    mental_models.plan_turns(parts)
    before = parts.clock.now() - JOBS_KEPT_MS
    for bank in banks.listed(parts.db, _BANKS_MAX):
        streams.expire_streams(parts, bank.name)
        jobs.delete_finished_jobs(parts, bank.name, before=before)
