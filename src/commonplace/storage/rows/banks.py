"""Banks, the id counter of the store, and information about the store itself."""

import json

from commonplace import ids
from commonplace.records.memory import Bank
from commonplace.storage.database import Database, Row

# The tables with rows of a bank, children before parents.
_TABLES = (
    "idempotency_keys",
    "revisions",
    "documents",
    "snapshots",
    "events",
    "sessions",
    "bank_items",
    "derivations",
    "stale_derivations",
    "refresh_schedule",
    "reminders",
    "chunks",
    "streams",
    "jobs",
)


def find(db: Database, name: str) -> Bank | None:
    """The bank of a name."""
    row = db.one("find_bank", name=name)
    return _bank(row) if row else None


def by_id(db: Database, number: int) -> Bank | None:
    """The bank of an id."""
    row = db.one("find_bank_by_id", id=number)
    return _bank(row) if row else None


def list_banks(db: Database, limit: int) -> list[Bank]:
    """Every bank, by name."""
    return [_bank(row) for row in db.all("list_banks", limit=limit)]


def ensure(db: Database, name: str, now: int) -> Bank:
    """The bank of a name, created if it does not exist."""
    bank = find(db, name)
    if bank is None:
        bank = Bank(
            id=new_ids(db, now)[0], name=name, title="", mission="", config={}, created_at=now
        )
        db.run("add_bank", **_values(bank), name=name, created_at=now)
    return bank


def update(db: Database, bank: Bank) -> None:
    """Write a bank's title, mission and configuration."""
    db.run("update_bank", **_values(bank))


def erase(db: Database, bank_id: int) -> dict[str, int]:
    """Delete a bank and its content, after its memories are purged. Returns the number of rows of
    each table.
    """
    counts = {table: db.run(f"erase_{table}", bank_id=bank_id) for table in _TABLES}
    db.run("delete_bank", id=bank_id)
    return counts


def new_ids(db: Database, now: int, count: int = 1) -> range:
    """Allocate ids in ascending order. Safe, because there is only one write transaction at a
    time.
    """
    db.run("draw_ids", floor=ids.smallest_id(now), count=count)
    last = int(db.value("last_id"))
    return range(last - count + 1, last + 1)


def skip_ids(db: Database, last: int) -> None:
    """Move the id counter up to an id, because ids up to it were imported."""
    db.run("draw_ids", floor=last, count=0)


def store_info(db: Database, name: str) -> str:
    """The information about the store under a name, or an empty text."""
    return str(db.value("find_store_info", name=name) or "")


def put_store_info(db: Database, name: str, value: str) -> None:
    """Store information about the store under a name."""
    db.run("put_store_info", name=name, value=value)


def _values(bank: Bank) -> dict[str, object]:
    config = json.dumps(bank.config, ensure_ascii=False)
    return {"id": bank.id, "title": bank.title, "mission": bank.mission, "config": config}


def _bank(row: Row) -> Bank:
    return Bank(**{**row, "config": json.loads(row["config"])})
