"""The tools of memories.sh as a client lists them, and the two forms of every answer."""

from typing import Any

import pytest

from tests.dialects.memories_client import Memories
from tests.dialects.requirements import requirement

TYPES = ["rule", "decision", "fact", "note", "skill"]
MODES = ["all", "working", "long_term", "rules_only"]
# Every parameter of the page: its type, its default or "required", and its enum if it has one.
STRING, NUMBER, FLAG, LIST, OBJECT = (
    ("string",),
    ("number", "integer"),
    ("boolean",),
    ("array",),
    ("object",),
)
SCOPE: dict[str, tuple[Any, ...]] = {"user_id": (STRING, None), "tenant_id": (STRING, None)}
PROJECT: dict[str, tuple[Any, ...]] = {"project_id": (STRING, None)}
GLOBAL: dict[str, tuple[Any, ...]] = {"global": (FLAG, False)}
PARAMETERS: dict[str, dict[str, tuple[Any, ...]]] = {
    "get_context": {
        "query": (STRING, None),
        **PROJECT,
        **SCOPE,
        "limit": (NUMBER, 5),
        "retrieval_strategy": (STRING, "baseline"),
        "graph_depth": (NUMBER, 1),
        "graph_limit": (NUMBER, 8),
        "mode": (STRING, "all", MODES),
        "session_id": (STRING, None),
        "budget_tokens": (NUMBER, None),
        "turn_count": (NUMBER, None),
        "turn_budget": (NUMBER, None),
        "last_activity_at": (STRING, None),
        "inactivity_threshold_minutes": (NUMBER, None),
        "task_completed": (FLAG, False),
        "include_session_summary": (FLAG, False),
    },
    "start_session": {
        "title": (STRING, None),
        "client": (STRING, None),
        "user_id": (STRING, None),
        "metadata": (OBJECT, None),
        **GLOBAL,
        **PROJECT,
    },
    "checkpoint_session": {
        "session_id": (STRING, "required"),
        "content": (STRING, "required"),
        "role": (STRING, "assistant", ["user", "assistant", "tool"]),
        "kind": (STRING, "checkpoint", ["message", "checkpoint", "summary", "event"]),
        "token_count": (NUMBER, None),
        "turn_index": (NUMBER, None),
        "is_meaningful": (FLAG, True),
    },
    "end_session": {
        "session_id": (STRING, "required"),
        "status": (STRING, "closed", ["closed", "compacted"]),
    },
    "snapshot_session": {
        "session_id": (STRING, "required"),
        "source_trigger": (STRING, "manual", ["new_session", "reset", "manual", "auto_compaction"]),
        "slug": (STRING, None),
        "transcript_md": (STRING, None),
        "message_count": (NUMBER, 15),
        "meaningful_only": (FLAG, True),
    },
    "consolidate_memories": {
        "types": (LIST, None, TYPES),
        "include_global": (FLAG, True),
        "global_only": (FLAG, False),
        **PROJECT,
        "dry_run": (FLAG, False),
        "model": (STRING, None),
    },
    "add_memory": {
        "content": (STRING, "required"),
        "type": (STRING, "note", TYPES),
        "tags": (LIST, None),
        **PROJECT,
        **SCOPE,
        "paths": (LIST, None),
        "category": (STRING, None),
        "metadata": (OBJECT, None),
    },
    "search_memories": {
        "query": (STRING, "required"),
        **PROJECT,
        **SCOPE,
        "type": (STRING, None, TYPES),
        "limit": (NUMBER, 10),
    },
    "get_rules": {**PROJECT, **SCOPE},
    "list_memories": {
        "type": (STRING, None, TYPES),
        "tags": (STRING, None),
        **PROJECT,
        **SCOPE,
        "limit": (NUMBER, 20),
    },
    "edit_memory": {
        "id": (STRING, "required"),
        "content": (STRING, None),
        "type": (STRING, None, TYPES),
        "tags": (LIST, None),
        "paths": (LIST, None),
        "category": (STRING, None),
        "metadata": (OBJECT, None),
        **SCOPE,
    },
    "forget_memory": {"id": (STRING, "required"), **SCOPE},
    "bulk_forget_memories": {
        "types": (LIST, None, TYPES),
        "tags": (LIST, None),
        "older_than_days": (("integer",), None),
        "pattern": (STRING, None),
        **PROJECT,
        **SCOPE,
        "all": (FLAG, False),
        "dry_run": (FLAG, False),
    },
    "vacuum_memories": {**SCOPE},
    "add_reminder": {
        "cron_expression": (STRING, "required"),
        "message": (STRING, "required"),
        **GLOBAL,
        **PROJECT,
    },
    "list_reminders": {"include_disabled": (FLAG, False), **PROJECT},
    "run_due_reminders": {"dry_run": (FLAG, False), **PROJECT},
    "enable_reminder": {"id": (STRING, "required")},
    "disable_reminder": {"id": (STRING, "required")},
    "delete_reminder": {"id": (STRING, "required")},
    "start_memory_stream": {
        "type": (STRING, "note", TYPES),
        "tags": (LIST, None),
        **GLOBAL,
        **PROJECT,
    },
    "append_memory_chunk": {"stream_id": (STRING, "required"), "chunk": (STRING, "required")},
    "finalize_memory_stream": {"stream_id": (STRING, "required")},
    "cancel_memory_stream": {"stream_id": (STRING, "required")},
}


@requirement("memories:tools:all")
def test_there_are_the_twenty_four_tools_in_the_order_of_the_page(memories: Memories) -> None:
    assert [tool["name"] for tool in memories.listed()] == list(PARAMETERS)


@requirement("memories:tools:parameters")
@pytest.mark.parametrize("name", list(PARAMETERS))
def test_a_tool_has_the_parameters_of_the_page(memories: Memories, name: str) -> None:
    schema = next(tool for tool in memories.listed() if tool["name"] == name)["inputSchema"]
    assert set(PARAMETERS[name]) <= set(schema["properties"])
    for parameter, (types, default, *enum) in PARAMETERS[name].items():
        shown = schema["properties"][parameter]
        # list_memories takes one tag, as the page says, or several, as the original does.
        kinds = [one["type"] for one in shown["anyOf"]] if "anyOf" in shown else [shown["type"]]
        assert set(kinds) & set(types), parameter
        required = parameter in schema.get("required", [])
        assert ("required" if required else shown.get("default")) == default, parameter
        if enum:
            assert shown.get("enum", shown.get("items", {}).get("enum")) == enum[0], parameter


@requirement("memories:scope:tenant")
def test_every_tool_takes_a_tenant(memories: Memories) -> None:
    assert [
        tool["name"]
        for tool in memories.listed()
        if "tenant_id" not in tool["inputSchema"]["properties"]
    ] == []


@requirement("memories:answers:twice", "memories:ids:twelve")
def test_every_success_is_readable_and_in_the_envelope(memories: Memories) -> None:
    # The client checks both forms of every answer; here every tool answers once.
    first = memories.add("The port is 8080.", type="fact")
    session = memories("start_session", title="t")["id"]
    reminder = memories("add_reminder", cron_expression="0 9 * * *", message="stand up")["id"]
    streams = [memories("start_memory_stream")["id"] for _ in range(2)]
    calls: list[tuple[str, dict[str, Any]]] = [
        ("get_context", {}),
        ("checkpoint_session", {"session_id": session, "content": "c"}),
        ("snapshot_session", {"session_id": session}),
        ("end_session", {"session_id": session}),
        ("consolidate_memories", {}),
        ("search_memories", {"query": "port"}),
        ("get_rules", {}),
        ("list_memories", {}),
        ("edit_memory", {"id": first, "tags": ["net"]}),
        ("forget_memory", {"id": first}),
        ("bulk_forget_memories", {"all": True}),
        ("vacuum_memories", {}),
        ("list_reminders", {}),
        ("run_due_reminders", {}),
        ("enable_reminder", {"id": reminder}),
        ("disable_reminder", {"id": reminder}),
        ("delete_reminder", {"id": reminder}),
        ("append_memory_chunk", {"stream_id": streams[0], "chunk": "c"}),
        ("finalize_memory_stream", {"stream_id": streams[0]}),
        ("cancel_memory_stream", {"stream_id": streams[1]}),
    ]
    for tool, given in calls:
        envelope, text = memories.envelope(tool, **given)
        assert envelope["data"]
        assert text
    assert all(len(one) == 12 for one in (first, session, reminder, *streams))


@requirement("memories:errors:twice")
@pytest.mark.parametrize(
    ("tool", "given", "kind", "code", "text"),
    [
        (
            "add_memory",
            {"content": "  "},
            "validation_error",
            "MEMORY_CONTENT_REQUIRED",
            "content cannot be empty",
        ),
        (
            "add_memory",
            {},
            "validation_error",
            "MEMORY_CONTENT_REQUIRED",
            "Failed to add memory: `content` is required",
        ),
        (
            "add_memory",
            {"content": "x", "type": "law"},
            "validation_error",
            "INVALID_ARGUMENTS",
            "must be one of rule",
        ),
        (
            "add_memory",
            {"content": "x", "layer": "deep"},
            "validation_error",
            "MEMORY_LAYER_INVALID",
            "`layer`",
        ),
        (
            "add_memory",
            {"content": "x", "tenant_id": " "},
            "validation_error",
            "TENANT_ID_INVALID",
            "tenant_id",
        ),
        (
            "add_memory",
            {"content": "x", "user_id": ""},
            "validation_error",
            "USER_ID_INVALID",
            "user_id",
        ),
        (
            "search_memories",
            {"query": " "},
            "validation_error",
            "QUERY_REQUIRED",
            "Failed to search memories",
        ),
        (
            "edit_memory",
            {"content": "x"},
            "validation_error",
            "MEMORY_ID_REQUIRED",
            "`id` is required",
        ),
        (
            "edit_memory",
            {"id": "abc123def456"},
            "validation_error",
            "NOTHING_TO_UPDATE",
            "Nothing to update.",
        ),
        (
            "edit_memory",
            {"id": "abc123def456", "content": "x"},
            "not_found_error",
            "MEMORY_NOT_FOUND",
            "Memory abc",
        ),
        (
            "forget_memory",
            {"id": "m00000000001"},
            "not_found_error",
            "MEMORY_NOT_FOUND",
            "already forgotten.",
        ),
        (
            "end_session",
            {"session_id": "sess_123"},
            "not_found_error",
            "SESSION_NOT_FOUND",
            "Session sess_123 not found.",
        ),
        (
            "delete_reminder",
            {"id": "nope"},
            "not_found_error",
            "REMINDER_NOT_FOUND",
            "Reminder nope not found.",
        ),
        (
            "append_memory_chunk",
            {"stream_id": "s", "chunk": ""},
            "not_found_error",
            "STREAM_NOT_FOUND",
            "or expired",
        ),
        (
            "bulk_forget_memories",
            {},
            "validation_error",
            "BULK_FORGET_NO_FILTERS",
            "Provide at least one filter",
        ),
        (
            "get_context",
            {"retrieval_strategy": "magic"},
            "validation_error",
            "INVALID_ARGUMENTS",
            "magic",
        ),
        ("get_context", {"graph_depth": 3}, "validation_error", "INVALID_ARGUMENTS", "graph_depth"),
    ],
)
def test_a_failure_is_a_sentence_and_a_typed_error(
    memories: Memories, tool: str, given: dict[str, Any], kind: str, code: str, text: str
) -> None:
    error = memories.failure(tool, **given)
    assert (error["type"], error["code"]) == (kind, code)
    assert text in error["text"]
    assert error["status"] == (404 if kind == "not_found_error" else 400)


@requirement("memories:resources:three")
def test_there_are_three_resources_and_a_project_may_have_slashes(memories: Memories) -> None:
    number = memories.add("Be kind.", type="rule")
    memories.add("Use tabs.", type="rule", project_id="github.com/u/r")
    memories.add("Older", project_id="github.com/u/r")

    assert memories.read("memories://rules") == f"## Global Rules\n- {number}: Be kind."
    assert memories.read("memories://recent").startswith("## Recent Memories\n\n📌 RULE (G) ")
    for uri in ("memories://project/github.com/u/r", "memories://project/github.com%2Fu%2Fr"):
        text = memories.read(uri)
        assert text.startswith("## Memories for github.com/u/r\n")
        assert ("Use tabs." in text, "Older" in text, "Be kind." in text) == (True, True, False)
    assert memories.read("memories://project/none") == "No memories found for project none."
    listed = memories.listed("resources/list", "resources") + memories.listed(
        "resources/templates/list", "resourceTemplates"
    )
    assert [one.get("uri") or one["uriTemplate"] for one in listed] == [
        "memories://rules",
        "memories://recent",
        "memories://project/{id}",
    ]


def test_an_empty_store_has_empty_resources(memories: Memories) -> None:
    assert memories.read("memories://rules") == "No rules defined."
    assert memories.read("memories://recent") == "No memories found."


def test_recent_means_newest_first_whatever_the_type(memories: Memories) -> None:
    for number in range(25):
        memories.add(f"Note {number}", type="note" if number % 2 else "decision")
    shown = memories.read("memories://recent").splitlines()[2:]
    assert [line.rsplit(" ", 1)[1] for line in shown] == [
        str(number) for number in range(24, 4, -1)
    ]
