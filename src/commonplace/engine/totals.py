"""What a whole store holds, over all its banks, for those who watch over a server."""

from commonplace.engine.parts import Parts
from commonplace.storage import totals as stored
from commonplace.storage.totals import Totals


def totals(parts: Parts) -> Totals:
    """How many memories and jobs there are, and how many bytes they take."""
    with parts.db.snapshot():
        return stored.counted(parts.db)
