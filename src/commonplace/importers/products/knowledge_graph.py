"""The memory file of the official knowledge-graph server: entities, observations and relations.

Each observation and each relation becomes a memory. The file has no ids and no times, so the text
identifies a statement.
"""

import re
from collections.abc import Iterator

from commonplace.engine.operations.external_import import ExternalItem
from commonplace.importers import json_stream
from commonplace.importers.base import (
    ImportContext,
    ImportItem,
    Object,
    Skipped,
    SourceItem,
    broken_item,
    first_of,
    line_of,
    list_of,
    object_of,
    provenance,
    text_of,
)
from commonplace.importers.json_stream import Element
from commonplace.limits import NAME_CHARS_MAX
from commonplace.records.memory import Draft

SOURCE = "graph"
_KIND = "fact"


def read(context: ImportContext) -> Iterator[SourceItem]:
    """Read JSON lines of entities and relations, or one object with lists of both."""
    with json_stream.open_file(context.path, context.progress) as file:
        for one in json_stream.read_values(file):
            if isinstance(one, Skipped):
                yield one
                continue
            for element in _elements(one):
                yield from _statements(element.location, object_of(element.value))


def is_graph(given: Object) -> bool:
    """Whether an object is a line of such a file, or the whole file."""
    if given.get("type") == "relation":
        return "relationType" in given or "relation_type" in given
    return (given.get("type") == "entity" and "name" in given) or {
        "entities",
        "relations",
    } <= given.keys()


def _elements(one: Element) -> Iterator[Element]:
    given = object_of(one.value)
    if "type" in given or not ({"entities", "relations"} & given.keys()):
        yield one
        return
    for kind, name in (("entity", "entities"), ("relation", "relations")):
        for number, part in enumerate(list_of(given.get(name)), start=1):
            yield Element(f"{kind} {number}", {"type": kind} | object_of(part))


def _statements(location: str, given: Object) -> Iterator[SourceItem]:
    match given.get("type"):
        case "entity" if name := line_of(first_of(given, "name", "entityName")):
            yield from _observations(location, name, given)
        case "relation":
            yield _relation(location, given)
        case _:
            yield broken_item(location, "it is neither an entity nor a relation")


def _observations(location: str, name: str, given: Object) -> Iterator[SourceItem]:
    kind = line_of(first_of(given, "entityType", "entity_type"), NAME_CHARS_MAX)
    said = [
        text_of(one) or text_of(object_of(one).get("content"))
        for one in list_of(given.get("observations"))
    ]
    told = [one.strip() for one in said if one.strip()]
    for text in dict.fromkeys(told):
        # Most observations do not name their entity, and are unclear without it.
        whole = text if name.casefold() in text.casefold() else f"{name}: {text}"
        yield _statement_item(location, f"entity/{name}/{text}", whole, name, kind)
    if not told:
        yield _statement_item(location, f"entity/{name}", f"{name}: {kind or 'entity'}", name, kind)


def _relation(location: str, given: Object) -> SourceItem:
    ends = line_of(first_of(given, "from", "from_id")), line_of(first_of(given, "to", "to_id"))
    word = line_of(first_of(given, "relationType", "relation_type"))
    if not (all(ends) and word):
        return broken_item(location, "it does not say what is related to what")
    text = f"{ends[0]} {re.sub(r'[_-]+', ' ', word)} {ends[1]}"
    return _statement_item(
        location, f"relation/{ends[0]}/{word}/{ends[1]}", text, ends[0], "relation"
    )


def _statement_item(location: str, key: str, text: str, name: str, category: str) -> ImportItem:
    draft = Draft(text, kind=_KIND, category=category, metadata=provenance(SOURCE, name))
    return ImportItem(location, ExternalItem(key, draft))
