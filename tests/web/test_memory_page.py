"""One memory: read, edited by several at once, and brought back to an earlier version."""

import json

from tests.faces.http_client import Running
from tests.web.visitor import Visitor


def test_a_page_has_every_id_and_what_each_dialect_shows(visitor: Visitor) -> None:
    one = visitor.remember("The port is 8080.", tags="ports")
    page = visitor.get(f"/memory/{one}").body.decode()
    twin = visitor.json(f"/memory/{one}.json")

    assert len(twin["ids"]) == 5
    assert all(form in page for form in twin["ids"].values())
    for title in ("Vault", "memories.sh", "Memstate", "PowerMem", "Hindsight"):
        shown = page.split(f"<summary>{title}</summary>")[1].split("</details>")[0]
        assert "The port is 8080." in shown


def test_an_edit_is_a_version_with_who_why_and_through_what(visitor: Visitor) -> None:
    one = visitor.remember("The port is 8080.")
    form = {"text": "The port is 9090.", "reason": "it moved", "version": "1"}
    assert visitor.post(f"/memory/{one}/edit", form).status == 303
    newest = visitor.json(f"/memory/{one}.json")["versions"][-1]

    assert (newest["text"], newest["number"]) == ("The port is 9090.", 2)
    assert (newest["dialect"], newest["reason"]) == ("web", "it moved")
    page = visitor.get(f"/memory/{one}").body.decode()
    assert "<del>8080</del><ins>9090</ins>" in page


def test_the_second_of_two_writers_sees_the_first_and_loses_nothing(
    running: Running, visitor: Visitor
) -> None:
    one = visitor.remember("The meeting is on Monday.")
    other = Visitor(running)
    path = f"/memory/{one}/edit"
    other.post(path, {"text": "The meeting is on Tuesday.", "version": "1"})
    late = visitor.post(path, {"text": "The meeting is at nine.", "version": "1", "title": "Mine"})
    page = late.body.decode()

    assert late.status == 409
    assert "<del>Monday</del><ins>Tuesday</ins>" in page
    assert "The meeting is at nine.</textarea>" in page
    assert 'value="Mine"' in page
    assert 'name="version" value="2"' in page


def test_a_client_of_mcp_is_not_overwritten_either(running: Running, visitor: Visitor) -> None:
    one = visitor.remember("The cat is grey.")
    edited = {"id": one, "content": "The cat is black."}
    running.call("/memories/mcp", "edit_memory", edited)
    late = visitor.post(f"/memory/{one}/edit", {"text": "The cat is old.", "version": "1"})

    assert late.status == 409
    assert "through memories" in late.body.decode()
    assert visitor.json(f"/memory/{one}.json")["memory"]["text"] == "The cat is black."


def test_what_cannot_be_saved_stays_in_the_form(visitor: Visitor) -> None:
    one = visitor.remember("Short.")
    answer = visitor.post(f"/memory/{one}/edit", {"text": " ", "title": "Typed", "version": "1"})

    assert answer.status == 400
    assert 'value="Typed"' in answer.body.decode()


def test_an_earlier_version_is_used_again(visitor: Visitor) -> None:
    one = visitor.remember("First.")
    visitor.post(f"/memory/{one}/edit", {"text": "Second.", "version": "1"})
    visitor.post(f"/memory/{one}/restore", {"number": "1"})
    found = visitor.json(f"/memory/{one}.json")

    assert found["memory"]["text"] == "First."
    assert [it["text"] for it in found["versions"]] == ["First.", "Second.", "First."]


def test_a_megabyte_is_shown_in_part_and_kept_whole(visitor: Visitor) -> None:
    text = "word " * 190_000
    visitor.post("/memories/add", {"text": text, "kind": "long"})
    one = visitor.json("/memories.json?kind=long")["memories"][0]["id"]
    page = visitor.get(f"/memory/{one}")

    assert len(page.body) < 300_000
    assert visitor.get(f"/memory/{one}/text").body.decode().split() == text.split()
    assert visitor.get(f"/memory/{one}/text").headers["content-type"].startswith("text/plain")
    assert json.loads(visitor.get(f"/memory/{one}.json").body)["memory"]["text"].split()
