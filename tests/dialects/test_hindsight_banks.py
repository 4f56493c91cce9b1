"""Hindsight's banks, operations, directives and mental models through the MCP layer, with many
banks and with one.
"""

import pytest

from commonplace.dialects.registry import single_bank
from commonplace.engine.engine import Engine
from tests.conftest import StoppedClock
from tests.dialects.hindsight_client import Hindsight
from tests.dialects.requirements import requirement

CONFIG = {
    "reflect_mission": "Help the team.",
    "retain_mission": "Keep decisions.",
    "retain_extraction_mode": "verbose",
    "retain_custom_instructions": "Be exact.",
    "retain_chunk_size": 2000,
    "retain_structured_chunk_size": 4000,
    "retain_chunk_batch_size": 4,
    "enable_observations": True,
    "observations_mission": "Only people.",
    "disposition_skepticism": 5,
    "disposition_literalism": 1,
    "disposition_empathy": 4,
    "entity_labels": ["person"],
    "entities_allow_free_form": False,
    "recall_include_chunks": False,
    "recall_max_tokens": 900,
    "mcp_enabled_tools": ["recall", "retain", "update_bank", "get_bank"],
}


@requirement("hindsight:banks:list", "hindsight:banks:create", "hindsight:banks:stats")
def test_banks_are_made_listed_and_counted(many: Hindsight, clock: StoppedClock) -> None:
    made = many("create_bank", bank_id="team", name="Team", mission="Remember the team.")
    usual = {"skepticism": 3, "literalism": 3, "empathy": 3}
    assert made == {
        "bank_id": "team",
        "name": "Team",
        "disposition": usual,
        "mission": "Remember the team.",
    }
    assert many("create_bank", bank_id="team") == made
    clock.advance(1000)
    many.sync_retain("Noor lives in Cairo. Noor likes tea. I fixed the roof.")
    listed = many("list_banks")
    assert [(one["bank_id"], one["fact_count"]) for one in listed["banks"]] == [
        ("default", 4),
        ("team", 0),
    ]
    stats = many("get_bank_stats")
    assert stats["node_counts"] == {"world": 2, "experience": 1, "observation": 1}
    assert (stats["link_counts"]["entity"], stats["link_counts"]["temporal"]) == (1, 3)
    assert (stats["total_documents"], stats["total_observations"]) == (1, 1)
    assert (stats["operations"], stats["pending_consolidation"], stats["failed_consolidation"]) == (
        {},
        0,
        0,
    )
    assert (
        stats["last_consolidated_at"]
        == stats["last_memory_write_at"]
        == listed["banks"][0]["last_write_at"]
    )
    many("retain", content="Noor plays chess.")
    [chess] = [one["id"] for one in many.facts() if "chess" in one["text"]]
    more = many("get_bank_stats")
    assert (more["node_counts"], more["operations"]) == (
        {"world": 3, "experience": 1, "observation": 1},
        {"completed": 1},
    )
    # Forgotten ones do not count, whoever forgot them.
    many.client.engine.forget("default", [chess])
    assert many("get_bank_stats")["node_counts"] == stats["node_counts"]
    assert many("list_banks", query="TEA")["total"] == many("list_banks", limit=1)["total"] - 1 == 1
    assert [one["bank_id"] for one in many("list_banks", offset=1)["banks"]] == ["team"]
    assert "not a valid bank id" in many("create_bank", bank_id="_hidden")["error"]


STRANGER = "00000000-0000-4000-8000-000000000000"
# What every reading tool answers of a bank that nobody wrote to.
UNWRITTEN: dict[str, tuple[dict[str, object], dict[str, object]]] = {
    "recall": ({"query": "anything"}, {"results": []}),
    "reflect": ({"query": "anything"}, {"structured_output": None}),
    "list_mental_models": ({}, {"items": [], "total": 0}),
    "get_mental_model": (
        {"mental_model_id": "m"},
        {"error": "Mental model 'm' not found in bank '{bank}'"},
    ),
    "list_banks": ({}, {"banks": [], "total": 0}),
    "list_directives": ({}, {"items": [], "total": 0}),
    "list_memories": ({}, {"items": [], "total": 0}),
    "get_memory": ({"memory_id": STRANGER}, {"error": f"Memory '{STRANGER}' not found"}),
    "list_documents": ({}, {"items": [], "total": 0}),
    "get_document": ({"document_id": "d"}, {"error": "Document 'd' not found"}),
    "list_operations": ({}, {"operations": [], "total": 0}),
    "get_operation": ({"operation_id": STRANGER}, {"status": "not_found", "created_at": None}),
    "list_tags": ({}, {"items": [], "total": 0}),
    "get_bank": ({}, {"error": "Bank '{bank}' not found"}),
    "get_bank_stats": ({}, {"error": "Bank '{bank}' not found"}),
    "get_knowledge_base_tree": ({}, {"roots": []}),
    "search_knowledge_base": ({"query": "anything"}, {"results": [], "total": 0}),
    "get_knowledge_page": ({"page_id": "kp-1"}, {"error": "Knowledge page 'kp-1' not found"}),
}


@requirement("hindsight:banks:unwritten", "hindsight:banks:get")
def test_reading_makes_no_bank(hindsight: Hindsight, engine: Engine) -> None:
    bank, tools = hindsight.client.bank, hindsight.client.dialect.tools
    reading = {name for name, tool in tools.items() if tool.effect == "reads"}
    assert reading == {name for name in UNWRITTEN if name in tools}
    for name in reading:
        given, expected = UNWRITTEN[name]
        answer = hindsight(name, **given)
        for field, value in expected.items():
            assert answer.get(field) == (
                value.format(bank=bank) if isinstance(value, str) else value
            ), name
    assert "Nothing is known" in hindsight("reflect", query="anything")["text"]
    # What deletes, too, finds nothing to delete.
    gone = hindsight("delete_bank")
    assert (gone["status"], gone["bank_deleted"], gone["memory_units_deleted"]) == (
        "not_found",
        False,
        0,
    )
    gone = hindsight("clear_memories")
    assert (gone["status"], gone["memory_units_deleted"]) == ("not_found", 0)
    gone = hindsight("delete_document", document_id="d")
    assert (gone["status"], gone["document_deleted"]) == ("not_found", 0)
    for tool in (
        "delete_mental_model",
        "clear_mental_model",
        "refresh_mental_model",
        "update_mental_model",
    ):
        assert "not found" in hindsight(tool, mental_model_id="m")["error"]
    assert "not found" in hindsight("delete_directive", directive_id=STRANGER)["error"]
    assert "not found" in hindsight("cancel_operation", operation_id=STRANGER)["error"]
    assert engine.list_banks() == ()
    hindsight.sync_retain("Now it is there.")
    assert hindsight("get_bank")["name"] == bank


@requirement("hindsight:banks:implicit")
@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("retain", {"content": "x is y"}),
        ("sync_retain", {"content": "x is y"}),
        ("update_bank", {"name": "New"}),
        ("create_mental_model", {"name": "m", "source_query": "q"}),
        ("create_directive", {"name": "n", "content": "c"}),
    ],
)
def test_the_first_write_makes_the_bank(
    hindsight: Hindsight, engine: Engine, tool: str, given: dict[str, object]
) -> None:
    assert "error" not in hindsight(tool, **given)
    assert [one.name for one in engine.list_banks()] == [hindsight.client.bank]
    assert hindsight("get_bank")["disposition"] == {"skepticism": 3, "literalism": 3, "empathy": 3}


@requirement("hindsight:banks:update", "hindsight:banks:config", "hindsight:banks:mission")
def test_configuration_is_checked_field_by_field(hindsight: Hindsight, engine: Engine) -> None:
    profile = hindsight("update_bank", name="Ours", mission="Old way.")
    assert (profile["name"], profile["mission"]) == ("Ours", "Old way.")
    profile = hindsight("update_bank", mission="Old way.", config_updates=CONFIG)
    assert (profile["name"], profile["mission"]) == ("Ours", "Help the team.")
    assert profile["disposition"] == {"skepticism": 5, "literalism": 1, "empathy": 4}
    assert engine.get_bank(hindsight.client.bank).config == CONFIG
    bad = hindsight(
        "update_bank", config_updates={"disposition_skepticism": 9, "retain_mission": "Lost."}
    )
    assert bad == {"error": "disposition_skepticism must be an integer between 1 and 5, got 9."}
    for secret in (
        "llm_api_key",
        "retain_llm_api_key",
        "llm_base_url",
        "database_url",
        "mcp_auth_token",
        "password",
    ):
        refused = hindsight("update_bank", name="Stolen", config_updates={secret: "hunter2"})[
            "error"
        ]
        assert refused.startswith(f"Cannot set credential fields via API: ['{secret}']")
        assert "hunter2" not in refused
    assert "retain_mission" in hindsight("update_bank", config_updates={"colour": "red"})["error"]
    assert engine.get_bank(hindsight.client.bank).config == CONFIG
    assert hindsight("update_bank") == hindsight("get_bank")
    assert hindsight("get_bank")["name"] == "Ours"
    # Values and the whole may come as JSON in a string, and null takes a field back to what is
    # usual.
    strings = (
        '{"disposition_empathy": "2", "enable_observations": "false", "mcp_enabled_tools": null}'
    )
    assert hindsight("update_bank", config_updates=strings)["disposition"]["empathy"] == 2
    config = engine.get_bank(hindsight.client.bank).config
    assert (config["enable_observations"], "mcp_enabled_tools" in config) == (False, False)


WRONG = {
    "reflect_mission": [1, ["x"]],
    "retain_mission": [1, {}],
    "retain_extraction_mode": ["brief", 1],
    "retain_custom_instructions": [[], 0],
    "retain_chunk_size": [99, 1.5, True, "many"],
    "retain_structured_chunk_size": [-1, "x", 10**9],
    "retain_chunk_batch_size": [0, "x"],
    "enable_observations": ["maybe", 1],
    "observations_mission": [5, []],
    "disposition_skepticism": [0, 6, 2.5, True, "high"],
    "disposition_literalism": [0, 6, "literal"],
    "disposition_empathy": [0, 6, []],
    "entity_labels": ["person", [1], {}],
    "entities_allow_free_form": ["x", 0],
    "recall_include_chunks": [1, "x"],
    "recall_max_tokens": [-1, "all"],
    "mcp_enabled_tools": [[], [1], "recall", {}],
}


@requirement(*(f"hindsight:config:{name}" for name in WRONG))
def test_every_field_of_the_page_is_validated(hindsight: Hindsight, engine: Engine) -> None:
    assert set(WRONG) == set(CONFIG)
    hindsight("update_bank", config_updates=CONFIG | {"mcp_enabled_tools": None})
    before = engine.get_bank(hindsight.client.bank).config
    for name, values in WRONG.items():
        for value in values:
            error = hindsight(
                "update_bank", name="No", config_updates={"retain_mission": "No.", name: value}
            )["error"]
            assert error.startswith(f"{name} must be "), (name, value, error)
    assert engine.get_bank(hindsight.client.bank).config == before
    assert hindsight("get_bank")["name"] == hindsight.client.bank


@requirement("hindsight:banks:allowlist", "hindsight:banks:allowlist-holds")
def test_an_allowlist_cannot_be_got_around(engine: Engine) -> None:
    many, one = Hindsight(engine), Hindsight(engine, "closed")
    many("update_bank", bank_id="closed", config_updates={"mcp_enabled_tools": ["recall"]})
    assert (
        many.failure("sync_retain", content="x", bank_id="closed") == "Unknown tool: 'sync_retain'"
    )
    assert one.failure("sync_retain", content="x") == "Unknown tool: 'sync_retain'"
    assert one.found("x") == []
    dialect = single_bank("hindsight")
    assert dialect.restrict_to_allowlist is not None
    assert list(dialect.restrict_to_allowlist(dialect, engine, "closed").tools) == ["recall"]
    assert len(dialect.restrict_to_allowlist(dialect, engine, "open").tools) == 36
    many.sync_retain("Elsewhere all is open.")


@requirement("hindsight:banks:delete", "hindsight:banks:erased")
def test_a_deleted_bank_leaves_nothing_in_the_file(hindsight: Hindsight, engine: Engine) -> None:
    hindsight.sync_retain("Xylophone is secret. Xylophone is loud.", document_id="xylophone-notes")
    hindsight("create_directive", name="n", content="Praise the xylophone.")
    hindsight("create_mental_model", name="m", source_query="What is the xylophone?")
    gone = hindsight("delete_bank")
    assert (gone["memory_units_deleted"], gone["documents_deleted"], gone["bank_deleted"]) == (
        3,
        1,
        True,
    )
    assert engine.list_banks() == ()
    held = b"".join(
        file.read_bytes() for file in engine.db.path.parent.rglob("*") if file.is_file()
    )
    assert b"ylophon" not in held.lower()
    # A new bank of the same name begins with nothing.
    hindsight("update_bank", name="Again")
    for tool in (
        "list_memories",
        "list_documents",
        "list_tags",
        "list_mental_models",
        "list_directives",
    ):
        assert hindsight(tool)["total"] == 0
    assert hindsight("list_operations") == {"total": 0, "operations": []}


@requirement("hindsight:banks:clear")
def test_clearing_keeps_the_bank(hindsight: Hindsight) -> None:
    hindsight("update_bank", name="Kept")
    hindsight.sync_retain("Lena has a boat. Lena has a kayak. I fixed the mast.")
    some = hindsight("clear_memories", type="experience")
    assert (some["status"], some["memory_units_deleted"]) == ("cleared", 1)
    assert hindsight("list_documents")["total"] == 1
    every = hindsight("clear_memories")
    assert (every["memory_units_deleted"], every["documents_deleted"]) == (3, 1)
    assert hindsight("list_memories")["total"] == hindsight("list_documents")["total"] == 0
    assert hindsight("get_bank")["name"] == "Kept"
    assert "world" in hindsight("clear_memories", type="dream")["error"]


@requirement("hindsight:operations:cancel", "hindsight:operations:running")
def test_operations_are_read_and_cancelled(hindsight: Hindsight, engine: Engine) -> None:
    job = engine.enqueue(hindsight.client.bank, "slow", {})
    [pending] = hindsight("list_operations", status="pending")["operations"]
    done = hindsight("cancel_operation", operation_id=pending["id"])
    assert (done["success"], done["bank_id"]) == (True, hindsight.client.bank)
    assert hindsight("get_operation", operation_id=pending["id"])["status"] == "cancelled"
    assert "is cancelled" in hindsight("cancel_operation", operation_id=pending["id"])["error"]
    for status in ("running", "processing", "dreaming"):
        assert hindsight("list_operations", status=status) == {"total": 0, "operations": []}
    stranger = "00000000-0000-4000-8000-000000000000"
    assert hindsight("get_operation", operation_id=stranger)["status"] == "not_found"
    assert "not found for bank" in hindsight("cancel_operation", operation_id=stranger)["error"]
    assert "not a valid operation id" in hindsight("get_operation", operation_id="?")["error"]
    assert engine.get_job(hindsight.client.bank, job.id).state == "cancelled"


@requirement(
    "hindsight:directives:create", "hindsight:directives:list", "hindsight:directives:delete"
)
@requirement("hindsight:directives:order")
def test_directives_come_and_go(hindsight: Hindsight) -> None:
    tone = hindsight(
        "create_directive", name="Tone", content="Be brief.", priority=2, tags=["style"]
    )
    rest = hindsight("create_directive", name="Rest", content="Never guess.", is_active=False)
    plain = hindsight("create_directive", name="Plain", content="Use English.")
    assert (tone["name"], tone["content"], tone["priority"], tone["tags"]) == (
        "Tone",
        "Be brief.",
        2,
        ["style"],
    )
    assert [one["id"] for one in hindsight("list_directives")["items"]] == [tone["id"], plain["id"]]
    assert hindsight("list_directives", active_only=False)["total"] == 3
    assert (
        hindsight("list_directives", active_only="false", limit=1, offset=1)["items"][0]["id"]
        == plain["id"]
    )
    twin = hindsight(
        "create_directive", name="Plain", content="Use English.", priority="-1", tags='["style"]'
    )
    assert (twin["priority"], twin["tags"], twin["id"] == plain["id"]) == (-1, ["style"], False)
    hindsight("delete_directive", directive_id=twin["id"])
    assert [one["id"] for one in hindsight("list_directives", tags=["other"])["items"]] == [
        plain["id"]
    ]
    assert hindsight("delete_directive", directive_id=rest["id"])["status"] == "deleted"
    assert hindsight("delete_directive", directive_id=rest["id"]) == {
        "error": f"Directive '{rest['id']}' not found"
    }
    assert hindsight("delete_directive", directive_id="x") == {"error": "Directive 'x' not found"}


@requirement(
    "hindsight:model:create",
    "hindsight:model:get",
    "hindsight:model:list",
    "hindsight:model:delete",
)
@requirement("hindsight:model:update")
def test_a_mental_model_is_made_read_changed_and_deleted(hindsight: Hindsight) -> None:
    hindsight.sync_retain("Ada works on engines. Ben works on looms.", tags=["team"])
    made = hindsight(
        "create_mental_model",
        name="Team",
        source_query="Who works on what?",
        tags=["team", "people"],
    )
    assert made["mental_model_id"].startswith("mm-")
    assert hindsight("get_operation", operation_id=made["operation_id"])["status"] == "completed"
    named = hindsight(
        "create_mental_model",
        name="Who",
        source_query="Who works on looms?",
        mental_model_id="who-is",
    )
    assert (
        "already exists"
        in hindsight("create_mental_model", name="W", source_query="q", mental_model_id="who-is")[
            "error"
        ]
    )
    assert (
        "lower-case"
        in hindsight("create_mental_model", name="W", source_query="q", mental_model_id="Who Is")[
            "error"
        ]
    )
    assert (
        "between 256 and 8192"
        in hindsight("create_mental_model", name="W", source_query="q", max_tokens=1)["error"]
    )
    assert (
        "Ben works on looms."
        in hindsight("get_mental_model", mental_model_id=named["mental_model_id"])["content"]
    )
    assert "content" not in hindsight(
        "get_mental_model", mental_model_id="who-is", detail="metadata"
    )
    assert [one["name"] for one in hindsight("list_mental_models", tags=["people"])["items"]] == [
        "Team"
    ]
    changed = hindsight(
        "update_mental_model", mental_model_id="who-is", name="Looms", max_tokens=512, tags=["x"]
    )
    assert (changed["name"], changed["max_tokens"], changed["tags"]) == ("Looms", 512, ["x"])
    assert changed["source_query"] == "Who works on looms?"
    assert (
        "Unknown fields of a trigger: colour"
        in hindsight("update_mental_model", mental_model_id="who-is", trigger={"colour": 1})[
            "error"
        ]
    )
    assert hindsight("delete_mental_model", mental_model_id="who-is")["status"] == "deleted"
    missing = f"Mental model 'who-is' not found in bank '{hindsight.client.bank}'"
    for tool in (
        "get_mental_model",
        "delete_mental_model",
        "refresh_mental_model",
        "clear_mental_model",
    ):
        assert hindsight(tool, mental_model_id="who-is") == {"error": missing}


@requirement(
    "hindsight:model:refresh",
    "hindsight:model:clear",
    "hindsight:model:stale",
    "hindsight:model:auto-refresh",
)
@pytest.mark.parametrize("auto", [False, True])
def test_a_mental_model_follows_its_memories(hindsight: Hindsight, auto: bool) -> None:
    hindsight.sync_retain("The office is in Oslo.", timestamp="2025-01-01")
    more = {"mental_model_id": "office", "trigger_refresh_after_consolidation": auto}
    hindsight("create_mental_model", name="Office", source_query="Where is the office?", **more)
    assert hindsight("get_mental_model", mental_model_id="office")["is_stale"] is False
    hindsight("retain", content="The office is in Bergen.", timestamp="2026-01-01")
    model = hindsight("get_mental_model", mental_model_id="office")
    assert (model["is_stale"], "Bergen" in model["content"]) == (not auto, auto)
    assert hindsight("refresh_mental_model", mental_model_id="office")["status"] == "queued"
    fresh = hindsight("get_mental_model", mental_model_id="office")
    assert (fresh["is_stale"], "Bergen" in fresh["content"], len(fresh["history"])) == (
        False,
        True,
        1,
    )
    assert hindsight("clear_mental_model", mental_model_id="office")["status"] == "cleared"
    empty = hindsight("get_mental_model", mental_model_id="office")
    assert (empty["content"], empty["source_query"], empty["history"]) == (
        "",
        "Where is the office?",
        [],
    )
