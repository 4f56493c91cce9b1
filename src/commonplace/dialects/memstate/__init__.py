"""Memstate: keypaths, versions, time travel. Seven tools over the engine's keys."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any, Literal, cast

from commonplace import clock, ids, validation
from commonplace.dialects.dialect import Call, Dialect, Does, rows, tool
from commonplace.dialects.kinds import MEMSTATE
from commonplace.dialects.memstate import responses as shapes
from commonplace.dialects.memstate import scope as places
from commonplace.dialects.parameters import About
from commonplace.dialects.unsure import doubt
from commonplace.engine.keypaths import Key, Source, Tree, key_of
from commonplace.errors import Invalid
from commonplace.limits import LIST_MAX, RECALL_MAX
from commonplace.records.memory import UNSET, Edit, Memory, Scope, Version
from commonplace.records.query import Filter, Query

# A tree this long is some 20,000 tokens, about the most that clients let a tool answer.
TREE_CHARS_MAX = 80_000
SUBTREES_SHOWN_MAX = 100
_NO_PROJECT = "keypath and at_revision need a project_id."

ProjectId = Annotated[
    str, About("Any project ID, such as my-app or owner/repo. Created on first write.", 1, 200)
]
# Blank for what other tongues remember in no project.
ProjectOf = Annotated[
    str, About("Any project ID, such as my-app or owner/repo. Created on first write.", 0, 200)
]
Keypath = Annotated[
    str,
    About(
        "Hierarchical path such as 'auth.provider', or a memory's id. The project prefix is added"
        " for you.",
        1,
        800,
    ),
]
Category = Literal[
    "decision",
    "preference",
    "fact",
    "task",
    "context",
    "requirement",
    "note",
    "code",
    "learning",
    "config",
]


@tool(
    "reads",
    Does("fetch", id="memory_id"),
    Does("list"),
    title="Browse memories",
    always_loaded=True,
)
def memstate_get(
    call: Call,
    project_id: Annotated[
        str | None, About("Project to read. Omit everything to list all projects.", 0, 200)
    ] = None,
    keypath: Annotated[
        str | None, About("Subtree within the project. Omit for the whole tree.", 0, 800)
    ] = None,
    memory_id: Annotated[
        str | None,
        About("One memory or one of its versions, by id. Cannot be combined with the others."),
    ] = None,
    recursive: Annotated[bool, About("Include everything below the keypath.")] = True,
    include_content: Annotated[bool, About("Return full contents besides the summaries.")] = False,
    content_limit: Annotated[
        int, About("Maximum number of memories to return in full.", 1, 1000)
    ] = 200,
    at_revision: Annotated[
        int | None, About("Show the project as it was right after this revision.", 0)
    ] = None,
) -> dict[str, Any]:
    """Browse project keypaths, get memory content, or list all projects. Use BEFORE tasks to see
    what is known.

    Nothing given: all projects. project_id: its tree. project_id and keypath: a subtree. memory_id:
    one memory. at_revision travels back in time.
    """
    if memory_id:
        return _one_memory(
            call, memory_id, alone=not project_id and not keypath and at_revision is None
        )
    if not project_id and not keypath:
        return _all_projects(call, alone=at_revision is None)
    where = places.spot(call, project_id, keypath or "")
    project, key = where.project, where.key
    tree = call.engine.tree(call.bank, Scope(project=project), key, revision=at_revision)
    if not project and not where.memory and not tree.versions:
        raise Invalid(_NO_PROJECT, hint="Add project_id.")
    kept = [one for one in tree.versions if recursive or not key or key_of(one) == key]
    data = _summaries(project, key, tree, kept)
    if include_content:
        data |= _contents(call, project, kept, content_limit)
        if key and not recursive:
            data["full_memory"] = next(iter(data.pop("full_memories").values()), None)
    meta = {"mode": "keypath", "recursive": recursive, "resolved_keypath": where.full}
    return shapes.envelope("memstate_get", call.given, data, **meta, at_revision=at_revision)


@tool("reads", Does("find", words="query"), title="Search memories", always_loaded=True)
def memstate_search(
    call: Call,
    query: Annotated[str, About("Natural language question. Empty lists by keypath.", 0, 10_000)],
    project_id: Annotated[str | None, About("Only this project.", 0, 200)] = None,
    limit: Annotated[int, About("Maximum number of results.", 1, 100)] = 20,
    categories: Annotated[list[str] | None, About("Only these categories.", None, 100)] = None,
    keypath_prefix: Annotated[
        str | None, About("Only below this path: 'auth' finds 'auth.provider'.", 0, 800)
    ] = None,
    include_superseded: Annotated[bool, About("Search older versions too.")] = False,
) -> dict[str, Any]:
    """Find memories by meaning when you do not know the keypath.

    Returns ranked summaries; read one in full with memstate_get(memory_id=...). Nothing relevant
    gives no results; `unsure` is there when none of them is surely an answer.
    """
    prefix = validation.line(
        keypath_prefix or "", what="keypath prefix", chars_max=shapes.KEYPATH_CHARS_MAX
    )
    looked = list(
        places.searched(call, validation.line(project_id or "", what="project id"), prefix)
    )
    chosen = [one for place in looked for one in places.chosen(*place, categories or ())]
    count = sum(call.engine.count(call.bank, one) for one in chosen)
    if query.strip():
        # Where nothing is, there may not even be a bank to ask.
        asked = [Query(query, one, limit=RECALL_MAX) for one in chosen] if count else []
        recalled = [call.engine.recall(call.bank, one) for one in asked]
        hits = [hit for one in recalled for hit in one.hits]
        doubted = doubt(unsure=all(one.unsure for one in recalled), found=hits)
        live = [(hit.memory, hit.score) for hit in sorted(hits, key=lambda hit: -hit.score)]
        found = len(live)
    else:
        asked = [Query("", one, limit=RECALL_MAX) for one in chosen]
        live = [
            (one, 1.0)
            for each in chosen
            for one in call.engine.list(call.bank, each, order="key", limit=limit)
        ]
        found, doubted = count, {}
    old = (
        [pair for one in asked for pair in call.engine.recall_superseded(call.bank, one)]
        if include_superseded
        else []
    )
    results = [shapes.hit(*pair) for pair in live] + [_old_hit(call, *pair) for pair in old[:limit]]
    data = {**doubted, "results": results[:limit], "total_found": found + len(old), "query": query}
    where = [shapes.full(*place) for place in looked if prefix]
    return shapes.envelope(
        "memstate_search", call.given, data, resolved_keypath=next(iter(where), None)
    )


@tool("writes", Does("write", words="content"), title="Remember text", always_loaded=True)
def memstate_remember(
    call: Call,
    project_id: ProjectId,
    content: Annotated[
        str, About("Markdown or text to remember. Keypaths are derived from it.", 1, 100_000)
    ],
    source: Annotated[
        str | None, About("Where it comes from: agent, readme, docs, meeting, code.", 0, 100)
    ] = None,
    context: Annotated[
        str | None, About("A hint about where in the project it belongs.", 0, 1_000)
    ] = None,
) -> dict[str, Any]:
    """Save markdown, task summaries, or any text; the PREFERRED way to save. Use AFTER tasks.

    Headings, lists, labels and sentences become keypaths with their own words as values; what
    changed becomes a new version, what the text does not name stays. Readable on the next call.
    """
    scope = Scope(project=validation.name(project_id, what="project id"))
    job = call.engine.absorb_as_job(
        call.bank, scope, content, Source(source or "", context or ""), call.origin("memstate")
    )
    data = {
        "job_id": ids.job(job.id),
        "status": "pending",
        "message": "Ingestion job enqueued successfully",
    }
    return shapes.envelope("memstate_remember", call.given, data | {"project_id": scope.project})


@tool(
    "writes",
    Does("write", words="value"),
    Does("revise", id="keypath", words="value"),
    Does("restore", id="keypath", words="value"),
    title="Set one value",
    idempotent=True,
)
def memstate_set(
    call: Call,
    project_id: ProjectOf,
    keypath: Keypath,
    value: Annotated[
        str,
        About(
            "The value to store. Short and simple; for markdown use memstate_remember.", 1, 2_000
        ),
    ],
    category: Annotated[Category | None, About("What sort of thing it is.")] = None,
    topics: Annotated[list[str] | None, About("Additional tags.", None, 100)] = None,
    expected_version: Annotated[
        int | None,
        About(
            "The version you read, 0 for a new keypath; refused if it is no longer the newest.", 0
        ),
    ] = None,
) -> dict[str, Any]:
    """Set ONE keypath to a short value: config, status, version numbers. For summaries use
    memstate_remember.
    """
    where = places.required(call, project_id, keypath)
    kind = MEMSTATE.edited(where.memory.kind, category) if where.memory else category or UNSET
    edit = Edit(text=value, kind=kind, tags=tuple(topics) if topics is not None else UNSET)
    named = Key(Scope(project=where.project), where.key, expected_version)
    outcome = call.engine.set_key(call.bank, named, edit, call.origin("memstate"))
    memory, key = outcome.memory, key_of(outcome.memory)
    action = {"added": "created", "unchanged": "unchanged"}.get(outcome.change, "superseded")
    messages = {
        "created": f"Memory stored at {key}",
        "superseded": f"Memory at {key} updated (v{memory.version})",
        "unchanged": f"Memory at {key} already has this value (v{memory.version})",
    }
    data: dict[str, Any] = {
        "memory_id": ids.memstate(memory.version_id),
        "action": action,
        "version": memory.version,
    }
    if outcome.before_id is not None:
        data["superseded_id"] = ids.memstate(outcome.before_id)
    data["message"] = messages[action]
    return shapes.envelope(
        "memstate_set", call.given, data, resolved_keypath=shapes.full(where.project, key)
    )


@tool("reads", Does("history", id="memory_id"), title="Version history")
def memstate_history(
    call: Call,
    project_id: Annotated[str | None, About("Required when using keypath.", 0, 200)] = None,
    keypath: Annotated[str | None, About("Show how this keypath changed.", 0, 800)] = None,
    memory_id: Annotated[
        str | None, About("Or the chain of one memory, by the id of any of its versions.")
    ] = None,
) -> dict[str, Any]:
    """View how a keypath or memory changed: every version in chronological order, deletions
    included.

    Give project_id and keypath, or memory_id, not both.
    """
    given = places.spot(call, project_id, keypath) if keypath and not memory_id else None
    if (memory_id and (project_id or keypath)) or not (
        memory_id or (given and (given.project or given.memory))
    ):
        raise Invalid(
            "History needs project_id and keypath, or memory_id.",
            hint="Give one of the two, not both.",
        )
    if given is None:
        memory: Memory | None = places.own(call, memory_id or "")
        where = shapes.full(memory.scope.project, key_of(memory))
    else:
        memory, where = given.memory, given.full
    versions = call.engine.history(call.bank, memory.id) if memory else ()
    data = {
        "versions": shapes.chain(versions, memory.scope.project) if memory else [],
        "total_versions": len(versions),
    }
    return shapes.envelope("memstate_history", call.given, data, resolved_keypath=where)


@tool("destroys", Does("forget", id="keypath"), title="Delete a keypath", idempotent=True)
def memstate_delete(
    call: Call,
    project_id: ProjectOf,
    keypath: Keypath,
    recursive: Annotated[bool, About("Delete the whole subtree too.")] = False,
) -> dict[str, Any]:
    """Soft-delete a keypath. History is kept; setting a new value brings it back."""
    where = places.required(call, project_id, keypath)
    scope = Scope(project=where.project)
    gone = call.engine.forget_keys(
        call.bank, scope, where.key, call.origin("memstate"), recursive=recursive
    )
    message = f"Soft-deleted {len(gone)} memory(ies) under keypath '{where.full}'"
    data = _deleted(where.project, gone) | {
        "message": message if gone else f"No memory found at keypath '{where.full}'"
    }
    return shapes.envelope("memstate_delete", call.given, data, resolved_keypath=where.full)


@tool(
    "destroys",
    Does("sweep"),
    title="Delete a project",
    idempotent=True,
    confirm="Delete this project and everything in it?",
)
def memstate_delete_project(call: Call, project_id: ProjectId) -> dict[str, Any]:
    """Soft-delete an entire project and all its memories. History is kept; writing to it brings the
    project back.
    """
    project = validation.name(project_id, what="project id")
    gone = call.engine.forget_keys(
        call.bank, Scope(project=project), origin=call.origin("memstate"), recursive=True
    )
    message = f"Soft-deleted project '{project}' and {len(gone)} memory(ies)"
    data = {"project_id": project} | _deleted(project, gone)
    data["message"] = message if gone else f"Project '{project}' was already deleted"
    return shapes.envelope("memstate_delete_project", call.given, data)


def _one_memory(call: Call, memory_id: str, *, alone: bool) -> dict[str, Any]:
    if not alone:
        raise Invalid(
            "memory_id mode cannot be combined with project_id, keypath, or at_revision",
            hint="Give memory_id alone.",
        )
    if memory_id.strip().startswith("job_"):
        return _one_job(call, memory_id)
    memory = places.own(call, memory_id)
    versions = call.engine.history(call.bank, memory.id)
    # Our answers name versions; other dialects name memories, and mean what they say now.
    number = ids.parse(memory_id)
    version = next((one for one in versions if one.id == number), versions[-1])
    data = shapes.whole(version, memory) | shapes.links(version, versions)
    return shapes.envelope("memstate_get", call.given, data)


def _one_job(call: Call, job_id: str) -> dict[str, Any]:
    job = call.engine.get_job(call.bank, job_id.strip())
    result = cast(dict[str, Any], job.result or {})
    project = str(job.payload.get("project", ""))
    state = {
        "running": "processing",
        "completed": "complete",
        "failed": "error",
        "cancelled": "error",
    }
    data = {
        "job_id": ids.job(job.id),
        "status": state.get(job.state, job.state),
        "project_id": project,
        "keypaths": [shapes.full(project, key) for key in result.get("keys", ())],
        "created_at": clock.iso(job.created_at),
    }
    return shapes.envelope("memstate_get", call.given, data)


def _all_projects(call: Call, *, alone: bool) -> dict[str, Any]:
    if not alone:
        raise Invalid(_NO_PROJECT, hint="Add project_id.")
    projects = [
        {
            "id": one.name,
            "name": one.name,
            "description": "",
            "memory_count": count,
            "is_deleted": False,
            "revision_number": one.revision,
            "updated_at": clock.iso(one.changed_at),
        }
        for one, count in places.projects(call)
    ]
    data: dict[str, Any] = {"projects": projects, "total_projects": len(projects)}
    if count := call.engine.count(call.bank, Filter(projects=("",), users=("",))):
        data["without_project"] = {
            "memory_count": count,
            "hint": (
                "Other tools stored these without a project. memstate_search finds them;"
                " memstate_get with a keypath such as 'rule' or 'note', and no project_id, shows"
                " them as a tree."
            ),
        }
    return shapes.envelope("memstate_get", call.given, data)


def _summaries(project: str, key: str, tree: Tree, kept: Sequence[Version]) -> dict[str, Any]:
    shown: dict[str, str] = {}
    room = TREE_CHARS_MAX
    for one in kept:
        path, said = shapes.full(project, key_of(one)), shapes.summary(one)
        room -= len(path) + len(said) + 6
        if room < 0:
            break
        shown[path] = said
    data: dict[str, Any] = {
        "memories": shown,
        "total_count": len(kept),
        "revision_number": tree.revision,
    }
    if len(shown) < len(kept):
        depth = key.count(".") + 2 if key else 1
        sizes = Counter(".".join(key_of(one).split(".")[:depth]) for one in kept)
        data["truncated"] = (
            f"Only {len(shown):,} of {len(kept):,} keypaths are shown. Narrow it: pass one of"
            " `subtrees` as keypath, or use memstate_search with keypath_prefix."
        )
        data["subtrees"] = {
            shapes.full(project, at): size for at, size in sizes.most_common(SUBTREES_SHOWN_MAX)
        }
    return data


def _contents(call: Call, project: str, kept: Sequence[Version], limit: int) -> dict[str, Any]:
    whole = {
        shapes.full(project, key_of(one)): shapes.whole(
            one, call.engine.get(call.bank, one.memory_id)
        )
        for one in kept[:limit]
    }
    data: dict[str, Any] = {"full_memories": whole, "full_memory_count": len(whole)}
    if limit < len(kept):
        data["content_truncated"] = (
            f"Full content for the first {limit:,} of {len(kept):,}. Narrow it with keypath, or"
            " raise content_limit."
        )
    return data


def _old_hit(call: Call, version: Version, score: float) -> dict[str, Any]:
    versions = call.engine.history(call.bank, version.memory_id)
    return shapes.old_hit(
        version, score, versions, call.engine.get(call.bank, version.memory_id).scope.project
    )


def _deleted(project: str, gone: Sequence[Version]) -> dict[str, Any]:
    return {
        "deleted_keypaths": [shapes.full(project, key_of(one)) for one in gone],
        "deleted_count": len(gone),
    }


def _recent(call: Call) -> Sequence[Memory]:
    return call.engine.list(call.bank, Filter(users=("",)), order="updated", limit=LIST_MAX)


DIALECT = Dialect(
    name="memstate",
    title="Memstate",
    instructions=(
        "Versioned project memory. Before a task: memstate_get(project_id) or memstate_search."
        " After a task: memstate_remember with a markdown summary. memstate_set is for one short"
        " value only."
    ),
    tools=rows(
        memstate_get,
        memstate_search,
        memstate_remember,
        memstate_set,
        memstate_history,
        memstate_delete,
        memstate_delete_project,
    ),
    failure=shapes.failure,
    completions={
        "project_id": lambda call, typed: (
            one.name for one, _ in places.projects(call) if typed in one.name
        ),
        "keypath": lambda call, typed: (
            key_of(one) for one in _recent(call) if key_of(one).startswith(typed)
        ),
        "memory_id": lambda call, typed: (
            i for one in _recent(call) if (i := ids.memstate(one.version_id)).startswith(typed)
        ),
    },
)
