"""Rows of databases and exports: what the readers of memories.sh, PowerMem and mem0 share.

One row of the source is one memory here.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

from commonplace.errors import CommonplaceError
from commonplace.importers import json_stream, yaml_reader
from commonplace.importers.base import (
    ImportContext,
    Object,
    Skipped,
    SourceItem,
    broken_item,
    list_of,
    moment_of,
    object_of,
    text_of,
)
from commonplace.records.memory import Metadata, Scope
from commonplace.storage.external_sqlite import ExternalFile, is_database

RowReader: TypeAlias = Callable[[str, Object, int], SourceItem]
_HEAD_BYTES = 16
# Fields that the products compute for themselves; no user wrote them.
_PRODUCT_FIELDS = frozenset(
    "intelligence memory_management processing_applied importance_score access_count memory_type"
    " search_count last_accessed last_accessed_at should_forget marked_for_forgetting_at"
    " fulltext_content hash embedding vector data text_lemmatized score".split()
)


def read_table(
    context: ImportContext, file: ExternalFile, table: str, read: RowReader
) -> Iterator[SourceItem]:
    """The items that a row reader makes of the rows of a table."""
    for one in table_rows(context, file, table):
        yield one if isinstance(one, Skipped) else read(*one, context.now)


def table_rows(
    context: ImportContext, file: ExternalFile, table: str
) -> Iterator[tuple[str, Object] | Skipped]:
    """The rows of a table with their locations; damaged ones are reported as broken."""
    numbers = file.numbers(table)
    for done, number in enumerate(numbers, start=1):
        location = f"{table} row {number}"
        try:
            yield location, file.row(table, number)
        except CommonplaceError:
            yield broken_item(location, "it is damaged")
        context.progress(done, len(numbers))


def read_export(context: ImportContext) -> Object:
    """The object in an export file, JSON or YAML by its ending."""
    with json_stream.open_file(context.path, context.progress) as file:
        if context.path.suffix.lower() not in (".yaml", ".yml"):
            return object_of(json_stream.read_whole(file))
        return object_of(yaml_reader.read(file.read().decode(errors="surrogateescape")))


def numbered_objects(found: object) -> Iterable[tuple[str, Object]]:
    """The objects of a list with their locations."""
    return (
        (f"item {number}", object_of(one)) for number, one in enumerate(list_of(found), start=1)
    )


def scope_of(row: Object, app: str = "project_id") -> Scope:
    """The scope that the id fields of a row give."""
    # An absent id is null, "" or, in files written by Python, "None".
    names = {"project": app, "user": "user_id", "agent": "agent_id", "run": "run_id"}
    return Scope(
        **{
            ours: "" if row.get(theirs) == "None" else text_of(row.get(theirs))
            for ours, theirs in names.items()
        }
    )


def user_metadata(metadata: Metadata) -> Object:
    """The metadata without the fields that the product computes."""
    return {name: value for name, value in metadata.items() if name not in _PRODUCT_FIELDS}


def external_key(number: str, text: str) -> str:
    """The key of an imported memory: its id, or a hash of its text."""
    return number or hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def is_past(value: object, now: int) -> bool:
    """Whether a value is a time before now."""
    moment = moment_of(value)
    return moment is not None and moment < now


def is_database_file(path: Path) -> bool:
    """Whether a file is an SQLite database."""
    with json_stream.open_file(path) as file:
        return is_database(file.read(_HEAD_BYTES))
