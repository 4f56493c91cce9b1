"""Updates observations and mental models after memories they are derived from have changed."""

from collections.abc import Sequence

from commonplace.engine.facts import observations
from commonplace.engine.reflect import mental_model_rows, mental_models
from commonplace.engine.runtime import Runtime
from commonplace.engine.versions.revisions import RevisionWriter
from commonplace.records.memory import Bank, Origin
from commonplace.storage.rows import banks, derivations, memories

_AUTHOR = "consolidation"
_BATCH = 1_000


def propagate(runtime: Runtime, bank: str) -> int:
    """Update what is derived from memories that changed. Returns the number of these memories."""
    bank_record = banks.find(runtime.db, bank)
    if bank_record is None:
        return 0
    count = 0
    while changed_ids := derivations.changed_source_ids(runtime.db, bank_record.id, _BATCH):
        with runtime.db.transaction():
            _propagate_changes(runtime, bank_record, changed_ids)
        count += len(changed_ids)
    if not runtime.db.in_transaction:
        (mental_models.refresh_after_writing if count else mental_models.run_due_refreshes)(
            runtime, bank
        )
    return count


def _propagate_changes(runtime: Runtime, bank_record: Bank, changed: Sequence[int]) -> None:
    writer = RevisionWriter(runtime, bank_record.id, "consolidate", Origin(who=_AUTHOR))
    observations.update_derived(runtime, changed, writer)
    if bank_record.config.get("enable_observations") is not False:
        # A memory whose subject changed belongs to another observation now.
        observations.consolidate(
            runtime, memories.by_ids(runtime.db, bank_record.id, changed).values(), writer
        )
    mental_model_rows.invalidate(runtime, derivations.derived_ids(runtime.db, changed))
    derivations.clear_changed(runtime.db, changed)


def propagate_all(runtime: Runtime) -> None:
    """Propagate the changes of every bank, and run the mental model refreshes that are due."""
    for bank in derivations.banks_with_changes(runtime.db):
        propagate(runtime, bank)
    mental_models.run_due_refreshes(runtime)


def unpropagated_count(runtime: Runtime, bank: str) -> int:
    """The number of memories of a bank whose changes are not propagated yet."""
    bank_record = banks.find(runtime.db, bank)
    return derivations.changed_source_count(runtime.db, bank_record.id) if bank_record else 0
