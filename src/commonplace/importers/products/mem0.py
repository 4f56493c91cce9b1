"""The JSON of mem0, the backup of its server, and the history of its library in SQLite."""

from collections.abc import Iterator
from dataclasses import replace
from typing import IO

from commonplace.engine.operations.external_import import ExternalItem
from commonplace.importers import json_stream, zips
from commonplace.importers.base import (
    DELETED,
    EMPTY,
    EXPIRED,
    ImportContext,
    ImportItem,
    Object,
    Skipped,
    SourceItem,
    broken_item,
    first_of,
    labels_of,
    list_of,
    moment_of,
    object_of,
    provenance,
    text_of,
)
from commonplace.importers.json_stream import Element
from commonplace.importers.products import openmemory
from commonplace.importers.table_rows import (
    external_key,
    is_database_file,
    is_past,
    numbered_objects,
    scope_of,
    table_rows,
    user_metadata,
)
from commonplace.records.memory import Draft, Scope
from commonplace.storage import external_sqlite
from commonplace.storage.external_sqlite import ExternalFile


def read(context: ImportContext) -> Iterator[SourceItem]:
    """Read JSON, the zip of a backup, or a history database."""
    if is_database_file(context.path):
        with external_sqlite.open_copy(context.path) as file:
            yield from _replay_history(context, file)
        return
    if zips.is_zip(context.path):
        with zips.open_archive(context.path) as archive:
            inside = (
                one for one in archive.namelist() if one.rpartition("/")[2] == openmemory.MEMBER
            )
            for name in inside:
                with json_stream.open_member(archive, name, context.progress) as file:
                    yield from _read_json(context, file)
        return
    with json_stream.open_file(context.path, context.progress) as file:
        yield from _read_json(context, file)


def _read_json(context: ImportContext, file: IO[bytes]) -> Iterator[SourceItem]:
    for one in json_stream.read_values(file):
        nested = _nested_memories(one) if isinstance(one, Element) else iter([one])
        for row in nested:
            yield (
                row
                if isinstance(row, Skipped)
                else _memory(row.location, object_of(row.value), context.now)
            )


def _memory(location: str, row: Object, now: int) -> SourceItem:
    text = text_of(first_of(row, "memory", "data", "text", "content"))
    number = text_of(row.get("id"))
    if is_past(first_of(row, "expiration_date", "expires_at"), now):
        return Skipped(location, EXPIRED)
    if row.get("is_deleted") or text_of(row.get("state")) in ("deleted", "archived"):
        return Skipped(location, DELETED)
    if not text.strip():
        return broken_item(location, EMPTY)
    own = object_of(first_of(row, "metadata", "metadata_"))
    tags = (*labels_of(row.get("categories")), *labels_of(own.get("tags")))
    draft = Draft(
        text,
        tags=tuple(dict.fromkeys(tags)),
        metadata=user_metadata(own) | provenance("mem0", number),
        expires_at=moment_of(first_of(row, "expiration_date", "expires_at")),
        scope=_scope(row),
    )
    times = moment_of(row.get("created_at")), moment_of(row.get("updated_at"))
    return ImportItem(location, ExternalItem(external_key(number, text), draft, *times))


def _replay_history(context: ImportContext, file: ExternalFile) -> Iterator[SourceItem]:
    """The last state of each memory in a history. A history has no scopes."""
    last: dict[str, tuple[str, Object]] = {}
    born: dict[str, object] = {}
    for one in table_rows(context, file, "history"):
        if isinstance(one, Skipped):
            yield one
            continue
        location, row = one
        number = text_of(row.get("memory_id"))
        born.setdefault(number, row.get("created_at"))
        last[number] = (location, row)
    for number, (location, row) in last.items():
        if row.get("event") == "DELETE" or row.get("is_deleted"):
            yield Skipped(location, DELETED)
            continue
        text = text_of(row.get("new_memory"))
        if not text.strip():
            yield broken_item(location, EMPTY)
            continue
        draft = Draft(text, metadata=provenance("mem0", number))
        untold = ("tags", "metadata", "expires_at")
        times = moment_of(born[number]), moment_of(first_of(row, "updated_at", "created_at"))
        yield ImportItem(location, ExternalItem(external_key(number, text), draft, *times, untold))


def _nested_memories(one: Element) -> Iterator[Element]:
    """The memories in a response: on its first or second level, or the response itself."""
    given = object_of(one.value)
    if openmemory.is_backup(given) and "memories" in given:
        yield from openmemory.rows(given)
        return
    for name in ("results", "memories", "data", "items"):
        inside = given.get(name)
        nested = [found for one in object_of(inside).values() if (found := list_of(one))]
        found = list_of(inside) or (nested[0] if nested else None)
        if found:
            yield from (Element(location, one) for location, one in numbered_objects(found))
            return
    yield one


def _scope(row: Object) -> Scope:
    scope = scope_of(row, app="app_id")
    # An app of the server is the program that added the memory.
    return replace(scope, agent=scope.agent or text_of(row.get("app")))
