"""The past: versions of a memory, revisions of a project, and any state in between."""

from commonplace import ids, validation
from commonplace.engine.banks import known
from commonplace.engine.memories import get
from commonplace.engine.runtime import Parts
from commonplace.errors import Invalid, NotFound
from commonplace.limits import LIST_MAX
from commonplace.records.memory import Project, Revision, Scope, Version
from commonplace.storage import banks, memories

_VERSIONS_MAX = 100_000
_STATE_MAX = 1_000_000


def history(parts: Parts, bank: str, memory_id: int | str) -> tuple[Version, ...]:
    """Every version of a memory, oldest first."""
    with parts.db.snapshot():
        return tuple(memories.versions(parts.db, get(parts, bank, memory_id).id, _VERSIONS_MAX))


def get_version(parts: Parts, bank: str, version_id: int | str) -> Version:
    """One version by its own id."""
    found = memories.find_version(parts.db, known(parts, bank).id, ids.parse(version_id))
    if found is None:
        raise NotFound(
            f"There is no version {version_id}.", hint="See the memory's history for its versions."
        )
    return found


def revision(parts: Parts, bank: str, project: str = "") -> int:
    """How many changes a project has seen; 0 before the first."""
    found = banks.find(parts.db, bank)
    return memories.newest_revision(parts.db, found.id, project) if found else 0


def at_revision(
    parts: Parts, bank: str, project: str, number: int, *, user: str = ""
) -> tuple[Version, ...]:
    """What a user knew in a project right after one of its revisions, one version a memory. 0 is
    before everything.
    """
    with parts.db.snapshot():
        newest = revision(parts, bank, project)
        if not 0 <= number <= newest:
            raise Invalid(
                f"Project {project!r} has no revision {number}.",
                hint=f"Use 0 to {newest}; {newest} is the newest.",
            )
        if number == 0:
            return ()
        scope = Scope(project=project, user=user)
        return tuple(
            memories.at_revision(parts.db, known(parts, bank).id, scope, number, _STATE_MAX)
        )


def revisions(
    parts: Parts, bank: str, project: str = "", *, limit: int = 50
) -> tuple[Revision, ...]:
    """The changes of a project, newest first."""
    validation.count(limit, what="limit", most=LIST_MAX)
    found = banks.find(parts.db, bank)
    return tuple(memories.revisions(parts.db, found.id, project, limit)) if found else ()


def list_projects(
    parts: Parts, bank: str, *, limit: int = LIST_MAX, user: str | None = None
) -> tuple[Project, ...]:
    """The projects that have live memories, or live ones of one user, the last changed first."""
    validation.count(limit, what="limit", most=LIST_MAX)
    found = banks.find(parts.db, bank)
    return tuple(memories.projects(parts.db, found.id, limit, user)) if found else ()
