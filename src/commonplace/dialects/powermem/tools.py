"""The tools of PowerMem."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

from commonplace import engine, ids
from commonplace.dialects.dialect import Call, ToolRole, tool
from commonplace.dialects.expected_version import ExpectedVersion
from commonplace.dialects.parameters import About
from commonplace.dialects.powermem import filters as filters_read
from commonplace.dialects.powermem import responses
from commonplace.dialects.unsure import unsure_field
from commonplace.engine.facts import fact_metadata
from commonplace.errors import Invalid, NotFound
from commonplace.limits import BULK_MAX, COUNT_MAX, LIST_MAX, NAME_CHARS_MAX, RECALL_MAX
from commonplace.records.memory import Edit, Memory, Scope
from commonplace.records.query import Filter, Query
from commonplace.reserved_metadata import user_metadata


def _parse_id(value: object) -> object:
    """The number of an id in the form of any dialect."""
    return ids.parse(value) if isinstance(value, str) and not value.strip().isdecimal() else value


UserId = Annotated[
    str | None,
    About(
        "User identifier; defaults to the owner of this installation.",
        0,
        NAME_CHARS_MAX,
        multiuser=True,
    ),
]


AgentId = Annotated[str | None, About("Agent identifier, for several agents.", 0, NAME_CHARS_MAX)]


RunId = Annotated[str | None, About("Run or conversation identifier.", 0, NAME_CHARS_MAX)]


MemoryId = Annotated[int, About("The unique identifier of the memory.", parse=_parse_id)]


Filters = Annotated[
    dict[str, Any] | None,
    About(
        'Metadata filters: {"category": "work"}, {"priority": {"gte": 3}}, {"OR": [{"a": 1}, {"b":'
        ' {"in": [1, 2]}}]}. Operators: eq, ne, gt, gte, lt, lte, in, nin, like, ilike, AND, OR;'
        " null is absent; a.b is nested. memory_type, scope, created_at and updated_at can be"
        " filtered too."
    ),
]


_RESTORE_HINT = "hidden, not erased: `commonplace restore` brings back, `commonplace purge` erases"


@tool("writes", ToolRole("write", text="messages"), title="Add a memory", always_loaded=True)
def add_memory(
    call: Call,
    messages: Annotated[
        str | dict[str, Any] | list[dict[str, Any] | str],
        About(
            'The messages: a string, one {"role", "content"} object, or a list of them in OpenAI'
            " format."
        ),
    ],
    user_id: UserId = None,
    agent_id: AgentId = None,
    run_id: RunId = None,
    metadata: Annotated[dict[str, Any] | None, About("Anything to keep with the memory.")] = None,
    scope: Annotated[
        str | None, About("Memory scope: user, agent, session.", 0, NAME_CHARS_MAX)
    ] = None,
    memory_type: Annotated[str | None, About("The kind of memory.", 0, NAME_CHARS_MAX)] = None,
    filters: Annotated[
        dict[str, Any] | None, About("Metadata to filter by later, stored with metadata.")
    ] = None,
) -> dict[str, Any]:
    """Add a new memory to the store. Takes a text, a message or a list of messages.

    What is worth remembering is stored statement by statement and merged with what is known; each
    comes back with the event ADD, UPDATE (with previous_memory) or NONE.
    """
    parsed = responses.parse_messages(messages)
    if not parsed.messages:
        raise Invalid("messages cannot be empty", hint="Give at least one message with some text.")
    kept = {**(filters or {}), **(metadata or {}), **({"scope": scope} if scope else {})}
    telling = engine.add_messages.MessageBatch(
        parsed.messages,
        Scope(user=_user(call, user_id), agent=_strip(agent_id), run=_strip(run_id)),
        kind=memory_type or "",
        metadata=fact_metadata.merge_metadata({}, kept),
        whole=call.arguments.get("infer") in (False, "false", "False", 0),
    )
    return responses.add_response(
        call.engine.add_messages(call.bank, telling, call.origin("powermem")), parsed.skipped
    )


@tool("reads", ToolRole("find", text="query"), title="Search memories", always_loaded=True)
def search_memories(
    call: Call,
    query: Annotated[str, About("The search query text.")],
    user_id: UserId = None,
    agent_id: AgentId = None,
    run_id: RunId = None,
    limit: Annotated[int, About("Maximum number of results, at most 200.", 1, BULK_MAX)] = 10,
    filters: Filters = None,
    threshold: Annotated[
        float | None,
        About("Similarity threshold from 0 to 1; only results above it are returned.", 0, 1),
    ] = None,
) -> dict[str, Any]:
    """Search for memories by meaning and by words. Nothing relevant gives no results.

    Scores go from 0 to 1; `unsure` is there when none of the results is surely an answer.
    """
    if not query.strip():
        raise Invalid("query parameter is required", hint="Pass the text to search for.")
    chosen = _filter(call, filters, user_id, agent_id, run_id)
    asked = Query(query, chosen, limit=min(limit, RECALL_MAX), min_score=threshold or 0.0)
    found = call.engine.recall(call.bank, asked)
    results = [responses.hit(hit, call.engine.owner) for hit in found.hits]
    doubted = unsure_field(unsure=found.unsure, found=results)
    return {"success": True, **doubted, "count": len(results), "results": results, "relations": []}


@tool("reads", ToolRole("fetch", id="memory_id"), title="Get a memory")
def get_memory(
    call: Call, memory_id: MemoryId, user_id: UserId = None, agent_id: AgentId = None
) -> dict[str, Any]:
    """Retrieve a specific memory by its ID."""
    memory = _get_memory(call, memory_id, user_id, agent_id)
    return {"success": True, "data": responses.item(memory, call.engine.owner, "content")}


@tool(
    "writes",
    ToolRole("revise", id="memory_id", text="content"),
    title="Update a memory",
    idempotent=True,
)
def update_memory(
    call: Call,
    memory_id: MemoryId,
    content: Annotated[str, About("The new content for the memory.", 1)],
    user_id: UserId = None,
    agent_id: AgentId = None,
    metadata: Annotated[
        dict[str, Any] | None, About("Metadata to update; other fields stay.")
    ] = None,
    expected_version: ExpectedVersion = None,
) -> dict[str, Any]:
    """Update an existing memory's content and/or metadata. Earlier versions are kept."""
    before = _get_memory(call, memory_id, user_id, agent_id)
    changed_too = fact_metadata.merge_metadata(
        before.metadata, user_metadata(before.metadata) | (metadata or {})
    )
    edit = Edit(text=content, metadata=changed_too)
    expected = before.version if expected_version is None else expected_version
    outcome = call.engine.revise(
        call.bank, before.id, edit, call.origin("powermem"), expected=expected
    )
    changed = outcome.change != "unchanged"
    message = (
        "Memory updated successfully"
        if changed
        else "Memory already says this; nothing was changed"
    )
    return {
        "success": True,
        "message": message,
        "data": responses.item(outcome.memory, call.engine.owner, "content"),
    }


@tool("destroys", ToolRole("forget", id="memory_id"), title="Delete a memory")
def delete_memory(
    call: Call, memory_id: MemoryId, user_id: UserId = None, agent_id: AgentId = None
) -> dict[str, Any]:
    """Delete a memory by its ID. It is hidden, and its owner can restore it or erase it for
    good.
    """
    memory = _get_memory(call, memory_id, user_id, agent_id)
    call.engine.forget(call.bank, [memory.id], call.origin("powermem"))
    return {
        "success": True,
        "message": f"Memory deleted successfully; {_RESTORE_HINT}",
        "deleted_id": memory.id,
    }


@tool("destroys", ToolRole("sweep"), title="Delete all memories", idempotent=True)
def delete_all_memories(
    call: Call, user_id: UserId = None, agent_id: AgentId = None, run_id: RunId = None
) -> dict[str, Any]:
    """Delete all memories of a user, narrowed to an agent or a run where one is named.

    They are hidden, and their owner can restore them or erase them for good.
    """
    chosen = _filter(call, None, user_id, agent_id, run_id)
    # Without memories, the bank may not exist.
    found = call.engine.count(call.bank, chosen)
    gone = call.engine.forget_where(call.bank, chosen, call.origin("powermem")) if found else ()
    message = (
        f"All memories deleted successfully; {_RESTORE_HINT}"
        if gone
        else "No memory matches; nothing was deleted"
    )
    return {"success": True, "message": message, "deleted_count": len(gone)}


@tool("reads", ToolRole("list"), title="List memories")
def list_memories(
    call: Call,
    user_id: UserId = None,
    agent_id: AgentId = None,
    run_id: RunId = None,
    limit: Annotated[int, About("Maximum number of results.", 0, BULK_MAX)] = 100,
    offset: Annotated[
        int, About("Number of results to skip, for the next page.", 0, COUNT_MAX)
    ] = 0,
    filters: Filters = None,
) -> dict[str, Any]:
    """List all memories, newest first, with optional filters."""
    chosen = _filter(call, filters, user_id, agent_id, run_id)
    pages = [(at, min(LIST_MAX, limit - at)) for at in range(0, limit, LIST_MAX)]
    found = [
        one
        for at, size in pages
        for one in call.engine.list(call.bank, chosen, limit=size, offset=offset + at)
    ]
    return {
        "success": True,
        "count": len(found),
        "memories": [responses.item(one, call.engine.owner) for one in found],
    }


def _strip(name: str | None) -> str:
    return (name or "").strip()


def _user(call: Call, user_id: str | None) -> str:
    """The user in scopes: "" for the owner, also by name."""
    name = _strip(user_id)
    return "" if name == responses.owner_name(call.engine.owner) else name


def _filter(
    call: Call,
    filters: Mapping[str, Any] | None,
    user_id: str | None = None,
    agent_id: str | None = None,
    run_id: str | None = None,
) -> Filter:
    """The filter for memories. A scope in `filters` applies if the argument is missing."""
    rest = dict(filters or {})
    user, agent, run = (
        _strip(given) or (_strip(rest.pop(name)) if isinstance(rest.get(name), str) else "")
        for name, given in (("user_id", user_id), ("agent_id", agent_id), ("run_id", run_id))
    )
    owner = responses.owner_name(call.engine.owner)
    # Memories stored under the owner's name before it became the owner's belong to the owner too.
    return Filter(
        users=(_user(call, user),) if _user(call, user) else ("", owner),
        agents=(agent,) if agent else None,
        runs=(run,) if run else None,
        where=filters_read.parse_condition(rest, owner),
    )


def _get_memory(call: Call, memory_id: int, user_id: str | None, agent_id: str | None) -> Memory:
    """A memory by id. Raises NotFound if it does not belong to the user, agent and run."""
    run_id = call.arguments.get("run_id")
    chosen = _filter(call, None, user_id, agent_id, run_id if isinstance(run_id, str) else None)
    number = call.engine.get(call.bank, memory_id).id
    found = call.engine.list(call.bank, replace(chosen, ids=(number,)), limit=1)
    if not found:
        raise NotFound(
            f"There is no memory {memory_id} of this user.",
            hint="List the memories to see their ids.",
        )
    return found[0]
