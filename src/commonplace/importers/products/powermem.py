"""The SQLite file of PowerMem, and its backup as JSON."""

from collections.abc import Iterator

from commonplace.engine.operations.external_import import ExternalItem
from commonplace.importers.base import (
    EMPTY,
    ImportContext,
    ImportItem,
    Object,
    SourceItem,
    broken_item,
    first_of,
    labels_of,
    line_of,
    moment_of,
    object_of,
    provenance,
    text_of,
)
from commonplace.importers.table_rows import (
    external_key,
    is_database_file,
    numbered_objects,
    read_export,
    read_table,
    scope_of,
    user_metadata,
)
from commonplace.limits import NAME_CHARS_MAX
from commonplace.records.memory import Draft
from commonplace.storage import external_sqlite


def read(context: ImportContext) -> Iterator[SourceItem]:
    """Read the SQLite file or a backup of `pmem manage backup`."""
    if not is_database_file(context.path):
        for location, value in numbered_objects(read_export(context).get("memories")):
            yield _memory(location, value, context.now)
        return
    with external_sqlite.open_copy(context.path) as file:
        tables = [
            name for name, columns in file.tables().items() if {"id", "payload"} <= set(columns)
        ]
        for table in tables:
            yield from read_table(context, file, table, _memory)


def _memory(location: str, row: Object, now: int) -> SourceItem:
    said = object_of(row.get("payload")) if "payload" in row else row
    if not said:
        return broken_item(location, "its payload is not JSON")
    number, text = text_of(row.get("id")), text_of(first_of(said, "data", "memory", "content"))
    if not text.strip():
        return broken_item(location, EMPTY)
    own = object_of(said.get("metadata"))
    category = first_of(said, "category") or own.get("category")
    draft = Draft(
        text,
        tags=labels_of(own.get("tags")),
        metadata=user_metadata(own) | provenance("powermem", number),
        category=line_of(category, NAME_CHARS_MAX),
        scope=scope_of(said),
    )
    created = moment_of(first_of(said, "created_at")) or moment_of(row.get("created_at"))
    return ImportItem(
        location,
        ExternalItem(external_key(number, text), draft, created, moment_of(said.get("updated_at"))),
    )
