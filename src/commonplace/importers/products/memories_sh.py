"""The local database of memories.sh, and its export as JSON or YAML."""

import re
from collections.abc import Iterator

from commonplace.engine.operations.external_import import ExternalItem, ExternalReminder
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
    kind_of,
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
    is_past,
    numbered_objects,
    read_export,
    read_table,
)
from commonplace.limits import NAME_CHARS_MAX
from commonplace.records.memory import Draft, Scope
from commonplace.records.work import ReminderDraft
from commonplace.storage import external_sqlite

# Tables without a counterpart here.
_UNSUPPORTED_TABLES = {"memory_sessions": "a session", "files": "a file made by an editor"}
_STEP_ON_ONE = re.compile(r"(?<![\d\-*/])(\d+)/\d+")


def read(context: ImportContext) -> Iterator[SourceItem]:
    """Read the database or an export."""
    if is_database_file(context.path):
        with external_sqlite.open_copy(context.path) as file:
            tables = file.tables()
            yield from read_table(context, file, "memories", _memory)
            if "cron_expression" in tables.get("reminders", ()):
                yield from read_table(context, file, "reminders", _reminder)
            for table, why in _UNSUPPORTED_TABLES.items():
                count = len(file.numbers(table)) if table in tables else 0
                yield from (Skipped(f"{table} row {number}", why) for number in range(1, count + 1))
        return
    exported = read_export(context)
    for location, value in numbered_objects(exported.get("memories")):
        # The export names its project once, for all memories that are not global.
        project = exported.get("project_id") if value.get("scope") == "project" else ""
        yield _memory(location, {"project_id": project} | value, context.now)


def _memory(location: str, row: Object, now: int) -> SourceItem:
    if row.get("deleted_at"):
        return Skipped(location, DELETED)
    if is_past(row.get("expires_at"), now):
        return Skipped(location, EXPIRED)
    number, text = text_of(row.get("id")), text_of(row.get("content"))
    if not text.strip():
        return broken_item(location, EMPTY)
    key, own = external_key(number, text), object_of(row.get("metadata"))
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
    return ImportItem(
        location,
        ExternalItem(
            key, draft, moment_of(row.get("created_at")), moment_of(row.get("updated_at")), untold
        ),
    )


def _reminder(location: str, row: Object, now: int) -> SourceItem:
    number, message = text_of(row.get("id")), text_of(row.get("message")).strip()
    if not number or not message:
        return broken_item(location, EMPTY)
    project = text_of(row.get("project_id")) if row.get("scope") == "project" else ""
    # memories.sh ignores a step after a single number; standard cron repeats from that number.
    cron = _STEP_ON_ONE.sub(r"\1", text_of(row.get("cron_expression")))
    draft = ReminderDraft(cron, message, project=project)
    return ExternalReminder(number, draft, text_of(row.get("enabled")).lower() in ("1", "true"))
