"""How Memstate spells things: keypaths, envelopes, memories. No decisions, only forms."""

import re
from collections.abc import Mapping
from typing import Any

from commonplace import clock, ids
from commonplace.dialects.table import Reply, Tool, as_json
from commonplace.engine.keys import key_of
from commonplace.errors import CommonplaceError, Invalid
from commonplace.extract.placing import Relation
from commonplace.records import Memory, Version

SUMMARY_BYTES_MAX = 100
_SEGMENT = re.compile(r"\w+")
_RELATIONS: tuple[Relation, ...] = ("none", "additive", "supersede", "contradiction")
_CODES = {
    "Invalid": "invalid_argument",
    "Forbidden": "forbidden",
    "NotFound": "not_found",
    "Conflict": "conflict",
    "TooLarge": "too_large",
    "Unsupported": "unsupported",
    "ModelFailed": "model_failed",
    "Busy": "busy",
}


def key_in(project: str, keypath: str) -> str:
    """The key a keypath means inside a project: the prefix taken off once, words joined, case and slashes evened."""
    wanted, own = keypath.strip(), f"project.{project}"
    below = re.match(rf"project[./]{re.escape(project)}(?:[./]|$)", wanted, re.IGNORECASE)
    if below:
        wanted = wanted[below.end() :]
    elif re.match(r"project[./]", wanted, re.IGNORECASE):
        raise Invalid(
            f"The keypath {keypath!r} belongs to another project than {project!r}.",
            hint=f"Leave the prefix out, or start it with {own!r}.",
        )
    segments = [re.sub(r"[-\s]+", "_", part.strip().casefold()) for part in re.split(r"[./]+", wanted.strip("./ "))]
    if not wanted.strip("./ "):
        return ""
    if not all(_SEGMENT.fullmatch(segment) for segment in segments):
        raise Invalid(
            f"invalid keypath {keypath!r}: use lowercase with dots (e.g., 'auth.provider')",
            hint="Use letters, digits and underscores between the dots.",
        )
    return ".".join(segments)


def required_key(project: str, keypath: str) -> str:
    """The key a keypath means, which must not be the whole project."""
    key = key_in(project, keypath)
    if not key:
        raise Invalid("keypath is required", hint="Name a keypath such as 'auth.provider'.")
    return key


def full(project: str, key: str) -> str:
    """The keypath with its prefix."""
    return f"project.{project}.{key}" if key else f"project.{project}"


def summary(text: str) -> str:
    """The whole text if it is short, else as much as fits before the last space of its first 100 bytes."""
    if len(text.encode()) <= SUMMARY_BYTES_MAX:
        return text
    head = text.encode()[:SUMMARY_BYTES_MAX].decode(errors="ignore")
    return (head.rsplit(" ", 1)[0] if " " in head else head) + "..."


def envelope(tool: str, request: Mapping[str, object], data: object, **meta: object) -> dict[str, Any]:
    """The answer to every call."""
    return {
        "ok": True,
        "schema_version": 1,
        "tool": tool,
        "operation": operation_of(tool, request),
        "request": dict(request),
        "data": data,
        "meta": {name: value for name, value in meta.items() if value is not None},
    }


def failure(tool: Tool, given: Mapping[str, object], error: CommonplaceError) -> Reply:
    """A failure in the same envelope; the text opens with the plain sentence."""
    sentence = f"{error.message} {error.hint}".strip()
    answer = envelope(tool.name, given, None) | {
        "ok": False,
        "error": {"code": _CODES.get(error.kind, "internal"), "message": sentence},
    }
    return Reply(answer, f"{sentence}\n\n{as_json(answer)}", is_error=True)


def operation_of(tool: str, given: Mapping[str, object]) -> str:
    """What the original calls the work of a tool."""
    if tool == "memstate_get":
        if given.get("memory_id"):
            return "memory_by_id"
        return "memories_by_keypath" if given.get("project_id") else "list_projects"
    return "semantic_search" if tool == "memstate_search" else tool.removeprefix("memstate_")


def brief(version: Version, project: str, *, latest: int) -> dict[str, Any]:
    """A version as lists show it; `latest` is the number of the memory's newest version."""
    relation, _, reason = version.origin.reason.partition(": ")
    return {
        "id": ids.memstate(version.id),
        "summary": summary(version.text),
        "keypath": full(project, key_of(version)),
        "category": version.kind,
        "project_id": project,
        "topics": list(version.tags),
        "version": version.number,
        "is_latest": version.number == latest,
        "is_deleted": version.forgotten,
        "source": version.metadata.get("source", "") or version.origin.dialect,
        "conflict_type": relation if relation in _RELATIONS and relation != "none" else None,
        "conflict_reason": reason if relation in _RELATIONS and reason else None,
        "project_revision_created": version.revision,
        "created_at": clock.iso(version.at),
    }


def whole(version: Version, memory: Memory) -> dict[str, Any]:
    """A version with all its words."""
    key = key_of(memory)
    parent = full(memory.scope.project, key.rpartition(".")[0])
    return brief(version, memory.scope.project, latest=memory.version) | {
        "content": version.text,
        "keypath_parts": ["project", memory.scope.project, *key.split(".")],
        "parent_keypath": parent,
        "metadata": dict(version.metadata),
        "updated_at": clock.iso(memory.updated_at),
    }


def chain(versions: tuple[Version, ...], project: str) -> list[dict[str, Any]]:
    """Versions in the order of time, each knowing the one before and the one after."""
    numbers = [None, *(ids.memstate(version.id) for version in versions), None]
    return [
        brief(version, project, latest=versions[-1].number)
        | {"supersedes_id": numbers[place], "superseded_by": numbers[place + 2]}
        for place, version in enumerate(versions)
    ]
