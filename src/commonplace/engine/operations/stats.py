"""What a whole store holds, over all its banks, for those who watch over a server."""

from commonplace.engine.runtime import Parts
from commonplace.storage import stats as stored
from commonplace.storage.stats import Totals


def totals(parts: Parts) -> Totals:
    """How many memories and jobs there are, and how many bytes they take."""
    with parts.db.snapshot():
        return stored.counted(parts.db)
