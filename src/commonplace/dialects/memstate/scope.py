"""Where a call of Memstate goes: which project, which key, and which memory behind a keypath or an
id.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from commonplace import ids, validation
from commonplace.dialects.dialect import Call
from commonplace.dialects.kinds import MEMSTATE
from commonplace.dialects.memstate import responses as shapes
from commonplace.engine.keypaths import key_of
from commonplace.errors import Invalid, NotFound
from commonplace.records.memory import Memory, Project, Scope
from commonplace.records.query import Filter


@dataclass(frozen=True, slots=True)
class Spot:
    """A key in a project, and what it names now or named before it was forgotten."""

    project: str
    key: str
    memory: Memory | None = None

    @property
    def full(self) -> str:
        """The keypath with its prefix."""
        return shapes.full(self.project, self.key)


def spot(call: Call, project_id: str | None, keypath: str) -> Spot:
    """The spot a keypath means. Its end may be the id of a memory, in any form, of the project or
    of none.

    What other tongues remember may belong to no project. It is reached by its id from every
    project, and by its keypath with a blank project.
    """
    project = validation.line(project_id or "", what="project id")
    if not project and (found := next(_prefixed(call, keypath), None)):
        project = found[0]
    exact, evened = shapes.below(project, keypath), shapes.key_in(project, keypath)
    # Other tongues spell keys as they like, so what is written exactly so comes first.
    for key in dict.fromkeys((exact, evened)):
        if key and (memory := call.engine.find_key(call.bank, Scope(project=project), key)):
            return Spot(project, key, memory)
    named = _named(call, exact)
    if named and named.scope.project not in (project, ""):
        raise NotFound(
            f"{keypath!r} belongs to the project {named.scope.project!r}.",
            hint="Give the project_id it belongs to.",
        )
    return Spot(named.scope.project, key_of(named), named) if named else Spot(project, evened)


def required(call: Call, project_id: str, keypath: str) -> Spot:
    """The same, where something must be named; only what is known can be named without a
    project.
    """
    found = spot(call, project_id, keypath)
    if not found.key:
        raise Invalid("keypath is required", hint="Name a keypath such as 'auth.provider'.")
    if not found.project and found.memory is None:
        raise Invalid(
            "project_id is required", hint="Name the project, or the id of a memory as keypath."
        )
    return found


def own(call: Call, memory_id: str) -> Memory:
    """A memory by any form of its id; what is kept for other users is not there."""
    memory = call.engine.get(call.bank, memory_id)
    if memory.scope.user:
        raise NotFound(f"There is no memory {memory_id}.", hint="Check the id.")
    return memory


def projects(call: Call) -> Iterator[tuple[Project, int]]:
    """The projects with something of ours in them, and how much; other users' memories do not
    count.
    """
    ours = Filter(users=("",))
    # Mostly everything is ours, and then one look spares a look at each project.
    all_ours = call.engine.count(call.bank, ours) == call.engine.count(
        call.bank, Filter(expired=True)
    )
    for one in call.engine.list_projects(call.bank):
        count = (
            one.memory_count
            if all_ours
            else call.engine.count(call.bank, replace(ours, projects=(one.name,)))
        )
        if count:
            yield one, count


def searched(call: Call, project: str, prefix: str) -> Iterator[tuple[str, str]]:
    """Where a search looks: project and key, mostly one of each."""
    if project or not shapes.PREFIX.match(prefix):
        yield project, spot(call, project, prefix).key if project else shapes.key_in("", prefix)
        return
    yield from _prefixed(call, prefix)


def _prefixed(call: Call, keypath: str) -> Iterator[tuple[str, str]]:
    """The projects that a full keypath may begin with, and the key there: ids may hold dots and
    slashes.
    """
    if shapes.PREFIX.match(keypath):
        rest = keypath[len("project.") :].strip("./ ")
        for cut in [*(found.start() for found in re.finditer(r"[./]", rest)), len(rest)]:
            if call.engine.revision(call.bank, rest[:cut]):
                yield rest[:cut], shapes.key_in(rest[:cut], rest[cut:])


def chosen(project: str, key: str, categories: Sequence[str]) -> Iterator[Filter]:
    """What a search in one place is about."""
    ours = Filter(projects=(project,) if project else None, users=("",), key_prefix=key or None)
    yield MEMSTATE.meant(categories, ours)
    # Memories without a key stand in the tree below their kind, so a prefix finds them there.
    kind, _, form = key.partition(".")
    if kind and (not categories or MEMSTATE.means(kind, categories)):
        numbers = (ids.parse(form),) if re.fullmatch("m[0-9a-z]{11}", form) else None
        if numbers or not form:
            yield replace(ours, key_prefix=None, key="", kinds=(kind,), ids=numbers)


def _named(call: Call, keypath: str) -> Memory | None:
    """The memory whose id a keypath is, or ends with after its kind. Raises NotFound for an id that
    nobody has.
    """
    for form in dict.fromkeys((keypath, keypath.rpartition(".")[2])):
        try:
            return own(call, form)
        except Invalid:
            continue
        except NotFound:
            # A number may be a key like any other word; the other forms are nothing but ids.
            if not form.isdecimal():
                raise
    return None
