"""What stands in a bank besides its memories, as rows and back."""

import json

from commonplace.records.work import Standing
from commonplace.storage.database import Database, Row


def find(db: Database, bank_id: int, kind: str, name: str) -> Standing | None:
    """The one of a kind and a name."""
    row = db.one("find_bank_item", bank_id=bank_id, kind=kind, name=name)
    return _standing(row) if row else None


def by_id(db: Database, number: int) -> Standing | None:
    """The one of an id."""
    row = db.one("find_bank_item_by_id", id=number)
    return _standing(row) if row else None


def listed(db: Database, bank_id: int, kind: str, limit: int) -> list[Standing]:
    """Those of a kind, newest first."""
    return [
        _standing(row) for row in db.all("list_bank_items", bank_id=bank_id, kind=kind, limit=limit)
    ]


def of_bank(db: Database, bank_id: int) -> list[Standing]:
    """All that stands in a bank, oldest first."""
    return [_standing(row) for row in db.all("all_bank_items", bank_id=bank_id)]


def put(db: Database, one: Standing) -> None:
    """Store a new one, or the new state of a known one."""
    db.run(
        "put_bank_item",
        id=one.id,
        bank_id=one.bank_id,
        kind=one.kind,
        name=one.name,
        tags=json.dumps(one.tags, ensure_ascii=False),
        body=json.dumps(one.body, ensure_ascii=False),
        created_at=one.created_at,
        updated_at=one.updated_at,
    )


def delete(db: Database, number: int) -> None:
    """Remove one for good."""
    db.run("delete_bank_item", id=number)
    db.run("drop_refresh", item_id=number)


def put_turn(db: Database, one: Standing, next_at: int | None, *, follows: bool) -> None:
    """Note when one comes up again by itself, and whether it does whenever facts were
    consolidated.
    """
    if next_at is None and not follows:
        db.run("drop_refresh", item_id=one.id)
    else:
        db.run(
            "put_refresh",
            item_id=one.id,
            bank_id=one.bank_id,
            next_at=next_at,
            follows=int(follows),
        )


def hasten_turn(db: Database, one: Standing, next_at: int) -> None:
    """Have one come up at a moment, unless it comes up earlier."""
    db.run("hasten_refresh", item_id=one.id, bank_id=one.bank_id, next_at=next_at)


def due_turns(db: Database, bank_id: int | None, now: int, limit: int) -> list[tuple[int, str]]:
    """Those of a bank, or of all, that come up now, each with the name of its bank."""
    rows = db.all("due_refreshes", bank_id=bank_id, now=now, limit=limit)
    return [(row["item_id"], row["bank"]) for row in rows]


def take_turn(db: Database, number: int, now: int) -> bool:
    """Take a turn that is due; whether nobody else did."""
    return bool(db.run("claim_refresh", item_id=number, now=now))


def following(db: Database, bank_id: int) -> list[int]:
    """Those of a bank that come up whenever facts were consolidated."""
    return [row["item_id"] for row in db.all("refreshed_after_consolidation", bank_id=bank_id)]


def turnless(db: Database) -> list[int]:
    """The mental models of which no turn is noted, as after an import."""
    return [row["id"] for row in db.all("models_without_refresh")]


def _standing(row: Row) -> Standing:
    values: Row = {**row, "tags": tuple(json.loads(row["tags"])), "body": json.loads(row["body"])}
    return Standing(**values)
