"""Memstate: keypaths, versions, time travel. Seven tools over the engine's keys."""

from collections.abc import Sequence

from commonplace import engine, ids
from commonplace.dialects.dialect import Call, Dialect, rows
from commonplace.dialects.memstate import responses
from commonplace.dialects.memstate.browse import memstate_get
from commonplace.dialects.memstate.scope import (
    list_projects,
)
from commonplace.dialects.memstate.search import memstate_search
from commonplace.dialects.memstate.tools import (
    memstate_delete,
    memstate_delete_project,
    memstate_history,
    memstate_remember,
    memstate_set,
)
from commonplace.limits import LIST_MAX
from commonplace.records.memory import Memory
from commonplace.records.query import Filter


def _recent_memories(call: Call) -> Sequence[Memory]:
    return call.engine.list(call.bank, Filter(users=("",)), order="updated", limit=LIST_MAX)


DIALECT = Dialect(
    name="memstate",
    title="Memstate",
    instructions=(
        "Versioned project memory. Before a task: memstate_get(project_id) or memstate_search."
        " After a task: memstate_remember with a markdown summary. memstate_set is for one short"
        " value only."
    ),
    tools=rows(
        memstate_get,
        memstate_search,
        memstate_remember,
        memstate_set,
        memstate_history,
        memstate_delete,
        memstate_delete_project,
    ),
    failure=responses.failure,
    completions={
        "project_id": lambda call, typed: (
            one.name for one, _ in list_projects(call) if typed in one.name
        ),
        "keypath": lambda call, typed: (
            engine.keypaths.key_of(one)
            for one in _recent_memories(call)
            if engine.keypaths.key_of(one).startswith(typed)
        ),
        "memory_id": lambda call, typed: (
            i
            for one in _recent_memories(call)
            if (i := ids.memstate_form(one.version_id)).startswith(typed)
        ),
    },
)
