"""The tool of Memstate that reads projects, subtrees and single memories."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, cast

from commonplace import clock, engine, ids
from commonplace.dialects.dialect import Call, ToolRole, tool
from commonplace.dialects.memstate import responses
from commonplace.dialects.memstate.scope import (
    KeyLocation,
    get_memory,
    list_projects,
    locate_key,
)
from commonplace.dialects.parameters import About
from commonplace.errors import Invalid
from commonplace.records.memory import Scope, Version
from commonplace.records.query import Filter

if TYPE_CHECKING:
    from commonplace.engine.keypaths import Tree


# About 20,000 tokens, the most that clients accept in the answer of a tool.
TREE_CHARS_MAX = 80_000


SUBTREES_SHOWN_MAX = 100


_NO_PROJECT = "keypath and at_revision need a project_id."


@tool(
    "reads",
    ToolRole("fetch", id="memory_id"),
    ToolRole("list"),
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
    has_location = bool(project_id or keypath)
    if memory_id:
        if has_location or at_revision is not None:
            raise Invalid(
                "memory_id mode cannot be combined with project_id, keypath, or at_revision",
                hint="Give memory_id alone.",
            )
        return _memory_response(call, memory_id)
    if not has_location:
        if at_revision is not None:
            raise Invalid(_NO_PROJECT, hint="Add project_id.")
        return _projects_response(call)
    location = locate_key(call, project_id, keypath or "")
    full_max = content_limit if include_content else None
    data = _subtree_data(call, location, at_revision, recursive=recursive, full_max=full_max)
    meta = {"mode": "keypath", "recursive": recursive, "resolved_keypath": location.keypath}
    return responses.envelope("memstate_get", call.arguments, data, **meta, at_revision=at_revision)


def _subtree_data(
    call: Call,
    location: KeyLocation,
    at_revision: int | None,
    *,
    recursive: bool,
    full_max: int | None,
) -> dict[str, Any]:
    """The memories at and below a key, up to `full_max` of them in full."""
    tree = _tree(call, location, at_revision)
    one_key = location.key if not recursive else ""
    versions = [
        one for one in tree.versions if not one_key or engine.keypaths.key_of(one) == one_key
    ]
    data = _summary_data(location.project, location.key, tree, versions)
    if full_max is not None:
        data |= _content_data(call, location.project, versions, full_max)
        if one_key:
            data["full_memory"] = next(iter(data.pop("full_memories").values()), None)
    return data


def _tree(call: Call, location: KeyLocation, at_revision: int | None) -> "Tree":
    scope = Scope(project=location.project)
    tree = call.engine.tree(call.bank, scope, location.key, revision=at_revision)
    if not location.project and not location.memory and not tree.versions:
        raise Invalid(_NO_PROJECT, hint="Add project_id.")
    return tree


def _memory_response(call: Call, memory_id: str) -> dict[str, Any]:
    if memory_id.strip().startswith("job_"):
        return _job_response(call, memory_id)
    memory = get_memory(call, memory_id)
    versions = call.engine.history(call.bank, memory.id)
    # The ids of this dialect name versions. Those of others name memories, and mean the newest
    # version.
    number = ids.parse(memory_id)
    version = next((one for one in versions if one.id == number), versions[-1])
    data = responses.full_version(version, memory) | responses.links(version, versions)
    return responses.envelope("memstate_get", call.arguments, data)


def _job_response(call: Call, job_id: str) -> dict[str, Any]:
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
        "job_id": ids.job_form(job.id),
        "status": state.get(job.state, job.state),
        "project_id": project,
        "keypaths": [responses.full_keypath(project, key) for key in result.get("keys", ())],
        "created_at": clock.iso(job.created_at),
    }
    return responses.envelope("memstate_get", call.arguments, data)


def _projects_response(call: Call) -> dict[str, Any]:
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
        for one, count in list_projects(call)
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
    return responses.envelope("memstate_get", call.arguments, data)


def _summary_data(
    project: str, key: str, tree: "Tree", versions: Sequence[Version]
) -> dict[str, Any]:
    shown: dict[str, str] = {}
    room = TREE_CHARS_MAX
    for one in versions:
        path, summary = (
            responses.full_keypath(project, engine.keypaths.key_of(one)),
            responses.summary(one),
        )
        room -= len(path) + len(summary) + 6
        if room < 0:
            break
        shown[path] = summary
    data: dict[str, Any] = {
        "memories": shown,
        "total_count": len(versions),
        "revision_number": tree.revision,
    }
    if len(shown) < len(versions):
        depth = key.count(".") + 2 if key else 1
        sizes = Counter(
            ".".join(engine.keypaths.key_of(one).split(".")[:depth]) for one in versions
        )
        data["truncated"] = (
            f"Only {len(shown):,} of {len(versions):,} keypaths are shown. Narrow it: pass one of"
            " `subtrees` as keypath, or use memstate_search with keypath_prefix."
        )
        data["subtrees"] = {
            responses.full_keypath(project, at): size
            for at, size in sizes.most_common(SUBTREES_SHOWN_MAX)
        }
    return data


def _content_data(
    call: Call, project: str, versions: Sequence[Version], limit: int
) -> dict[str, Any]:
    whole = {
        responses.full_keypath(project, engine.keypaths.key_of(one)): responses.full_version(
            one, call.engine.get(call.bank, one.memory_id)
        )
        for one in versions[:limit]
    }
    data: dict[str, Any] = {"full_memories": whole, "full_memory_count": len(whole)}
    if limit < len(versions):
        data["content_truncated"] = (
            f"Full content for the first {limit:,} of {len(versions):,}. Narrow it with keypath, or"
            " raise content_limit."
        )
    return data
