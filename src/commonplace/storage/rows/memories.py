"""Rows of memories, their versions, and the revisions of their projects."""

import json
from collections.abc import Sequence

from commonplace.errors import Conflict
from commonplace.records.memory import (
    Action,
    Memory,
    Origin,
    Project,
    Revision,
    Scope,
    TagCount,
    Version,
)
from commonplace.records.query import Filter, PageRequest
from commonplace.storage import filters, text_index
from commonplace.storage.database import Database, Row

_SCOPE = ("project", "user", "agent", "run")
_ORIGIN = ("who", "dialect", "session", "reason")


def find(db: Database, bank_id: int, number: int) -> Memory | None:
    """The memory of an id, which may also be the id of one of its versions."""
    row = db.one("find_memory", bank_id=bank_id, id=number) or db.one(
        "find_memory_of_version", bank_id=bank_id, id=number
    )
    return from_row(row) if row else None


def in_range(db: Database, bank_id: int, numbers: range, limit: int) -> list[Memory]:
    """The memories whose ids are in a range, the newest first."""
    rows = db.all(
        "memories_in_range", bank_id=bank_id, first=numbers[0], last=numbers[-1], limit=limit
    )
    return [from_row(row) for row in rows]


def neighbours(db: Database, numbers: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """The ids right before and after each of some ids."""
    rows = db.all("neighbouring_ids", ids=json.dumps(list(numbers)))
    return {
        row["id"]: tuple(other for other in (row["before"], row["after"]) if other) for row in rows
    }


def find_by_key(db: Database, bank_id: int, scope: Scope, key: str) -> Memory | None:
    """The memory that has a key within a scope, forgotten or not."""
    row = db.one("find_memory_by_key", bank_id=bank_id, key=key, **_scope(scope))
    return from_row(row) if row else None


def find_by_key_of_agents(db: Database, bank_id: int, scope: Scope, key: str) -> Memory | None:
    """The memory with a key in a user's part of a project, for any agent or run. Live memories
    come first.
    """
    values = {"bank_id": bank_id, "project": scope.project, "user": scope.user, "key": key}
    row = db.one("find_memory_by_key_of_agents", **values)
    return from_row(row) if row else None


def by_ids(db: Database, bank_id: int, numbers: Sequence[int]) -> dict[int, Memory]:
    """The memories of some ids. Unknown ids are skipped."""
    rows = db.all("memories_by_ids", bank_id=bank_id, ids=json.dumps(list(numbers)))
    return {row["id"]: from_row(row) for row in rows}


def select(db: Database, bank_id: int, chosen: Filter, page: PageRequest, now: int) -> list[Memory]:
    """A page of the memories that match a filter."""
    where, values = filters.compile_filter(db, chosen, now)
    sql = f"{db.text('select_memories')}{where} {db.text(f'order_{page.order}')}"
    values |= {"bank_id": bank_id, "limit": page.limit, "offset": page.offset}
    return [from_row(row) for row in db.select(sql, values)]


def count(db: Database, bank_id: int, chosen: Filter, now: int) -> int:
    """The number of memories that match a filter."""
    where, values = filters.compile_filter(db, chosen, now)
    return int(
        db.select(db.text("count_memories") + where, values | {"bank_id": bank_id})[0]["count"]
    )


def select_ids(db: Database, bank_id: int, chosen: Filter, now: int) -> list[int]:
    """The ids of all memories that match a filter, oldest first."""
    where, values = filters.compile_filter(db, chosen, now)
    sql = f"{db.text('select_memory_ids')}{where} {db.text('order_id')}"
    rows = db.select(sql, values | {"bank_id": bank_id})
    return [row["id"] for row in rows]


def write(db: Database, memory: Memory, action: Action, revision: int, origin: Origin) -> None:
    """Store a memory's new state and its version. Raises Conflict if the state before it is not the
    newest one.
    """
    values = _memory_values(memory)
    if memory.version == 1:
        db.run("add_memory", **values)
    elif not db.run(
        "update_memory", **{name: values[name] for name in values if name not in _FIXED}
    ):
        raise Conflict(hint="Read the memory again and repeat the change on its newest version.")
    else:
        # Observations and models derived from its earlier state become stale.
        db.run("mark_source_changed", memory_id=memory.id, bank_id=memory.bank_id)
    db.run("add_version", **_version_values(memory, action, revision, origin))
    text_index.index_memory(db, memory)


def purge(db: Database, bank_id: int, numbers: Sequence[int]) -> None:
    """Delete memories and everything derived from them."""
    chosen = json.dumps(list(numbers))
    text_index.unindex(db, numbers)
    # The files of notes are outside the store, so their removal is recorded.
    db.run("leave_notes", ids=chosen)
    db.run("leave_conflict_files", ids=chosen)
    db.run("drop_notes", ids=chosen)
    db.run("drop_wikilinks", ids=chosen)
    db.run("purge_versions", ids=chosen)
    db.run("purge_memories", ids=chosen)
    db.run("purge_idempotency_keys", bank_id=bank_id)
    db.run("count_purge", id=bank_id)


def versions(db: Database, memory_id: int, limit: int) -> list[Version]:
    """A memory's versions, oldest first."""
    return [_version(row) for row in db.all("list_versions", memory_id=memory_id, limit=limit)]


def superseded_versions(
    db: Database, bank_id: int, chosen: Filter, now: int, limit: int
) -> list[Version]:
    """The earlier versions of the memories that match a filter, newest first."""
    where, values = filters.compile_filter(db, chosen, now)
    sql = f"{db.text('select_superseded')}{where} {db.text('order_versions')}"
    return [_version(row) for row in db.select(sql, values | {"bank_id": bank_id, "limit": limit})]


def find_version(db: Database, bank_id: int, number: int) -> Version | None:
    """The version of an id."""
    row = db.one("find_version", bank_id=bank_id, id=number)
    return _version(row) if row else None


def find_numbered_version(db: Database, memory_id: int, number: int) -> Version | None:
    """The version of a memory that has a number in its history."""
    row = db.one("find_numbered_version", memory_id=memory_id, number=number)
    return _version(row) if row else None


def versions_at_revision(
    db: Database, bank_id: int, scope: Scope, revision: int, limit: int
) -> list[Version]:
    """The state of a user's part of a project after a revision, for all agents and runs."""
    values = {
        "bank_id": bank_id,
        "project": scope.project,
        "user": scope.user,
        "revision": revision,
    }
    return [_version(row) for row in db.all("versions_at_revision", **values, limit=limit)]


def newest_revision(db: Database, bank_id: int, project: str) -> int:
    """The number of the newest revision of a project."""
    return int(db.value("newest_revision", bank_id=bank_id, project=project) or 0)


def add_revision(
    db: Database, bank_id: int, project: str, action: str, at: int, origin: Origin
) -> int:
    """Add a revision to a project. Returns its number."""
    number = newest_revision(db, bank_id, project) + 1
    values = {"bank_id": bank_id, "project": project, "number": number, "action": action, "at": at}
    db.run("add_revision", **values, **_origin(origin))
    return number


def revisions(db: Database, bank_id: int, project: str, limit: int) -> list[Revision]:
    """The revisions of a project, newest first."""
    rows = db.all("list_revisions", bank_id=bank_id, project=project, limit=limit)
    return [Revision(row["number"], row["action"], row["at"], _read_origin(row)) for row in rows]


def projects(db: Database, bank_id: int, limit: int, user: str | None = None) -> list[Project]:
    """The projects with live memories, or with live memories of one user, the last changed
    first.
    """
    rows = db.all("list_projects", bank_id=bank_id, user=user, limit=limit)
    return [
        Project(row["project"], row["memory_count"], row["revision"], row["changed_at"])
        for row in rows
    ]


def tags(
    db: Database, bank_id: int, pattern: str, limit: int, user: str | None = None
) -> list[TagCount]:
    """The tags of live memories, or of one user's, that match a pattern, the most frequent
    first.
    """
    rows = db.all("list_tags", bank_id=bank_id, pattern=pattern, user=user, limit=limit)
    return [TagCount(row["tag"], row["count"]) for row in rows]


def labels(db: Database, bank_id: int, limit: int, user: str | None, now: int) -> dict[str, int]:
    """The projects and agents of live memories in the form of tags, and how many memories each
    has.
    """
    rows = db.all("list_labels", bank_id=bank_id, user=user, now=now, limit=limit)
    return {row["tag"]: row["count"] for row in rows}


def find_idempotency_key(
    db: Database, bank_id: int, session: str, tool: str, key: str
) -> tuple[str, object] | None:
    """The content hash and the reply stored for an idempotency key."""
    row = db.one("find_idempotency_key", bank_id=bank_id, session=session, tool=tool, key=key)
    return (row["content_hash"], json.loads(row["reply"])) if row else None


def add_idempotency_key(db: Database, at: int, reply: object, **address: object) -> None:
    """Store the reply for an idempotency key."""
    db.run("add_idempotency_key", at=at, reply=json.dumps(reply, ensure_ascii=False), **address)


def update_idempotency_key(db: Database, at: int, reply: object, **address: object) -> None:
    """Replace the content hash and the reply of an idempotency key."""
    db.run("update_idempotency_key", at=at, reply=json.dumps(reply, ensure_ascii=False), **address)


_FIXED = ("bank_id", *_SCOPE, "key", "created_at")


def _scope(scope: Scope) -> dict[str, object]:
    return {name: getattr(scope, name) for name in _SCOPE}


def _origin(origin: Origin) -> dict[str, object]:
    return {name: getattr(origin, name) for name in _ORIGIN}


def _read_origin(row: Row) -> Origin:
    return Origin(**{name: row[name] for name in _ORIGIN})


_CONTENT = (
    "text",
    "title",
    "kind",
    "key",
    "tags",
    "metadata",
    "paths",
    "category",
    "happened_at",
    "happened_until",
    "expires_at",
    "document_id",
)
_JSON = ("tags", "metadata", "paths")


def _content(memory: Memory) -> dict[str, object]:
    values: dict[str, object] = {name: getattr(memory, name) for name in _CONTENT}
    return values | {
        name: json.dumps(values[name], ensure_ascii=False, separators=(",", ":")) for name in _JSON
    }


def _memory_values(memory: Memory) -> dict[str, object]:
    own = ("id", "bank_id", "version", "version_id", "created_at", "updated_at", "forgotten_at")
    return _content(memory) | _scope(memory.scope) | {name: getattr(memory, name) for name in own}


def _version_values(
    memory: Memory, action: Action, revision: int, origin: Origin
) -> dict[str, object]:
    own = {
        "id": memory.version_id,
        "memory_id": memory.id,
        "number": memory.version,
        "action": action,
        "revision": revision,
        "at": memory.updated_at,
    }
    return _content(memory) | own | _origin(origin)


def _read_content(row: Row) -> Row:
    content = {name: row[name] for name in _CONTENT}
    return content | {
        "tags": tuple(json.loads(row["tags"])),
        "metadata": json.loads(row["metadata"]),
        "paths": tuple(json.loads(row["paths"])),
    }


def from_row(row: Row) -> Memory:
    """The memory of a row."""
    own = ("id", "bank_id", "version", "version_id", "created_at", "updated_at", "forgotten_at")
    scope = Scope(**{name: row[name] for name in _SCOPE})
    return Memory(scope=scope, **_read_content(row), **{name: row[name] for name in own})


def _version(row: Row) -> Version:
    own = ("id", "memory_id", "number", "action", "revision", "at")
    return Version(
        origin=_read_origin(row), **_read_content(row), **{name: row[name] for name in own}
    )
