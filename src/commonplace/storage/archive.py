"""Reads every canonical row in a fixed order for an export, and stores rows of an import."""

import json
from collections.abc import Iterator

import apsw

from commonplace.errors import Conflict, Invalid, Unsupported
from commonplace.records.receipt import Portion
from commonplace.storage.archive_schema import PARENTS, SHAPES, Shape
from commonplace.storage.database import Database, Row

PAGE = 100  # Rows read at once: few enough that the largest texts still fit in memory.
_JSON = frozenset(("list", "object", "json"))
_UNIQUE_VIOLATIONS = (
    apsw.SQLITE_CONSTRAINT_UNIQUE,
    apsw.SQLITE_CONSTRAINT_PRIMARYKEY,
    apsw.SQLITE_CONSTRAINT_ROWID,
)

# One encoder for all values, because creating one is slower than using it.
encode_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def count_rows(db: Database, bank_id: int | None, portion: Portion) -> dict[str, int]:
    """The number of rows of each type in the whole store, in one bank, or in a part of it."""
    within = _portion_values(bank_id, portion)
    return {name: int(db.value(f"count_archived_{name}", **within)) for name in SHAPES}


def iterate_rows(
    db: Database, bank_id: int | None, portion: Portion
) -> Iterator[tuple[Shape, Row]]:
    """Every canonical row in the order of the file, each parent followed by its children."""
    within = _portion_values(bank_id, portion)
    for shape in PARENTS:
        for row in _iterate_pages(db, shape, **within):
            yield shape, row
            for child in shape.children:
                for below in _iterate_pages(db, child, **{child.parent: row["id"]}):
                    yield child, below


def _portion_values(bank_id: int | None, portion: Portion) -> dict[str, object]:
    return {
        "bank_id": bank_id,
        "user": portion.user,
        "project": portion.project,
        "document": portion.document,
    }


def find_row(db: Database, shape: Shape, row: Row) -> Row | None:
    """The stored row with the key of a given one."""
    found = db.one(f"find_archived_{shape.name}", **{name: row[name] for name in shape.key})
    return _decode_row(shape, found) if found else None


def put_row(db: Database, shape: Shape, row: Row) -> None:
    """Store a row. Replaces the row with the same key if rows of its type can change."""
    try:
        db.run(f"put_archived_{shape.name}", **bound_values(shape, row))
    except apsw.ConstraintError as error:
        raise _constraint_error(shape, int(getattr(error, "extendedresult", 0))) from error


def bank_of_document(db: Database, number: int) -> int | None:
    """The bank a document belongs to."""
    return db.value("archived_document_bank", id=number)


def memory_of_id(db: Database, number: int) -> int | None:
    """The memory of an id, which may also be the id of one of its versions."""
    return db.value("archived_owner", id=number)


def bound_values(shape: Shape, row: Row) -> Row:
    """The values of a row for a query, with lists and objects as JSON in one fixed format."""
    return {
        name: encode_json(row[name]) if kind in _JSON else row[name]
        for name, kind in shape.columns.items()
    }


def _constraint_error(shape: Shape, result: int) -> Conflict | Invalid:
    if result in _UNIQUE_VIOLATIONS:
        return Conflict(
            f"The {shape.name} has an id, a name or a key that is already in use in the store.",
            hint="Import into an empty home, or rename one of the two first.",
        )
    if result == apsw.SQLITE_CONSTRAINT_FOREIGNKEY:
        return Invalid(
            f"The {shape.name} refers to something that does not exist.",
            hint="Export again and import the whole file.",
        )
    return Invalid(f"The {shape.name} has a value that is not allowed.", hint="Correct the line.")


def _decode_row(shape: Shape, row: Row) -> Row:
    return {
        name: json.loads(row[name]) if kind in _JSON else row[name]
        for name, kind in shape.columns.items()
    }


def _iterate_pages(db: Database, shape: Shape, **within: object) -> Iterator[Row]:
    after: dict[str, object] = {
        name: "" if shape.columns[name] == "text" else -1 for name in shape.key
    }
    while True:
        bounds = {f"after_{name}": after[name] for name in shape.key}
        try:
            found = [
                _decode_row(shape, row)
                for row in db.all(f"export_{shape.name}", **bounds, **within, limit=PAGE)
            ]
        except ValueError as error:
            # Invalid UTF-8 or JSON is damage that shows only when the row is read.
            raise Unsupported(
                f"The store is damaged: a {shape.name} cannot be read.",
                hint="Run `commonplace doctor` to see which.",
            ) from error
        yield from found
        if len(found) < PAGE:
            return
        after = {name: found[-1][name] for name in shape.key}
