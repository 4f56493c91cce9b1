"""The responses of Memstate: keypaths, envelopes and memories as JSON. Nothing is decided here."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from commonplace import clock, engine, ids, validation
from commonplace.dialects.dialect import Reply, Tool, as_json, drop_empty
from commonplace.dialects.kinds import MEMSTATE
from commonplace.dialects.replaced import replaced_field
from commonplace.errors import CommonplaceError, Invalid
from commonplace.records.memory import Memory, Version
from commonplace.records.query import Replacement
from commonplace.reserved_metadata import user_metadata

SUMMARY_BYTES_MAX = 100
KEYPATH_CHARS_MAX = 800  # a key and a project id at their limits, and the prefix
PREFIX = re.compile(r"project[./]", re.IGNORECASE)
if TYPE_CHECKING:
    from commonplace.extract.key_assignment import Relation

_RELATIONS: tuple["Relation", ...] = ("none", "additive", "supersede", "contradiction")
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


def without_prefix(project: str, keypath: str) -> str:
    """A keypath without the prefix of its project, which may stand at its start once."""
    wanted = validation.line(keypath, what="keypath", chars_max=KEYPATH_CHARS_MAX)
    own = (
        re.match(rf"project[./]{re.escape(project)}(?:[./]|$)", wanted, re.IGNORECASE)
        if project
        else None
    )
    if own is None and PREFIX.match(wanted):
        if not project:
            raise Invalid(
                f"{keypath!r} does not begin with a known project.", hint="Give its project_id."
            )
        raise Invalid(
            f"The keypath {keypath!r} belongs to another project than {project!r}.",
            hint=f"Leave the prefix out, or begin with 'project.{project}.'.",
        )
    return (wanted[own.end() :] if own else wanted).strip("./ ")


def key_in_project(project: str, keypath: str) -> str:
    """The normalized key of a keypath inside a project."""
    return engine.keypaths.normalize_key(without_prefix(project, keypath))


def full_keypath(project: str, key: str) -> str:
    """The keypath with its prefix; a memory of no project has none."""
    return ".".join(part for part in ("project" if project else "", project, key) if part)


def summary(one: Memory | Version) -> str:
    """The title and the text, cut after a whole word at 100 bytes."""
    text = (
        f"{one.title}: {one.text}" if one.title and not one.text.startswith(one.title) else one.text
    )
    if len(text.encode()) <= SUMMARY_BYTES_MAX:
        return text
    head = text.encode()[:SUMMARY_BYTES_MAX].decode(errors="ignore")
    return (head.rsplit(" ", 1)[0] if " " in head else head) + "..."


def envelope(
    tool: str, request: Mapping[str, object], data: object, **meta: object
) -> dict[str, Any]:
    """The answer to every call."""
    return {
        "ok": True,
        "schema_version": 1,
        "tool": tool,
        "operation": operation_name(tool, request),
        "request": dict(request),
        "data": data,
        "meta": {name: value for name, value in meta.items() if value is not None},
    }


def failure(tool: Tool, given: Mapping[str, object], error: CommonplaceError) -> Reply:
    """A failure in the same envelope; the text opens with the plain sentence."""
    sentence = f"{error.message.rstrip('.')}. {error.hint}".strip()
    answer = envelope(tool.name, given, None) | {
        "ok": False,
        "error": {"code": _CODES.get(error.kind, "internal"), "message": sentence},
    }
    return Reply(answer, f"{sentence}\n\n{as_json(answer)}", is_error=True)


def operation_name(tool: str, given: Mapping[str, object]) -> str:
    """The name that the original gives to the operation of a tool."""
    if tool == "memstate_get":
        if given.get("memory_id"):
            return "job" if str(given["memory_id"]).strip().startswith("job_") else "memory_by_id"
        return (
            "memories_by_keypath"
            if given.get("project_id") or given.get("keypath")
            else "list_projects"
        )
    return "semantic_search" if tool == "memstate_search" else tool.removeprefix("memstate_")


def version_item(version: Version, project: str, *, latest: int) -> dict[str, Any]:
    """A version in a list; `latest` is the number of the memory's newest version."""
    relation, _, reason = version.origin.reason.partition(": ")
    if relation not in _RELATIONS:
        relation, reason = ("none" if version.number == 1 else ""), ""
    return drop_empty(
        {
            "id": ids.memstate_form(version.id),
            "summary": summary(version),
            "keypath": full_keypath(project, engine.keypaths.key_of(version)),
            **category_fields(version.kind),
            "topics": list(version.tags),
            "version": version.number,
            "is_latest": version.number == latest,
            "is_deleted": version.forgotten,
            "source": _source(version),
            "conflict_type": relation,
            "conflict_reason": reason,
            "project_revision_created": version.revision,
            "created_at": clock.iso(version.at),
        }
    )


def category_fields(kind: str) -> dict[str, str]:
    """The category of a memory, and its kind where that is not one of Memstate's categories."""
    category = MEMSTATE.display_kind(kind)
    return {"category": category} | ({"kind": kind} if kind != category else {})


def _source(version: Version) -> str:
    """The source given with the text, or the dialect that changed it since."""
    source = (
        str(version.metadata.get("source", ""))
        if version.origin.dialect in ("memstate", "")
        else ""
    )
    return source or version.origin.dialect


def full_version(version: Version, memory: Memory) -> dict[str, Any]:
    """A version with its full text."""
    project, key = memory.scope.project, engine.keypaths.key_of(version)
    short = version_item(version, project, latest=memory.version)
    # A short text is its own summary.
    content = {"content": version.text} | (
        {} if short["summary"] == version.text else {"summary": short["summary"]}
    )
    rest = {name: value for name, value in short.items() if name != "summary"}
    more = {
        "project_id": project,
        "keypath_parts": [*(("project", project) if project else ()), *key.split(".")],
        "parent_keypath": full_keypath(project, key.rpartition(".")[0]),
        "metadata": user_metadata(version.metadata),
    }
    return content | rest | drop_empty(more)


def version_chain(versions: Sequence[Version], project: str) -> list[dict[str, Any]]:
    """Versions in order of time, each with the ids of its neighbours.

    A keypath that did not change is only in the last version.
    """
    short = [version_item(version, project, latest=versions[-1].number) for version in versions]
    for one in short[:-1]:
        if one["keypath"] == short[-1]["keypath"]:
            del one["keypath"]
    return [one | links(version, versions) for one, version in zip(short, versions, strict=True)]


def links(version: Version, versions: Sequence[Version]) -> dict[str, Any]:
    """The ids of the versions before and after one, from the list of all versions."""
    before, after = version.number - 2, version.number
    return {
        "supersedes_id": ids.memstate_form(versions[before].id) if before >= 0 else None,
        "superseded_by": ids.memstate_form(versions[after].id) if after < len(versions) else None,
    }


def hit(memory: Memory, score: float, replacement: Replacement | None = None) -> dict[str, Any]:
    """A search result: the flat fields of the contract, and nested the others that the live server
    sends.
    """
    project, key = memory.scope.project, engine.keypaths.key_of(memory)
    number = ids.memstate_form(memory.version_id)
    nested = {
        "id": number,
        "keypath": full_keypath(project, key),
        **category_fields(memory.kind),
        "topics": list(memory.tags),
        "is_latest": True,
        "is_deleted": False,
    }
    return {
        "id": number,
        "summary": summary(memory),
        "keypath": key,
        "score": round(score, 4),
        "version": memory.version,
        "created_at": clock.iso(memory.updated_at),
        **replaced_field(replacement, lambda newer: ids.memstate_form(newer.version_id)),
        "memory": drop_empty(nested) | {"project_id": project},
    }


def superseded_hit(
    version: Version, score: float, versions: Sequence[Version], project: str
) -> dict[str, Any]:
    """A superseded version as a search result, with the id of its successor."""
    short = version_item(version, project, latest=versions[-1].number) | drop_empty(
        links(version, versions) | {"project_id": project}
    )
    flat = {name: short[name] for name in ("id", "summary", "version", "created_at")}
    nested = {name: value for name, value in short.items() if name not in ("summary", "created_at")}
    return flat | {
        "keypath": engine.keypaths.key_of(version),
        "score": round(score, 4),
        "memory": nested,
    }
