"""PowerMem's contract, tool by tool, through the MCP layer."""

import json
from dataclasses import replace
from typing import Any

import pytest

from commonplace import ids
from commonplace.engine.engine import Engine
from commonplace.faces.mcp import messages
from commonplace.faces.mcp.parsing import ProtocolError
from commonplace.records.memory import Draft, Edit, Scope
from tests.conftest import StoppedClock
from tests.dialects.powermem_client import PowerMem
from tests.dialects.requirements import requirement

# Every parameter of the page: its type, and its default or "required".
_SCOPE: dict[str, tuple[Any, object]] = {
    "user_id": ("string", None),
    "agent_id": ("string", None),
    "run_id": ("string", None),
}
_CHECKED = {"user_id": ("string", None), "agent_id": ("string", None)}
PARAMETERS: dict[str, dict[str, tuple[Any, object]]] = {
    "add_memory": {
        "messages": (["string", "object", "array"], "required"),
        **_SCOPE,
        "metadata": ("object", None),
        "scope": ("string", None),
        "memory_type": ("string", None),
        "filters": ("object", None),
    },
    "search_memories": {
        "query": ("string", "required"),
        **_SCOPE,
        "limit": ("integer", 10),
        "filters": ("object", None),
        "threshold": ("number", None),
    },
    "get_memory": {"memory_id": ("integer", "required"), **_CHECKED},
    "update_memory": {
        "memory_id": ("integer", "required"),
        "content": ("string", "required"),
        **_CHECKED,
        "metadata": ("object", None),
        # Ours.
        "expected_version": ("integer", None),
    },
    "delete_memory": {"memory_id": ("integer", "required"), **_CHECKED},
    "delete_all_memories": _SCOPE,
    "list_memories": {
        **_SCOPE,
        "limit": ("integer", 100),
        "offset": ("integer", 0),
        "filters": ("object", None),
    },
}


def shown(tool: dict[str, Any]) -> dict[str, tuple[Any, object]]:
    schema = tool["inputSchema"]
    required = schema.get("required", ())
    return {
        name: (
            one.get("type") or [kind["type"] for kind in one["anyOf"]],
            "required" if name in required else one.get("default"),
        )
        for name, one in schema["properties"].items()
    }


@requirement(
    "powermem:tools:seven",
    "powermem:tools:aliases",
    "powermem:add:parameters",
    "powermem:search:parameters",
    "powermem:get:parameters",
    "powermem:update:parameters",
    "powermem:delete:parameters",
    "powermem:delete-all:parameters",
    "powermem:list:parameters",
)
def test_the_seven_tools_have_the_parameters_of_the_page(powermem: PowerMem) -> None:
    listed = powermem.client.listed()

    assert list(listed) == list(PARAMETERS)
    assert {name: shown(tool) for name, tool in listed.items()} == PARAMETERS


@requirement(
    "powermem:add:example", "powermem:add:text", "powermem:add:metadata", "powermem:envelope:add"
)
def test_the_example_of_add_is_stored_with_its_user_and_metadata(powermem: PowerMem) -> None:
    metadata = {"category": "preference", "priority": "high"}
    answer = powermem(
        "add_memory",
        messages="User prefers coffee in the morning",
        user_id="user123",
        metadata=metadata,
    )

    number = answer["memory_id"]
    event = {"id": number, "memory": "User prefers coffee in the morning", "event": "ADD"}
    assert answer == {
        "success": True,
        "memory_id": number,
        "message": "Memory added successfully",
        "data": {"results": [event]},
    }
    assert powermem.get(number, user_id="user123")["metadata"] == metadata


@requirement("powermem:search:example", "powermem:search:both-ways", "powermem:envelope:lists")
def test_the_example_of_search_finds_what_was_added(powermem: PowerMem) -> None:
    number = powermem.added("User prefers coffee in the morning", user_id="user123")
    powermem.add("The cat sleeps on the sofa", user_id="user123")

    answer = powermem(
        "search_memories", query="user preferences", user_id="user123", limit=5, threshold=0.7
    )

    assert answer["count"] == len(answer["results"]) == 1
    hit = answer["results"][0]
    assert (hit["id"], hit["user_id"], hit["memory"]) == (
        number,
        "user123",
        "User prefers coffee in the morning",
    )
    assert powermem.found("feline on a couch", user_id="user123") == ["The cat sleeps on the sofa"]
    assert powermem.found("sleeps", user_id="user123") == ["The cat sleeps on the sofa"]


@requirement("powermem:search:query-required")
@pytest.mark.parametrize("arguments", [{}, {"query": ""}, {"query": "   "}])
def test_a_search_without_a_question_is_refused(
    powermem: PowerMem, arguments: dict[str, str]
) -> None:
    assert "required" in powermem.failure("search_memories", **arguments)["error"]


@requirement("powermem:search:limit", "powermem:list:limit")
def test_at_most_the_limit_comes_back(powermem: PowerMem) -> None:
    for number in range(12):
        powermem.add(f"The garden has plant {number}")

    assert len(powermem.found("garden plant")) == 10
    assert len(powermem.found("garden plant", limit=3)) == 3
    assert len(powermem.found("garden plant", limit=5_000)) == 12
    assert len(powermem.listed(limit=0)) == 0
    assert len(powermem.listed(limit=5)) == 5
    assert len(powermem.listed(limit=2_500)) == 12


@requirement(
    "powermem:search:threshold", "powermem:threshold:exact", "powermem:threshold:calibrated"
)
def test_an_exact_match_passes_the_threshold_of_the_page_and_others_pass_theirs(
    powermem: PowerMem,
) -> None:
    texts = [
        "User prefers coffee in the morning",
        "Staging runs on port 8080",
        "他喜欢喝绿茶",
        "The quarterly report for Q3 must be sent to finance@example.com before Friday",
        "ok-ish",
    ]
    for text in texts:
        powermem.add(text)
    for text in texts:
        best = powermem("search_memories", query=text, threshold=0.7)["results"][0]
        assert best["memory"] == text
        assert 0.7 <= best["score"] <= 1

    every = powermem("search_memories", query="coffee report")["results"]
    assert every
    assert all(0 <= hit["score"] <= 1 for hit in every)
    middle = every[0]["score"]
    assert all(
        hit["score"] >= middle
        for hit in powermem("search_memories", query="coffee report", threshold=middle)["results"]
    )
    assert (
        "threshold" in powermem.failure("search_memories", query="coffee", threshold=1.5)["error"]
    )


@requirement("powermem:get:by-id", "powermem:ids:exact", "powermem:tools:aliases")
def test_a_memory_is_read_by_its_integer_or_its_digits(powermem: PowerMem) -> None:
    number = powermem.added("The sky is blue")

    assert isinstance(number, int)
    assert 0 < number < 2**53
    assert json.loads(json.dumps(number), parse_int=float) == number
    whole = powermem.get(number)
    assert (whole["id"], whole["content"]) == (number, "The sky is blue")
    assert powermem.get(str(number)) == whole
    assert powermem("get_memory_by_id", memory_id=str(number))["data"] == whole


@requirement("powermem:ids:every-form")
def test_ids_as_other_dialects_print_them_are_understood(powermem: PowerMem) -> None:
    number = powermem.added("The sky is blue")
    version = powermem.engine.get("default", number).version_id

    for form in (
        ids.memstate_form(number),
        ids.short_form(number),
        ids.uuid_form(number),
        ids.memstate_form(version),
    ):
        assert powermem.get(form)["id"] == number


@requirement("powermem:honest:refused", "powermem:envelope:failure")
def test_what_is_not_there_is_said_not_to_be_there(powermem: PowerMem) -> None:
    number = powermem.added("The sky is blue")
    powermem("delete_memory", memory_id=number)

    for wanted in (number, number + 1):
        for tool, more in (
            ("get_memory", {}),
            ("update_memory", {"content": "x"}),
            ("delete_memory", {}),
        ):
            assert powermem.failure(tool, memory_id=wanted, **more)["message"] == "Memory not found"
    for wrong in ("abc", 0, -1, 1.5, True, 2**60, [1]):
        assert powermem.failure("get_memory", memory_id=wrong)["error_type"] == "ValueError"
    assert "required" in powermem.failure("update_memory", memory_id=number)["error"]
    assert powermem.failure("update_memory", memory_id=number, content="  ")


@requirement("powermem:update:content", "powermem:update:metadata", "powermem:update:example")
def test_an_update_changes_the_content_and_adds_to_the_metadata(powermem: PowerMem) -> None:
    number = powermem.added(
        "Old content here", metadata={"category": "a", "n": 1}, memory_type="fact", scope="user"
    )

    answer = powermem(
        "update_memory",
        memory_id=number,
        content="Updated memory content",
        metadata={"updated_at": "2024-01-01", "n": 2},
    )

    assert answer["message"] == "Memory updated successfully"
    assert answer["data"] == powermem.get(number)
    whole = answer["data"]
    assert whole["content"] == "Updated memory content"
    assert whole["metadata"] == {
        "category": "a",
        "n": 2,
        "scope": "user",
        "updated_at": "2024-01-01",
    }
    assert (whole["memory_type"], whole["scope"]) == ("fact", "user")
    assert powermem.found("updated memory content") == ["Updated memory content"]
    assert [one.text for one in powermem.engine.history("default", number)] == [
        "Old content here",
        "Updated memory content",
    ]
    again = powermem("update_memory", memory_id=number, content="Updated memory content")
    assert again["message"] == "Memory already says this; nothing was changed"


@requirement("powermem:delete:by-id", "powermem:envelope:lists")
def test_a_deleted_memory_is_gone_from_every_tool_and_can_be_restored_elsewhere(
    powermem: PowerMem,
) -> None:
    number = powermem.added("The sky is blue")

    answer = powermem("delete_memory", memory_id=str(number))

    assert answer == {"success": True, "message": answer["message"], "deleted_id": number}
    assert answer["message"].startswith("Memory deleted successfully; hidden, not erased")
    assert powermem.found("blue sky") == []
    assert powermem.listed() == []
    powermem.engine.restore("default", [number])
    assert powermem.listed() == ["The sky is blue"]


@requirement("powermem:list:offset", "powermem:list:stable")
def test_pages_are_stable_and_complete(powermem: PowerMem) -> None:
    for number in range(25):
        powermem.add(f"Entry {number} of the diary")
    pages = [
        [one["id"] for one in powermem("list_memories", limit=10, offset=at)["memories"]]
        for at in (0, 10, 20, 30)
    ]

    assert [len(page) for page in pages] == [10, 10, 5, 0]
    # Reading and updating moves nothing.
    powermem("update_memory", memory_id=pages[2][0], content="Changed")
    powermem.found("diary")
    again = [
        [one["id"] for one in powermem("list_memories", limit=10, offset=at)["memories"]]
        for at in (0, 10, 20, 30)
    ]
    assert again == pages
    assert len({number for page in pages for number in page}) == 25


@requirement("powermem:list:lean")
def test_answers_have_no_vectors_and_no_bookkeeping(powermem: PowerMem) -> None:
    powermem.add("The sky is blue", metadata={"mine": 1})
    fields = {"id", "memory", "user_id", "memory_type", "metadata", "created_at"}

    (listed,) = powermem("list_memories")["memories"]
    (hit,) = powermem("search_memories", query="sky")["results"]

    assert set(listed) == fields
    assert set(hit) == fields | {"score"}
    assert listed["metadata"] == {"mine": 1}
    for number in range(9):
        powermem.add(
            f"Planet {number} has a sky of its own colour and a few moons that nobody has ever"
            " counted"
        )
    answer = powermem.client.result("search_memories", query="sky moons planet colour")
    said = sum(len(one["memory"]) for one in answer["structuredContent"]["results"])
    assert len(answer["content"][0]["text"]) < 6 * said


@requirement(
    "powermem:shown:type-and-scope",
    "powermem:add:scope",
    "powermem:add:memory-type",
    "powermem:add:filters",
)
def test_type_scope_and_filters_of_an_add_are_kept_and_shown(powermem: PowerMem) -> None:
    number = powermem.added(
        "Tea is served at five", scope="agent", memory_type="habit", filters={"topic": "tea"}
    )

    for one in (
        powermem.get(number),
        powermem("list_memories")["memories"][0],
        powermem("search_memories", query="tea")["results"][0],
    ):
        assert (one["scope"], one["memory_type"]) == ("agent", "habit")
        assert one["metadata"]["topic"] == "tea"
    assert powermem.listed(filters={"scope": "agent", "memory_type": "habit", "topic": "tea"}) == [
        "Tea is served at five"
    ]


SCOPES = [("ana", "a1", "r1"), ("ana", "a2", "r1"), ("ana", "a1", "r2"), ("bob", "a1", "r1")]


def scoped(user: str, agent: str, run: str) -> dict[str, str]:
    return {"user_id": user, "agent_id": agent, "run_id": run}


@requirement(
    "powermem:scope:isolates",
    "powermem:add:user",
    "powermem:add:agent",
    "powermem:add:run",
    "powermem:search:scoped",
    "powermem:list:scoped",
    "powermem:user:given",
    "powermem:user:always",
)
def test_users_agents_and_runs_are_isolated_when_adding_listing_and_searching(
    powermem: PowerMem,
) -> None:
    for scope in SCOPES:
        # The same words everywhere: nobody's statement is taken for a repetition or a change of
        # another's.
        assert powermem.add("My favourite colour is blue", **scoped(*scope)) == [
            ("ADD", "My favourite colour is blue")
        ]
    powermem.add("My favourite colour is green", **scoped(*SCOPES[0]))

    for user, agent, run, count in [
        ("ana", None, None, 3),
        ("ana", "a1", None, 2),
        ("ana", None, "r1", 2),
        ("ana", "a1", "r2", 1),
        ("bob", None, None, 1),
        ("bob", "a2", None, 0),
        (None, None, None, 0),
        (None, "a1", "r1", 0),
    ]:
        where = {"user_id": user, "agent_id": agent, "run_id": run}
        assert len(powermem.listed(**where)) == count
        assert len(powermem.found("favourite colour", **where)) == count
    assert powermem.found("favourite colour", **scoped(*SCOPES[0])) == [
        "My favourite colour is green"
    ]
    assert powermem.found("favourite colour", user_id="bob") == ["My favourite colour is blue"]


@requirement(
    "powermem:scope:isolates",
    "powermem:get:permission",
    "powermem:update:permission",
    "powermem:delete:permission",
)
def test_nobody_reads_changes_or_deletes_what_is_not_theirs(powermem: PowerMem) -> None:
    number = powermem.added("The key is under the mat", **scoped("ana", "a1", "r1"))
    owned = powermem.added("The owner has a boat")

    for wrong in (
        {},
        {"user_id": "bob"},
        {"user_id": "ana", "agent_id": "a2"},
        {"user_id": "ana", "run_id": "r2"},
    ):
        assert (
            powermem.failure("get_memory", memory_id=number, **wrong)["message"]
            == "Memory not found"
        )
        assert (
            powermem.failure("update_memory", memory_id=number, content="x", **wrong)["success"]
            is False
        )
        assert powermem.failure("delete_memory", memory_id=number, **wrong)["success"] is False
    assert powermem.failure("get_memory", memory_id=owned, user_id="ana")
    assert (
        powermem.get(number, user_id="ana", agent_id="a1")["content"] == "The key is under the mat"
    )
    assert powermem.get(number, user_id=" ana ")["id"] == number


@requirement("powermem:delete-all:scoped", "powermem:scope:isolates")
def test_delete_all_takes_what_is_meant_and_nothing_else(powermem: PowerMem) -> None:
    for scope in (*SCOPES, (None, "a1", "r1")):
        powermem.add("The ship has three masts", **{k: v for k, v in scoped(*scope).items() if v})

    assert (
        powermem("delete_all_memories", user_id="ana", agent_id="a1", run_id="r2")["deleted_count"]
        == 1
    )
    assert powermem("delete_all_memories", user_id="ana", agent_id="a1")["deleted_count"] == 1
    answer = powermem("delete_all_memories")
    assert answer == {"success": True, "message": answer["message"], "deleted_count": 1}
    assert answer["message"].startswith("All memories deleted successfully; hidden, not erased")
    assert [len(powermem.listed(user_id=user)) for user in ("ana", "bob")] == [1, 1]
    answer = powermem("delete_all_memories", user_id="ana", agent_id="a9")
    assert answer == {
        "success": True,
        "message": "No memory matches; nothing was deleted",
        "deleted_count": 0,
    }


@requirement("powermem:delete-all:complete")
def test_delete_all_of_one_of_two_users_with_2500_rows_is_complete(powermem: PowerMem) -> None:
    drafts = [
        Draft(f"Row {number} of a long table", scope=Scope(user=("ana", "bob")[number % 2]))
        for number in range(2_500)
    ]
    powermem.engine.remember_many("default", drafts)
    assert [len(powermem.listed(user_id=user, limit=2_500)) for user in ("ana", "bob")] == [
        1_250,
        1_250,
    ]

    assert powermem("delete_all_memories", user_id="ana")["deleted_count"] == 1_250

    assert powermem.listed(user_id="ana") == powermem.found("long table", user_id="ana") == []
    assert len(powermem.listed(user_id="bob", limit=2_500)) == 1_250
    assert len(powermem.found("long table", user_id="bob")) == 10


@requirement("powermem:scope:owner", "powermem:user:config", "powermem:user:fallback")
def test_the_default_user_is_the_owner_whom_the_other_dialects_know(engine: Engine) -> None:
    engine.remember("default", Draft("Written elsewhere", scope=Scope(project="app")))
    for owner, name in (("", "mcp_user"), ("ana", "ana")):
        powermem = PowerMem(engine, owner)
        number = powermem.added(f"{name} has a hat")
        assert powermem.get(number)["user_id"] == name
        assert powermem.get(number, user_id=name)["id"] == number
        assert engine.get("default", number).scope == Scope()
        assert powermem.found("written elsewhere", user_id=name) == ["Written elsewhere"]
        assert powermem.listed(filters={"user_id": name}) == powermem.listed()
    assert PowerMem(engine, "ana").listed(user_id="mcp_user") == []


@requirement("powermem:scope:owner")
def test_what_was_told_of_somebody_who_becomes_the_owner_is_not_lost(engine: Engine) -> None:
    PowerMem(engine).add("Ana has a boat", user_id="ana")

    later = PowerMem(engine, "ana")

    assert (
        later.listed()
        == later.listed(user_id="ana")
        == later.listed(filters={"AND": [{"user_id": "ana"}]})
    )
    assert later.listed() == ["Ana has a boat"]


@requirement("powermem:resource:memory", "powermem:resource:true-count")
def test_the_resource_counts_what_there_is(powermem: PowerMem) -> None:
    def count() -> int:
        (content,) = powermem.resource("powermem://memory")["contents"]
        assert (content["uri"], content["mimeType"]) == ("powermem://memory", "application/json")
        said = json.loads(content["text"])
        assert said["description"] == "powermem memory store"
        number: int = said["total_memories"]
        return number

    assert count() == 0
    number = powermem.added("The sky is blue")
    powermem.add("The sea is deep", user_id="bob")
    assert count() == 2
    powermem("delete_memory", memory_id=number)
    assert count() == 1
    with pytest.raises(ProtocolError):
        powermem.resource("powermem://other")
    listed = messages.resources(powermem.client.dialect)
    assert [one["uri"] for one in listed] == ["powermem://memory"]


@requirement("powermem:fading:off", "powermem:fading:ranks")
def test_older_memories_rank_lower_only_when_asked_for_and_reading_never_counts(
    engine: Engine, clock: StoppedClock
) -> None:
    powermem = PowerMem(engine)
    old = powermem.added("The old harbour crane lifts containers")
    clock.advance(400 * 86_400_000)
    powermem.add(
        "A crane that lifts containers in the harbour and is painted in a bright yellow these days"
    )
    query = "old harbour crane lifts containers"
    first = powermem("search_memories", query=query)["results"]
    assert first[0]["id"] == old

    fading = PowerMem(replace(engine, half_life_days=30))
    for _ in range(3):
        fading.get(old)
        faded = fading("search_memories", query=query)["results"]
        assert [one["id"] for one in faded] == [first[1]["id"], old]
        assert sorted(one["score"] for one in faded) == sorted(one["score"] for one in first)
    assert len(fading.found(query, limit=1)) == 1
    # What is changed is new again.
    fading("update_memory", memory_id=old, content="The old harbour crane lifts heavy containers")
    assert fading("search_memories", query=query)["results"][0]["id"] == old


@requirement("powermem:envelope:twice")
def test_other_kinds_of_memories_are_shown_updated_and_deleted_like_our_own(engine: Engine) -> None:
    powermem = PowerMem(engine)
    made = engine.remember(
        "default", Draft("Use tabs", kind="rule", tags=("style",), key="style.tabs")
    ).memory

    assert powermem.get(made.id)["memory_type"] == "rule"
    assert powermem.add("Use tabs") == [("ADD", "Use tabs")]
    powermem("update_memory", memory_id=made.id, content="Use spaces")
    assert engine.get("default", made.id).key == "style.tabs"
    assert engine.history("default", made.id)[-1].origin.dialect == "powermem"
    engine.revise("default", made.id, Edit(text="Use both"))
    assert powermem.get(made.id)["content"] == "Use both"
