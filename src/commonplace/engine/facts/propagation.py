"""What rests on memories follows them: observations and mental models, whichever dialect changed
what they rest on.
"""

from collections.abc import Sequence

from commonplace.engine.facts import observations
from commonplace.engine.reflect import mental_model_rows, mental_models
from commonplace.engine.revisions import Revising
from commonplace.engine.runtime import Parts
from commonplace.records.memory import Bank, Origin
from commonplace.storage import banks, derivations, memories

_WHO = "consolidation"
_BATCH = 1_000


def settle(parts: Parts, bank: str) -> int:
    """Bring up to date what rests on memories that changed since; how many of these there were."""
    place = banks.find(parts.db, bank)
    if place is None:
        return 0
    count = 0
    while numbers := derivations.unsettled(parts.db, place.id, _BATCH):
        with parts.db.transaction():
            _follow(parts, place, numbers)
        count += len(numbers)
    if not parts.db.in_transaction:
        (mental_models.refresh_after_writing if count else mental_models.run_turns)(parts, bank)
    return count


def _follow(parts: Parts, place: Bank, changed: Sequence[int]) -> None:
    revising = Revising(parts, place.id, "consolidate", Origin(who=_WHO))
    observations.follow(parts, changed, revising)
    if place.config.get("enable_observations") is not False:
        # What is about another subject now belongs to that one's observation.
        observations.consolidate(
            parts, memories.by_ids(parts.db, place.id, changed).values(), revising
        )
    mental_model_rows.distrust(parts, derivations.holders(parts.db, changed))
    derivations.settle(parts.db, changed)


def settle_all(parts: Parts) -> None:
    """The same for every bank, and the turns of mental models that have come."""
    for bank in derivations.unsettled_banks(parts.db):
        settle(parts, bank)
    mental_models.run_turns(parts)


def unsettled_count(parts: Parts, bank: str) -> int:
    """How many memories of a bank changed since what rests on them was made."""
    place = banks.find(parts.db, bank)
    return derivations.unsettled_count(parts.db, place.id) if place else 0
