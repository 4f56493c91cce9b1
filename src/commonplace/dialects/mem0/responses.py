"""The shapes of mem0: memories, hits, events and errors."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from commonplace import clock, ids
from commonplace.dialects.dialect import Call, Reply, Tool, as_json, drop_empty
from commonplace.dialects.expected_version import version_field
from commonplace.dialects.mem0.scope import shown_user
from commonplace.errors import CommonplaceError
from commonplace.records.memory import Memory, Version
from commonplace.records.query import Hit
from commonplace.reserved_metadata import user_metadata

if TYPE_CHECKING:
    from commonplace.engine.add_messages import MessagesResult

Json = dict[str, Any]
_EVENTS = {"added": "ADD", "revised": "UPDATE", "unchanged": "NONE", "forgotten": "DELETE"}
_ACTIONS = {"remember": "ADD", "revise": "UPDATE", "forget": "DELETE", "restore": "ADD"}


def item(call: Call, memory: Memory) -> Json:
    """A memory."""
    scope = memory.scope
    shown: Json = {
        "id": ids.uuid_form(memory.id),
        "memory": memory.text,
        "user_id": shown_user(call, scope.user),
        "agent_id": scope.agent,
        "app_id": scope.project,
        "run_id": scope.run,
        "metadata": user_metadata(memory.metadata),
        "categories": list(memory.tags),
        "created_at": clock.iso(memory.created_at),
        "updated_at": clock.iso(memory.updated_at),
        "expiration_date": memory.expires_at and clock.iso(memory.expires_at)[:10],
        **version_field(memory),
    }
    return drop_empty(shown)


def hit(call: Call, one: Hit) -> Json:
    """A memory that was found."""
    copies = {"copies": [ids.uuid_form(number) for number in one.copies]} if one.copies else {}
    return item(call, one.memory) | {"score": one.score} | copies


def added(result: "MessagesResult") -> Json:
    """What became of the statements of some messages."""
    results: list[Json] = []
    for one in result.outcomes:
        shown = {
            "id": ids.uuid_form(one.memory.id),
            "memory": one.memory.text,
            "event": _EVENTS[one.change],
        }
        previous = {"previous_memory": one.before} if one.change == "revised" else {}
        results.append(shown | previous)
    return {"results": results} | ({"document": result.document} if result.document else {})


def history(call: Call, memory: Memory, versions: Sequence[Version]) -> list[Json]:
    """The changes of a memory, oldest first."""
    pairs = pairwise((None, *versions))
    return [
        {
            "id": ids.uuid_form(after.id),
            "memory_id": ids.uuid_form(memory.id),
            "old_memory": before.text if before else None,
            "new_memory": None if after.action == "forget" else after.text,
            "event": _ACTIONS[after.action],
            "user_id": shown_user(call, memory.scope.user),
            "created_at": clock.iso(versions[0].at),
            "updated_at": clock.iso(after.at),
        }
        for before, after in pairs
        if after is not None
    ]


def failure(_tool: Tool, _given: Mapping[str, object], error: CommonplaceError) -> Reply:
    """The answer to a call that failed."""
    answer = {"error": error.kind, "detail": f"{error.message} {error.hint}".strip()}
    return Reply(answer, as_json(answer), is_error=True)
