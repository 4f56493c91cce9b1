"""memories.sh's core tools besides get_context, through the MCP layer."""

from pathlib import Path
from typing import Any

import pytest

from commonplace.engine.engine import Engine
from commonplace.records.memory import Draft, Scope
from commonplace.records.query import Filter
from tests.conftest import StoppedClock
from tests.dialects.memories_client import Memories
from tests.dialects.memstate_client import Memstate
from tests.dialects.requirements import requirement

DAY_MS = 24 * 3_600_000


@requirement("memories:add_memory:stores", "memories:add_memory:skill")
def test_a_memory_keeps_everything_it_was_given(memories: Memories) -> None:
    metadata = {
        "name": "deploy",
        "description": "Deploy the application to production",
        "deep": {"n": [1, None]},
    }
    data, text = memories.data_and_text(
        "add_memory",
        content="  ## Deploy\n\n1. Run tests  ",
        type="skill",
        tags=["ops", " ops ", "", "ci"],
        paths=["src/api/**", "src/routes/**"],
        category="deploy",
        metadata=metadata,
    )
    memory = data["memory"]
    assert text == data["message"] == f"Stored 🔧 SKILL {data['id']} (global)"
    assert (memory["content"], memory["type"]) == ("## Deploy\n\n1. Run tests", "skill")
    assert (memory["tags"], memory["paths"]) == (["ops", "ci"], ["src/api/**", "src/routes/**"])
    assert (memory["category"], memory["metadata"]) == ("deploy", metadata)
    assert memory.pop("createdAt") == memory["updatedAt"] == "2026-09-21T14:13:20.000Z"
    # Among others it is shown with the day.
    assert memories("list_memories")["memories"] == [memory | {"updatedAt": "2026-09-21"}]


@requirement("memories:add_memory:type")
def test_a_memory_is_a_note_unless_told(memories: Memories) -> None:
    assert memories("add_memory", content="x")["memory"]["type"] == "note"
    for kind in ("rule", "decision", "fact", "note", "skill"):
        assert memories("add_memory", content="x", type=kind)["memory"]["type"] == kind


@requirement("memories:add_memory:project", "memories:scope:read", "memories:scope:project")
def test_a_read_shows_its_project_and_what_belongs_to_none(memories: Memories) -> None:
    memories.add("Global tea", type="rule")
    memories.add("Tea of web", project_id="web", type="rule")
    memories.add("Tea of api", project_id="api", type="rule")

    seen: list[tuple[dict[str, Any], set[str]]] = [
        ({}, {"Global tea"}),
        ({"project_id": "web"}, {"Global tea", "Tea of web"}),
        ({"project_id": "api"}, {"Global tea", "Tea of api"}),
        ({"project_id": " "}, {"Global tea"}),
        ({"project_id": "none"}, {"Global tea"}),
    ]
    for given, expected in seen:
        assert set(memories.contents(**given)) == expected
        assert set(memories.found("tea", **given)) == expected
        split = memories("get_rules", **given)
        assert {
            one["content"] for one in (*split["globalRules"], *split["projectRules"])
        } == expected
        assert {one["content"] for one in memories("get_context", **given)["rules"]} == expected


@requirement("memories:scope:both")
@pytest.mark.parametrize(
    ("tool", "more"),
    [
        ("add_memory", {"content": "x"}),
        ("start_session", {}),
        ("add_reminder", {"cron_expression": "* * * * *", "message": "m"}),
        ("start_memory_stream", {}),
    ],
)
def test_global_together_with_a_project_is_refused(
    memories: Memories, tool: str, more: dict[str, Any]
) -> None:
    given = {"global": True, "project_id": "p"} | more
    assert (
        "Cannot set both global=true and project_id. Choose one scope."
        in memories.failure(tool, **given)["text"]
    )


@requirement("memories:scope:both")
def test_global_only_together_with_a_project_is_refused_also_when_dry(memories: Memories) -> None:
    for dry_run in (True, False):
        memories.failure("consolidate_memories", global_only=True, project_id="p", dry_run=dry_run)


@requirement("memories:scope:tenant")
def test_nothing_crosses_a_tenant(memories: Memories) -> None:
    number = memories.add("Secret tea", tenant_id="acme")

    assert memories.contents() == []
    assert memories.found("tea") == []
    assert memories.contents(tenant_id="acme") == ["Secret tea"]
    memories.failure("edit_memory", id=number, content="Stolen")
    memories.failure("forget_memory", id=number)
    assert memories("bulk_forget_memories", all=True)["count"] == 0
    assert memories.contents(tenant_id="acme") == ["Secret tea"]


@requirement("memories:scope:user", "memories:scope:owner", "memories:scope:every-tool")
def test_a_users_rows_are_out_of_reach_of_others(memories: Memories) -> None:
    shared = memories.add("Shared tea")
    hers = memories.add("Tea of Ada", user_id="ada")

    assert memories.contents() == memories.found("tea") == ["Shared tea"]
    assert sorted(memories.contents(user_id="ada")) == ["Shared tea", "Tea of Ada"]
    assert memories.contents(user_id="bob") == ["Shared tea"]
    for other in ({}, {"user_id": "bob"}):
        memories.failure("edit_memory", id=hers, content="x", **other)
        memories.failure("forget_memory", id=hers, **other)
    # She reads what is shared, and changes only what is hers.
    memories.failure("edit_memory", id=shared, content="x", user_id="ada")
    memories.failure("forget_memory", id=shared, user_id="ada")
    assert memories("bulk_forget_memories", all=True, user_id="bob")["count"] == 0
    assert memories("bulk_forget_memories", all=True, user_id="ada")["ids"] == [hers]
    assert (
        memories("vacuum_memories")["purged"]
        == memories("vacuum_memories", user_id="bob")["purged"]
        == 0
    )
    assert memories("vacuum_memories", user_id="ada")["purged"] == 1
    assert memories.contents() == ["Shared tea"]


@requirement(
    "memories:search_memories:finds",
    "memories:search_memories:ranking",
    "memories:get_context:ranking",
)
def test_search_finds_by_words_and_ranks_the_best_first(memories: Memories) -> None:
    memories.add("The database schema lives in schema.sql", type="decision")
    memories.add("Schema reviews are on Monday")
    memories.add("Lunch is at noon")

    data, text = memories.data_and_text("search_memories", query="database schema")
    assert data["memories"][0]["content"] == "The database schema lives in schema.sql"
    assert text.startswith(f"Found {len(data['memories'])} memories:\n\n💡 DECISION (G) ")
    assert (
        memories("get_context", query="database schema")["memories"][0]["content"]
        == data["memories"][0]["content"]
    )
    assert (
        memories.text("search_memories", query="zebra quantum")
        == "No memories found matching your query."
    )


@requirement("memories:search_memories:type")
def test_search_filters_by_type(memories: Memories) -> None:
    for kind in ("decision", "fact", "note"):
        memories.add(f"Tea {kind}", type=kind)
    assert memories.found("tea", type="fact") == ["Tea fact"]
    assert sorted(memories.found("tea", types=["fact", "note"])) == ["Tea fact", "Tea note"]
    assert sorted(memories.found("tea", type="decision", types=["fact"])) == ["Tea fact"]


@requirement("memories:search_memories:project")
def test_search_of_one_project_does_not_see_another(memories: Memories) -> None:
    memories.add("Tea here", project_id="here")
    assert (
        memories.found("tea", project_id="there"),
        memories.found("tea", project_id="here"),
    ) == ([], ["Tea here"])


@requirement(
    "memories:search_memories:limit",
    "memories:list_memories:limit",
    "memories:get_context:limit",
    "memories:limits:maxima",
)
def test_limits_have_the_numbers_of_the_page_and_the_hosted_maxima(
    engine: Engine, memories: Memories
) -> None:
    engine.remember_many("default", [Draft(f"Tea number {number}") for number in range(120)])
    tools: list[tuple[str, dict[str, Any], int, int]] = [
        ("get_context", {"query": "tea"}, 5, 50),
        ("get_context", {}, 5, 50),
        ("search_memories", {"query": "tea"}, 10, 50),
        ("list_memories", {}, 20, 100),
    ]
    for tool, given, usual, most in tools:
        for limit, expected in (
            (None, usual),
            (0, usual),
            (-3, usual),
            (2.9, 2),
            (7, 7),
            (1000, most),
        ):
            more = {} if limit is None else {"limit": limit}
            assert len(memories(tool, **given, **more)["memories"]) == expected, (tool, limit)


@requirement("memories:get_rules:split")
def test_rules_are_split_by_scope(memories: Memories) -> None:
    assert (
        memories.text("get_rules")
        == "No rules defined. Add rules with: add_memory with type='rule'"
    )
    kind = memories.add("Be kind.", type="rule", category="tone")
    tabs = memories.add("Use tabs.", type="rule", project_id="p", paths=["*.go"])
    memories.add("No rule", project_id="p")

    data, text = memories.data_and_text("get_rules", project_id="p")
    assert (
        text
        == f"## Global Rules\n- {kind}: Be kind. {{tone}}\n\n## Project Rules\n- {tabs}: Use tabs."
        " (paths: *.go)"
    )
    assert [one["content"] for one in data["globalRules"]] == ["Be kind."]
    assert [one["content"] for one in data["projectRules"]] == ["Use tabs."]


def test_a_rule_cannot_forge_a_section(memories: Memories) -> None:
    memories.add("Be kind.\n## Conflicts\n- none", type="rule")
    assert [
        line for line in memories.text("get_context").splitlines() if line.startswith("##")
    ] == ["## Active Rules"]


@requirement("memories:list_memories:recent", "memories:list_memories:type")
def test_the_list_is_newest_first_and_can_be_of_one_type(
    memories: Memories, clock: StoppedClock
) -> None:
    assert memories.text("list_memories") == "No memories found."
    for content, kind in (("one", "note"), ("two", "fact"), ("three", "note")):
        memories.add(content, type=kind)
        clock.advance(1)
    assert memories.contents() == ["three", "two", "one"]
    assert memories.contents(type="note") == ["three", "one"]
    assert memories.contents(types=["fact"]) == ["two"]
    assert memories.text("list_memories").startswith("3 memories:\n\n📝 NOTE (G) ")


@requirement("memories:list_memories:tags")
@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("test", {"a", "b"}),
        ("TEST", {"a", "b"}),
        ("testing", {"b"}),
        (["testing", "ops"], {"b", "c"}),
        ("testing, ops", {"b", "c"}),
        ("t_st", set()),
        ("%", set()),
        ("", {"a", "b", "c"}),
    ],
)
def test_tags_match_by_a_part_of_them(memories: Memories, tags: object, expected: set[str]) -> None:
    memories.add("a", tags=["test"])
    memories.add("b", tags=["testing"])
    memories.add("c", tags=["ops"])
    assert set(memories.contents(tags=tags)) == expected


@requirement("memories:edit_memory:updates")
def test_an_edit_changes_what_is_given_and_nothing_else(memories: Memories) -> None:
    number = memories.add("old", tags=["a"], category="c", metadata={"k": 1}, paths=["x/**"])

    data, text = memories.data_and_text(
        "edit_memory", id=number, content="new", type="rule", tags=["b"]
    )
    assert text == f"Updated 📌 RULE {number}: new"
    assert (data["updated"], data["id"]) == (True, number)
    (memory,) = memories("list_memories")["memories"]
    assert (memory["content"], memory["type"], memory["tags"]) == ("new", "rule", ["b"])
    assert (memory["category"], memory["metadata"], memory["paths"]) == ("c", {"k": 1}, ["x/**"])

    memories("edit_memory", id=number, paths=["src/api/**"], category="api", metadata={"z": 2})
    memories("edit_memory", id=number, category=None)
    (memory,) = memories("list_memories")["memories"]
    assert (memory.get("category"), memory["metadata"], memory["paths"]) == (
        None,
        {"z": 2},
        ["src/api/**"],
    )
    memories("edit_memory", id=number, metadata=None, tags=[])
    (memory,) = memories("list_memories")["memories"]
    assert not {"metadata", "tags"} & set(memory)


def test_an_edit_to_nothing_but_white_space_is_refused(memories: Memories) -> None:
    number = memories.add("kept")
    for content in ("", "  "):
        assert (
            memories.failure("edit_memory", id=number, content=content)["code"]
            == "MEMORY_CONTENT_REQUIRED"
        )
    assert memories.contents() == ["kept"]


@requirement("memories:forget_memory:soft")
def test_forgetting_hides_and_can_be_taken_back(engine: Engine, memories: Memories) -> None:
    number = memories.add("gone")
    data, text = memories.data_and_text("forget_memory", id=number)
    assert (data["deleted"], data["id"], text) == (True, number, f"Forgot memory {number}")
    assert memories.contents() == []
    assert (
        memories.failure("forget_memory", id=number)["text"]
        == f"Memory {number} not found or already forgotten."
    )
    memories.failure("edit_memory", id=number, content="x")
    engine.restore("default", [number])
    assert memories.contents() == ["gone"]


@requirement(
    "memories:bulk_forget:filters", "memories:bulk_forget:age", "memories:bulk_forget:tags"
)
def test_filters_of_a_bulk_deletion_combine(memories: Memories, clock: StoppedClock) -> None:
    memories.add("old note", type="note", tags=["testing"])
    memories.add("old fact", type="fact", tags=["ops"])
    clock.advance(90 * DAY_MS + 1)
    memories.add("new note", type="note", tags=["testing"])

    def preview(**given: Any) -> set[str]:
        return {
            one["contentPreview"]
            for one in memories("bulk_forget_memories", dry_run=True, **given)["memories"]
        }

    assert preview(types=["note"]) == {"old note", "new note"}
    assert preview(types=["note", "fact"], older_than_days=90) == {"old note", "old fact"}
    assert preview(tags=["TEST", "ops"]) == {"old note", "old fact", "new note"}
    assert preview(tags=["test"], older_than_days=90, types=["note"], pattern="old") == {"old note"}
    for days in (0, -1, 1.5):
        memories.failure("bulk_forget_memories", older_than_days=days)


@requirement("memories:bulk_forget:pattern")
@pytest.mark.parametrize(
    ("pattern", "matches"),
    [
        ("port", True),
        ("PORT", True),
        ("  port  ", True),
        ("port*8080", True),
        ("p?rt", True),
        ("p??rt", False),
        ("*", True),
        ("?", True),
        ("The*100%", True),
        ("100%", True),
        ("100_", False),
        ("8080*port", False),
        ("^The", False),
        ("back\\slash", True),
        ("a_b", True),
        ("axb", False),
        ("[ab]", False),
        ("line two", True),
        ("8080*line two", True),
    ],
)
def test_the_grammar_of_patterns(memories: Memories, pattern: str, matches: bool) -> None:
    memories.add("The port is 8080; 100% of a_b and back\\slash\nline two")
    assert memories("bulk_forget_memories", pattern=pattern, dry_run=True)["count"] == int(matches)


@requirement(
    "memories:bulk:blank", "memories:bulk:dry-refuses", "memories:bulk_forget:needs-filter"
)
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"project_id": "p"},
        {"user_id": "ada"},
        {"pattern": ""},
        {"pattern": "   "},
        {"tags": [" "]},
        {"tags": ["a", ""]},
        {"tags": []},
        {"types": []},
        {"types": ["law"]},
        {"all": False},
    ],
)
def test_a_deletion_that_says_nothing_is_refused_dry_or_not(
    memories: Memories, given: dict[str, Any]
) -> None:
    for number in range(3):
        memories.add(f"kept {number}", project_id="p" if number else None)
    for dry_run in (True, False):
        memories.failure("bulk_forget_memories", dry_run=dry_run, **given)
    assert len(memories.contents(project_id="p")) == 3


@requirement("memories:bulk_forget:all", "memories:bulk:dry-refuses")
def test_all_stands_alone(memories: Memories) -> None:
    memories.add("a", project_id="p")
    memories.add("b")
    for more in ({"types": ["note"]}, {"tags": ["x"]}, {"older_than_days": 1}, {"pattern": "a"}):
        for dry_run in (True, False):
            error = memories.failure("bulk_forget_memories", all=True, dry_run=dry_run, **more)
            assert error["text"].startswith("Cannot combine all:true with other filters.")
    data, text = memories.data_and_text("bulk_forget_memories", all=True)
    assert (data["count"], len(data["ids"]), text) == (2, 2, "Bulk deleted 2 memories")
    assert memories.text("bulk_forget_memories", all=True) == "No memories matched the filters"


@requirement("memories:bulk_forget:project")
def test_a_bulk_deletion_can_be_of_one_project(memories: Memories) -> None:
    memories.add("a", project_id="p")
    memories.add("b", project_id="q")
    memories.add("c")
    assert memories("bulk_forget_memories", pattern="*", project_id="p")["count"] == 1
    assert memories("bulk_forget_memories", all=True, project_id="q")["count"] == 1
    assert memories.contents() == ["c"]


@requirement("memories:bulk_forget:preview", "memories:bulk_forget:result")
def test_a_preview_shows_what_a_real_run_deletes(memories: Memories) -> None:
    number = memories.add("word " * 40, type="fact")
    data, text = memories.data_and_text("bulk_forget_memories", types=["fact"], dry_run=True)
    preview = ("word " * 40)[:80] + "..."
    assert data["count"] == 1
    assert data["memories"] == [{"id": number, "type": "fact", "contentPreview": preview}]
    assert text == f"Dry run: 1 memories would be deleted:\n  {number} [fact] {preview}"
    assert len(memories.contents()) == 1
    assert memories("bulk_forget_memories", types=["fact"])["ids"] == [number]
    assert (
        memories.text("bulk_forget_memories", types=["fact"], dry_run=True)
        == "Dry run: 0 memories would be deleted"
    )


@requirement("memories:bulk_forget:batches")
def test_more_than_a_thousand_are_counted_and_deleted_at_once(
    engine: Engine, memories: Memories
) -> None:
    engine.remember_many("default", [Draft(f"n{number}") for number in range(1_200)])
    data, text = memories.data_and_text("bulk_forget_memories", all=True, dry_run=True)
    assert (data["count"], len(data["memories"])) == (1_200, 1_000)
    assert text.startswith("Dry run: 1200 memories would be deleted (showing first 1000):")
    assert memories("bulk_forget_memories", all=True)["count"] == 1_200
    # One transaction: one revision.
    assert engine.revision("default") == 2


@requirement("memories:vacuum:purges", "memories:vacuum:answer", "memories:vacuum:shrinks")
def test_vacuum_erases_what_was_forgotten_and_shrinks_the_file(
    engine: Engine, home: Path, memories: Memories
) -> None:
    assert memories("vacuum_memories") == {
        "purged": 0,
        "message": "No soft-deleted memories to vacuum",
    }
    engine.remember_many("default", [Draft(f"secret{number} " * 200) for number in range(500)])
    kept = memories.add("kept")
    memories("bulk_forget_memories", pattern="secret*")
    before = sum(file.stat().st_size for file in home.iterdir() if file.is_file())

    data, text = memories.data_and_text("vacuum_memories")
    assert (data["purged"], text) == (500, "Vacuumed 500 soft-deleted memories")
    after = sum(file.stat().st_size for file in home.iterdir() if file.is_file())
    assert after < before / 4
    assert not any(b"secret7" in file.read_bytes() for file in home.iterdir() if file.is_file())
    assert engine.list("default", Filter(status="any"))[0].id == engine.get("default", kept).id
    assert engine.count("default", Filter(status="any")) == 1


def test_what_other_dialects_wrote_is_seen_and_changed_here(
    engine: Engine, memories: Memories
) -> None:
    Memstate(engine).set("web", "db.port", "5432", category="config")
    engine.remember("default", Draft("Tea of Ada", scope=Scope(user="ada")))

    (memory,) = memories("list_memories", project_id="web")["memories"]
    assert (memory["content"], memory["type"]) == ("5432", "fact")
    assert memory["kind"] == "config"
    assert "📋 FACT (P)" in memories.text("list_memories", project_id="web")
    memories("edit_memory", id=memory["id"], content="5433")
    assert Memstate(engine).tree("web") == {"db.port": "5433"}
    memories("forget_memory", id=memory["id"])
    assert Memstate(engine).tree("web") == {}
    assert memories.contents() == []
