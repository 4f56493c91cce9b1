"""Reads every canonical row in a fixed order for an export, and stores rows of an import."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import apsw

from commonplace.errors import Conflict, Invalid, Unsupported
from commonplace.records.receipt import Portion
from commonplace.storage.database import Database, Row

Kind: TypeAlias = Literal[
    "id", "id?", "number", "number?", "moment", "moment?", "text", "list", "object", "json"
]

PAGE = 100  # Rows read at once: few enough that the largest texts still fit in memory.
_JSON = frozenset(("list", "object", "json"))
_UNIQUE_VIOLATIONS = (
    apsw.SQLITE_CONSTRAINT_UNIQUE,
    apsw.SQLITE_CONSTRAINT_PRIMARYKEY,
    apsw.SQLITE_CONSTRAINT_ROWID,
)

# One encoder for all values, because creating one is slower than using it.
encode_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class Shape:
    """One type of row: its columns in order, and how two states of one thing are told apart.

    `fixed` never changes: where it differs, two things claim one key. The later of two `moments` is
    the later state.
    """

    name: str
    key: tuple[str, ...]
    columns: Mapping[str, Kind]
    fixed: tuple[str, ...]
    moments: tuple[str, ...] = ()
    parent: str = ""
    children: tuple["Shape", ...] = ()


_SCOPE: dict[str, Kind] = {"project": "text", "user": "text", "agent": "text", "run": "text"}
_ORIGIN: dict[str, Kind] = {"who": "text", "dialect": "text", "session": "text", "reason": "text"}
CONTENT: dict[str, Kind] = {
    "text": "text",
    "title": "text",
    "kind": "text",
    "key": "text",
    "tags": "list",
    "metadata": "object",
    "paths": "list",
    "category": "text",
    "happened_at": "moment?",
    "happened_until": "moment?",
    "expires_at": "moment?",
    "document_id": "id?",
}

BANK = Shape(
    "bank",
    ("id",),
    {
        "id": "id",
        "name": "text",
        "title": "text",
        "mission": "text",
        "config": "object",
        "created_at": "moment",
    },
    fixed=("name",),
)
REVISION = Shape(
    "revision",
    ("bank_id", "project", "number"),
    {
        "bank_id": "id",
        "project": "text",
        "number": "number",
        "action": "text",
        "at": "moment",
        **_ORIGIN,
    },
    fixed=("action", "at", *_ORIGIN),
)
DOCUMENT = Shape(
    "document",
    ("id",),
    {
        "id": "id",
        "bank_id": "id",
        "name": "text",
        "title": "text",
        "text": "text",
        "sha256": "text",
        "tags": "list",
        "metadata": "object",
        "created_at": "moment",
        "updated_at": "moment",
    },
    fixed=("bank_id", "name", "created_at"),
    moments=("updated_at",),
)
VERSION = Shape(
    "version",
    ("memory_id", "number"),
    {
        "id": "id",
        "memory_id": "id",
        "number": "number",
        "action": "text",
        "revision": "number",
        **CONTENT,
        "at": "moment",
        **_ORIGIN,
    },
    # The revision is not part of it: an import may count it anew.
    fixed=("id", "action", *CONTENT, "at", *_ORIGIN),
    parent="memory_id",
)
MEMORY = Shape(
    "memory",
    ("id",),
    {
        "id": "id",
        "bank_id": "id",
        **_SCOPE,
        **CONTENT,
        "version": "number",
        "version_id": "id",
        "created_at": "moment",
        "updated_at": "moment",
        "forgotten_at": "moment?",
    },
    fixed=("bank_id", *_SCOPE, "key", "created_at"),
    children=(VERSION,),
)
IDEMPOTENCY_KEY = Shape(
    "reply",
    ("bank_id", "session", "tool", "key"),
    {
        "bank_id": "id",
        "session": "text",
        "tool": "text",
        "key": "text",
        "content_hash": "text",
        "reply": "json",
        "at": "moment",
    },
    fixed=("content_hash",),
)
EVENT = Shape(
    "event",
    ("session_id", "number"),
    {
        "id": "id",
        "session_id": "id",
        "number": "number",
        "role": "text",
        "kind": "text",
        "text": "text",
        "token_count": "number?",
        "turn_index": "number?",
        "meaningful": "number",
        "at": "moment",
    },
    fixed=("id", "role", "kind", "text", "at"),
    parent="session_id",
)
SNAPSHOT = Shape(
    "snapshot",
    ("id",),
    {
        "id": "id",
        "session_id": "id",
        "slug": "text",
        "trigger": "text",
        "text": "text",
        "at": "moment",
    },
    fixed=("session_id", "slug", "trigger", "text", "at"),
    parent="session_id",
)
SESSION = Shape(
    "session",
    ("id",),
    {
        "id": "id",
        "bank_id": "id",
        "project": "text",
        "user": "text",
        "title": "text",
        "client": "text",
        "metadata": "object",
        "status": "text",
        "started_at": "moment",
        "active_at": "moment",
        "ended_at": "moment?",
    },
    fixed=("bank_id", "started_at"),
    moments=("active_at", "ended_at"),
    children=(EVENT, SNAPSHOT),
)
REMINDER = Shape(
    "reminder",
    ("id",),
    {
        "id": "id",
        "bank_id": "id",
        "project": "text",
        "user": "text",
        "cron": "text",
        "timezone": "text",
        "message": "text",
        "enabled": "number",
        "next_at": "moment?",
        "last_at": "moment?",
        "created_at": "moment",
    },
    fixed=("bank_id", "created_at"),
    moments=("created_at", "last_at"),
)
BANK_ITEM = Shape(
    "standing",
    ("id",),
    {
        "id": "id",
        "bank_id": "id",
        "kind": "text",
        "name": "text",
        "tags": "list",
        "body": "object",
        "created_at": "moment",
        "updated_at": "moment",
    },
    fixed=("bank_id", "kind", "name", "created_at"),
    moments=("updated_at",),
)
CHUNK = Shape(
    "chunk",
    ("stream_id", "number"),
    {"stream_id": "id", "number": "number", "text": "text"},
    fixed=("text",),
    parent="stream_id",
)
STREAM = Shape(
    "stream",
    ("id",),
    {
        "id": "id",
        "bank_id": "id",
        "draft": "json",
        "chunk_count": "number",
        "text_bytes": "number",
        "text_chars": "number",
        "started_at": "moment",
        "touched_at": "moment",
    },
    fixed=("bank_id", "started_at"),
    moments=("touched_at",),
    children=(CHUNK,),
)
JOB = Shape(
    "job",
    ("id",),
    {
        "id": "id",
        "bank_id": "id",
        "kind": "text",
        "payload": "json",
        "state": "text",
        "done_count": "number",
        "total_count": "number?",
        "stage": "text",
        "attempt_count": "number",
        "attempts_max": "number",
        "run_at": "moment",
        "leased_until": "moment?",
        "worker": "text",
        "cancel_asked": "number",
        "error": "text",
        "result": "json",
        "created_at": "moment",
        "updated_at": "moment",
        "finished_at": "moment?",
    },
    fixed=("bank_id", "kind", "created_at"),
    moments=("updated_at",),
)

# In the order of the file. Revisions come before the versions that name them, documents before
# their memories.
_PARENTS = (
    BANK,
    REVISION,
    DOCUMENT,
    MEMORY,
    IDEMPOTENCY_KEY,
    SESSION,
    REMINDER,
    BANK_ITEM,
    STREAM,
    JOB,
)
SHAPES = {shape.name: shape for parent in _PARENTS for shape in (parent, *parent.children)}


def count_rows(db: Database, bank_id: int | None, portion: Portion) -> dict[str, int]:
    """The number of rows of each type in the whole store, in one bank, or in a part of it."""
    within = _portion_values(bank_id, portion)
    return {name: int(db.value(f"count_archived_{name}", **within)) for name in SHAPES}


def iterate_rows(
    db: Database, bank_id: int | None, portion: Portion
) -> Iterator[tuple[Shape, Row]]:
    """Every canonical row in the order of the file, each parent followed by its children."""
    within = _portion_values(bank_id, portion)
    for shape in _PARENTS:
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
