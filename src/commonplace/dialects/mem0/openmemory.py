"""The tools of OpenMemory, the local server of mem0, which know one user."""

from typing import Annotated, Any

from commonplace import engine, ids
from commonplace.dialects.dialect import Call, ToolRole, tool
from commonplace.dialects.mem0 import responses, scope, tools
from commonplace.dialects.parameters import About
from commonplace.dialects.powermem.responses import parse_messages
from commonplace.dialects.unsure import unsure_field
from commonplace.errors import Invalid
from commonplace.limits import BULK_MAX, LIST_MAX, QUERY_CHARS_MAX
from commonplace.records.memory import Scope
from commonplace.records.query import Query

Json = dict[str, Any]
_FOUND_MAX = 10


def _id_list(value: object) -> object:
    return [value] if isinstance(value, str) and not value.lstrip().startswith("[") else value


@tool("writes", ToolRole("write", text="text"), title="Add memories")
def add_memories(
    call: Call,
    text: Annotated[str, About("What to remember.", 1)],
    infer: Annotated[bool, About("False stores the text as it is.")] = True,
) -> Json:
    """Store what the user prefers, what is true of them, or what they ask to remember."""
    batch = engine.add_messages.MessageBatch(
        parse_messages(text).messages, Scope(), whole=not infer
    )
    return responses.added(call.engine.add_messages(call.bank, batch, call.origin("mem0")))


@tool("reads", ToolRole("find", text="query"), title="Search memory")
def search_memory(
    call: Call,
    query: Annotated[str, About("What to look for.", None, QUERY_CHARS_MAX)],
) -> Json:
    """Search the stored memories. Use it whenever the user asks anything."""
    if not query.strip():
        raise Invalid("The query is empty.", hint="Pass the text to search for.")
    asked = Query(query, scope.filter_of(call, None), limit=_FOUND_MAX)
    found = call.engine.recall(call.bank, asked)
    results = [responses.hit(call, one) for one in found.hits]
    return {"results": results, **unsure_field(unsure=found.unsure, found=results)}


@tool("reads", ToolRole("list"), title="List memories")
def list_memories(call: Call) -> Json:
    """List the memories of the user, newest first, at most a thousand."""
    chosen = scope.filter_of(call, None)
    found = call.engine.list(call.bank, chosen, limit=LIST_MAX)
    items = [responses.item(call, one) for one in found]
    return {"results": items, "count": call.engine.count(call.bank, chosen)}


@tool("destroys", ToolRole("forget", id="memory_ids"), title="Delete memories")
def delete_memories(
    call: Call,
    memory_ids: Annotated[
        list[str], About("The ids of the memories.", 1, BULK_MAX, parse=_id_list)
    ],
) -> Json:
    """Delete memories by their ids. They are hidden, and their owner can restore them."""
    numbers = [tools.find_memory(call, one).id for one in memory_ids]
    call.engine.forget(call.bank, numbers, call.origin("mem0"))
    return {
        "message": f"Successfully deleted {len(numbers)} memories",
        "ids": [ids.uuid_form(number) for number in numbers],
    }
