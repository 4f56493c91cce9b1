"""Rows of bank items: directives, mental models and other named items of a bank.

A refresh is the moment at which a mental model is to be generated again.
"""

import json

from commonplace.records.work import BankItem
from commonplace.storage.database import Database, Row


def find(db: Database, bank_id: int, kind: str, name: str) -> BankItem | None:
    """The item with a kind and a name."""
    row = db.one("find_bank_item", bank_id=bank_id, kind=kind, name=name)
    return _item(row) if row else None


def by_id(db: Database, number: int) -> BankItem | None:
    """The item with an id."""
    row = db.one("find_bank_item_by_id", id=number)
    return _item(row) if row else None


def list_items(db: Database, bank_id: int, kind: str, limit: int) -> list[BankItem]:
    """The items of a kind, newest first."""
    return [
        _item(row) for row in db.all("list_bank_items", bank_id=bank_id, kind=kind, limit=limit)
    ]


def items_of_bank(db: Database, bank_id: int) -> list[BankItem]:
    """All items of a bank, oldest first."""
    return [_item(row) for row in db.all("all_bank_items", bank_id=bank_id)]


def put(db: Database, one: BankItem) -> None:
    """Insert an item or replace the stored one."""
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
    """Delete an item and its refresh."""
    db.run("delete_bank_item", id=number)
    db.run("drop_refresh", item_id=number)


def schedule_refresh(db: Database, one: BankItem, next_at: int | None, *, follows: bool) -> None:
    """Store when an item is to be refreshed, and whether every consolidation of facts does so."""
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


def hasten_refresh(db: Database, one: BankItem, next_at: int) -> None:
    """Refresh an item at a moment, unless it is scheduled earlier."""
    db.run("hasten_refresh", item_id=one.id, bank_id=one.bank_id, next_at=next_at)


def due_refreshes(db: Database, bank_id: int | None, now: int, limit: int) -> list[tuple[int, str]]:
    """The items of a bank, or of all banks, whose refresh is due, each with its bank's name."""
    rows = db.all("due_refreshes", bank_id=bank_id, now=now, limit=limit)
    return [(row["item_id"], row["bank"]) for row in rows]


def claim_refresh(db: Database, number: int, now: int) -> bool:
    """Claim a due refresh. Returns False if another worker has claimed it."""
    return bool(db.run("claim_refresh", item_id=number, now=now))


def refreshed_after_consolidation(db: Database, bank_id: int) -> list[int]:
    """The items of a bank that every consolidation of facts refreshes."""
    return [row["item_id"] for row in db.all("refreshed_after_consolidation", bank_id=bank_id)]


def models_without_refresh(db: Database) -> list[int]:
    """The mental models without a scheduled refresh, as after an import."""
    return [row["id"] for row in db.all("models_without_refresh")]


def _item(row: Row) -> BankItem:
    values: Row = {**row, "tags": tuple(json.loads(row["tags"])), "body": json.loads(row["body"])}
    return BankItem(**values)
