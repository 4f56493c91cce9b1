"""The tools of mem0's platform."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any

from commonplace import engine, ids
from commonplace.dialects.dialect import OTHER, Call, ToolRole, tool
from commonplace.dialects.expected_version import ExpectedVersion
from commonplace.dialects.mem0 import responses, scope
from commonplace.dialects.parameters import About
from commonplace.dialects.powermem.responses import parse_messages
from commonplace.dialects.unsure import unsure_field
from commonplace.engine.facts import fact_metadata
from commonplace.errors import Invalid, NotFound
from commonplace.limits import LIST_MAX, NAME_CHARS_MAX, QUERY_CHARS_MAX, RECALL_MAX
from commonplace.records.memory import Edit, Memory
from commonplace.records.query import Filter, Query
from commonplace.reserved_metadata import user_metadata

Json = dict[str, Any]


UserId = Annotated[
    str | None,
    About(
        "The user; defaults to the owner of this installation.", 0, NAME_CHARS_MAX, multiuser=True
    ),
]


AgentId = Annotated[str | None, About("The agent.", 0, NAME_CHARS_MAX)]


AppId = Annotated[str | None, About("The app or project.", 0, NAME_CHARS_MAX)]


RunId = Annotated[str | None, About("The run or conversation.", 0, NAME_CHARS_MAX)]


MemoryId = Annotated[str, About("The id of the memory.")]


Filters = Annotated[
    dict[str, Any] | None,
    About(
        'Which memories: {"user_id": "ada"}, {"AND": [{"app_id": "shop"}, {"created_at": {"gte":'
        ' "2026-01-01"}}]}. Joined by AND, OR, NOT; operators eq, ne, gt, gte, lt, lte, in, nin.'
    ),
]


@tool("writes", ToolRole("write", text="text"), title="Add a memory", always_loaded=True)
def add_memory(
    call: Call,
    text: Annotated[str | None, About("What to remember; or give messages.")] = None,
    messages: Annotated[
        str | dict[str, Any] | list[dict[str, Any] | str] | None,
        About('A conversation: a list of {"role", "content"}.'),
    ] = None,
    user_id: UserId = None,
    agent_id: AgentId = None,
    app_id: AppId = None,
    run_id: RunId = None,
    metadata: Annotated[dict[str, Any] | None, About("Anything to keep with the memory.")] = None,
    infer: Annotated[bool, About("False stores each message as it is.")] = True,
) -> Json:
    """Store a preference, a fact or a conversation. Each statement comes back with the event ADD,
    UPDATE or NONE.
    """
    parsed = parse_messages(text if messages is None else messages)
    if not parsed.messages:
        raise Invalid("There is nothing to add.", hint="Give a text, or messages with some text.")
    names = {"user_id": user_id, "agent_id": agent_id, "app_id": app_id, "run_id": run_id}
    batch = engine.add_messages.MessageBatch(
        parsed.messages,
        scope.scope_of(call, names),
        metadata=fact_metadata.merge_metadata({}, metadata or {}),
        whole=not infer,
    )
    return responses.added(call.engine.add_messages(call.bank, batch, call.origin("mem0")))


@tool("reads", ToolRole("find", text="query"), title="Search memories", always_loaded=True)
def search_memories(
    call: Call,
    query: Annotated[str, About("What to look for.", None, QUERY_CHARS_MAX)],
    filters: Filters = None,
    limit: Annotated[
        int, About("Maximum number of results.", 1, LIST_MAX, aliases=("top_k",))
    ] = 10,
    threshold: Annotated[float | None, About("Only results that score above it.", 0, 1)] = None,
) -> Json:
    """Search memories by meaning and by words. Nothing relevant gives no results; `unsure` is there
    when none of them is surely an answer.
    """
    if not query.strip():
        raise Invalid("The query is empty.", hint="Pass the text to search for.")
    chosen = scope.filter_of(call, filters)
    asked = Query(query, chosen, limit=min(limit, RECALL_MAX), min_score=threshold or 0.0)
    found = call.engine.recall(call.bank, asked)
    results = [responses.hit(call, one) for one in found.hits]
    return {"results": results, **unsure_field(unsure=found.unsure, found=results)}


@tool("reads", ToolRole("list"), title="Get memories")
def get_memories(
    call: Call,
    filters: Filters = None,
    page: Annotated[int, About("The number of the page, from 1.", 1, 1_000_000)] = 1,
    page_size: Annotated[int, About("Memories on a page.", 1, LIST_MAX)] = 100,
) -> Json:
    """List memories, newest first, in pages."""
    chosen, offset = scope.filter_of(call, filters), (page - 1) * page_size
    found = call.engine.list(call.bank, chosen, limit=page_size, offset=offset)
    items = [responses.item(call, one) for one in found]
    return {"count": call.engine.count(call.bank, chosen), "results": items}


@tool("reads", ToolRole("fetch", id="memory_id"), title="Get a memory")
def get_memory(call: Call, memory_id: MemoryId, user_id: UserId = None) -> Json:
    """Read one memory by its id."""
    return responses.item(call, find_memory(call, memory_id, user_id))


@tool("writes", ToolRole("revise", id="memory_id", text="text"), title="Update a memory")
def update_memory(
    call: Call,
    memory_id: MemoryId,
    text: Annotated[str, About("The new text.", 1)],
    metadata: Annotated[
        dict[str, Any] | None, About("Metadata to change; other fields stay.")
    ] = None,
    user_id: UserId = None,
    expected_version: ExpectedVersion = None,
) -> Json:
    """Replace the text of a memory. Earlier versions are kept."""
    before = find_memory(call, memory_id, user_id)
    return responses.item(call, revise(call, before, Edit(text=text), metadata, expected_version))


@tool("destroys", ToolRole("forget", id="memory_id"), title="Delete a memory")
def delete_memory(call: Call, memory_id: MemoryId, user_id: UserId = None) -> Json:
    """Delete a memory. It is hidden, and its owner can restore it or erase it for good."""
    memory = find_memory(call, memory_id, user_id)
    call.engine.forget(call.bank, [memory.id], call.origin("mem0"))
    return {"message": "Memory deleted successfully!", "id": ids.uuid_form(memory.id)}


@tool("destroys", ToolRole("sweep"), title="Delete all memories", idempotent=True)
def delete_all_memories(
    call: Call,
    user_id: UserId = None,
    agent_id: AgentId = None,
    app_id: AppId = None,
    run_id: RunId = None,
) -> Json:
    """Delete all memories of a user, narrowed to an agent, an app or a run where one is named.

    They are hidden, and their owner can restore them or erase them for good.
    """
    names = {"user_id": user_id, "agent_id": agent_id, "app_id": app_id, "run_id": run_id}
    chosen = scope.filter_of(call, {name: value for name, value in names.items() if value})
    return {"message": "Memories deleted successfully!", "deleted": forget_all(call, chosen)}


@tool("reads", OTHER, title="List entities")
def list_entities(call: Call) -> Json:
    """List the users, agents, apps and runs that have memories."""
    counts: dict[tuple[str, str], int] = {}
    for memory in every_memory(call):
        for kind, field in scope.ENTITY_TYPES.items():
            name = getattr(memory.scope, field)
            name = scope.shown_user(call, name) if kind == "user" else name
            if name:
                counts[kind, name] = counts.get((kind, name), 0) + 1
    results = [
        {"type": kind, "name": name, "id": f"{kind}:{name}", "total_memories": count}
        for (kind, name), count in sorted(counts.items())
    ]
    return {"count": len(results), "results": results}


@tool("destroys", ToolRole("sweep"), title="Delete entities", idempotent=True)
def delete_entities(
    call: Call,
    user_id: UserId = None,
    agent_id: AgentId = None,
    app_id: AppId = None,
    run_id: RunId = None,
) -> Json:
    """Delete a user, an agent, an app or a run with all of its memories. Name one of them.

    The memories are hidden, and their owner can restore them or erase them for good.
    """
    names = {"user_id": user_id, "agent_id": agent_id, "app_id": app_id, "run_id": run_id}
    given = {name: value for name, value in names.items() if value}
    if not given:
        raise Invalid("No entity was named.", hint="Give a user_id, agent_id, app_id or run_id.")
    return {"message": "Entity deleted successfully!", "deleted": forget_entity(call, given)}


def forget_entity(call: Call, given: Mapping[str, str]) -> int:
    """Forget the memories of an entity, whichever user they are of. Returns how many."""
    any_user = {} if "user_id" in given else {"user_id": "*"}
    return forget_all(call, scope.filter_of(call, {**any_user, **given}))


def forget_all(call: Call, chosen: Filter) -> int:
    """Forget the memories of a filter. Returns how many."""
    # Without memories, the bank may not exist.
    if not call.engine.count(call.bank, chosen):
        return 0
    return len(call.engine.forget_where(call.bank, chosen, call.origin("mem0")))


def find_memory(call: Call, memory_id: str, user_id: str | None = None) -> Memory:
    """A live memory of a user, by default the owner, by any form of its id."""
    number = call.engine.get(call.bank, memory_id).id
    chosen = scope.filter_of(call, {"user_id": user_id or ""})
    found = call.engine.list(call.bank, replace(chosen, ids=(number,)), limit=1)
    if not found:
        raise NotFound(f"Memory {memory_id} not found.", hint="List the memories to see their ids.")
    return found[0]


def revise(
    call: Call,
    before: Memory,
    edit: Edit,
    metadata: Mapping[str, Any] | None,
    expected: int | None = None,
) -> Memory:
    """A memory after a change; of the metadata other fields stay."""
    if metadata is not None:
        merged = fact_metadata.merge_metadata(
            before.metadata, user_metadata(before.metadata) | dict(metadata)
        )
        edit = replace(edit, metadata=merged)
    expected = before.version if expected is None else expected
    outcome = call.engine.revise(call.bank, before.id, edit, call.origin("mem0"), expected=expected)
    return outcome.memory


def every_memory(call: Call) -> Iterator[Memory]:
    """Every live memory of a bank."""
    offset = 0
    while found := call.engine.list(call.bank, limit=LIST_MAX, offset=offset):
        yield from found
        offset += LIST_MAX
