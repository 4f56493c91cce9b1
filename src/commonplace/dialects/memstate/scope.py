"""Resolves the arguments of a Memstate call to a project, a key and a memory."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from commonplace import engine, ids, validation
from commonplace.dialects.dialect import Call
from commonplace.dialects.kinds import MEMSTATE
from commonplace.dialects.memstate import responses
from commonplace.errors import Invalid, NotFound
from commonplace.records.memory import Memory, Project, Scope
from commonplace.records.query import Filter


@dataclass(frozen=True, slots=True)
class KeyLocation:
    """A key in a project, and the memory that has it, current or forgotten."""

    project: str
    key: str
    memory: Memory | None = None

    @property
    def keypath(self) -> str:
        """The keypath with its prefix."""
        return responses.full_keypath(self.project, self.key)


def locate_key(call: Call, project_id: str | None, keypath: str) -> KeyLocation:
    """The location that a keypath names. It may end in the id of a memory, in any form.

    Memories of other dialects may have no project. Their ids work with every project, their
    keypaths only with a blank one.
    """
    project = validation.line(project_id or "", what="project id")
    if not project and (found := next(_locations_of_prefix(call, keypath), None)):
        project = found[0]
    exact, evened = (
        responses.without_prefix(project, keypath),
        responses.key_in_project(project, keypath),
    )
    # Other dialects do not normalize keys, so an exact match wins.
    for key in dict.fromkeys((exact, evened)):
        if key and (memory := call.engine.find_key(call.bank, Scope(project=project), key)):
            return KeyLocation(project, key, memory)
    named = _find_by_id(call, exact)
    if named and named.scope.project not in (project, ""):
        raise NotFound(
            f"{keypath!r} belongs to the project {named.scope.project!r}.",
            hint="Give the project_id it belongs to.",
        )
    return (
        KeyLocation(named.scope.project, engine.keypaths.key_of(named), named)
        if named
        else KeyLocation(project, evened)
    )


def require_key(call: Call, project_id: str, keypath: str) -> KeyLocation:
    """The location of a keypath that may not be blank; without a project it must name a memory."""
    found = locate_key(call, project_id, keypath)
    if not found.key:
        raise Invalid("keypath is required", hint="Name a keypath such as 'auth.provider'.")
    if not found.project and found.memory is None:
        raise Invalid(
            "project_id is required", hint="Name the project, or the id of a memory as keypath."
        )
    return found


def get_memory(call: Call, memory_id: str) -> Memory:
    """A memory by any form of its id. Memories of other users are not found."""
    memory = call.engine.get(call.bank, memory_id)
    if memory.scope.user:
        raise NotFound(f"There is no memory {memory_id}.", hint="Check the id.")
    return memory


def list_projects(call: Call) -> Iterator[tuple[Project, int]]:
    """The projects that hold memories of the owner, with their number."""
    owned = Filter(users=("",))
    # Usually all memories belong to the owner; then one count replaces one query per project.
    owner_has_all = call.engine.count(call.bank, owned) == call.engine.count(
        call.bank, Filter(expired=True)
    )
    for one in call.engine.list_projects(call.bank):
        count = (
            one.memory_count
            if owner_has_all
            else call.engine.count(call.bank, replace(owned, projects=(one.name,)))
        )
        if count:
            yield one, count


def search_locations(call: Call, project: str, prefix: str) -> Iterator[tuple[str, str]]:
    """The projects and keys that a search covers, usually one of each."""
    if project or not responses.PREFIX.match(prefix):
        yield (
            project,
            locate_key(call, project, prefix).key
            if project
            else responses.key_in_project("", prefix),
        )
        return
    yield from _locations_of_prefix(call, prefix)


def _locations_of_prefix(call: Call, keypath: str) -> Iterator[tuple[str, str]]:
    """The projects that a full keypath may begin with, and its key there.

    There may be several, because ids of projects may contain dots and slashes.
    """
    if responses.PREFIX.match(keypath):
        rest = keypath[len("project.") :].strip("./ ")
        for cut in [*(found.start() for found in re.finditer(r"[./]", rest)), len(rest)]:
            if call.engine.revision(call.bank, rest[:cut]):
                yield rest[:cut], responses.key_in_project(rest[:cut], rest[cut:])


def search_filters(project: str, key: str, categories: Sequence[str]) -> Iterator[Filter]:
    """The filters of a search in one location."""
    owned = Filter(projects=(project,) if project else None, users=("",), key_prefix=key or None)
    yield MEMSTATE.narrow_filter(categories, owned)
    # The tree shows memories without a key below their kind, so a prefix must find them there.
    kind, _, form = key.partition(".")
    if kind and (not categories or MEMSTATE.matches(kind, categories)):
        numbers = (ids.parse(form),) if re.fullmatch("m[0-9a-z]{11}", form) else None
        if numbers or not form:
            yield replace(owned, key_prefix=None, key="", kinds=(kind,), ids=numbers)


def _find_by_id(call: Call, keypath: str) -> Memory | None:
    """The memory whose id a keypath is or ends with. Raises NotFound for an unknown id."""
    for form in dict.fromkeys((keypath, keypath.rpartition(".")[2])):
        try:
            return get_memory(call, form)
        except Invalid:
            continue
        except NotFound:
            # Digits may also be a key; the other forms can only be ids.
            if not form.isdecimal():
                raise
    return None
