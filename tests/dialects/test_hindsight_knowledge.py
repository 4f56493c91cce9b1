"""Hindsight's knowledge base through the MCP layer: folders, pages, and how pages follow the
memories.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from commonplace.app import open_engine
from commonplace.dialects import registry
from commonplace.engine.engine import Engine
from commonplace.engine.operations import maintenance
from commonplace.settings import load
from tests.conftest import StoppedClock
from tests.dialects.dialect_client import Client
from tests.dialects.hindsight_client import Hindsight
from tests.dialects.memories_client import Memories
from tests.dialects.requirements import requirement

SAID = "Dora plays the xylophone. Dora works at Acme. Dora lives in Rome."
NODE = ["id", "kind", "name", "managed", "timestamp"]


def page(
    hindsight: Hindsight,
    name: str = "Dora",
    query: str = "What is known about Dora?",
    **more: object,
) -> str:
    answer = hindsight("create_knowledge_page", name=name, source_query=query, **more)
    assert answer["status"] == "created", answer
    return str(answer["page_id"])


def folder(hindsight: Hindsight, name: str, **more: object) -> str:
    return str(hindsight("create_knowledge_folder", name=name, **more)["id"])


def markdown(hindsight: Hindsight, number: str) -> str:
    return str(hindsight("get_knowledge_page", page_id=number)["markdown"])


def roots(hindsight: Hindsight) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = hindsight("get_knowledge_base_tree")["roots"]
    return found


def nodes(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every node of a tree."""
    return [one for each in found for one in (each, *nodes(each.get("children", [])))]


@requirement("hindsight:knowledge:page")
def test_a_page_is_made_from_the_memories_and_read_as_markdown(hindsight: Hindsight) -> None:
    hindsight.sync_retain(SAID, tags=["people"])
    hindsight.sync_retain("Emil sails a boat.", tags=["boats"])
    made = hindsight(
        "create_knowledge_page",
        name="Dora: who?",
        source_query="What is known about Dora?",
        tags=["people"],
    )
    assert made["page_id"].startswith("kp-")
    assert made["mental_model_id"] == made["page_id"]
    assert hindsight("get_operation", operation_id=made["operation_id"])["status"] == "completed"

    told = hindsight("get_knowledge_page", page_id=made["page_id"])

    assert (told["name"], told["description"], told["tags"]) == (
        "Dora: who?",
        "What is known about Dora?",
        ["people"],
    )
    assert told["markdown"].startswith('---\ntype: page\ntitle: "Dora: who?"\n')
    assert "tags: [people]\n" in told["markdown"]
    assert "xylophone" in told["markdown"].split("---\n")[2]
    assert "Emil" not in told["markdown"]
    assert told["is_stale"] is False
    facts = {one["id"] for one in hindsight("list_memories")["items"] if "people" in one["tags"]}
    assert set(told["sources"]) <= facts
    # Each line of an extract cites its memory, so the sources can be looked up.
    assert all(number in told["markdown"] for number in told["sources"])
    [model] = hindsight("list_mental_models")["items"]
    assert (model["id"], model["is_knowledge_page"]) == (made["page_id"], True)


@requirement("hindsight:knowledge:tree")
def test_the_tree_shows_folders_before_pages_with_what_is_in_them(hindsight: Hindsight) -> None:
    hindsight.sync_retain(SAID)
    top, people = page(hindsight, "Alone"), folder(hindsight, "People")
    teams = folder(hindsight, "Teams", parent_id=people)
    inner = page(hindsight, parent_id=teams)

    [first, second] = roots(hindsight)

    assert list(first) == [*NODE, "children"]
    assert (first["id"], first["kind"]) == (people, "folder")
    assert list(second) == [*NODE, "mental_model_id", "description", "trigger", "is_stale"]
    assert (second["id"], second["kind"], second["is_stale"]) == (top, "page", False)
    assert second["trigger"]["refresh_after_consolidation"] is True
    [below] = first["children"]
    assert (below["id"], below["parent_id"]) == (teams, people)
    assert [one["id"] for one in below["children"]] == [inner]


@requirement("hindsight:knowledge:search")
def test_pages_are_found_by_words_and_by_what_they_rest_on_and_strangers_are_not(
    hindsight: Hindsight,
) -> None:
    hindsight.sync_retain(SAID)
    hindsight.sync_retain("The deployment runs every night at two. A rollback takes one command.")
    dora = page(hindsight)
    runbook = page(hindsight, "Deployment runbook", "How is the service deployed and rolled back?")

    found = hindsight("search_knowledge_base", query="rollback of a deployment")
    assert [one["id"] for one in found["results"]] == [runbook]
    assert found["total"] == 1
    assert "rollback" in found["results"][0]["snippet"].lower()
    assert 0.5 <= found["results"][0]["score"] <= 1
    # The memory that answers is recalled by its meaning, and the page that rests on it is found
    # through it.
    assert (
        hindsight("search_knowledge_base", query="Where does Dora live?")["results"][0]["id"]
        == dora
    )
    assert hindsight("search_knowledge_base", query="recipes for rhubarb cake") == {
        "results": [],
        "total": 0,
    }
    assert hindsight("search_knowledge_base", query=" ") == {"results": [], "total": 0}
    for limit, count in ((0, 1), (1, 1), (99, 2)):
        many = hindsight("search_knowledge_base", query="Dora deployment", limit=limit)["results"]
        assert len(many) == count, limit


@requirement("hindsight:knowledge:follows")
@pytest.mark.parametrize(
    "verb", ["update_memory", "invalidate_memory", "edit_memory", "forget_memory", "purge"]
)
@pytest.mark.parametrize("bank", ["", "default"], ids=["many banks", "one bank"])
def test_a_page_follows_its_memories_whoever_changes_them(
    engine: Engine, bank: str, verb: str
) -> None:
    hindsight, memories = Hindsight(engine, bank), Memories(engine)
    number = hindsight.sync_retain(SAID)[0]
    made = page(hindsight)
    assert "xylophone" in markdown(hindsight, made)
    if verb == "update_memory":
        hindsight(verb, memory_id=number, text="Dora plays the cello.")
    elif verb == "edit_memory":
        memories(verb, id=number, content="Dora plays the cello.")
    elif verb == "invalidate_memory":
        hindsight(verb, memory_id=number)
    elif verb == "forget_memory":
        memories(verb, id=number)
    else:
        engine.purge("default", [number])
    told = hindsight("get_knowledge_page", page_id=made)
    assert "xylophone" not in told["markdown"]
    assert ("cello" in told["markdown"]) == verb.endswith(("update_memory", "edit_memory"))
    assert told["is_stale"] is False
    if verb == "purge":
        assert "xylophone" not in str(hindsight("get_mental_model", mental_model_id=made))


@requirement("hindsight:knowledge:follows")
def test_a_page_with_a_schedule_is_stale_until_its_turn(
    hindsight: Hindsight, engine: Engine, clock: StoppedClock
) -> None:
    hindsight.sync_retain("The office is in Oslo.")
    made = page(hindsight, "Office", "Where is the office?", trigger={"refresh_cron": "0 * * * *"})
    hindsight.sync_retain("The office moved to Bergen.")
    assert hindsight("get_knowledge_page", page_id=made)["is_stale"] is True
    assert "Bergen" not in markdown(hindsight, made)
    [node] = roots(hindsight)
    assert node["is_stale"] is True
    assert (node["trigger"]["refresh_cron"], node["trigger"]["refresh_after_consolidation"]) == (
        "0 * * * *",
        False,
    )
    clock.advance(3_600_000)
    maintenance.run_idle_tasks(engine)
    assert "Bergen" in markdown(hindsight, made)
    assert hindsight("get_knowledge_page", page_id=made)["is_stale"] is False


@requirement("hindsight:knowledge:update")
def test_a_page_is_renamed_moved_and_asked_something_else(hindsight: Hindsight) -> None:
    hindsight.sync_retain(SAID)
    hindsight.sync_retain("Emil sails a boat.")
    people, made = folder(hindsight, "People"), page(hindsight)
    moved = hindsight("update_knowledge_node", node_id=made, name="Emil", parent_id=people)
    assert (moved["name"], moved["parent_id"], "operation_id" in moved) == ("Emil", people, False)
    assert "xylophone" in markdown(hindsight, made)

    asked = hindsight(
        "update_knowledge_node", node_id=made, source_query="What does Emil do?", max_tokens=512
    )

    assert hindsight("get_operation", operation_id=asked["operation_id"])["status"] == "completed"
    assert asked["is_stale"] is False
    assert "boat" in markdown(hindsight, made)
    hindsight(
        "update_knowledge_node",
        node_id=made,
        parent_id="root",
        tags=["x"],
        refresh_after_consolidation=False,
    )
    [kept] = [one for one in roots(hindsight) if one["kind"] == "page"]
    assert (kept["id"], kept["tags"], kept["trigger"]["refresh_after_consolidation"]) == (
        made,
        ["x"],
        False,
    )
    # A trigger is a patch, and a schedule takes the place of refreshing after consolidation.
    hindsight("update_knowledge_node", node_id=made, tags=[], refresh_after_consolidation=True)
    after = hindsight("update_knowledge_node", node_id=made, trigger={"refresh_cron": "0 3 * * *"})[
        "trigger"
    ]
    assert (after["refresh_cron"], after["mode"], after["refresh_after_consolidation"]) == (
        "0 3 * * *",
        "delta",
        False,
    )
    back = hindsight("update_knowledge_node", node_id=made, refresh_after_consolidation=True)[
        "trigger"
    ]
    assert ("refresh_cron" in back, back["refresh_after_consolidation"]) == (False, True)


@requirement("hindsight:knowledge:delete")
def test_deleting_a_folder_deletes_what_is_below_it_and_no_memory(hindsight: Hindsight) -> None:
    numbers = hindsight.sync_retain(SAID)
    people = folder(hindsight, "People")
    inner = page(hindsight, parent_id=folder(hindsight, "Teams", parent_id=people))
    outside = page(hindsight, "Outside")
    assert hindsight("delete_knowledge_node", node_id=people) == {
        "status": "deleted",
        "node_id": people,
    }
    assert [one["id"] for one in roots(hindsight)] == [outside]
    assert "not found" in hindsight("get_mental_model", mental_model_id=inner)["error"]
    hindsight("delete_knowledge_node", node_id=outside)
    assert roots(hindsight) == hindsight("list_mental_models")["items"] == []
    assert hindsight("get_memory", memory_id=numbers[0])["state"] == "valid"
    # The other way round: a page is its mental model.
    made = page(hindsight)
    hindsight("delete_mental_model", mental_model_id=made)
    assert roots(hindsight) == []


@requirement("hindsight:knowledge:refused")
def test_what_makes_no_sense_is_refused_and_changes_nothing(hindsight: Hindsight) -> None:
    hindsight.sync_retain(SAID)
    people = folder(hindsight, "People")
    teams = folder(hindsight, "Teams", parent_id=people)
    made = page(hindsight, parent_id=people)
    model = {"name": "M", "source_query": "What?", "mental_model_id": "m"}
    hindsight("create_mental_model", **model)
    before = roots(hindsight)
    question = {"source_query": "What is known about Dora?"}
    wrong: list[tuple[str, dict[str, object], str]] = [
        ("create_knowledge_folder", {"name": "people"}, "already exists in this folder"),
        (
            "create_knowledge_folder",
            {"name": "X", "parent_id": "kf-none"},
            "folder 'kf-none' not found",
        ),
        ("create_knowledge_folder", {"name": " "}, "name is empty"),
        (
            "create_knowledge_page",
            {"name": "Dora", "parent_id": people, **question},
            "already exists",
        ),
        (
            "create_knowledge_page",
            {"name": "X", "parent_id": made, **question},
            f"folder '{made}' not found",
        ),
        (
            "create_knowledge_page",
            {"name": "X", "max_tokens": 7, **question},
            "max_tokens must be between",
        ),
        (
            "create_knowledge_page",
            {"name": "X", "trigger": {"often": True}, **question},
            "Unknown fields of a trigger: often",
        ),
        (
            "create_knowledge_page",
            {
                "name": "X",
                "trigger": {"refresh_after_consolidation": True},
                "refresh_after_consolidation": True,
            }
            | question,
            "given twice",
        ),
        ("get_knowledge_page", {"page_id": "kp-none"}, "page 'kp-none' not found"),
        ("get_knowledge_page", {"page_id": "m"}, "page 'm' not found"),
        ("get_knowledge_page", {"page_id": people}, "not found"),
        ("update_knowledge_node", {"node_id": made}, "Nothing to update"),
        ("update_knowledge_node", {"node_id": "kf-none", "name": "X"}, "not found"),
        ("update_knowledge_node", {"node_id": "kp-none", "name": "X"}, "not found"),
        (
            "update_knowledge_node",
            {"node_id": people, "tags": ["x"]},
            "only a name and a parent_id",
        ),
        ("update_knowledge_node", {"node_id": people, "parent_id": teams}, "into itself"),
        ("update_knowledge_node", {"node_id": people, "parent_id": people}, "into itself"),
        ("update_knowledge_node", {"node_id": teams, "name": "Dora"}, "already exists"),
        ("delete_knowledge_node", {"node_id": "kf-none"}, "not found"),
        ("delete_knowledge_node", {"node_id": "m"}, "not found"),
    ]
    for tool, given, words in wrong:
        assert words in hindsight(tool, **given)["error"], (tool, given)
    assert roots(hindsight) == before


@requirement("hindsight:knowledge:refused")
def test_folders_have_a_depth_that_every_client_can_read(hindsight: Hindsight) -> None:
    deepest = folder(hindsight, "0")
    for number in range(1, 20):
        deepest = folder(hindsight, str(number), parent_id=deepest)
    assert (
        "at most 20 deep"
        in hindsight("create_knowledge_folder", name="20", parent_id=deepest)["error"]
    )
    assert json.dumps(roots(hindsight)).count("folder") == 20
    # Nor does moving a branch make it deeper.
    apart = folder(hindsight, "apart")
    folder(hindsight, "below", parent_id=apart)
    above = next(one["id"] for one in nodes(roots(hindsight)) if one["name"] == "18")
    moved = hindsight("update_knowledge_node", node_id=apart, parent_id=above)
    assert "at most 20 deep" in moved["error"]


@requirement("hindsight:knowledge:walls")
@pytest.mark.parametrize("bank", ["", "here"], ids=["many banks", "one bank"])
def test_a_bank_sees_its_own_pages_and_an_allowlist_holds(engine: Engine, bank: str) -> None:
    here, there, many = Hindsight(engine, bank), Hindsight(engine, "there"), Hindsight(engine)
    there.sync_retain(SAID)
    made, box = page(there), folder(there, "Box")
    assert roots(here) == []
    assert here("search_knowledge_base", query="Dora xylophone")["results"] == []
    for tool, given in (
        ("get_knowledge_page", {"page_id": made}),
        ("update_knowledge_node", {"node_id": made, "name": "Mine"}),
        ("update_knowledge_node", {"node_id": box, "name": "Mine"}),
        ("create_knowledge_folder", {"name": "Mine", "parent_id": box}),
        ("delete_knowledge_node", {"node_id": made}),
        ("delete_knowledge_node", {"node_id": box}),
    ):
        assert "not found" in here(tool, **given)["error"], tool
    assert {one["id"] for one in many("get_knowledge_base_tree", bank_id="there")["roots"]} == {
        made,
        box,
    }
    there("update_bank", config_updates={"mcp_enabled_tools": ["get_knowledge_page"]})
    assert many("get_knowledge_page", page_id=made, bank_id="there")["id"] == made
    wrong = many.failure("delete_knowledge_node", node_id=made, bank_id="there")
    assert wrong == "Unknown tool: 'delete_knowledge_node'"


@requirement("hindsight:knowledge:carried")
def test_the_knowledge_base_is_carried_by_an_export_and_goes_with_its_bank(
    hindsight: Hindsight, engine: Engine, tmp_path: Path
) -> None:
    hindsight.sync_retain(SAID)
    made = page(hindsight, parent_id=folder(hindsight, "People"))
    before, told = roots(hindsight), markdown(hindsight, made)
    archive = tmp_path / "all.jsonl"
    engine.export_to(archive)
    other = open_engine(load({"COMMONPLACE_HOME": str(tmp_path / "other")}), engine.clock)
    try:
        other.import_from(archive)
        maintenance.sweep(other)
        twin = Hindsight(other, hindsight.client.bank if hindsight.single else "")
        assert (roots(twin), markdown(twin, made)) == (before, told)
        number = twin.facts()[0]["id"]
        twin("update_memory", memory_id=number, text="Dora plays the cello.")
        assert "cello" in markdown(twin, made)
    finally:
        other.db.close()
    hindsight("delete_bank")
    assert roots(hindsight) == []


@requirement("hindsight:knowledge:page")
def test_a_page_about_what_other_dialects_keep(engine: Engine) -> None:
    Memories(engine)(
        "add_memory", content="Releases are cut on Fridays.", type="decision", project_id="shop"
    )
    hindsight = Hindsight(engine, "default")
    made = page(hindsight, "Releases", "When are releases cut?")
    assert "Fridays" in markdown(hindsight, made)
    memstate = Client(engine, registry.single_bank("memstate"))
    memstate.result(
        "memstate_remember", project_id="shop", content="Releases are now cut on Mondays."
    )
    told = hindsight("get_knowledge_page", page_id=made)
    assert told["is_stale"] or "Mondays" in told["markdown"]
