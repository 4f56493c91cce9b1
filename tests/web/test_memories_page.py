"""The list of memories: filters in the address, pages, and changes to many at once."""

import json
import re
from html import unescape

import pytest

from tests.faces.http_client import Running
from tests.web.visitor import Visitor


@pytest.fixture
def bank(request: pytest.FixtureRequest) -> str:
    """A bank of its own for each test."""
    return request.node.name


def texts(visitor: Visitor, address: str) -> list[str]:
    return [one["text"] for one in visitor.json(address)["memories"]]


def test_a_new_store_shows_how_to_connect(visitor: Visitor, bank: str) -> None:
    page = visitor.get(f"/memories?bank={bank}").body.decode()

    assert "commonplace connect" in page
    assert "claude mcp add" in page


def test_every_filter_is_in_the_address(visitor: Visitor, bank: str) -> None:
    where = f"/memories/add?bank={bank}"
    visitor.post(where, {"text": "Rule of the shop.", "kind": "rule", "project": "shop"})
    visitor.post(where, {"text": "Tagged.", "tags": "red, blue"})
    base = f"/memories.json?bank={bank}"

    assert texts(visitor, f"{base}&kind=rule&project=shop") == ["Rule of the shop."]
    assert texts(visitor, f"{base}&tag=red&tag=blue") == ["Tagged."]
    assert texts(visitor, f"{base}&tag=green") == []
    assert len(texts(visitor, f"{base}&dialect=web")) == 2
    assert texts(visitor, f"{base}&dialect=vault") == []
    assert texts(visitor, f"{base}&since=2999-01-01") == []
    assert len(texts(visitor, f"{base}&until=2999-01-01")) == 2
    assert texts(visitor, f"{base}&q=which+rule") == ["Rule of the shop."]


def test_pages_by_cursor_show_each_memory_once_while_others_are_written(
    visitor: Visitor, bank: str
) -> None:
    for number in range(7):
        visitor.remember(f"Fact {number}.", bank=bank) if number == 6 else visitor.post(
            f"/memories/add?bank={bank}", {"text": f"Fact {number}."}
        )
    seen: list[str] = []
    address = f"/memories.json?bank={bank}&limit=3"
    while address:
        page = visitor.json(address)
        seen += [one["text"] for one in page["memories"]]
        address = page["next"]
        visitor.post(f"/memories/add?bank={bank}", {"text": f"New {len(seen)}."})

    assert seen == [f"Fact {number}." for number in reversed(range(7))]


def test_thirty_memories_are_forgotten_and_brought_back_with_one_undo(
    visitor: Visitor, bank: str
) -> None:
    for number in range(30):
        visitor.post(f"/memories/add?bank={bank}", {"text": f"Fact {number}."})
    chosen = [one["id"] for one in visitor.json(f"/memories.json?bank={bank}")["memories"]]
    done = visitor.post(f"/memories/change?bank={bank}", {"id": chosen, "action": "forget"})

    assert len(chosen) == 30
    assert texts(visitor, f"/memories.json?bank={bank}") == []

    page = visitor.get(done.headers["location"]).body.decode()
    steps = unescape(re.findall(r'name="steps" value="([^"]+)"', page)[0])
    assert "Forgot 30 memories." in page
    visitor.post(f"/undo?bank={bank}", {"steps": steps})

    assert len(texts(visitor, f"/memories.json?bank={bank}")) == 30


def test_an_undo_leaves_what_changed_meanwhile(visitor: Visitor, bank: str) -> None:
    one, two = (visitor.remember(text, bank=bank) for text in ("One.", "Two."))
    done = visitor.post(
        f"/memories/change?bank={bank}", {"id": [one, two], "action": "tag", "tags": "new"}
    )
    page = visitor.get(done.headers["location"]).body.decode()
    steps = unescape(re.findall(r'name="steps" value="([^"]+)"', page)[0])
    visitor.post(f"/memory/{one}/edit?bank={bank}", {"text": "One more.", "tags": "new"})
    after = visitor.post(f"/undo?bank={bank}", {"steps": steps})
    found = {
        one["text"]: one["tags"] for one in visitor.json(f"/memories.json?bank={bank}")["memories"]
    }

    assert found == {"One more.": ["new"], "Two.": []}
    assert "1 got a newer version" in visitor.get(after.headers["location"]).body.decode()


def test_a_move_to_another_bank_is_undone_in_both(visitor: Visitor, bank: str) -> None:
    one = visitor.remember("It belongs elsewhere.", bank=bank, project="shop", tags="kept")
    there = bank + " there"
    done = visitor.post(
        f"/memories/change?bank={bank}", {"id": one, "action": "move", "to_bank": there}
    )
    moved = visitor.json(f"/memories.json?bank={there.replace(' ', '%20')}")["memories"]

    assert [(it["text"], it["project"], it["tags"]) for it in moved] == [
        ("It belongs elsewhere.", "shop", ["kept"])
    ]
    assert texts(visitor, f"/memories.json?bank={bank}") == []

    page = visitor.get(done.headers["location"]).body.decode()
    steps = unescape(re.findall(r'name="steps" value="([^"]+)"', page)[0])
    visitor.post(f"/undo?bank={bank}", {"steps": steps})

    assert texts(visitor, f"/memories.json?bank={bank}") == ["It belongs elsewhere."]
    assert texts(visitor, f"/memories.json?bank={there.replace(' ', '%20')}") == []


def test_erasing_asks_first_and_then_leaves_nothing(visitor: Visitor, bank: str) -> None:
    one = visitor.remember("A secret that must go.", bank=bank)
    asked = visitor.post(f"/memories/change?bank={bank}", {"id": one, "action": "purge"})

    assert asked.status == 200
    assert b"It cannot be undone" in asked.body
    assert texts(visitor, f"/memories.json?bank={bank}") == ["A secret that must go."]

    visitor.post(f"/memories/purge?bank={bank}", {"id": one})

    assert visitor.get(f"/memory/{one}?bank={bank}").status == 404


@pytest.mark.parametrize(
    ("path", "status", "text"),
    [
        ("/memory/m0zzzzzzzzzz", 404, "There is no memory"),
        ("/memory/nonsense", 400, "is not a memory id"),
        ("/memories?after=stale", 400, "Start again at the first page"),
        ("/memories?after=1-x", 400, "Start again at the first page"),
        ("/memories?since=yesterday", 400, "is not a time"),
        ("/memories?state=odd", 400, "There is no state"),
        ("/memories?limit=many", 400, "Use a whole number"),
        ("/memories/no/such", 404, "There is no such page"),
        ("/static/../site.py", 404, ""),
    ],
)
def test_bad_addresses_get_a_page_that_explains(
    visitor: Visitor, path: str, status: int, text: str
) -> None:
    answer = visitor.get(path)

    assert answer.status == status
    assert text in unescape(answer.body.decode())
    assert "Traceback" not in answer.body.decode()


def test_the_json_twin_of_an_error_is_json(visitor: Visitor) -> None:
    answer = visitor.get("/memory/nonsense.json")

    assert answer.status == 400
    assert json.loads(answer.body)["error"]["hint"]


def test_a_form_that_is_too_large_gets_a_page(running: Running, visitor: Visitor) -> None:
    visitor.get("/memories")
    answer = running.send(
        "POST",
        "/memories/add",
        b"x" * 100,
        {"content-length": "200000000", "origin": running.url},
    )

    assert answer.status == 413
    assert b"<h1>The request exceeds" in answer.body
