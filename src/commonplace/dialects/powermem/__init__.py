"""PowerMem: messages in, memories out, for users, agents and runs. Seven tools and a resource."""

from commonplace.dialects.dialect import Call, Dialect, Resource, as_json, rows
from commonplace.dialects.powermem import responses
from commonplace.dialects.powermem.tools import (
    add_memory,
    delete_all_memories,
    delete_memory,
    get_memory,
    list_memories,
    search_memories,
    update_memory,
)


def _summary(call: Call) -> str:
    return as_json(
        {"total_memories": call.engine.count(call.bank), "description": "powermem memory store"}
    )


DIALECT = Dialect(
    name="powermem",
    title="PowerMem",
    instructions=(
        "The memory of this person, shared by every agent. Search it with search_memories before"
        " answering what may have come up before, and add with add_memory what should be known next"
        " time."
    ),
    tools=rows(
        add_memory,
        search_memories,
        get_memory,
        update_memory,
        delete_memory,
        delete_all_memories,
        list_memories,
        get_memory.alias("get_memory_by_id"),
    ),
    resources=(
        Resource(
            "powermem://memory",
            "Memory Store",
            "How many memories the store holds.",
            "application/json",
            _summary,
        ),
    ),
    failure=responses.failure,
)
