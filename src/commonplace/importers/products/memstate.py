"""The JSON of Memstate: memory objects in a list, in a response of a tool or the API, or in lines.

The current value of each keypath is imported as a version of the same key.
"""

import re
from collections.abc import Iterator

from commonplace.engine.keypaths import normalize_key
from commonplace.engine.operations.external_import import ExternalItem
from commonplace.importers import json_stream
from commonplace.importers.base import (
    DELETED,
    EMPTY,
    ImportContext,
    ImportItem,
    Object,
    Skipped,
    SourceItem,
    broken_item,
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
from commonplace.records.memory import Draft, Scope

SOURCE = "memstate"
SUPERSEDED = "an earlier version"
_PREFIX = re.compile(r"project\.([^.]+)\.(.+)", re.IGNORECASE)
_CONTAINER_FIELDS = (
    "result",
    "data",
    "full_memories",
    "full_memory",
    "memories",
    "results",
    "memory",
)
_NESTING_MAX = 6


def read(context: ImportContext) -> Iterator[SourceItem]:
    """Read all memory objects in a file: the newest version of each keypath."""
    newest: dict[str, tuple[tuple[int, int], ImportItem]] = {}
    for rank, item in _read_versions(context):
        if isinstance(item, Skipped):
            yield item
            continue
        key = item.external.key
        if key in newest:
            older = item if newest[key][0] >= rank else newest[key][1]
            yield Skipped(older.location, SUPERSEDED)
        if key not in newest or newest[key][0] < rank:
            newest[key] = (rank, item)
    for _, item in newest.values():
        yield item


def _read_versions(
    context: ImportContext,
) -> Iterator[tuple[tuple[int, int], ImportItem | Skipped]]:
    """The memory objects of a file with their rank by version number and time."""
    with json_stream.open_file(context.path, context.progress) as file:
        for one in json_stream.read_values(file):
            if isinstance(one, Skipped):
                yield (0, 0), one
                continue
            for location, given in _find_memories(one.location, one.value):
                item = _item(location, given)
                at = 0 if isinstance(item, Skipped) else item.external.updated_at or 0
                yield (_version_number(given.get("version")), at), item


def has_memories(value: object) -> bool:
    """Whether a value contains a memory with a keypath."""
    return next(_find_memories("", value), None) is not None


def _find_memories(location: str, value: object, depth: int = 0) -> Iterator[tuple[str, Object]]:
    if depth > _NESTING_MAX:
        return
    for number, one in enumerate(list_of(value), start=1):
        yield from _find_memories(f"item {number}", one, depth + 1)
    given = object_of(value)
    if isinstance(given.get("keypath"), str) and first_of(
        given, "content", "summary", "is_deleted"
    ):
        yield location, given
        return
    for name in _CONTAINER_FIELDS:
        inside: object = given.get(name)
        if name == "full_memories":
            yield from _find_keyed_memories(object_of(inside), depth + 1)
        else:
            yield from _find_memories(location, inside, depth + 1)
        if inside and name in ("full_memories", "full_memory"):
            return


def _find_keyed_memories(by_keypath: Object, depth: int) -> Iterator[tuple[str, Object]]:
    for keypath, one in by_keypath.items():
        yield from _find_memories(keypath, {"keypath": keypath} | object_of(one), depth)


def _item(location: str, given: Object) -> ImportItem | Skipped:
    project, key = _split_keypath(text_of(given.get("project_id")), text_of(given.get("keypath")))
    if given.get("is_deleted"):
        return Skipped(location, DELETED)
    if given.get("is_latest") is False:
        return Skipped(location, SUPERSEDED)
    text = text_of(first_of(given, "content", "summary"))
    if not text.strip() or not key:
        return broken_item(location, EMPTY if key else "it has no keypath")
    source = text_of(given.get("source"))
    summary = line_of(given.get("summary"))
    draft = Draft(
        text,
        title=summary if summary.rstrip(".… ") not in text else "",
        kind=kind_of(given.get("category")),
        key=key,
        tags=labels_of(given.get("topics")),
        metadata=({"source": source} if source else {})
        | provenance(SOURCE, text_of(given.get("id"))),
        scope=Scope(project=project),
    )
    # A version of Memstate never changes, so its creation is the last change of the memory.
    at = moment_of(first_of(given, "updated_at", "created_at"))
    return ImportItem(
        location, ExternalItem(f"{project}/{key}", draft, moment_of(given.get("created_at")), at)
    )


def _split_keypath(project: str, keypath: str) -> tuple[str, str]:
    """The project and the key in a full keypath, normalized as by the Memstate tools."""
    inside = _PREFIX.fullmatch(keypath)
    if inside and (
        not project
        or inside[1].casefold() in (project.casefold(), project.casefold().replace("-", "_"))
    ):
        project, keypath = project or inside[1], inside[2]
    return project, normalize_key(keypath)


def _version_number(value: object) -> int:
    return value if isinstance(value, int) else 0
