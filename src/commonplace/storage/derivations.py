"""What observations and mental models rest on. Kept beside them, so that they follow what becomes
of it.
"""

import json
from collections.abc import Iterable, Sequence

from commonplace.records.query import Filter
from commonplace.storage import filters
from commonplace.storage.database import Database


def put(db: Database, bank_id: int, holder_id: int, memory_ids: Iterable[int]) -> None:
    """Note that something was made of some memories; what was noted before stays, because its
    history rests on that.
    """
    rows = [
        {"source_id": number, "derived_id": holder_id, "bank_id": bank_id} for number in memory_ids
    ]
    db.run_many("put_derivation", rows)


def drop(db: Database, holder_ids: Sequence[int]) -> None:
    """Let go of what some observations or mental models were made of, once nothing of it is left in
    them.
    """
    db.run("drop_derivations_by_derived", ids=json.dumps(list(holder_ids)))


def holders(db: Database, memory_ids: Iterable[int]) -> list[int]:
    """The observations and mental models that were made of some memories."""
    return [row["id"] for row in db.all("derived_ids", ids=json.dumps(list(memory_ids)))]


def beneath(db: Database, holder_ids: Iterable[int]) -> list[int]:
    """The memories that some observations and mental models were made of."""
    return [row["id"] for row in db.all("source_ids", ids=json.dumps(list(holder_ids)))]


def unsettle(db: Database, bank_id: int, memory_ids: Iterable[int]) -> None:
    """Have whatever can rest on some memories looked at again."""
    db.run_many(
        "mark_source_changed_again",
        [{"memory_id": number, "bank_id": bank_id} for number in memory_ids],
    )


def something_waits(db: Database, bank: str, now: int) -> bool:
    """Whether something in a bank is to follow what it rests on, or the turn of something has
    come.
    """
    return db.value("something_waits", bank=bank, now=now) is not None


def unsettled(db: Database, bank_id: int, limit: int) -> list[int]:
    """Memories of a bank that changed since what rests on them was made."""
    return [row["id"] for row in db.all("changed_source_ids", bank_id=bank_id, limit=limit)]


def unsettled_banks(db: Database) -> list[str]:
    """The banks that have such memories."""
    return [row["name"] for row in db.all("banks_with_stale_derivations")]


def unsettled_count(db: Database, bank_id: int) -> int:
    """How many such memories a bank has."""
    return int(db.value("count_stale_derivations", bank_id=bank_id))


def settle(db: Database, memory_ids: Iterable[int]) -> None:
    """What rests on some memories is up to date with them."""
    db.run("drop_stale_derivations", ids=json.dumps(list(memory_ids)))


def rebuild(db: Database) -> None:
    """Note again what everything was made of, from what it says of itself."""
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
    """When one of the memories a filter means last changed, and the id of that version, if after a
    moment and id.
    """
    where, values = filters.compiled(db, chosen, now)
    sql = f"{db.text('newest_change')}{where} {db.text('order_change')}"
    rows = db.select(sql, values | {"bank_id": bank_id, "at": since[0], "seen_id": since[1]})
    return (rows[0]["updated_at"], rows[0]["version_id"]) if rows else None
