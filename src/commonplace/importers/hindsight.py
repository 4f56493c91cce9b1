"""The export of a Hindsight bank: a zip with documents, the facts found in them, observations,
directives and models.

Documents keep their names and facts the documents that say them, as if they had been retained here.
"""

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from commonplace.engine.facts.fact_metadata import Mark
from commonplace.engine.operations.external_import import Foreign
from commonplace.engine.reflect.directives import Directive
from commonplace.engine.reflect.mental_model_rows import MentalModel
from commonplace.errors import CommonplaceError, Invalid
from commonplace.extract import fact_splitting
from commonplace.importers import json_stream, zips
from commonplace.importers.base import (
    Object,
    Place,
    Read,
    Skipped,
    Thing,
    broken,
    kind_of,
    labels_of,
    line_of,
    list_of,
    moment_of,
    object_of,
    provenance,
    text_of,
)
from commonplace.importers.tabular import EMPTY
from commonplace.limits import NAME_CHARS_MAX
from commonplace.records.memory import Draft
from commonplace.records.work import DocumentDraft
from commonplace.reserved_metadata import FACT

SOURCE = "hindsight"
MANIFEST = "manifest.json"
INVALIDATED = "invalidated in the source"
_NUMBER = 1


def read(place: Place) -> Iterator[Read]:
    """The zip that an export of a bank or of documents makes."""
    with zips.archive(place.path) as archive:
        manifest = object_of(_member(archive, MANIFEST))
        if manifest.get("schema_version") != _NUMBER:
            raise Invalid(
                f"The export has format {manifest.get('schema_version')!r}; this version reads"
                f" {_NUMBER}.",
                hint="Export it again with Hindsight 1.x.",
            )
        names = sorted(
            name
            for name in archive.namelist()
            if name.startswith("documents/") and name.endswith(".json")
        )
        for done, name in enumerate(names, start=1):
            document = _readable(archive, name)
            yield from [document] if isinstance(document, Skipped) else _document(name, document)
            place.progress(done, len(names))
        for number, given in enumerate(_listed(archive, "observations.json"), start=1):
            yield _fact(
                f"observation {number}", {"fact_type": "observation"} | object_of(given), ""
            )
        for number, _ in enumerate(_listed(archive, "data/invalidated_memory_units.json"), start=1):
            yield Skipped(f"invalidated fact {number}", INVALIDATED)
        for given in map(object_of, _listed(archive, "directives.json")):
            yield _directive(given)
        for given in map(object_of, _listed(archive, "mental_models.json")):
            yield _mental_model(given)


def bank_of(path: Path) -> str:
    """The name of the bank that was exported."""
    with zips.archive(path) as archive:
        return line_of(object_of(_member(archive, MANIFEST)).get("source_bank_id"), NAME_CHARS_MAX)


def _document(where: str, given: Object) -> Iterator[Read]:
    name = line_of(given.get("id"), NAME_CHARS_MAX)
    text, tags = text_of(given.get("original_text")), labels_of(given.get("tags"))
    if text.strip() and name:
        said = object_of(given.get("retain_params"))
        noted: Object = {
            "context": text_of(said.get("context")),
            "metadata": object_of(said.get("metadata")),
        }
        yield DocumentDraft(name, text, tags=tags, metadata=noted)
    for number, fact in enumerate(list_of(given.get("facts")), start=1):
        dated = {"created_at": given.get("created_at")} | {
            n: v for n, v in object_of(fact).items() if v is not None
        }
        yield _fact(f"{where} fact {number}", dated, name if text.strip() else "")


def _fact(where: str, given: Object, document: str) -> Read:
    text = text_of(given.get("text"))
    if not text.strip():
        return broken(where, EMPTY)
    tags, context = labels_of(given.get("tags")), text_of(given.get("context"))
    kind = kind_of(given.get("fact_type"))
    own = {name: value for name, value in object_of(given.get("metadata")).items() if name != FACT}
    number = text_of(given.get("source_id"))
    made = moment_of(given.get("created_at"))
    said = moment_of(given.get("mentioned_at")) or made or moment_of(given.get("event_date"))
    start, end = moment_of(given.get("occurred_start")), moment_of(given.get("occurred_end"))
    entities = tuple(line_of(one, NAME_CHARS_MAX) for one in list_of(given.get("entities")))
    draft = Draft(
        text,
        kind=kind,
        # Facts that are told again here are known by this key.
        key=fact_splitting.identity(text, tags) if kind in ("world", "experience") else "",
        tags=tags,
        metadata=own | provenance(SOURCE, number),
        category=line_of(context, NAME_CHARS_MAX),
        happened_at=start,
        happened_until=end if start is not None and end is not None and end >= start else None,
    )
    mark = Mark(context, said or 0, tuple(one for one in entities if one))
    key = number or f"{document}/{fact_splitting.identity(text, tags)}"
    return Thing(
        where, Foreign(key, draft, made or said, made or said, document=document, mark=mark)
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
    """A model's question; its answer is made again from the memories here."""
    name = line_of(given.get("id"), NAME_CHARS_MAX)
    return MentalModel(
        name,
        line_of(given.get("name")),
        text_of(given.get("source_query")),
        labels_of(given.get("tags")),
    )


def _listed(archive: zipfile.ZipFile, name: str) -> list[object]:
    found = _readable(archive, name) if name in archive.namelist() else None
    return [] if isinstance(found, Skipped) else list_of(found)


def _readable(archive: zipfile.ZipFile, name: str) -> Any:
    try:
        return _member(archive, name)
    except (CommonplaceError, *zips.DAMAGED):
        return broken(name, "it is not JSON")


def _member(archive: zipfile.ZipFile, name: str) -> Any:
    with json_stream.member(archive, name) as file:
        return json_stream.whole(file)
