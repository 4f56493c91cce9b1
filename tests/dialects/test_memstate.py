"""Memstate's contract, tool by tool, through the MCP layer."""

from typing import Any

import pytest

from commonplace.engine.engine import Engine
from commonplace.records.memory import Draft, Scope
from tests.conftest import StoppedClock
from tests.dialects.memstate_client import Memstate
from tests.dialects.requirements import requirement

TOOLS = ["get", "search", "remember", "set", "history", "delete", "delete_project"]
# Every parameter of the page: its type, and its default or "required".
PARAMETERS: dict[str, dict[str, tuple[str, object]]] = {
    "get": {
        "project_id": ("string", None),
        "keypath": ("string", None),
        "memory_id": ("string", None),
        "recursive": ("boolean", True),
        "include_content": ("boolean", False),
        "content_limit": ("integer", 200),
        "at_revision": ("integer", None),
    },
    "search": {
        "query": ("string", "required"),
        "project_id": ("string", None),
        "limit": ("integer", 20),
        "categories": ("array", None),
        "keypath_prefix": ("string", None),
        "include_superseded": ("boolean", False),
    },
    "remember": {
        "project_id": ("string", "required"),
        "content": ("string", "required"),
        "source": ("string", None),
        "context": ("string", None),
    },
    "set": {
        "project_id": ("string", "required"),
        "keypath": ("string", "required"),
        "value": ("string", "required"),
        "category": ("string", None),
        "topics": ("array", None),
        # Ours.
        "expected_version": ("integer", None),
    },
    "history": {
        "project_id": ("string", None),
        "keypath": ("string", None),
        "memory_id": ("string", None),
    },
    "delete": {
        "project_id": ("string", "required"),
        "keypath": ("string", "required"),
        "recursive": ("boolean", False),
    },
    "delete_project": {"project_id": ("string", "required")},
}


@requirement("memstate:tools:seven")
def test_there_are_the_seven_tools_in_the_order_of_the_page(memstate: Memstate) -> None:
    assert list(memstate.client.listed()) == [f"memstate_{tool}" for tool in TOOLS]


@requirement(
    "memstate:get:parameters",
    "memstate:search:parameters",
    "memstate:remember:parameters",
    "memstate:set:parameters",
    "memstate:history:parameters",
    "memstate:delete:parameters",
    "memstate:delete-project:parameters",
)
@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_has_the_parameters_of_the_page(memstate: Memstate, tool: str) -> None:
    schema = memstate.client.listed()[f"memstate_{tool}"]["inputSchema"]
    required = schema.get("required", [])
    shown = {
        name: (one["type"], "required" if name in required else one.get("default"))
        for name, one in schema["properties"].items()
    }
    assert shown == PARAMETERS[tool]


@requirement("memstate:tools:remember-is-preferred")
def test_clients_are_told_when_to_use_which_tool_to_save(memstate: Memstate) -> None:
    tools = memstate.client.listed()
    assert "PREFERRED" in tools["memstate_remember"]["description"]
    assert "memstate_remember" in tools["memstate_set"]["description"]


@requirement("memstate:tools:quick-start")
def test_the_quick_start_of_the_page_works(memstate: Memstate) -> None:
    assert memstate.get(project_id="myapp")["memories"] == {}
    memstate.remember(
        "myapp", "## Summary\n- Done X, Y, Z\n- Authentication is by SuperTokens", source="agent"
    )
    memstate.set("myapp", "config.port", "8080")

    assert "summary.authentication_supertokens" in memstate.found(
        "authentication", project_id="myapp"
    )
    assert memstate.tree("myapp")["config.port"] == "8080"


@requirement("memstate:envelope:keys", "memstate:envelope:twice", "memstate:envelope:operations")
def test_every_tool_answers_in_the_envelope_and_names_its_operation(memstate: Memstate) -> None:
    done = memstate("set", project_id="p", keypath="a", value="1")
    calls: list[tuple[str, dict[str, Any], str]] = [
        ("get", {}, "list_projects"),
        ("get", {"project_id": "p"}, "memories_by_keypath"),
        ("get", {"memory_id": done["data"]["memory_id"]}, "memory_by_id"),
        ("search", {"query": "1"}, "semantic_search"),
        ("remember", {"project_id": "p", "content": "b: 2"}, "remember"),
        ("history", {"project_id": "p", "keypath": "a"}, "history"),
        ("delete", {"project_id": "p", "keypath": "a"}, "delete"),
        ("delete_project", {"project_id": "p"}, "delete_project"),
    ]
    assert done["operation"] == "set"
    assert [memstate(tool, **given)["operation"] for tool, given, _ in calls] == [
        name for *_, name in calls
    ]


@requirement("memstate:envelope:request")
def test_the_request_is_echoed_as_it_was_given(memstate: Memstate) -> None:
    given = {"project_id": "p", "keypath": "A/B c", "value": 8080, "unknown": [1]}
    assert memstate("set", **given)["request"] == given
    assert memstate.tree("p") == {"a.b_c": "8080"}


@requirement("memstate:envelope:meta")
def test_meta_says_what_a_keypath_was_resolved_to(memstate: Memstate) -> None:
    assert memstate("set", project_id="p", keypath="A", value="1")["meta"] == {
        "resolved_keypath": "project.p.a"
    }
    assert memstate("get", project_id="p", keypath="a", at_revision=1)["meta"] == {
        "mode": "keypath",
        "recursive": True,
        "resolved_keypath": "project.p.a",
        "at_revision": 1,
    }
    assert memstate("history", project_id="p", keypath="a")["meta"] == {
        "resolved_keypath": "project.p.a"
    }
    found = memstate("search", query="1", project_id="p", keypath_prefix="A")
    assert found["meta"] == {"resolved_keypath": "project.p.a"}
    assert memstate("delete", project_id="p", keypath="a")["meta"] == {
        "resolved_keypath": "project.p.a"
    }


@requirement("memstate:envelope:failure")
@pytest.mark.parametrize(
    ("tool", "given", "code", "says"),
    [
        ("set", {"project_id": "p", "value": "1"}, "invalid_argument", "`keypath` is required"),
        (
            "set",
            {"project_id": "p", "keypath": "...", "value": "1"},
            "invalid_argument",
            "keypath is required",
        ),
        ("get", {"memory_id": "mem_00000000zzz"}, "not_found", "There is no memory"),
        ("get", {"memory_id": "nonsense"}, "invalid_argument", "is not a memory id"),
        ("get", {"keypath": "a"}, "invalid_argument", "need a project_id"),
        ("set", {"project_id": "p", "keypath": "a", "value": " "}, "invalid_argument", "empty"),
        (
            "set",
            {"project_id": "p\n", "keypath": "a\nb", "value": "1"},
            "invalid_argument",
            "control character",
        ),
        (
            "set",
            {"project_id": "p", "keypath": "\ud800", "value": "1"},
            "invalid_argument",
            "surrogate",
        ),
        ("search", {"query": "\ud800"}, "invalid_argument", "surrogate"),
        ("remember", {"project_id": "p", "content": " \n "}, "invalid_argument", "empty"),
    ],
)
def test_a_failure_is_in_the_envelope_with_the_plain_sentence_first(
    memstate: Memstate, tool: str, given: dict[str, Any], code: str, says: str
) -> None:
    memstate.set("p", "there", "something")
    error = memstate.failure(tool, **given)
    assert error["code"] == code
    assert says in error["message"]
    assert memstate.revision("p") == 1


@requirement("memstate:get:lists-projects", "memstate:project:newest-first")
def test_without_arguments_the_projects_are_listed_newest_activity_first(
    memstate: Memstate, clock: StoppedClock
) -> None:
    for project in ("old", "new", "old"):
        clock.advance(1000)
        memstate.set(project, f"k{clock.now()}", "v")

    data = memstate.get()
    assert [
        (one["id"], one["memory_count"], one["revision_number"]) for one in data["projects"]
    ] == [
        ("old", 2, 2),
        ("new", 1, 1),
    ]
    assert data["total_projects"] == 2
    assert not any(one["is_deleted"] for one in data["projects"])
    assert all(
        set(one) >= {"id", "name", "description", "memory_count", "is_deleted"}
        for one in data["projects"]
    )


@requirement(
    "memstate:get:project-tree",
    "memstate:get:subtree",
    "memstate:get:answer",
    "memstate:keypath:dot-paths",
)
def test_a_project_shows_its_tree_and_a_keypath_its_subtree(memstate: Memstate) -> None:
    for key in ("auth.provider", "auth.session", "db"):
        memstate.set("myapp", key, f"about {key}")

    assert memstate.get(project_id="myapp") == {
        "memories": {
            "project.myapp.auth.provider": "about auth.provider",
            "project.myapp.auth.session": "about auth.session",
            "project.myapp.db": "about db",
        },
        "total_count": 3,
        "revision_number": 3,
    }
    assert list(memstate.tree("myapp", keypath="auth")) == ["auth.provider", "auth.session"]


@requirement("memstate:get:recursive")
def test_recursive_false_shows_the_keypath_alone(memstate: Memstate) -> None:
    memstate.set("p", "a", "parent")
    memstate.set("p", "a.b", "child")

    assert memstate.tree("p", keypath="a") == {"a": "parent", "a.b": "child"}
    assert memstate.tree("p", keypath="a", recursive=False) == {"a": "parent"}
    data = memstate.get(project_id="p", keypath="a", recursive=False, include_content=True)
    assert data["full_memory"]["content"] == "parent"


@requirement("memstate:get:include-content")
def test_full_contents_come_only_when_asked_for(memstate: Memstate) -> None:
    memstate.set("p", "a", "word " * 100)

    assert "full_memories" not in memstate.get(project_id="p")
    data = memstate.get(project_id="p", include_content=True)
    assert data["full_memory_count"] == 1
    whole = data["full_memories"]["project.p.a"]
    assert (whole["content"], whole["keypath"], whole["version"]) == (
        "word " * 100,
        "project.p.a",
        1,
    )


@requirement("memstate:get:content-limit")
def test_no_more_contents_come_than_the_limit(memstate: Memstate, engine: Engine) -> None:
    drafts = [Draft(f"v{n}", key=f"k{n:03}", scope=Scope(project="p")) for n in range(201)]
    engine.remember_many("default", drafts)

    by_default = memstate.get(project_id="p", include_content=True)
    assert (by_default["full_memory_count"], by_default["total_count"]) == (200, 201)
    assert "content_limit" in by_default["content_truncated"]
    few = memstate.get(project_id="p", include_content=True, content_limit=3)
    assert list(few["full_memories"]) == ["project.p.k000", "project.p.k001", "project.p.k002"]
    assert (
        memstate.get(project_id="p", include_content=True, content_limit=1000)["full_memory_count"]
        == 201
    )
    memstate.failure("get", project_id="p", include_content=True, content_limit=1001)


@requirement("memstate:get:single-memory", "memstate:get:memory-id-alone")
def test_a_memory_is_read_by_id_alone(memstate: Memstate) -> None:
    number = memstate.set("p", "a.b", "the value", category="decision", topics=["x", "y"])[
        "memory_id"
    ]

    memory = memstate.get(memory_id=number)
    assert memory["id"] == number
    assert (memory["content"], memory["keypath"], memory["project_id"]) == (
        "the value",
        "project.p.a.b",
        "p",
    )
    assert (memory["category"], memory["topics"]) == ("decision", ["x", "y"])
    assert (memory["parent_keypath"], memory["keypath_parts"]) == (
        "project.p.a",
        ["project", "p", "a", "b"],
    )
    for more in ({"project_id": "p"}, {"keypath": "a"}, {"at_revision": 1}):
        assert "cannot be combined" in memstate.failure("get", memory_id=number, **more)["message"]
    assert memstate.get(memory_id=number, project_id="", keypath="")["id"] == number


@requirement(
    "memstate:set:one-value",
    "memstate:set:answer",
    "memstate:set:creates-project",
    "memstate:keypath:auto-prefix",
)
def test_set_stores_one_value_and_says_so_as_on_the_page(memstate: Memstate) -> None:
    first = memstate.set("myapp", "config.database.port", "5432")
    assert first == {
        "memory_id": first["memory_id"],
        "action": "created",
        "version": 1,
        "message": "Memory stored at config.database.port",
    }
    assert first["memory_id"].startswith("mem_")

    second = memstate.set("myapp", "config.database.port", "5433")
    assert (second["action"], second["version"], second["superseded_id"]) == (
        "superseded",
        2,
        first["memory_id"],
    )
    assert memstate.get(project_id="myapp")["memories"] == {
        "project.myapp.config.database.port": "5433"
    }


@requirement("memstate:get:lists-projects", "memstate:search:project", "memstate:history:by-memory")
def test_a_blank_optional_argument_counts_as_left_out(memstate: Memstate) -> None:
    number = memstate.set("p", "a", "v")["memory_id"]
    assert memstate("get", project_id="", keypath="", memory_id="")["operation"] == "list_projects"
    assert memstate.found("v", project_id="", keypath_prefix="", categories=[]) == ["a"]
    assert (
        memstate("history", project_id="", keypath="", memory_id=number)["data"]["total_versions"]
        == 1
    )
    memstate.failure("set", project_id="", keypath="a", value="v")
    memstate.failure("delete_project", project_id=" ")


@requirement("memstate:set:value-limit")
def test_a_value_has_at_most_two_thousand_characters(memstate: Memstate) -> None:
    memstate.set("p", "a", "ü" * 2000)
    assert (
        "2,000" in memstate.failure("set", project_id="p", keypath="b", value="ü" * 2001)["message"]
    )


@requirement("memstate:set:category", "memstate:set:topics")
def test_a_category_and_topics_are_kept_with_the_value(memstate: Memstate) -> None:
    known = [
        "decision",
        "preference",
        "fact",
        "task",
        "context",
        "requirement",
        "note",
        "code",
        "learning",
    ]
    for category in known:
        number = memstate.set("p", f"a.{category}", "v", category=category, topics=["t"])[
            "memory_id"
        ]
        memory = memstate.get(memory_id=number)
        assert (memory["category"], memory["topics"]) == (category, ["t"])
    number = memstate.set("p", "a.learning", "w")["memory_id"]
    assert (
        memstate.get(memory_id=number)["category"],
        memstate.get(memory_id=number)["topics"],
    ) == ("learning", ["t"])
    assert memstate.get(memory_id=memstate.set("p", "b", "v")["memory_id"])["category"] == "note"
    assert (
        "must be one of"
        in memstate.failure("set", project_id="p", keypath="a", value="v", category="x")["message"]
    )


@requirement(
    "memstate:history:by-keypath",
    "memstate:history:by-memory",
    "memstate:history:chronological",
    "memstate:history:answer",
    "memstate:history:links",
)
def test_history_shows_every_version_in_the_order_of_time(memstate: Memstate) -> None:
    ids = [memstate.set("p", "a", value)["memory_id"] for value in ("one", "two", "three")]

    versions = memstate.history("p", "a")
    assert [one["id"] for one in versions] == ids
    assert [one["summary"] for one in versions] == ["one", "two", "three"]
    assert [one["version"] for one in versions] == [1, 2, 3]
    assert [one["superseded_by"] for one in versions] == [*ids[1:], None]
    assert [one["supersedes_id"] for one in versions] == [None, *ids[:2]]
    assert [one["is_latest"] for one in versions] == [False, False, True]
    assert not any(one["is_deleted"] for one in versions)
    assert all(one["created_at"].endswith("Z") for one in versions)
    for number in ids:
        assert memstate("history", memory_id=number)["data"]["versions"] == versions
    assert memstate.history("p", "nothing.here") == []


@requirement("memstate:history:not-both")
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"project_id": "p"},
        {"keypath": "a"},
        {"project_id": "p", "memory_id": "mem_00000000001"},
        {"keypath": "a", "memory_id": "mem_00000000001"},
        {"project_id": "p", "keypath": "a", "memory_id": "mem_00000000001"},
    ],
)
def test_history_wants_a_keypath_or_a_memory_and_not_both(
    memstate: Memstate, given: dict[str, str]
) -> None:
    assert "project_id and keypath, or memory_id" in memstate.failure("history", **given)["message"]
