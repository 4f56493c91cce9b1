"""Totals of a whole store over all banks, for monitoring."""

from commonplace.engine.runtime import Runtime
from commonplace.storage.rows import stats as stored
from commonplace.storage.rows.stats import Totals


def totals(runtime: Runtime) -> Totals:
    """How many memories and jobs there are, and how many bytes they take."""
    with runtime.db.snapshot():
        return stored.count_totals(runtime.db)
