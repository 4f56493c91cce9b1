"""The memory file of the official knowledge-graph server: entities, their observations, and
relations between them.

Each observation and each relation is a statement, so each becomes a memory: it can be found,
corrected and forgotten by itself. The file gives them no ids and no times, so a statement is known
again by its words.
"""

import re
from collections.abc import Iterator

from commonplace.engine.operations.external_import import Foreign
from commonplace.importers import json_stream
from commonplace.importers.base import (
    Object,
    Place,
    Read,
    Skipped,
    Thing,
    broken,
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


def read(place: Place) -> Iterator[Read]:
    """One entity or relation on each line, or one object with both as lists."""
    with json_stream.opened(place.path, place.progress) as file:
        for one in json_stream.values(file):
            if isinstance(one, Skipped):
                yield one
                continue
            for element in _parts(one):
                yield from _statements(element.where, object_of(element.value))


def is_graph(given: Object) -> bool:
    """Whether an object is a part of such a file, or all of it."""
    if given.get("type") == "relation":
        return "relationType" in given or "relation_type" in given
    return (given.get("type") == "entity" and "name" in given) or {
        "entities",
        "relations",
    } <= given.keys()


def _parts(one: Element) -> Iterator[Element]:
    given = object_of(one.value)
    if "type" in given or not ({"entities", "relations"} & given.keys()):
        yield one
        return
    for kind, name in (("entity", "entities"), ("relation", "relations")):
        for number, part in enumerate(list_of(given.get(name)), start=1):
            yield Element(f"{kind} {number}", {"type": kind} | object_of(part))


def _statements(where: str, given: Object) -> Iterator[Read]:
    match given.get("type"):
        case "entity" if name := line_of(first_of(given, "name", "entityName")):
            yield from _observations(where, name, given)
        case "relation":
            yield _relation(where, given)
        case _:
            yield broken(where, "it is neither an entity nor a relation")


def _observations(where: str, name: str, given: Object) -> Iterator[Read]:
    kind = line_of(first_of(given, "entityType", "entity_type"), NAME_CHARS_MAX)
    said = [
        text_of(one) or text_of(object_of(one).get("content"))
        for one in list_of(given.get("observations"))
    ]
    told = [one.strip() for one in said if one.strip()]
    for text in dict.fromkeys(told):
        # Most observations leave out whom they are about, and would mean nothing by themselves.
        whole = text if name.casefold() in text.casefold() else f"{name}: {text}"
        yield _thing(where, f"entity/{name}/{text}", whole, name, kind)
    if not told:
        yield _thing(where, f"entity/{name}", f"{name}: {kind or 'entity'}", name, kind)


def _relation(where: str, given: Object) -> Read:
    ends = line_of(first_of(given, "from", "from_id")), line_of(first_of(given, "to", "to_id"))
    word = line_of(first_of(given, "relationType", "relation_type"))
    if not (all(ends) and word):
        return broken(where, "it does not say what is related to what")
    text = f"{ends[0]} {re.sub(r'[_-]+', ' ', word)} {ends[1]}"
    return _thing(where, f"relation/{ends[0]}/{word}/{ends[1]}", text, ends[0], "relation")


def _thing(where: str, key: str, text: str, name: str, category: str) -> Thing:
    draft = Draft(text, kind=_KIND, category=category, metadata=provenance(SOURCE, name))
    return Thing(where, Foreign(key, draft))
