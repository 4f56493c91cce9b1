"""Removes erased text from the files: empties the write-ahead log and releases free pages."""

from commonplace.storage.database import Database
from commonplace.storage.rows import banks

_CHECKPOINT_WAIT_MS = 2_000
_PAGES_AT_ONCE = 1_000
# Stored with every erasure until the log is emptied, because the process may be killed, or another
# process may be reading.
_DUE = "unscrubbed"


def require_scrub(db: Database) -> None:
    """Record in an erasure's transaction that the log has to be emptied."""
    banks.put_store_info(db, _DUE, "1")


def is_scrub_due(db: Database) -> bool:
    """Whether the log has to be emptied after an erasure."""
    return banks.store_info(db, _DUE) != ""


def scrub(db: Database) -> bool:
    """Empty the log. Returns whether it was emptied; a reader in another process prevents it."""
    if db.in_transaction:
        return False
    _release_pages(db)
    with db.maintenance() as connection:
        connection.set_busy_timeout(_CHECKPOINT_WAIT_MS)
        try:
            row = connection.execute("pragma wal_checkpoint(truncate)").fetchone()
        finally:
            connection.set_busy_timeout(db.busy_timeout_ms)
    emptied = row is not None and row[0] == 0
    if emptied and is_scrub_due(db):
        with db.transaction():
            banks.put_store_info(db, _DUE, "")
    return emptied


def _release_pages(db: Database) -> None:
    """Return free pages to the disk in steps, between which others can write."""
    before = -1
    while True:
        with db.maintenance() as connection:
            connection.execute(f"pragma incremental_vacuum({_PAGES_AT_ONCE})").fetchall()
            left = int(connection.pragma("freelist_count"))
        if left in (0, before):
            return
        before = left
