"""Memstate: keypaths, versions, time travel. Seven tools over the engine's keys."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from commonplace import clock, ids
from commonplace.dialects import memstate_shapes as shapes
from commonplace.dialects.arguments import About
from commonplace.dialects.table import Call, Dialect, rows, tool
from commonplace.engine.keys import Source, Tree, key_of
from commonplace.errors import Invalid, NotFound
from commonplace.limits import RECALL_MAX
from commonplace.records import UNSET, Edit, Filter, Memory, Origin, Query, Scope, Version

KEYPATHS_SHOWN_MAX = 1_000

Project = Annotated[str, About("Project ID as you like: my-app, owner/repo. Created on first write.", 1, 200)]
Keypath = Annotated[
    str, About("Hierarchical path such as 'auth.provider'. The project prefix is added for you.", 1, 500)
]
Category = Literal[
    "decision", "preference", "fact", "task", "context", "requirement", "note", "code", "learning", "config"
]


@tool("reads", title="Browse memories", always_loaded=True)
def memstate_get(
    call: Call,
    project_id: Annotated[str | None, About("Project to read. Omit everything to list all projects.", 1, 200)] = None,
    keypath: Annotated[str | None, About("Subtree within the project. Omit for the whole tree.", 0, 500)] = None,
    memory_id: Annotated[str | None, About("One memory or one of its versions, by id. Not with the others.")] = None,
    recursive: Annotated[bool, About("Include everything below the keypath.")] = True,
    include_content: Annotated[bool, About("Return full contents besides the summaries.")] = False,
    content_limit: Annotated[int, About("Most memories to return in full.", 1, 1000)] = 200,
    at_revision: Annotated[int | None, About("Show the project as it was right after this revision.", 0)] = None,
) -> dict[str, Any]:
    """Browse project keypaths, get memory content, or list all projects. Use BEFORE tasks to see what is known.

    Nothing given: all projects. project_id: its tree. project_id and keypath: a subtree. memory_id: one memory.
    at_revision travels back in time.
    """
    if memory_id is not None:
        return _one_memory(call, memory_id, alone=project_id is None and keypath is None and at_revision is None)
    if project_id is None:
        return _all_projects(call, alone=keypath is None and at_revision is None)
    key = shapes.key_in(project_id, keypath or "")
    tree = call.engine.tree(call.bank, Scope(project=project_id), key, revision=at_revision)
    kept = [one for one in tree.versions if recursive or not key or key_of(one) == key]
    data = _summaries(project_id, tree, kept) | (_contents(call, kept, content_limit) if include_content else {})
    if include_content and not recursive:
        data["full_memory"] = next(iter(data["full_memories"].values()), None)
    meta = {"mode": "keypath", "recursive": recursive, "resolved_keypath": shapes.full(project_id, key)}
    return shapes.envelope("memstate_get", call.given, data, **meta, at_revision=at_revision)


@tool("reads", title="Search memories", always_loaded=True)
def memstate_search(
    call: Call,
    query: Annotated[str, About("Natural language question. Empty lists by keypath.", 0, 10_000)],
    project_id: Annotated[str | None, About("Only this project.", 1, 200)] = None,
    limit: Annotated[int, About("Most results to return.", 1, 100)] = 20,
    categories: Annotated[list[str] | None, About("Only these categories.", None, 100)] = None,
    keypath_prefix: Annotated[str | None, About("Only below this path: 'auth' finds 'auth.provider'.", 0, 500)] = None,
    include_superseded: Annotated[bool, About("Search older versions too.")] = False,
) -> dict[str, Any]:
    """Find memories by meaning when you do not know the keypath.

    Returns ranked summaries; read one in full with memstate_get(memory_id=...). Nothing relevant gives no results.
    """
    chosen = Filter(
        projects=(project_id,) if project_id else None,
        users=("",),
        kinds=tuple(categories) if categories else None,
        key_prefix=shapes.key_in(project_id or "", keypath_prefix or "") or None,
    )
    if not query.strip():
        listed = call.engine.list(call.bank, chosen, order="key", limit=limit)
        results, found = [_hit(memory, 1.0) for memory in listed], call.engine.count(call.bank, chosen)
    else:
        asked = Query(query, chosen, limit=RECALL_MAX)
        hits = call.engine.recall(call.bank, asked).hits
        old = call.engine.recall_superseded(call.bank, asked) if include_superseded else ()
        results = [_hit(hit.memory, hit.score) for hit in hits] + [_old_hit(call, *pair) for pair in old]
        found = len(results)
    data = {"results": results[:limit], "total_found": found, "query": query}
    return shapes.envelope("memstate_search", call.given, data)


@tool("writes", title="Remember text", always_loaded=True)
def memstate_remember(
    call: Call,
    project_id: Project,
    content: Annotated[str, About("Markdown or text to remember. Keypaths are found in it.", 1, 100_000)],
    source: Annotated[str | None, About("Where it comes from: agent, readme, docs, meeting, code.", 0, 100)] = None,
    context: Annotated[str | None, About("A hint about where in the project it belongs.", 0, 1_000)] = None,
) -> dict[str, Any]:
    """Save markdown, task summaries, or any text; the PREFERRED way to save. Use AFTER tasks.

    Headings, lists, labels and sentences become keypaths with their own words as values; what changed becomes a new
    version, what the text does not name stays. Readable on the next call.
    """
    job = call.engine.absorb_as_job(
        call.bank, Scope(project=project_id), content, Source(source or "", context or ""), _origin(call)
    )
    data = {"job_id": ids.job(job.id), "status": "pending", "message": "Ingestion job enqueued successfully"}
    return shapes.envelope("memstate_remember", call.given, data | {"project_id": project_id})


@tool("writes", title="Set one value", idempotent=True)
def memstate_set(
    call: Call,
    project_id: Project,
    keypath: Keypath,
    value: Annotated[str, About("The value to store. Short and simple; for markdown use memstate_remember.", 1, 2_000)],
    category: Annotated[Category | None, About("What sort of thing it is.")] = None,
    topics: Annotated[list[str] | None, About("Additional tags.", None, 100)] = None,
) -> dict[str, Any]:
    """Set ONE keypath to a short value: config, status, version numbers. For summaries use memstate_remember."""
    key = shapes.required_key(project_id, keypath)
    edit = Edit(text=value, kind=category or UNSET, tags=tuple(topics) if topics is not None else UNSET)
    outcome = call.engine.set_key(call.bank, Scope(project=project_id), key, edit, _origin(call))
    memory, where = outcome.memory, shapes.full(project_id, key)
    action = {"added": "created", "unchanged": "unchanged"}.get(outcome.change, "superseded")
    messages = {
        "created": f"Memory stored at {where}",
        "superseded": f"Memory at {where} updated (v{memory.version})",
        "unchanged": f"Memory at {where} already has this value (v{memory.version})",
    }
    data: dict[str, Any] = {"memory_id": ids.memstate(memory.version_id), "action": action, "version": memory.version}
    if action == "superseded":
        data["superseded_id"] = ids.memstate(call.engine.history(call.bank, memory.id)[-2].id)
    data["message"] = messages[action]
    return shapes.envelope("memstate_set", call.given, data, resolved_keypath=where)


@tool("reads", title="Version history")
def memstate_history(
    call: Call,
    project_id: Annotated[str | None, About("Required when using keypath.", 1, 200)] = None,
    keypath: Annotated[str | None, About("Show how this keypath changed.", 1, 500)] = None,
    memory_id: Annotated[str | None, About("Or the chain of one memory, by the id of any of its versions.")] = None,
) -> dict[str, Any]:
    """View how a keypath or memory changed: every version in chronological order, deletions included.

    Give project_id and keypath, or memory_id, not both.
    """
    if (memory_id is None) == (project_id is None or keypath is None) or (memory_id and (project_id or keypath)):
        raise Invalid("History needs project_id and keypath, or memory_id.", hint="Give one of the two, not both.")
    if memory_id is not None:
        memory: Memory | None = call.engine.get(call.bank, memory_id)
        where = shapes.full(memory.scope.project, key_of(memory))
    else:
        key = shapes.required_key(project_id or "", keypath or "")
        memory = call.engine.find_key(call.bank, Scope(project=project_id or ""), key)
        where = shapes.full(project_id or "", key)
    versions = call.engine.history(call.bank, memory.id) if memory else ()
    data = {"versions": shapes.chain(versions, memory.scope.project) if memory else [], "total_versions": len(versions)}
    return shapes.envelope("memstate_history", call.given, data, resolved_keypath=where)


@tool("destroys", title="Delete a keypath", idempotent=True)
def memstate_delete(
    call: Call,
    project_id: Project,
    keypath: Keypath,
    recursive: Annotated[bool, About("Delete the whole subtree too.")] = False,
) -> dict[str, Any]:
    """Soft-delete a keypath. History is kept; setting a new value brings it back."""
    key = shapes.required_key(project_id, keypath)
    gone = call.engine.forget_keys(call.bank, Scope(project=project_id), key, _origin(call), recursive=recursive)
    where = shapes.full(project_id, key)
    message = f"Soft-deleted {len(gone)} memory(ies) under keypath '{where}'"
    data = _deleted(project_id, gone) | {"message": message if gone else f"No memory found at keypath '{where}'"}
    return shapes.envelope("memstate_delete", call.given, data, resolved_keypath=where)


@tool(
    "destroys", title="Delete a project", idempotent=True, confirm="Delete everything known about project {project_id}?"
)
def memstate_delete_project(call: Call, project_id: Project) -> dict[str, Any]:
    """Soft-delete an entire project and all its memories. History is kept; writing to it brings the project back."""
    gone = call.engine.forget_keys(call.bank, Scope(project=project_id), origin=_origin(call), recursive=True)
    message = f"Soft-deleted project '{project_id}' and {len(gone)} memory(ies)"
    data = {"project_id": project_id} | _deleted(project_id, gone)
    data["message"] = message if gone else f"Project '{project_id}' was already deleted"
    return shapes.envelope("memstate_delete_project", call.given, data)


def _origin(call: Call) -> Origin:
    return Origin(who=call.client, dialect="memstate", session=call.session)


def _one_memory(call: Call, memory_id: str, *, alone: bool) -> dict[str, Any]:
    if not alone:
        raise Invalid(
            "memory_id mode cannot be combined with project_id, keypath, or at_revision", hint="Give memory_id alone."
        )
    memory = call.engine.get(call.bank, memory_id)
    if memory.scope.user:
        raise NotFound(f"There is no memory {memory_id}.", hint="Check the id.")
    # Our answers name versions; other dialects name memories, and mean what they say now.
    number = ids.parse(memory_id)
    version = call.engine.get_version(call.bank, memory.version_id if number == memory.id else number)
    return shapes.envelope("memstate_get", call.given, shapes.whole(version, memory))


def _all_projects(call: Call, *, alone: bool) -> dict[str, Any]:
    if not alone:
        raise Invalid("keypath and at_revision need a project_id.", hint="Add project_id.")
    projects = [
        {
            "id": one.name,
            "name": one.name,
            "description": "",
            "memory_count": one.memory_count,
            "is_deleted": False,
            "revision_number": one.revision,
            "updated_at": clock.iso(one.changed_at),
        }
        for one in call.engine.list_projects(call.bank)
    ]
    return shapes.envelope("memstate_get", call.given, {"projects": projects, "total_projects": len(projects)})


def _summaries(project: str, tree: Tree, kept: Sequence[Version]) -> dict[str, Any]:
    shown = kept[:KEYPATHS_SHOWN_MAX]
    data: dict[str, Any] = {
        "memories": {shapes.full(project, key_of(one)): shapes.summary(one.text) for one in shown},
        "total_count": len(kept),
        "revision_number": tree.revision,
    }
    if len(shown) < len(kept):
        counts: dict[str, int] = {}
        for one in kept:
            counts[key_of(one).split(".")[0]] = counts.get(key_of(one).split(".")[0], 0) + 1
        data["truncated"] = f"The first {len(shown):,} of {len(kept):,} keypaths; narrow it with keypath, see subtrees."
        data["subtrees"] = counts
    return data


def _contents(call: Call, kept: Sequence[Version], limit: int) -> dict[str, Any]:
    memories = {one.id: call.engine.get(call.bank, one.memory_id) for one in kept[:limit]}
    full = {
        shapes.full(memories[one.id].scope.project, key_of(one)): shapes.whole(one, memories[one.id])
        for one in kept[:limit]
    }
    return {"full_memories": full, "full_memory_count": len(full)}


def _hit(memory: Memory, score: float) -> dict[str, Any]:
    key = key_of(memory)
    flat: dict[str, Any] = {
        "id": ids.memstate(memory.version_id),
        "summary": shapes.summary(memory.text),
        "keypath": key,
        "score": round(score, 4),
        "version": memory.version,
        "created_at": clock.iso(memory.updated_at),
    }
    nested = {
        "keypath": shapes.full(memory.scope.project, key),
        "project_id": memory.scope.project,
        "category": memory.kind,
        "topics": list(memory.tags),
        "is_latest": True,
        "is_deleted": False,
    }
    return flat | {"memory": {name: flat[name] for name in ("id", "summary", "version", "created_at")} | nested}


def _old_hit(call: Call, version: Version, score: float) -> dict[str, Any]:
    memory = call.engine.get(call.bank, version.memory_id)
    short = shapes.brief(version, memory.scope.project, latest=memory.version)
    flat = {name: short[name] for name in ("id", "summary", "version", "created_at")}
    return flat | {"keypath": key_of(memory), "score": round(score, 4), "memory": short}


def _deleted(project: str, gone: Sequence[Version]) -> dict[str, Any]:
    return {"deleted_keypaths": [shapes.full(project, key_of(one)) for one in gone], "deleted_count": len(gone)}


MEMSTATE = Dialect(
    name="memstate",
    title="Memstate",
    instructions=(
        "Versioned project memory. Before a task: memstate_get(project_id) or memstate_search. After a task: "
        "memstate_remember with a markdown summary. memstate_set is for one short value only."
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
        "project_id": lambda call, typed: (p.name for p in call.engine.list_projects(call.bank) if typed in p.name)
    },
)
