"""Banks: whatever a tool can do to them, a person can."""

import json

from tests.faces.http_client import Running
from tests.web.visitor import Visitor


def test_a_bank_is_created_set_up_and_erased(visitor: Visitor) -> None:
    made = visitor.post("/banks/create", {"name": "a new bank"})
    assert made.headers["location"] == "/bank?bank=a%20new%20bank&did=created"

    where = "?bank=a%20new%20bank"
    form = {"title": "New", "mission": "Know the shop.", "config": '{"a": 1, "b": 2}'}
    visitor.post(f"/bank/save{where}", form)
    visitor.post(f"/bank/save{where}", {**form, "config": '{"b": 3}'})
    found = visitor.json(f"/bank.json{where}")
    assert (found["title"], found["mission"], found["config"]) == (
        "New",
        "Know the shop.",
        {"b": 3},
    )

    asked = visitor.post(f"/bank/change{where}", {"action": "delete_bank"})
    assert b"It cannot be undone." in asked.body
    assert visitor.get(f"/bank{where}").status == 200

    visitor.post(f"/bank/change{where}", {"action": "delete_bank", "sure": "1"})
    assert visitor.get(f"/bank{where}").status == 404


def test_a_configuration_that_is_not_json_changes_nothing(visitor: Visitor) -> None:
    visitor.post("/banks/create", {"name": "strict"})
    for config in ("{", "[1]", "[" * 5_000):
        assert visitor.post("/bank/save?bank=strict", {"config": config}).status == 400
    assert visitor.json("/bank.json?bank=strict")["config"] == {}


def test_directives_and_mental_models_are_added_and_deleted(visitor: Visitor) -> None:
    visitor.remember("Ada leads the shop.", bank="stood")
    change = "/bank/change?bank=stood"
    visitor.post(change, {"action": "add_directive", "title": "Short", "text": "Answer briefly."})
    visitor.post(change, {"action": "add_model", "title": "Lead", "query": "Who leads the shop?"})
    found = visitor.json("/bank.json?bank=stood")
    assert found["directives"] == [{"title": "Short", "text": "Answer briefly."}]
    assert [one["query"] for one in found["mental_models"]] == ["Who leads the shop?"]

    name = found["mental_models"][0]["name"]
    assert visitor.post(change, {"action": "refresh_model", "name": name}).status == 303
    visitor.post(change, {"action": "delete_model", "name": name, "sure": "1"})
    page = visitor.get("/bank?bank=stood").body.decode()
    number = page.split('value="delete_directive"')[0].split('name="id" value="')[-1].split('"')[0]
    visitor.post(change, {"action": "delete_directive", "id": number, "sure": "1"})
    found = visitor.json("/bank.json?bank=stood")
    assert (found["directives"], found["mental_models"]) == ([], [])


def test_a_document_is_shown_with_what_was_made_from_it(running: Running, visitor: Visitor) -> None:
    retain = {"content": "Ada lives in Paris.", "document_id": "diary", "bank_id": "docs"}
    running.call("/hindsight/mcp", "sync_retain", retain)
    assert visitor.json("/bank.json?bank=docs")["documents"] == ["diary"]
    shown = visitor.json("/document.json?bank=docs&name=diary")
    assert shown["text"] == "Ada lives in Paris."
    assert [one["text"] for one in shown["memories"]] != []

    gone = {"action": "delete_document", "name": "diary", "sure": "1"}
    visitor.post("/bank/change?bank=docs", gone)
    assert visitor.json("/bank.json?bank=docs")["documents"] == []


def test_the_map_is_a_few_kilobytes_with_every_link(visitor: Visitor) -> None:
    visitor.remember("The staging server listens on port 8080.", bank="map")
    one = visitor.remember("The staging server listens on port 9090.", bank="map")
    visitor.remember("The cat is grey.", bank="map")
    found = visitor.json(f"/map.json?bank=map&id={one}")

    assert [node["hops"] for node in found["nodes"]] == [0, 1]
    assert found["links"] == [[0, 1, "contradicts"]]
    assert len(json.dumps(found)) < 1_000
    page = visitor.get(f"/map?bank=map&id={one}").body.decode()
    assert page.count("port 8080") >= 2
    assert visitor.get("/map?bank=none").status == 200
