"""The tools of memories.sh that write, search, list and edit memories."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

from commonplace import ids
from commonplace.dialects.dialect import Call, Reply, ToolRole, tool
from commonplace.dialects.expected_version import ExpectedVersion
from commonplace.dialects.kinds import MEMORIES
from commonplace.dialects.memories import markdown, responses, traces
from commonplace.dialects.memories.scope import (
    Global,
    IncludeTrace,
    Layer,
    ProjectId,
    Tags,
    Target,
    TenantId,
    Type,
    UserId,
    limit_of,
    resolve_target,
)
from commonplace.dialects.parameters import About
from commonplace.dialects.unsure import NONE_SURE, unsure_field
from commonplace.engine.facts import fact_metadata
from commonplace.errors import Invalid, NotFound
from commonplace.records.memory import UNSET, Draft, Edit, Memory, Unset
from commonplace.records.query import Filter, Query

WORKING_MS = 24 * 3_600_000


_FIELDS = ("content", "type", "tags", "paths", "category", "metadata")


Paths = Annotated[list[str] | None, About("Glob patterns for path-scoped rules.", None, 100)]


Types = Annotated[list[Type] | None, About("Filter by several types; wins over type.", None, 100)]


InLayer = Annotated[Layer | None, About("Only this layer.")]


@tool("writes", ToolRole("write", text="content"), title="Add a memory", always_loaded=True)
def add_memory(
    call: Call,
    content: Annotated[str, About("Memory content.")],
    type: Annotated[Type, About("Memory type.")] = "note",
    tags: Tags = None,
    project_id: ProjectId = None,
    user_id: UserId = None,
    tenant_id: TenantId = None,
    paths: Paths = None,
    category: Annotated[
        str | None, About("Grouping key: becomes rule filename or skill directory.", 0, 200)
    ] = None,
    metadata: Annotated[
        dict[str, Any] | None, About("Extended attributes, primarily for skills.")
    ] = None,
    global_: Global = False,
    layer: Annotated[Layer | None, About("working expires after a day; default by type.")] = None,
) -> Reply:
    """Store a new memory: a rule, decision, fact, note or skill.

    Rules come back with every get_context; give them paths to bind them to files. Use project_id
    for one repository.
    """
    target = resolve_target(call, tenant_id, user_id, project_id, is_global=global_)
    draft = Draft(
        stripped_content(content),
        kind="rule" if layer == "rule" else type,
        tags=tuple(tags or ()),
        metadata=fact_metadata.merge_metadata({}, metadata or {}),
        paths=tuple(paths or ()),
        category=category or "",
        expires_at=_expiry(call, layer),
        scope=target.scope,
    )
    memory = call.engine.remember(target.bank, draft, call.origin("memories")).memory
    where = f"project: {target.project}" if target.project else "global"
    text = f"Stored {markdown.label(memory.kind)} {ids.short_form(memory.id)} ({where})"
    data = {"memory": responses.memory(memory), "id": ids.short_form(memory.id), "message": text}
    return responses.reply(target, data, text)


@tool("reads", ToolRole("find", text="query"), title="Search memories", always_loaded=True)
def search_memories(
    call: Call,
    query: Annotated[str, About("Search query.", 0, 10_000)],
    project_id: ProjectId = None,
    user_id: UserId = None,
    tenant_id: TenantId = None,
    type: Annotated[Type | None, About("Filter by memory type.")] = None,
    limit: Annotated[float, About("Max results; at most 50.")] = 10,
    types: Types = None,
    layer: InLayer = None,
    include_trace: IncludeTrace = False,
) -> Reply:
    """Search memories by words and meaning, best first. Nothing relevant gives no results.

    `unsure` is there when none of the results is surely an answer.
    """
    target = resolve_target(call, tenant_id, user_id, project_id)
    chosen = _narrow_filter(target.visible_filter, types or ([type] if type else None), layer)
    recalled = call.engine.recall(
        target.bank, Query(query, chosen, limit=limit_of(limit, 10, 50), explain=include_trace)
    )
    hits = recalled.hits
    lines = "\n".join(markdown.line(hit.memory, hit.replacement) for hit in hits)
    text = (
        f"Found {len(hits)} memories:\n\n{lines}"
        if hits
        else "No memories found matching your query."
    )
    doubted = unsure_field(unsure=recalled.unsure, found=hits)
    data: dict[str, Any] = {**doubted, "memories": [responses.hit(hit) for hit in hits]}
    if include_trace:
        data["trace"] = traces.search_trace(recalled)
    text = f"{NONE_SURE} {text}" if doubted else text
    return responses.reply(target, data, text)


@tool("reads", ToolRole("list", kind="rule"), title="Get rules")
def get_rules(
    call: Call, project_id: ProjectId = None, user_id: UserId = None, tenant_id: TenantId = None
) -> Reply:
    """Get all active rules, split by global and project scope."""
    target = resolve_target(call, tenant_id, user_id, project_id)
    rules = call.engine.list_rules(target.bank, target.visible_filter)
    text = (
        markdown.rule_sections(rules)
        or "No rules defined. Add rules with: add_memory with type='rule'"
    )
    data = {
        "globalRules": [responses.rule(one) for one in rules if not one.scope.project],
        "projectRules": [responses.rule(one) for one in rules if one.scope.project],
    }
    return responses.reply(target, data, text)


@tool("reads", ToolRole("list"), title="List memories")
def list_memories(
    call: Call,
    type: Annotated[Type | None, About("Filter by type.")] = None,
    tags: Annotated[str | list[str] | None, About("Filter by tag; substring match.")] = None,
    project_id: ProjectId = None,
    user_id: UserId = None,
    tenant_id: TenantId = None,
    limit: Annotated[float, About("Max results; at most 100.")] = 20,
    types: Types = None,
    layer: InLayer = None,
) -> Reply:
    """List recent memories, newest first, with optional filters."""
    target = resolve_target(call, tenant_id, user_id, project_id)
    wanted = [
        tag.strip()
        for tag in (tags.split(",") if isinstance(tags, str) else tags or ())
        if tag.strip()
    ]
    chosen = _narrow_filter(target.visible_filter, types or ([type] if type else None), layer)
    chosen = replace(chosen, tags_like=tuple(wanted) or None)
    found = call.engine.list(target.bank, chosen, limit=limit_of(limit, 20, 100))
    lines = "\n".join(map(markdown.line, found))
    data = {"memories": [responses.memory_item(one) for one in found]}
    text = f"{len(found)} memories:\n\n{lines}" if found else "No memories found."
    return responses.reply(target, data, text)


@tool("writes", ToolRole("revise", id="id", text="content"), title="Edit a memory", idempotent=True)
def edit_memory(
    call: Call,
    id: Annotated[str, About("Memory ID.", 1, 100)],
    content: Annotated[str | None, About("New content.")] = None,
    type: Annotated[Type | None, About("New type.")] = None,
    tags: Annotated[
        list[str] | None, About("New tags; they replace the old ones.", None, 100)
    ] = None,
    paths: Annotated[
        list[str] | None, About("New glob patterns for path scoping.", None, 100)
    ] = None,
    category: Annotated[str | None, About("New grouping key; null removes it.", 0, 200)] = None,
    metadata: Annotated[
        dict[str, Any] | None, About("New extended attributes; null removes them.")
    ] = None,
    user_id: UserId = None,
    tenant_id: TenantId = None,
    layer: Annotated[
        Layer | None, About("New layer: working expires after a day, long_term stays.")
    ] = None,
    expected_version: ExpectedVersion = None,
) -> Reply:
    """Update a memory's content, type, tags, path scope or category. What is not given stays."""
    target = resolve_target(call, tenant_id, user_id, detect=False)
    given = _given_fields(call)
    before = get_own_memory(call, target, id)
    edit = Edit(
        text=UNSET if content is None else stripped_content(content),
        kind="rule" if layer == "rule" else MEMORIES.edited_kind(before.kind, type),
        tags=_given_tuple(tags),
        paths=_given_tuple(paths),
        category=category or "" if "category" in given else UNSET,
        metadata=_edited_metadata(before, metadata) if "metadata" in given else UNSET,
        expires_at=_expiry(call, layer) if layer else UNSET,
    )
    # An edit that repeats the current values is no error.
    edit = Edit(kind=before.kind) if edit == Edit() else edit
    memory = call.engine.revise(
        target.bank, before.id, edit, call.origin("memories"), expected=expected_version
    ).memory
    text = f"Updated {markdown.label(memory.kind)} {ids.short_form(memory.id)}: {memory.text}"
    data = {
        "id": ids.short_form(memory.id),
        "updated": True,
        "memory": responses.memory(memory),
        "message": text,
    }
    return responses.reply(target, data, text)


def _given_tuple(values: list[str] | None) -> tuple[str, ...] | Unset:
    return UNSET if values is None else tuple(values)


def _edited_metadata(before: Memory, metadata: dict[str, Any] | None) -> Mapping[str, Any]:
    return fact_metadata.merge_metadata(before.metadata, metadata or {})


def _given_fields(call: Call) -> set[str]:
    """The fields that a call edits; null removes only a category or metadata."""
    given = {
        name
        for name in (*_FIELDS, "layer")
        if name in call.arguments
        and (call.arguments[name] is not None or name in ("category", "metadata"))
    }
    if not given:
        raise Invalid(f"Nothing to update. Provide at least one of: {', '.join(_FIELDS)}.")
    return given


def stripped_content(content: str) -> str:
    """The text without surrounding white space."""
    if not content.strip():
        raise Invalid("Memory content cannot be empty.", hint="Write at least one word.")
    return content.strip()


def _expiry(call: Call, layer: str | None) -> int | None:
    return call.engine.clock.now() + WORKING_MS if layer == "working" else None


def _narrow_filter(seen: Filter, types: list[Type] | None, layer: str | None) -> Filter:
    if layer == "rule":
        return replace(seen, kinds=("rule",))
    chosen = MEMORIES.narrow_filter(types, seen)
    if layer is None:
        return chosen
    return replace(
        chosen, kinds_not=("rule", *(chosen.kinds_not or ())), lasting=layer == "long_term"
    )


def get_own_memory(call: Call, target: Target, memory_id: str) -> Memory:
    """A memory that the caller may change. Raises NotFound for those of other users."""
    memory = call.engine.get(target.bank, memory_id)
    if not target.owns(memory) or memory.forgotten_at is not None:
        raise NotFound(f"There is no memory {memory_id}.")
    return memory
