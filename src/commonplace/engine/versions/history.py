"""History: versions of a memory, revisions of a project, and any past state of it."""

from commonplace import ids, validation
from commonplace.engine.banks import require_bank
from commonplace.engine.draft_validation import validate_filter
from commonplace.engine.memories import get
from commonplace.engine.runtime import Runtime
from commonplace.errors import Invalid, NotFound
from commonplace.language import analyzer as words
from commonplace.limits import LIST_MAX
from commonplace.records.memory import Project, Revision, Scope, Version
from commonplace.records.query import Query
from commonplace.storage.rows import banks, memories

_VERSIONS_MAX = 100_000
_STATE_MAX = 1_000_000
_SEARCHED_VERSIONS_MAX = 5_000
_SCORE_MIN = 0.5


def history(runtime: Runtime, bank: str, memory_id: int | str) -> tuple[Version, ...]:
    """Every version of a memory, oldest first."""
    with runtime.db.snapshot():
        return tuple(memories.versions(runtime.db, get(runtime, bank, memory_id).id, _VERSIONS_MAX))


def get_version(runtime: Runtime, bank: str, version_id: int | str) -> Version:
    """One version by its own id."""
    found = memories.find_version(runtime.db, require_bank(runtime, bank).id, ids.parse(version_id))
    if found is None:
        raise NotFound(
            f"There is no version {version_id}.", hint="See the memory's history for its versions."
        )
    return found


def revision(runtime: Runtime, bank: str, project: str = "") -> int:
    """The number of the newest revision of a project; 0 before the first."""
    found = banks.find(runtime.db, bank)
    return memories.newest_revision(runtime.db, found.id, project) if found else 0


def at_revision(
    runtime: Runtime, bank: str, project: str, number: int, *, user: str = ""
) -> tuple[Version, ...]:
    """The memories of a user in a project as of a revision, one version per memory. Revision 0 is
    the empty state.
    """
    with runtime.db.snapshot():
        newest = revision(runtime, bank, project)
        if not 0 <= number <= newest:
            raise Invalid(
                f"Project {project!r} has no revision {number}.",
                hint=f"Use 0 to {newest}; {newest} is the newest.",
            )
        if number == 0:
            return ()
        scope = Scope(project=project, user=user)
        return tuple(
            memories.versions_at_revision(
                runtime.db, require_bank(runtime, bank).id, scope, number, _STATE_MAX
            )
        )


def revisions(
    runtime: Runtime, bank: str, project: str = "", *, limit: int = 50
) -> tuple[Revision, ...]:
    """The revisions of a project, newest first."""
    validation.count(limit, what="limit", most=LIST_MAX)
    found = banks.find(runtime.db, bank)
    return tuple(memories.revisions(runtime.db, found.id, project, limit)) if found else ()


def list_projects(
    runtime: Runtime, bank: str, *, limit: int = LIST_MAX, user: str | None = None
) -> tuple[Project, ...]:
    """The projects that have live memories, or live ones of one user, the last changed first."""
    validation.count(limit, what="limit", most=LIST_MAX)
    found = banks.find(runtime.db, bank)
    return tuple(memories.projects(runtime.db, found.id, limit, user)) if found else ()


def recall_superseded(
    runtime: Runtime, bank: str, query: Query
) -> tuple[tuple[Version, float], ...]:
    """Earlier versions of the memories that match a query's filter, with their scores, best first.

    The score is the share of the query's terms that a version has. A blank question matches all
    of them, newest first.
    """
    found = banks.find(runtime.db, bank)
    query_terms = set(words.question_terms(query.text))
    if found is None or (query.text.strip() and not query_terms):
        return ()
    old = memories.superseded_versions(
        runtime.db,
        found.id,
        validate_filter(query.filter),
        runtime.clock.now(),
        _SEARCHED_VERSIONS_MAX,
    )
    if not query_terms:
        return tuple((one, 1.0) for one in old[: query.limit])
    scored = [
        (one, len(query_terms & set(words.terms(f"{one.title} {one.text}"))) / len(query_terms))
        for one in old
    ]
    relevant = [(one, score) for one, score in scored if score >= max(_SCORE_MIN, query.min_score)]
    return tuple(sorted(relevant, key=lambda pair: (-pair[1], -pair[0].id))[: query.limit])
