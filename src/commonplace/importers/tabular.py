"""Sources that are tables or lists of memories: memories.sh, PowerMem, mem0. One row there is one
memory here.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, TypeAlias

from commonplace.engine.operations.external_import import Foreign, ForeignReminder
from commonplace.errors import CommonplaceError
from commonplace.importers import json_stream, openmemory, yaml_reader, zips
from commonplace.importers.base import (
    Object,
    Place,
    Read,
    Skipped,
    Thing,
    broken,
    first_of,
    kind_of,
    labels_of,
    line_of,
    list_of,
    moment_of,
    object_of,
    provenance,
    text_of,
)
from commonplace.importers.json_stream import Element
from commonplace.limits import NAME_CHARS_MAX
from commonplace.records.memory import Draft, Metadata, Scope
from commonplace.records.work import ReminderDraft
from commonplace.storage import external_sqlite
from commonplace.storage.external_sqlite import ForeignFile, is_database

DELETED = "deleted in the source"
EXPIRED = "expired in the source"
EMPTY = "it is empty"
# What memories.sh keeps besides, which no tool here could show under its id there.
_LEFT_THERE = {"memory_sessions": "a session", "files": "a file made by an editor"}
_STEP_ON_ONE = re.compile(r"(?<![\d\-*/])(\d+)/\d+")
_RowReader: TypeAlias = Callable[[str, Object, int], Read]
_HEAD_BYTES = 16
# What PowerMem counts and plans for itself, and what any of these notes on a memory besides what
# its user did.
_BOOKKEEPING = frozenset(
    "intelligence memory_management processing_applied importance_score access_count memory_type"
    " search_count last_accessed last_accessed_at should_forget marked_for_forgetting_at"
    " fulltext_content hash embedding vector data text_lemmatized score".split()
)


def memories_sh(place: Place) -> Iterator[Read]:
    """The database of memories.sh, or its export as JSON or YAML."""
    if _is_database(place.path):
        with external_sqlite.opened(place.path) as file:
            tables = file.tables()
            yield from _table(place, file, "memories", _memories_sh_row)
            if "cron_expression" in tables.get("reminders", ()):
                yield from _table(place, file, "reminders", _memories_sh_reminder)
            for table, why in _LEFT_THERE.items():
                count = len(file.numbers(table)) if table in tables else 0
                yield from (Skipped(f"{table} row {number}", why) for number in range(1, count + 1))
        return
    exported = _exported(place)
    for where, value in _numbered(exported.get("memories")):
        # The export names the project once, for all that is not global.
        project = exported.get("project_id") if value.get("scope") == "project" else ""
        yield _memories_sh_row(where, {"project_id": project} | value, place.now)


def powermem(place: Place) -> Iterator[Read]:
    """The SQLite file of PowerMem, or what `pmem manage backup` writes."""
    if not _is_database(place.path):
        for where, value in _numbered(_exported(place).get("memories")):
            yield _powermem_row(where, value, place.now)
        return
    with external_sqlite.opened(place.path) as file:
        tables = [
            name for name, columns in file.tables().items() if {"id", "payload"} <= set(columns)
        ]
        for table in tables:
            yield from _table(place, file, table, _powermem_row)


def mem0(place: Place) -> Iterator[Read]:
    """What mem0 gives out as JSON, the backup of its server, or the history that its library keeps
    in SQLite.
    """
    if _is_database(place.path):
        with external_sqlite.opened(place.path) as file:
            yield from _replayed(place, file)
        return
    if zips.is_zip(place.path):
        with zips.archive(place.path) as archive:
            inside = (
                one for one in archive.namelist() if one.rpartition("/")[2] == openmemory.MEMBER
            )
            for name in inside:
                with json_stream.member(archive, name, place.progress) as file:
                    yield from _mem0_rows(place, file)
        return
    with json_stream.opened(place.path, place.progress) as file:
        yield from _mem0_rows(place, file)


def _mem0_rows(place: Place, file: IO[bytes]) -> Iterator[Read]:
    for one in json_stream.values(file):
        nested = _listed(one) if isinstance(one, Element) else iter([one])
        for row in nested:
            yield (
                row
                if isinstance(row, Skipped)
                else _mem0_row(row.where, object_of(row.value), place.now)
            )


def _memories_sh_row(where: str, row: Object, now: int) -> Read:
    if row.get("deleted_at"):
        return Skipped(where, DELETED)
    if _is_over(row.get("expires_at"), now):
        return Skipped(where, EXPIRED)
    number, text = text_of(row.get("id")), text_of(row.get("content"))
    if not text.strip():
        return broken(where, EMPTY)
    key, own = _identity(number, text), object_of(row.get("metadata"))
    kind = kind_of(row.get("type"))
    draft = Draft(
        text,
        kind="rule" if row.get("memory_layer") == "rule" else kind,
        tags=labels_of(row.get("tags")),
        metadata=own | provenance("memories", number),
        paths=labels_of(row.get("paths")),
        category=line_of(row.get("category"), NAME_CHARS_MAX),
        expires_at=moment_of(row.get("expires_at")),
        scope=Scope(project=text_of(row.get("project_id")), user=text_of(row.get("user_id"))),
    )
    absent = {
        "paths": "paths",
        "category": "category",
        "metadata": "metadata",
        "expires_at": "expires_at",
    }
    untold = tuple(name for name, column in absent.items() if column not in row)
    return Thing(
        where,
        Foreign(
            key, draft, moment_of(row.get("created_at")), moment_of(row.get("updated_at")), untold
        ),
    )


def _memories_sh_reminder(where: str, row: Object, now: int) -> Read:
    number, message = text_of(row.get("id")), text_of(row.get("message")).strip()
    if not number or not message:
        return broken(where, EMPTY)
    project = text_of(row.get("project_id")) if row.get("scope") == "project" else ""
    # There, a step after a single number has no effect; everywhere else it counts on from it.
    cron = _STEP_ON_ONE.sub(r"\1", text_of(row.get("cron_expression")))
    draft = ReminderDraft(cron, message, project=project)
    return ForeignReminder(number, draft, text_of(row.get("enabled")).lower() in ("1", "true"))


def _powermem_row(where: str, row: Object, now: int) -> Read:
    said = object_of(row.get("payload")) if "payload" in row else row
    if not said:
        return broken(where, "its payload is not JSON")
    number, text = text_of(row.get("id")), text_of(first_of(said, "data", "memory", "content"))
    if not text.strip():
        return broken(where, EMPTY)
    own = object_of(said.get("metadata"))
    category = first_of(said, "category") or own.get("category")
    draft = Draft(
        text,
        tags=labels_of(own.get("tags")),
        metadata=_own(own) | provenance("powermem", number),
        category=line_of(category, NAME_CHARS_MAX),
        scope=_scope(said),
    )
    created = moment_of(first_of(said, "created_at")) or moment_of(row.get("created_at"))
    return Thing(
        where, Foreign(_identity(number, text), draft, created, moment_of(said.get("updated_at")))
    )


def _mem0_row(where: str, row: Object, now: int) -> Read:
    text = text_of(first_of(row, "memory", "data", "text", "content"))
    number = text_of(row.get("id"))
    if _is_over(first_of(row, "expiration_date", "expires_at"), now):
        return Skipped(where, EXPIRED)
    if row.get("is_deleted") or text_of(row.get("state")) in ("deleted", "archived"):
        return Skipped(where, DELETED)
    if not text.strip():
        return broken(where, EMPTY)
    own = object_of(first_of(row, "metadata", "metadata_"))
    tags = (*labels_of(row.get("categories")), *labels_of(own.get("tags")))
    draft = Draft(
        text,
        tags=tuple(dict.fromkeys(tags)),
        metadata=_own(own) | provenance("mem0", number),
        expires_at=moment_of(first_of(row, "expiration_date", "expires_at")),
        scope=_mem0_scope(row),
    )
    times = moment_of(row.get("created_at")), moment_of(row.get("updated_at"))
    return Thing(where, Foreign(_identity(number, text), draft, *times))


def _replayed(place: Place, file: ForeignFile) -> Iterator[Read]:
    """What the events of a history leave: the last word on each memory. It does not say whose a
    memory is.
    """
    last: dict[str, tuple[str, Object]] = {}
    born: dict[str, object] = {}
    for one in _raw(place, file, "history"):
        if isinstance(one, Skipped):
            yield one
            continue
        where, row = one
        number = text_of(row.get("memory_id"))
        born.setdefault(number, row.get("created_at"))
        last[number] = (where, row)
    for number, (where, row) in last.items():
        if row.get("event") == "DELETE" or row.get("is_deleted"):
            yield Skipped(where, DELETED)
            continue
        text = text_of(row.get("new_memory"))
        if not text.strip():
            yield broken(where, EMPTY)
            continue
        draft = Draft(text, metadata=provenance("mem0", number))
        untold = ("tags", "metadata", "expires_at")
        times = moment_of(born[number]), moment_of(first_of(row, "updated_at", "created_at"))
        yield Thing(where, Foreign(_identity(number, text), draft, *times, untold))


def _table(place: Place, file: ForeignFile, table: str, read: _RowReader) -> Iterator[Read]:
    for one in _raw(place, file, table):
        yield one if isinstance(one, Skipped) else read(*one, place.now)


def _raw(place: Place, file: ForeignFile, table: str) -> Iterator[tuple[str, Object] | Skipped]:
    numbers = file.numbers(table)
    for done, number in enumerate(numbers, start=1):
        where = f"{table} row {number}"
        try:
            yield where, file.row(table, number)
        except CommonplaceError:
            yield broken(where, "it is damaged")
        place.progress(done, len(numbers))


def _exported(place: Place) -> Object:
    with json_stream.opened(place.path, place.progress) as file:
        if place.path.suffix.lower() not in (".yaml", ".yml"):
            return object_of(json_stream.whole(file))
        return object_of(yaml_reader.read(file.read().decode(errors="surrogateescape")))


def _listed(one: Element) -> Iterator[Element]:
    """The memories in an answer: on its first level, or one below; or the one that it is."""
    given = object_of(one.value)
    if openmemory.is_backup(given) and "memories" in given:
        yield from openmemory.rows(given)
        return
    for name in ("results", "memories", "data", "items"):
        inside = given.get(name)
        nested = [found for one in object_of(inside).values() if (found := list_of(one))]
        found = list_of(inside) or (nested[0] if nested else None)
        if found:
            yield from (Element(where, one) for where, one in _numbered(found))
            return
    yield one


def _numbered(found: object) -> Iterable[tuple[str, Object]]:
    return (
        (f"item {number}", object_of(one)) for number, one in enumerate(list_of(found), start=1)
    )


def _scope(row: Object, app: str = "project_id") -> Scope:
    # An absent one is None here, "" there, and "None" in files that Python wrote.
    names = {"project": app, "user": "user_id", "agent": "agent_id", "run": "run_id"}
    return Scope(
        **{
            ours: "" if row.get(theirs) == "None" else text_of(row.get(theirs))
            for ours, theirs in names.items()
        }
    )


def _mem0_scope(row: Object) -> Scope:
    scope = _scope(row, app="app_id")
    # What its server calls an app is the program that told it.
    return replace(scope, agent=scope.agent or text_of(row.get("app")))


def _own(metadata: Metadata) -> Object:
    return {name: value for name, value in metadata.items() if name not in _BOOKKEEPING}


def _identity(number: str, text: str) -> str:
    return number or hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def _is_over(value: object, now: int) -> bool:
    moment = moment_of(value)
    return moment is not None and moment < now


def _is_database(path: Path) -> bool:
    with json_stream.opened(path) as file:
        return is_database(file.read(_HEAD_BYTES))
