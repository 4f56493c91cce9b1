"""What Memstate gives out as JSON: memory objects in a list, in the answer of a tool or of its API,
or one on a line.

The current value of each keypath is taken; it becomes a version of the same key here.
"""

import re
from collections.abc import Iterator

from commonplace.engine.keypaths import evened
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
    kind_of,
    labels_of,
    line_of,
    list_of,
    moment_of,
    object_of,
    provenance,
    text_of,
)
from commonplace.importers.tabular import DELETED, EMPTY
from commonplace.records.memory import Draft, Scope

SOURCE = "memstate"
SUPERSEDED = "an earlier version"
_PREFIX = re.compile(r"project\.([^.]+)\.(.+)", re.IGNORECASE)
_INSIDE = ("result", "data", "full_memories", "full_memory", "memories", "results", "memory")
_NESTING_MAX = 6


def read(place: Place) -> Iterator[Read]:
    """Every memory object there is in a file, the newest version of each keypath."""
    newest: dict[str, tuple[tuple[int, int], Thing]] = {}
    with json_stream.opened(place.path, place.progress) as file:
        for one in json_stream.values(file):
            if isinstance(one, Skipped):
                yield one
                continue
            for where, given in _memories(one.where, one.value):
                taken = _thing(where, given)
                if isinstance(taken, Skipped):
                    yield taken
                    continue
                rank = (_number(given.get("version")), taken.foreign.updated_at or 0)
                key = taken.foreign.key
                if key in newest:
                    older = taken if newest[key][0] >= rank else newest[key][1]
                    yield Skipped(older.where, SUPERSEDED)
                if key not in newest or newest[key][0] < rank:
                    newest[key] = (rank, taken)
    for _, thing in newest.values():
        yield thing


def has_memories(value: object) -> bool:
    """Whether there is a memory with a keypath in a value."""
    return next(_memories("", value), None) is not None


def _memories(where: str, value: object, depth: int = 0) -> Iterator[tuple[str, Object]]:
    if depth > _NESTING_MAX:
        return
    for number, one in enumerate(list_of(value), start=1):
        yield from _memories(f"item {number}", one, depth + 1)
    given = object_of(value)
    if isinstance(given.get("keypath"), str) and first_of(
        given, "content", "summary", "is_deleted"
    ):
        yield where, given
        return
    for name in (name for name in _INSIDE if name in given):
        inside: object = given.get(name)
        if name == "full_memories":
            # A map of keypaths to memories.
            for keypath, one in object_of(inside).items():
                yield from _memories(keypath, {"keypath": keypath} | object_of(one), depth + 1)
        else:
            yield from _memories(where, inside, depth + 1)
        if inside and name in ("full_memories", "full_memory"):
            return


def _thing(where: str, given: Object) -> Thing | Skipped:
    project, key = _place(text_of(given.get("project_id")), text_of(given.get("keypath")))
    if given.get("is_deleted"):
        return Skipped(where, DELETED)
    if given.get("is_latest") is False:
        return Skipped(where, SUPERSEDED)
    text = text_of(first_of(given, "content", "summary"))
    if not text.strip() or not key:
        return broken(where, EMPTY if key else "it has no keypath")
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
    # A version is a row there and never changes, so the newest one was made when the memory was
    # last changed.
    at = moment_of(first_of(given, "updated_at", "created_at"))
    return Thing(where, Foreign(f"{project}/{key}", draft, moment_of(given.get("created_at")), at))


def _place(project: str, keypath: str) -> tuple[str, str]:
    """The project and the key that a full keypath names; keys are spelled as the Memstate tools
    here spell them.
    """
    inside = _PREFIX.fullmatch(keypath)
    if inside and (
        not project
        or inside[1].casefold() in (project.casefold(), project.casefold().replace("-", "_"))
    ):
        project, keypath = project or inside[1], inside[2]
    return project, evened(keypath)


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
