"""Hindsight's contract through the MCP layer, with many banks and with one: memories, documents,
tags.
"""

from importlib import import_module
from inspect import signature

import pytest

from commonplace.dialects.dialect import add_instructions
from commonplace.dialects.registry import find, single_bank
from commonplace.engine.engine import Engine
from tests.conftest import StoppedClock
from tests.dialects.hindsight_client import Hindsight
from tests.dialects.requirements import CITED, cited_ids, requirement

MANY_ONLY = {"list_banks", "create_bank", "get_bank_stats"}
PARAMETERS = {
    "retain": "content* context=general timestamp tags metadata document_id",
    "sync_retain": "content* context=general timestamp tags metadata document_id",
    "recall": "query* max_tokens budget=high types tags tags_match=any query_timestamp min_scores",
    "reflect": (
        "query* context budget=low max_tokens=4096 response_schema tags tags_match=any"
        " include_trace=False"
    ),
    "create_mental_model": (
        "name* source_query* mental_model_id tags max_tokens=2048"
        " trigger_refresh_after_consolidation=False"
    ),
    "list_mental_models": "tags",
    "get_mental_model": "mental_model_id*",
    "update_mental_model": (
        "mental_model_id* name source_query tags max_tokens trigger_refresh_after_consolidation"
    ),
    "delete_mental_model": "mental_model_id*",
    "refresh_mental_model": "mental_model_id*",
    "clear_mental_model": "mental_model_id*",
    "list_banks": "",
    "create_bank": "bank_id* name mission",
    "list_directives": "tags active_only=True",
    "create_directive": "name* content* priority=0 is_active=True tags",
    "delete_directive": "directive_id*",
    "list_memories": "type q limit=100 offset=0",
    "get_memory": "memory_id*",
    "update_memory": (
        "memory_id* text context occurred_start occurred_end mentioned_at fact_type entities"
        " resolve_entities=True"
    ),
    "invalidate_memory": "memory_id* reason restore=False",
    "list_documents": "q limit=100",
    "get_document": "document_id*",
    "delete_document": "document_id*",
    "list_operations": "status limit=100",
    "get_operation": "operation_id*",
    "cancel_operation": "operation_id*",
    "list_tags": "q limit=100",
    "get_bank": "",
    "get_bank_stats": "",
    "update_bank": "name mission config_updates",
    "delete_bank": "",
    "clear_memories": "type",
    "get_knowledge_base_tree": "",
    "search_knowledge_base": "query* limit=10",
    "get_knowledge_page": "page_id*",
    "create_knowledge_folder": "name* parent_id",
    "create_knowledge_page": (
        "name* source_query* parent_id tags max_tokens trigger refresh_after_consolidation"
    ),
    "update_knowledge_node": (
        "node_id* name parent_id source_query tags max_tokens trigger refresh_after_consolidation"
    ),
    "delete_knowledge_node": "node_id*",
}
DESTROYING = {
    *(
        "delete_bank",
        "clear_memories",
        "clear_mental_model",
        "delete_mental_model",
        "delete_directive",
    ),
    *("delete_document", "invalidate_memory", "delete_knowledge_node"),
}


@requirement("hindsight:modes:tools", "hindsight:modes:bank-id", "hindsight:tools:parameters")
def test_both_modes_have_the_tools_and_parameters_of_the_page(engine: Engine) -> None:
    many, one = Hindsight(engine).client.listed(), Hindsight(engine, "alice").client.listed()
    assert set(many) == set(PARAMETERS)
    assert set(one) == set(PARAMETERS) - MANY_ONLY
    for name, listed in PARAMETERS.items():
        schema = many[name]["inputSchema"]
        for told in listed.split():
            parameter, _, default = told.rstrip("*").partition("=")
            assert parameter in schema["properties"], (name, parameter)
            assert (parameter in schema.get("required", [])) == told.endswith("*")
            assert str(schema["properties"][parameter].get("default", "")) == default, (
                name,
                parameter,
            )
        assert ("bank_id" in schema["properties"]) == (name != "list_banks")
        assert name in MANY_ONLY or "bank_id" not in one[name]["inputSchema"]["properties"]


@requirement("hindsight:tools:annotations")
def test_annotations_say_what_a_tool_does(hindsight: Hindsight) -> None:
    listed = hindsight.client.listed()
    assert len(listed) > len(DESTROYING)
    for name, tool in listed.items():
        notes = tool["annotations"]
        reads = name in ("recall", "reflect") or name.startswith(("list_", "get_", "search_"))
        assert notes["readOnlyHint"] == reads
        assert notes["destructiveHint"] == (name in DESTROYING)
        assert notes["openWorldHint"] is False
        assert tool["description"]


@requirement("hindsight:tools:instructions")
def test_instructions_are_appended_to_retain_and_recall_only() -> None:
    for dialect in (find("hindsight"), single_bank("hindsight")):
        told = add_instructions(dialect, "Use project:<name> tags.").tools
        ending = "\n\nAdditional instructions: Use project:<name> tags."
        assert [name for name, tool in told.items() if tool.description.endswith(ending)] == [
            "retain",
            "recall",
        ]


@requirement("hindsight:shapes:two")
def test_each_mode_declares_and_keeps_its_shape(engine: Engine) -> None:
    many, one = Hindsight(engine), Hindsight(engine, "default")
    assert many.client.listed()["recall"]["outputSchema"]["x-fastmcp-wrap-result"] is True
    assert many.client.listed()["retain"]["outputSchema"] == {
        "type": "object",
        "additionalProperties": True,
    }
    assert one.client.listed()["recall"]["outputSchema"] == {
        "type": "object",
        "additionalProperties": True,
    }
    many.sync_retain("The kettle is blue.")
    assert many("list_memories") == one("list_memories")


@requirement("hindsight:shapes:failures", "hindsight:shapes:tolerant")
def test_failures_are_in_the_answer_and_slips_are_forgiven(hindsight: Hindsight) -> None:
    assert "`query` is required" in hindsight.failure("recall")
    bad = hindsight("retain", content="x", timestamp="soon")
    assert bad["status"] == "error"
    assert bad["message"].startswith("Invalid timestamp format 'soon'.")
    filled = hindsight("sync_retain", content="x", timestamp="0001-01-01T00:00:00Z")
    assert (filled["status"], filled["message"].endswith("Omit it if the time is unknown.")) == (
        "error",
        True,
    )
    unknown = hindsight("recall", query="x", types=["dream"])
    assert unknown["results"] == []
    assert "experience, observation or world" in unknown["error"]
    assert hindsight("get_document", document_id="none") == {"error": "Document 'none' not found"}
    hindsight.sync_retain("Tea is at four.", tags='["a", "b"]', explanation="because")
    hindsight.sync_retain("Cake is at five.", tags="c")
    assert {tuple(one["tags"]) for one in hindsight.facts()} == {("a", "b"), ("c",)}


@requirement(
    "hindsight:retain:asynchronous", "hindsight:operations:get", "hindsight:operations:list"
)
def test_retain_is_an_operation_that_is_done_at_once(hindsight: Hindsight) -> None:
    content = "User prefers Python over JavaScript for backend development"
    answer = hindsight(
        "retain",
        content=content,
        context="programming_preferences",
        tags=["user:alice", "preferences"],
    )
    assert (answer["status"], answer["message"]) == ("accepted", "Memory storage initiated")
    done = hindsight("get_operation", operation_id=answer["operation_id"])
    assert (done["status"], done["operation_type"], done["progress"]["processed"]) == (
        "completed",
        "retain",
        1,
    )
    listed = hindsight("list_operations", status="completed")
    assert [one["id"] for one in listed["operations"]] == [answer["operation_id"]]
    assert listed["total"] == 1
    assert hindsight("list_operations", status="failed") == {"total": 0, "operations": []}
    assert hindsight.found(
        "What are the user's programming language preferences?", tags=["preferences"]
    ) == [content]


@requirement("hindsight:retain:content", "hindsight:retain:identical")
def test_a_retain_that_stores_nothing_says_so(hindsight: Hindsight) -> None:
    for tool, status in (("retain", "accepted"), ("sync_retain", "completed")):
        answer = hindsight(tool, content=" \n")
        assert (answer["status"], answer["message"]) == (
            status,
            "The content is empty; nothing was stored",
        )
    assert hindsight("list_documents")["total"] == 0
    hindsight.sync_retain("The oven is red.", document_id="kitchen")
    answer = hindsight("sync_retain", content="The oven is red.", document_id="kitchen")
    assert (answer["message"], answer["memory_ids"]) == (
        "The document already says this; nothing was stored",
        [],
    )


@requirement(
    "hindsight:sync-retain:readable", "hindsight:retain:context", "hindsight:retain:metadata"
)
@requirement("hindsight:retain:timestamp", "hindsight:retain:tags", "hindsight:memories:get")
def test_what_was_stored_is_read_with_all_that_belongs_to_it(hindsight: Hindsight) -> None:
    told = {"metadata": {"source": "slack"}, "tags": ["team"], "timestamp": "2026-03-10T08:00:00Z"}
    [number] = hindsight.sync_retain(
        "Yesterday Maria Rossi deployed Orion-7 for $45 in Lisbon.", **told
    )
    assert hindsight.found("What did Maria deploy?") == [
        "Yesterday Maria Rossi deployed Orion-7 for $45 in Lisbon."
    ]
    memory = hindsight("get_memory", memory_id=number)
    assert memory["context"] == "general"
    assert (memory["metadata"], memory["tags"], memory["type"]) == (
        {"source": "slack"},
        ["team"],
        "world",
    )
    assert memory["mentioned_at"] == "2026-03-10T08:00:00.000Z"
    assert memory["occurred_start"] == "2026-03-09T00:00:00.000Z"
    assert {"Maria Rossi", "Lisbon", "$45", "Orion-7"} <= set(memory["entities"])


@requirement("hindsight:retain:facts")
def test_a_text_becomes_facts_of_two_types(hindsight: Hindsight) -> None:
    hindsight.sync_retain(
        "User: The wedding is on 5 June 2027. Hi!\nAssistant: I suggested the Villa Aurora."
    )
    kinds = {
        one["text"]: (one["fact_type"], one.get("occurred_start")) for one in hindsight.facts()
    }
    assert kinds == {
        "The wedding is on 5 June 2027.": ("world", "2027-06-05T00:00:00.000Z"),
        "I suggested the Villa Aurora.": ("experience", None),
    }


@requirement("hindsight:retain:document", "hindsight:retain:replace", "hindsight:retain:identical")
@requirement("hindsight:retain:append", "hindsight:documents:get", "hindsight:documents:list")
def test_a_document_keeps_what_did_not_change(hindsight: Hindsight) -> None:
    first = hindsight.sync_retain(
        "The oven is red. The fridge is green.", document_id="kitchen", metadata={"room": "k"}
    )
    assert (
        hindsight.sync_retain(
            "The oven is red. The fridge is green.", document_id="kitchen", metadata={"room": "k"}
        )
        == []
    )
    second = hindsight.sync_retain("The oven is red. The fridge is black.", document_id="kitchen")
    assert len(first) == 2
    assert len(second) == 1
    assert [one["id"] for one in hindsight.facts()] == [first[0], second[0]]
    hindsight("retain", content="The sink is steel.", document_id="kitchen", update_mode="append")
    assert len(hindsight.facts()) == 3
    document = hindsight("get_document", document_id="kitchen")
    assert document["original_text"] == "The oven is red. The fridge is black.\nThe sink is steel."
    assert (document["memory_unit_count"], document["nodes_by_fact_type"]["world"]) == (3, 3)
    [listed] = hindsight("list_documents", q="STEEL")["items"]
    assert (listed["id"], listed["matched_fields"]) == ("kitchen", ["original_text"])
    assert hindsight("list_documents", q="copper")["items"] == []


@requirement("hindsight:retain:proof")
def test_a_fact_told_again_is_one_fact_with_more_proof(hindsight: Hindsight) -> None:
    [number] = hindsight.sync_retain("The gate code is 4411.")
    assert hindsight.sync_retain("the gate code is 4411", document_id="again") == [number]
    [fact] = hindsight.facts()
    assert fact["proof_count"] == 2
    hindsight("delete_document", document_id="again")
    assert [one["proof_count"] for one in hindsight.facts()] == [1]
    hindsight.sync_retain("The gate code is 4411.", tags=["other"])
    assert len(hindsight.facts()) == 2


@requirement("hindsight:documents:delete", "hindsight:documents:nothing-survives")
def test_nothing_of_a_deleted_document_survives(hindsight: Hindsight, engine: Engine) -> None:
    hindsight.sync_retain("Zanzibar is an island. Zanzibar has quokkas.", document_id="d")
    hindsight(
        "create_mental_model",
        name="Islands",
        source_query="What is Zanzibar?",
        mental_model_id="islands",
    )
    assert "quokkas" in hindsight("get_mental_model", mental_model_id="islands")["content"]
    gone = hindsight("delete_document", document_id="d")
    assert (gone["status"], gone["document_deleted"], gone["memory_units_deleted"]) == (
        "deleted",
        1,
        2,
    )
    assert hindsight("list_memories")["total"] == 0
    assert hindsight("delete_document", document_id="d")["document_deleted"] == 0
    held = b"".join(file.read_bytes() for file in engine.db.path.parent.iterdir() if file.is_file())
    assert b"quokkas" not in held
    assert b"quokka" not in held


@requirement("hindsight:memories:list", "hindsight:tags:list")
def test_memories_and_tags_are_browsed(hindsight: Hindsight) -> None:
    for number in range(3):
        hindsight.sync_retain(
            f"Shelf {number} holds jam.", tags=["project:pantry"], context="storage 100%"
        )
    hindsight.sync_retain("The cellar holds wine.", tags=["cellar"])
    page = hindsight("list_memories", limit=2, offset=1, type="world")
    assert (len(page["items"]), page["total"], page["limit"], page["offset"]) == (2, 4, 2, 1)
    assert hindsight("list_memories", q="JAM")["total"] == 3
    assert hindsight("list_memories", q="0%")["total"] == 3
    assert hindsight("list_memories", type="dream")["items"] == []
    assert hindsight("list_memories", limit=0) == {"items": [], "total": 4, "limit": 0, "offset": 0}
    assert hindsight("list_tags", q="project:*")["items"] == [{"tag": "project:pantry", "count": 3}]
    assert hindsight("list_tags", q="cell")["items"] == []
    assert [one["tag"] for one in hindsight("list_tags")["items"]] == ["project:pantry", "cellar"]


@requirement("hindsight:observations:grouped", "hindsight:observations:switch")
def test_facts_about_one_subject_become_an_observation(
    hindsight: Hindsight, clock: StoppedClock
) -> None:
    old = hindsight.sync_retain("Dora lives in Rome. Dora works at Acme.", timestamp="2025-01-10")
    clock.advance(1000)
    new = hindsight.sync_retain("Dora lives in Berlin.", timestamp="2026-03-01")
    [one] = hindsight("list_memories", type="observation")["items"]
    assert one["text"] == "Dora lives in Berlin. Dora works at Acme. Earlier: Dora lives in Rome."
    assert (one["proof_count"], set(one["source_memory_ids"])) == (3, {*old, *new})
    whole = hindsight("get_memory", memory_id=one["id"])
    assert [entry["text"] for entry in whole["history"]] == [
        "Dora works at Acme. Dora lives in Rome."
    ]
    assert {source["id"] for source in whole["source_memories"]} == {*old, *new}
    hindsight("update_bank", config_updates={"enable_observations": False})
    hindsight.sync_retain("Emil lives in Oslo. Emil works at Fjord.")
    assert hindsight("list_memories", type="observation")["total"] == 1


@requirement("hindsight:modes:isolation")
def test_one_bank_never_sees_another(engine: Engine) -> None:
    one, other = Hindsight(engine, "one"), Hindsight(engine, "other")
    one.sync_retain("The vault is behind the mirror.")
    assert other.found("Where is the vault?", bank_id="one") == []
    assert one.found("Where is the vault?", bank_id="other") == ["The vault is behind the mirror."]
    assert Hindsight(engine).found("Where is the vault?", bank_id="one") == [
        "The vault is behind the mirror."
    ]
    assert other("clear_memories")["memory_units_deleted"] == 0


@pytest.mark.parametrize("content", ["", "   "])
def test_an_empty_text_is_accepted_and_holds_nothing(hindsight: Hindsight, content: str) -> None:
    assert hindsight.sync_retain(content) == []


# What is about HTTP, about both modes at once, or about tools that one bank does not have.
BESIDE_MODES = (
    "hindsight:http:",
    "hindsight:modes:",
    "hindsight:banks:allowlist",
    "hindsight:tools:",
)
OF_MANY_BANKS = {f"hindsight:banks:{name}" for name in ("create", "list", "stats")}
IN_ONE_TEST = OF_MANY_BANKS | {"hindsight:shapes:two", "hindsight:sync-retain:parameters"}


def test_every_promise_is_shown_with_many_banks_and_with_one() -> None:
    promises = list(cited_ids("hindsight"))
    assert len(promises) > len(IN_ONE_TEST)
    for promise in promises:
        tests = [
            getattr(import_module(module), name) for module, name in map(_parted, CITED[promise])
        ]
        both = any({"hindsight", "bank"} & set(signature(test).parameters) for test in tests)
        assert both or promise in IN_ONE_TEST or promise.startswith(BESIDE_MODES), promise


def _parted(test: str) -> tuple[str, str]:
    module, _, name = test.partition(":")
    return module, name
