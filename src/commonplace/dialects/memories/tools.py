"""The nine core tools of memories.sh: context, memories and rules."""

from dataclasses import replace
from typing import Annotated, Any, Literal

from commonplace import ids, validation
from commonplace.dialects.dialect import Call, Does, Reply, tool
from commonplace.dialects.expected_version import ExpectedVersion
from commonplace.dialects.kinds import MEMORIES
from commonplace.dialects.memories import responses as shapes
from commonplace.dialects.memories.scope import (
    Global,
    Layer,
    Place,
    ProjectId,
    Tags,
    TenantId,
    Type,
    UserId,
    place,
    whole,
)
from commonplace.dialects.parameters import About
from commonplace.dialects.unsure import NONE_SURE, doubt
from commonplace.engine.facts import fact_metadata
from commonplace.engine.sessions.compaction import Hints
from commonplace.engine.sessions.context import ContextQuery, Surroundings
from commonplace.errors import Invalid, NotFound
from commonplace.limits import PATTERN_CHARS_MAX
from commonplace.records.memory import UNSET, Draft, Edit, Memory
from commonplace.records.query import Filter, Query

WORKING_MS = 24 * 3_600_000
DAY_MS = 24 * 3_600_000
PREVIEWS_MAX = 1_000
_FIELDS = ("content", "type", "tags", "paths", "category", "metadata")

Paths = Annotated[list[str] | None, About("Glob patterns for path-scoped rules.", None, 100)]
Types = Annotated[list[Type] | None, About("Filter by several types; wins over type.", None, 100)]
InLayer = Annotated[Layer | None, About("Only this layer.")]
Traced = Annotated[
    bool, About("Also return what found each result, its scores, and what was left out and why.")
]


@tool("reads", Does("find", words="query"), title="Get context", always_loaded=True)
def get_context(
    call: Call,
    query: Annotated[
        str | None, About("Search query to find relevant memories.", 0, 10_000)
    ] = None,
    project_id: ProjectId = None,
    user_id: UserId = None,
    tenant_id: TenantId = None,
    limit: Annotated[float, About("Max memories to return; at most 50.")] = 5,
    retrieval_strategy: Annotated[
        str, About("baseline, or hybrid_graph to follow links between memories.")
    ] = "baseline",
    graph_depth: Annotated[int, About("Graph traversal depth: 0, 1 or 2.", 0, 2)] = 1,
    graph_limit: Annotated[float, About("Max graph-expanded memories; at most 50.")] = 8,
    mode: Annotated[
        Literal["all", "working", "long_term", "rules_only"], About("Which layers to return.")
    ] = "all",
    session_id: Annotated[
        str | None, About("Session for lifecycle-aware retrieval.", 0, 200)
    ] = None,
    budget_tokens: Annotated[int | None, About("Context token budget hint.", 1)] = None,
    turn_count: Annotated[int | None, About("Current turn count.", 0)] = None,
    turn_budget: Annotated[int | None, About("Turn-count budget.", 1)] = None,
    last_activity_at: Annotated[
        str | None, About("ISO timestamp for inactivity-trigger checks.", 0, 100)
    ] = None,
    inactivity_threshold_minutes: Annotated[
        int | None, About("Inactivity threshold in minutes.", 1)
    ] = None,
    task_completed: Annotated[
        bool, About("The task is done: checkpoint before compacting.")
    ] = False,
    include_session_summary: Annotated[bool, About("Reserved.")] = False,
    metadata: Annotated[
        dict[str, Any] | None, About('The files at hand, such as {"file": "src/api/users.ts"}.')
    ] = None,
    include_trace: Traced = False,
) -> Reply:
    """Get rules and relevant context. Call this FIRST, at the start of every task.

    Returns all active rules, those for certain files first, then memories relevant to the query, or
    the recent ones. Name the file you work on and rules for other files stay away. conflicts[]
    lists memories that contradict each other; `unsure` is there when none of the memories is surely
    an answer. With session_id and budget hints, a checkpoint is written when it is time to compact.
    """
    here = place(call, tenant_id, user_id, project_id)
    requested = (
        "hybrid_graph" if retrieval_strategy.strip() == "hybrid" else retrieval_strategy.strip()
    )
    validation.choice(requested, ("baseline", "hybrid_graph"), what="retrieval_strategy")
    linked_max, asked = whole(graph_limit, 8, 50), query or ""
    hints = Hints(
        budget_tokens,
        turn_count,
        turn_budget,
        last_activity_at or "",
        inactivity_threshold_minutes,
        task_completed,
    )
    wanted = ContextQuery(
        text=asked,
        scope=here.scope,
        limit=whole(limit, 5, 50),
        mode=mode,
        depth=graph_depth if requested == "hybrid_graph" else 0,
        linked_max=linked_max,
        around=Surroundings(session_id or "", metadata or {}, hints),
    )
    found = call.engine.context(here.bank, wanted)
    data = shapes.context(found)
    if include_trace or found.conflicts or requested != "baseline":
        traced = shapes.trace if include_trace else shapes.brief_trace
        data["trace"] = traced(found, requested, graph_depth, linked_max)
    return shapes.reply(here, data, shapes.context_text(found, asked))


@tool("writes", Does("write", words="content"), title="Add a memory", always_loaded=True)
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
    here = place(call, tenant_id, user_id, project_id, is_global=global_)
    draft = Draft(
        said(content),
        kind="rule" if layer == "rule" else type,
        tags=tuple(tags or ()),
        metadata=fact_metadata.kept({}, metadata or {}),
        paths=tuple(paths or ()),
        category=category or "",
        expires_at=_expiry(call, layer),
        scope=here.scope,
    )
    memory = call.engine.remember(here.bank, draft, call.origin("memories")).memory
    where = f"project: {here.project}" if here.project else "global"
    text = f"Stored {shapes.label(memory.kind)} {ids.short(memory.id)} ({where})"
    data = {"memory": shapes.memory(memory), "id": ids.short(memory.id), "message": text}
    return shapes.reply(here, data, text)


@tool("reads", Does("find", words="query"), title="Search memories", always_loaded=True)
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
    include_trace: Traced = False,
) -> Reply:
    """Search memories by words and meaning, best first. Nothing relevant gives no results.

    `unsure` is there when none of the results is surely an answer.
    """
    here = place(call, tenant_id, user_id, project_id)
    chosen = _within(here.seen, types or ([type] if type else None), layer)
    recalled = call.engine.recall(
        here.bank, Query(query, chosen, limit=whole(limit, 10, 50), explain=include_trace)
    )
    hits = recalled.hits
    lines = "\n".join(shapes.line(hit.memory) for hit in hits)
    text = (
        f"Found {len(hits)} memories:\n\n{lines}"
        if hits
        else "No memories found matching your query."
    )
    doubted = doubt(unsure=recalled.unsure, found=hits)
    data: dict[str, Any] = {**doubted, "memories": [shapes.hit(hit) for hit in hits]}
    if include_trace:
        data["trace"] = shapes.search_trace(recalled)
    text = f"{NONE_SURE} {text}" if doubted else text
    return shapes.reply(here, data, text)


@tool("reads", Does("list", kind="rule"), title="Get rules")
def get_rules(
    call: Call, project_id: ProjectId = None, user_id: UserId = None, tenant_id: TenantId = None
) -> Reply:
    """Get all active rules, split by global and project scope."""
    here = place(call, tenant_id, user_id, project_id)
    rules = call.engine.list_rules(here.bank, here.seen)
    text = (
        shapes.rule_sections(rules)
        or "No rules defined. Add rules with: add_memory with type='rule'"
    )
    data = {
        "globalRules": [shapes.rule(one) for one in rules if not one.scope.project],
        "projectRules": [shapes.rule(one) for one in rules if one.scope.project],
    }
    return shapes.reply(here, data, text)


@tool("reads", Does("list"), title="List memories")
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
    here = place(call, tenant_id, user_id, project_id)
    wanted = [
        tag.strip()
        for tag in (tags.split(",") if isinstance(tags, str) else tags or ())
        if tag.strip()
    ]
    chosen = _within(here.seen, types or ([type] if type else None), layer)
    chosen = replace(chosen, tags_like=tuple(wanted) or None)
    found = call.engine.list(here.bank, chosen, limit=whole(limit, 20, 100))
    lines = "\n".join(map(shapes.line, found))
    data = {"memories": [shapes.seen(one) for one in found]}
    text = f"{len(found)} memories:\n\n{lines}" if found else "No memories found."
    return shapes.reply(here, data, text)


@tool("writes", Does("revise", id="id", words="content"), title="Edit a memory", idempotent=True)
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
    here = place(call, tenant_id, user_id, detect=False)
    given = {name for name in (*_FIELDS, "layer") if name in call.given}
    kept = {
        name for name in given if call.given[name] is not None or name in ("category", "metadata")
    }
    if not kept:
        raise Invalid(f"Nothing to update. Provide at least one of: {', '.join(_FIELDS)}.")
    before = _own(call, here, id)
    edit = Edit(
        text=UNSET if content is None else said(content),
        kind="rule" if layer == "rule" else MEMORIES.edited(before.kind, type),
        tags=UNSET if tags is None else tuple(tags),
        paths=UNSET if paths is None else tuple(paths),
        category=category or "" if "category" in kept else UNSET,
        metadata=fact_metadata.kept(before.metadata, metadata or {})
        if "metadata" in kept
        else UNSET,
        expires_at=_expiry(call, layer) if layer else UNSET,
    )
    # An edit that only repeats what is shown asks for nothing, and is no mistake.
    edit = Edit(kind=before.kind) if edit == Edit() else edit
    memory = call.engine.revise(
        here.bank, before.id, edit, call.origin("memories"), expected=expected_version
    ).memory
    text = f"Updated {shapes.label(memory.kind)} {ids.short(memory.id)}: {memory.text}"
    data = {
        "id": ids.short(memory.id),
        "updated": True,
        "memory": shapes.memory(memory),
        "message": text,
    }
    return shapes.reply(here, data, text)


@tool("destroys", Does("forget", id="id"), title="Forget a memory")
def forget_memory(
    call: Call,
    id: Annotated[str, About("Memory ID to forget.", 1, 100)],
    user_id: UserId = None,
    tenant_id: TenantId = None,
) -> Reply:
    """Soft-delete a memory by ID. It can be restored until vacuum_memories purges it."""
    here = place(call, tenant_id, user_id, detect=False)
    memory = _own(call, here, id)
    call.engine.forget(here.bank, [memory.id], call.origin("memories"))
    text = f"Forgot memory {ids.short(memory.id)}"
    return shapes.reply(here, {"id": ids.short(memory.id), "deleted": True, "message": text}, text)


@tool("destroys", Does("sweep", words="pattern"), title="Forget many memories")
def bulk_forget_memories(
    call: Call,
    types: Annotated[list[Type] | None, About("Filter by memory types.", None, 100)] = None,
    tags: Annotated[list[str] | None, About("Filter by tags; substring match.", None, 100)] = None,
    older_than_days: Annotated[
        int | None, About("Delete memories older than N days.", 1, 1_000_000)
    ] = None,
    pattern: Annotated[
        str | None,
        About(
            "Content pattern: * = any chars, ? = one char; matches anywhere.", 0, PATTERN_CHARS_MAX
        ),
    ] = None,
    project_id: Annotated[
        str | None, About("Filter by project identifier; omitted means every project.", 0, 200)
    ] = None,
    user_id: UserId = None,
    tenant_id: TenantId = None,
    all: Annotated[bool, About("Delete all memories; cannot combine with other filters.")] = False,
    dry_run: Annotated[bool, About("Preview matching memories without deleting.")] = False,
) -> Reply:
    """Bulk soft-delete memories matching filters. Use dry_run: true first.

    Provide at least one of types, tags, older_than_days, pattern, or all: true alone. Filters
    combine with and.
    """
    here = place(call, tenant_id, user_id, project_id, detect=False)
    filtered = bool(types) or bool(tags) or older_than_days is not None or pattern is not None
    if all and filtered:
        raise Invalid(
            "Cannot combine all:true with other filters.",
            hint="Use all alone, or the filters without it.",
        )
    if not all and not filtered:
        raise Invalid(
            "Provide at least one filter (types, tags, older_than_days, pattern), or use all:true. "
            "project_id alone is not a sufficient filter."
        )
    chosen = Filter(
        projects=(here.project,) if here.project else None,
        users=(here.user,),
        tags_like=tuple(tags) if tags else None,
        created_before=call.engine.clock.now() - older_than_days * DAY_MS
        if older_than_days is not None
        else None,
        text_pattern=None if pattern is None else pattern.strip(),
        expired=True,
    )
    chosen = MEMORIES.meant(types, chosen)
    count = call.engine.count(here.bank, chosen)
    if dry_run:
        found = call.engine.list(here.bank, chosen, limit=PREVIEWS_MAX)
        return shapes.reply(here, *shapes.previews(found, count))
    gone = call.engine.forget_where(here.bank, chosen, call.origin("memories")) if count else ()
    text = f"Bulk deleted {len(gone)} memories" if gone else "No memories matched the filters"
    data = {"count": len(gone), "ids": [ids.short(one.memory.id) for one in gone], "message": text}
    return shapes.reply(here, data, text)


@tool(
    "destroys",
    Does("sweep"),
    title="Purge forgotten memories",
    confirm="Erase all forgotten memories for good?",
)
def vacuum_memories(call: Call, user_id: UserId = None, tenant_id: TenantId = None) -> Reply:
    """Permanently purge all soft-deleted memories to reclaim storage space. This cannot be
    undone.
    """
    here = place(call, tenant_id, user_id, detect=False)
    chosen = Filter(users=(here.user,), status="forgotten", expired=True)
    purged = (
        call.engine.purge_where(here.bank, chosen, call.origin("memories"))
        if call.engine.count(here.bank, chosen)
        else ()
    )
    text = (
        f"Vacuumed {len(purged)} soft-deleted memories"
        if purged
        else "No soft-deleted memories to vacuum"
    )
    return shapes.reply(here, {"purged": len(purged), "message": text}, text)


def said(content: str) -> str:
    """What is to be remembered, without the white space around it."""
    if not content.strip():
        raise Invalid("Memory content cannot be empty.", hint="Write at least one word.")
    return content.strip()


def _expiry(call: Call, layer: str | None) -> int | None:
    return call.engine.clock.now() + WORKING_MS if layer == "working" else None


def _within(seen: Filter, types: list[Type] | None, layer: str | None) -> Filter:
    if layer == "rule":
        return replace(seen, kinds=("rule",))
    chosen = MEMORIES.meant(types, seen)
    if layer is None:
        return chosen
    return replace(
        chosen, kinds_not=("rule", *(chosen.kinds_not or ())), lasting=layer == "long_term"
    )


def _own(call: Call, here: Place, memory_id: str) -> Memory:
    memory = call.engine.get(here.bank, memory_id)
    if not here.owns(memory) or memory.forgotten_at is not None:
        raise NotFound(f"There is no memory {memory_id}.")
    return memory
