"""The source memories of observations and mental models, stored so that changes propagate."""

import json
from collections.abc import Iterable, Sequence

from commonplace.records.query import Filter
from commonplace.storage import filters
from commonplace.storage.database import Database


def put(db: Database, bank_id: int, derived_id: int, memory_ids: Iterable[int]) -> None:
    """Store the source memories of a derived item. Earlier sources stay, because its history is
    derived from them.
    """
    rows = [
        {"source_id": number, "derived_id": derived_id, "bank_id": bank_id} for number in memory_ids
    ]
    db.run_many("put_derivation", rows)


def drop(db: Database, derived: Sequence[int]) -> None:
    """Delete the sources of some observations or mental models after their content was cleared."""
    db.run("drop_derivations_by_derived", ids=json.dumps(list(derived)))


def derived_ids(db: Database, memory_ids: Iterable[int]) -> list[int]:
    """The observations and mental models derived from some memories."""
    return [row["id"] for row in db.all("derived_ids", ids=json.dumps(list(memory_ids)))]


def source_ids(db: Database, derived: Iterable[int]) -> list[int]:
    """The source memories of some observations and mental models."""
    return [row["id"] for row in db.all("source_ids", ids=json.dumps(list(derived)))]


def mark_changed(db: Database, bank_id: int, memory_ids: Iterable[int]) -> None:
    """Mark memories as changed, so that everything derived from them is checked again."""
    db.run_many(
        "mark_source_changed_again",
        [{"memory_id": number, "bank_id": bank_id} for number in memory_ids],
    )


def has_pending_work(db: Database, bank: str, now: int) -> bool:
    """Whether a bank has changed source memories or a due refresh."""
    return db.value("something_waits", bank=bank, now=now) is not None


def changed_source_ids(db: Database, bank_id: int, limit: int) -> list[int]:
    """The memories of a bank that changed after something was derived from them."""
    return [row["id"] for row in db.all("changed_source_ids", bank_id=bank_id, limit=limit)]


def banks_with_changes(db: Database) -> list[str]:
    """The banks with changed source memories."""
    return [row["name"] for row in db.all("banks_with_stale_derivations")]


def changed_source_count(db: Database, bank_id: int) -> int:
    """The number of changed source memories of a bank."""
    return int(db.value("count_stale_derivations", bank_id=bank_id))


def clear_changed(db: Database, memory_ids: Iterable[int]) -> None:
    """Record that everything derived from some memories is up to date."""
    db.run("drop_stale_derivations", ids=json.dumps(list(memory_ids)))


def rebuild(db: Database) -> None:
    """Rebuild all derivations from the source ids in observations and mental models."""
    for name in (
        "wipe_derivations",
        "rebuild_derivations_of_observations",
        "rebuild_derivations_of_models",
        "rebuild_derivations_of_earlier_models",
    ):
        db.run(name)


def newest_change(
    db: Database, bank_id: int, chosen: Filter, now: int, since: tuple[int, int]
) -> tuple[int, int] | None:
    """The moment and version id of the newest change among the memories of a filter, if it is after
    a given one.
    """
    where, values = filters.compile_filter(db, chosen, now)
    sql = f"{db.text('newest_change')}{where} {db.text('order_change')}"
    rows = db.select(sql, values | {"bank_id": bank_id, "at": since[0], "seen_id": since[1]})
    return (rows[0]["updated_at"], rows[0]["version_id"]) if rows else None
