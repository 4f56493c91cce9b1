"""mem0: messages in, memories out, for users, agents, apps and runs. The nine tools of its platform
and the four others of OpenMemory."""

from commonplace.dialects.dialect import Dialect, rows
from commonplace.dialects.mem0 import openmemory, tools
from commonplace.dialects.mem0.responses import failure

DIALECT = Dialect(
    name="mem0",
    title="mem0",
    instructions=(
        "The memory of this person, shared by every agent. Search it with search_memories before"
        " answering what may have come up before, and add with add_memory what should be known next"
        " time."
    ),
    tools=rows(
        tools.add_memory,
        tools.search_memories,
        tools.get_memories,
        tools.get_memory,
        tools.update_memory,
        tools.delete_memory,
        tools.delete_all_memories,
        tools.list_entities,
        tools.delete_entities,
        openmemory.add_memories,
        openmemory.search_memory,
        openmemory.list_memories,
        openmemory.delete_memories,
    ),
    failure=failure,
)
