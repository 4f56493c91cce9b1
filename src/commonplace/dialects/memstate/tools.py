"""The tools of Memstate that write, delete and show how a memory changed."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from commonplace import engine, ids, validation
from commonplace.dialects.dialect import Call, ToolRole, tool
from commonplace.dialects.kinds import MEMSTATE
from commonplace.dialects.memstate import responses
from commonplace.dialects.memstate.scope import (
    get_memory,
    locate_key,
    require_key,
)
from commonplace.dialects.parameters import About
from commonplace.errors import Invalid
from commonplace.records.memory import UNSET, Edit, Memory, Scope, Version

ProjectId = Annotated[
    str, About("Any project ID, such as my-app or owner/repo. Created on first write.", 1, 200)
]
# Blank for memories that other dialects store without a project.
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


@tool("writes", ToolRole("write", text="content"), title="Remember text", always_loaded=True)
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
        call.bank,
        scope,
        content,
        engine.keypaths.TextSource(source or "", context or ""),
        call.origin("memstate"),
    )
    data = {
        "job_id": ids.job_form(job.id),
        "status": "pending",
        "message": "Ingestion job enqueued successfully",
    }
    return responses.envelope(
        "memstate_remember", call.arguments, data | {"project_id": scope.project}
    )


@tool(
    "writes",
    ToolRole("write", text="value"),
    ToolRole("revise", id="keypath", text="value"),
    ToolRole("restore", id="keypath", text="value"),
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
    location = require_key(call, project_id, keypath)
    kind = (
        MEMSTATE.edited_kind(location.memory.kind, category)
        if location.memory
        else category or UNSET
    )
    edit = Edit(text=value, kind=kind, tags=tuple(topics) if topics is not None else UNSET)
    target = engine.keypaths.Key(Scope(project=location.project), location.key, expected_version)
    outcome = call.engine.set_key(call.bank, target, edit, call.origin("memstate"))
    memory, key = outcome.memory, engine.keypaths.key_of(outcome.memory)
    action = {"added": "created", "unchanged": "unchanged"}.get(outcome.change, "superseded")
    messages = {
        "created": f"Memory stored at {key}",
        "superseded": f"Memory at {key} updated (v{memory.version})",
        "unchanged": f"Memory at {key} already has this value (v{memory.version})",
    }
    data: dict[str, Any] = {
        "memory_id": ids.memstate_form(memory.version_id),
        "action": action,
        "version": memory.version,
    }
    if outcome.before_id is not None:
        data["superseded_id"] = ids.memstate_form(outcome.before_id)
    data["message"] = messages[action]
    return responses.envelope(
        "memstate_set",
        call.arguments,
        data,
        resolved_keypath=responses.full_keypath(location.project, key),
    )


@tool("reads", ToolRole("history", id="memory_id"), title="Version history")
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
    memory, resolved = _memory_with_history(call, project_id, keypath, memory_id)
    versions = call.engine.history(call.bank, memory.id) if memory else ()
    data = {
        "versions": responses.version_chain(versions, memory.scope.project) if memory else [],
        "total_versions": len(versions),
    }
    return responses.envelope("memstate_history", call.arguments, data, resolved_keypath=resolved)


@tool("destroys", ToolRole("forget", id="keypath"), title="Delete a keypath", idempotent=True)
def memstate_delete(
    call: Call,
    project_id: ProjectOf,
    keypath: Keypath,
    recursive: Annotated[bool, About("Delete the whole subtree too.")] = False,
) -> dict[str, Any]:
    """Soft-delete a keypath. History is kept; setting a new value brings it back."""
    location = require_key(call, project_id, keypath)
    scope = Scope(project=location.project)
    deleted = call.engine.forget_keys(
        call.bank, scope, location.key, call.origin("memstate"), recursive=recursive
    )
    message = f"Soft-deleted {len(deleted)} memory(ies) under keypath '{location.keypath}'"
    data = _deletion_data(location.project, deleted) | {
        "message": message if deleted else f"No memory found at keypath '{location.keypath}'"
    }
    return responses.envelope(
        "memstate_delete", call.arguments, data, resolved_keypath=location.keypath
    )


@tool(
    "destroys",
    ToolRole("sweep"),
    title="Delete a project",
    idempotent=True,
    confirm="Delete this project and everything in it?",
)
def memstate_delete_project(call: Call, project_id: ProjectId) -> dict[str, Any]:
    """Soft-delete an entire project and all its memories. History is kept; writing to it brings the
    project back.
    """
    project = validation.name(project_id, what="project id")
    deleted = call.engine.forget_keys(
        call.bank, Scope(project=project), origin=call.origin("memstate"), recursive=True
    )
    message = f"Soft-deleted project '{project}' and {len(deleted)} memory(ies)"
    data = {"project_id": project} | _deletion_data(project, deleted)
    nothing = f"Project '{project}' has no memories, so nothing was deleted"
    data["message"] = message if deleted else nothing
    return responses.envelope("memstate_delete_project", call.arguments, data)


def _deletion_data(project: str, deleted: Sequence[Version]) -> dict[str, Any]:
    return {
        "deleted_keypaths": [
            responses.full_keypath(project, engine.keypaths.key_of(one)) for one in deleted
        ],
        "deleted_count": len(deleted),
    }


def _memory_with_history(
    call: Call, project_id: str | None, keypath: str | None, memory_id: str | None
) -> tuple[Memory | None, str]:
    """The memory whose history is asked for, if there is one, and its full keypath."""
    if memory_id and not project_id and not keypath:
        memory = get_memory(call, memory_id)
        return memory, responses.full_keypath(memory.scope.project, engine.keypaths.key_of(memory))
    if keypath and not memory_id:
        location = locate_key(call, project_id, keypath)
        if location.project or location.memory:
            return location.memory, location.keypath
    raise Invalid(
        "History needs project_id and keypath, or memory_id.",
        hint="Give one of the two, not both.",
    )
