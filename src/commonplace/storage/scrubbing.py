"""Makes erased text unreadable in the file: empties the write-ahead log and gives free pages back."""

from commonplace.storage.database import Database

_CHECKPOINT_WAIT_MS = 2_000


def scrub(db: Database) -> bool:
    """Whether the log could be emptied now; a reader in another process can hold it until the next checkpoint."""
    if db.in_transaction:
        return False
    with db.maintenance() as connection:
        connection.execute("pragma incremental_vacuum").fetchall()
        connection.set_busy_timeout(_CHECKPOINT_WAIT_MS)
        try:
            row = connection.execute("pragma wal_checkpoint(truncate)").fetchone()
        finally:
            connection.set_busy_timeout(db.busy_timeout_ms)
    return row is not None and row[0] == 0
