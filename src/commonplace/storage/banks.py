"""Banks, the ids drawn from the store's one counter, and facts about the store itself."""

import json

from commonplace import ids
from commonplace.records.memory import Bank
from commonplace.storage.database import Database, Row

# Children before parents.
_HELD = (
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


def listed(db: Database, limit: int) -> list[Bank]:
    """Every bank, by name."""
    return [_bank(row) for row in db.all("list_banks", limit=limit)]


def ensure(db: Database, name: str, now: int) -> Bank:
    """The bank of a name, made now if nobody wrote to it before."""
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
    """Remove a bank and all it holds, once its memories are purged; how many rows of each table
    went.
    """
    counts = {table: db.run(f"erase_{table}", bank_id=bank_id) for table in _HELD}
    db.run("delete_bank", id=bank_id)
    return counts


def new_ids(db: Database, now: int, count: int = 1) -> range:
    """Ids nobody has, in growing order, safe because the write transaction is the only one of its
    time.
    """
    db.run("draw_ids", floor=ids.floor(now), count=count)
    last = int(db.value("last_id"))
    return range(last - count + 1, last + 1)


def skip_ids(db: Database, last: int) -> None:
    """Give out no id up to one, because ids up to it came from elsewhere."""
    db.run("draw_ids", floor=last, count=0)


def fact(db: Database, name: str) -> str:
    """What the store knows of itself under a name, or an empty text."""
    return str(db.value("find_store_info", name=name) or "")


def set_fact(db: Database, name: str, value: str) -> None:
    """Note something about the store itself."""
    db.run("put_store_info", name=name, value=value)


def _values(bank: Bank) -> dict[str, object]:
    config = json.dumps(bank.config, ensure_ascii=False)
    return {"id": bank.id, "title": bank.title, "mission": bank.mission, "config": config}


def _bank(row: Row) -> Bank:
    return Bank(**{**row, "config": json.loads(row["config"])})
