"""What stands in a bank besides its memories, as rows and back."""

import json

from commonplace.activities import Standing
from commonplace.storage.database import Database, Row


def find(db: Database, bank_id: int, kind: str, name: str) -> Standing | None:
    """The one of a kind and a name."""
    row = db.one("find_standing", bank_id=bank_id, kind=kind, name=name)
    return _standing(row) if row else None


def listed(db: Database, bank_id: int, kind: str, limit: int) -> list[Standing]:
    """Those of a kind, newest first."""
    return [_standing(row) for row in db.all("list_standings", bank_id=bank_id, kind=kind, limit=limit)]


def put(db: Database, one: Standing) -> None:
    """Store a new one, or the new state of a known one."""
    db.run(
        "put_standing",
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
    db.run("delete_standing", id=number)


def _standing(row: Row) -> Standing:
    values: Row = {**row, "tags": tuple(json.loads(row["tags"])), "body": json.loads(row["body"])}
    return Standing(**values)
