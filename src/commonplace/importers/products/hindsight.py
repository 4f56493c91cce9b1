"""The export of a Hindsight bank: a zip with documents, facts, observations, directives and models.

Documents keep their names and facts their documents, as if they had been retained here.
"""

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from commonplace.engine.facts.fact_metadata import FactMetadata
from commonplace.engine.operations.external_import import ExternalItem
from commonplace.engine.reflect.directives import Directive
from commonplace.engine.reflect.mental_model_rows import MentalModel
from commonplace.errors import CommonplaceError, Invalid
from commonplace.extract import fact_splitting
from commonplace.importers import json_stream, zips
from commonplace.importers.base import (
    EMPTY,
    ImportContext,
    ImportItem,
    Object,
    Skipped,
    SourceItem,
    broken_item,
    kind_of,
    labels_of,
    line_of,
    list_of,
    moment_of,
    object_of,
    provenance,
    text_of,
)
from commonplace.limits import NAME_CHARS_MAX
from commonplace.records.memory import Draft
from commonplace.records.work import DocumentDraft
from commonplace.reserved_metadata import FACT_FIELD

SOURCE = "hindsight"
MANIFEST = "manifest.json"
INVALIDATED = "invalidated in the source"
_SCHEMA_VERSION = 1


def read(source: ImportContext) -> Iterator[SourceItem]:
    """Read the zip of an exported bank or of exported documents."""
    with zips.open_archive(source.path) as archive:
        manifest = object_of(_read_json(archive, MANIFEST))
        if manifest.get("schema_version") != _SCHEMA_VERSION:
            raise Invalid(
                f"The export has format {manifest.get('schema_version')!r}; this version reads"
                f" {_SCHEMA_VERSION}.",
                hint="Export it again with Hindsight 1.x.",
            )
        yield from _read_documents(source, archive)
        for number, given in enumerate(_member_list(archive, "observations.json"), start=1):
            yield _fact(
                f"observation {number}", {"fact_type": "observation"} | object_of(given), ""
            )
        for number, _ in enumerate(
            _member_list(archive, "data/invalidated_memory_units.json"), start=1
        ):
            yield Skipped(f"invalidated fact {number}", INVALIDATED)
        for given in map(object_of, _member_list(archive, "directives.json")):
            yield _directive(given)
        for given in map(object_of, _member_list(archive, "mental_models.json")):
            yield _mental_model(given)


def _read_documents(source: ImportContext, archive: zipfile.ZipFile) -> Iterator[SourceItem]:
    names = sorted(
        name
        for name in archive.namelist()
        if name.startswith("documents/") and name.endswith(".json")
    )
    for done, name in enumerate(names, start=1):
        document = _read_or_broken(archive, name)
        yield from [document] if isinstance(document, Skipped) else _document(name, document)
        source.progress(done, len(names))


def bank_of(path: Path) -> str:
    """The name of the exported bank."""
    with zips.open_archive(path) as archive:
        return line_of(
            object_of(_read_json(archive, MANIFEST)).get("source_bank_id"), NAME_CHARS_MAX
        )


def _document(location: str, given: Object) -> Iterator[SourceItem]:
    name = line_of(given.get("id"), NAME_CHARS_MAX)
    text, tags = text_of(given.get("original_text")), labels_of(given.get("tags"))
    if text.strip() and name:
        params = object_of(given.get("retain_params"))
        metadata: Object = {
            "context": text_of(params.get("context")),
            "metadata": object_of(params.get("metadata")),
        }
        yield DocumentDraft(name, text, tags=tags, metadata=metadata)
    for number, fact in enumerate(list_of(given.get("facts")), start=1):
        dated = {"created_at": given.get("created_at")} | {
            n: v for n, v in object_of(fact).items() if v is not None
        }
        yield _fact(f"{location} fact {number}", dated, name if text.strip() else "")


def _fact(location: str, given: Object, document: str) -> SourceItem:
    text = text_of(given.get("text"))
    if not text.strip():
        return broken_item(location, EMPTY)
    draft = _fact_draft(given, text)
    created_at = moment_of(given.get("created_at"))
    mentioned_at = (
        moment_of(given.get("mentioned_at")) or created_at or moment_of(given.get("event_date"))
    )
    names = (line_of(one, NAME_CHARS_MAX) for one in list_of(given.get("entities")))
    mark = FactMetadata(
        text_of(given.get("context")), mentioned_at or 0, tuple(filter(None, names))
    )
    digest = fact_splitting.fact_digest(text, draft.tags)
    key = text_of(given.get("source_id")) or f"{document}/{digest}"
    at = created_at or mentioned_at
    return ImportItem(location, ExternalItem(key, draft, at, at, document=document, fact=mark))


def _fact_draft(given: Object, text: str) -> Draft:
    tags, kind = labels_of(given.get("tags")), kind_of(given.get("fact_type"))
    metadata = dict(object_of(given.get("metadata")))
    metadata.pop(FACT_FIELD, None)
    start, end = moment_of(given.get("occurred_start")), moment_of(given.get("occurred_end"))
    is_period = start is not None and end is not None and end >= start
    return Draft(
        text,
        kind=kind,
        # The same fact retained again gets the same key.
        key=fact_splitting.fact_digest(text, tags) if kind in ("world", "experience") else "",
        tags=tags,
        metadata=metadata | provenance(SOURCE, text_of(given.get("source_id"))),
        category=line_of(text_of(given.get("context")), NAME_CHARS_MAX),
        happened_at=start,
        happened_until=end if is_period else None,
    )


def _directive(given: Object) -> Directive:
    priority = given.get("priority")
    return Directive(
        line_of(given.get("name")),
        text_of(given.get("content")),
        priority if isinstance(priority, int) else 0,
        given.get("is_active") is not False,
        labels_of(given.get("tags")),
    )


def _mental_model(given: Object) -> MentalModel:
    """The question of a mental model; its answer is generated again here."""
    name = line_of(given.get("id"), NAME_CHARS_MAX)
    return MentalModel(
        name,
        line_of(given.get("name")),
        text_of(given.get("source_query")),
        labels_of(given.get("tags")),
    )


def _member_list(archive: zipfile.ZipFile, name: str) -> list[object]:
    found = _read_or_broken(archive, name) if name in archive.namelist() else None
    return [] if isinstance(found, Skipped) else list_of(found)


def _read_or_broken(archive: zipfile.ZipFile, name: str) -> Any:
    try:
        return _read_json(archive, name)
    except (CommonplaceError, *zips.DAMAGED):
        return broken_item(name, "it is not JSON")


def _read_json(archive: zipfile.ZipFile, name: str) -> Any:
    with json_stream.open_member(archive, name) as file:
        return json_stream.read_whole(file)
