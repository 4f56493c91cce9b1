"""The types of rows in an archive: their columns, their keys and the columns that may change."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal[
    "id", "id?", "number", "number?", "moment", "moment?", "text", "list", "object", "json"
]


@dataclass(frozen=True, slots=True)
class Shape:
    """One type of row: its columns in order, and how two states of one row are compared.

    The columns in `fixed` never change: rows that differ in them are different things with one key.
    Otherwise the row with the later `moments` is the newer state.
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
    # Without the revision, because an import may renumber it.
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
PARENTS = (
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
SHAPES = {shape.name: shape for parent in PARENTS for shape in (parent, *parent.children)}
