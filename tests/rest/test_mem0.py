"""mem0's REST interfaces, as its clients use them. `make interop` runs the published client."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.faces.http_client import Answer, Running, server

KEY = {"authorization": "Token secret-key", "content-type": "application/json"}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    home = tmp_path_factory.mktemp("home")
    with server(
        home, "serve", "--port", "0", module="commonplace", COMMONPLACE_API_KEY="secret-key"
    ) as one:
        yield one


def ask(running: Running, method: str, path: str, body: object = None) -> Answer:
    encoded = None if body is None else json.dumps(body).encode()
    return running.send(method, path, encoded, KEY)


def add(running: Running, text: str, **given: Any) -> str:
    answer = ask(running, "POST", "/v3/memories/add/", {"messages": text, **given})
    assert answer.status == 200, answer.body
    return answer.json["results"][0]["id"]


def test_what_is_added_is_searched_listed_changed_and_deleted(running: Running) -> None:
    assert ask(running, "GET", "/v1/ping/").json["status"] == "ok"
    messages = [{"role": "user", "content": "Ada keeps the spare key under the blue pot."}]
    number = add(running, messages, user_id="ada", metadata={"source": "chat"})  # pyright: ignore[reportArgumentType]
    search = {"query": "Where is Ada's spare key?", "filters": {"user_id": "ada"}}
    found = ask(running, "POST", "/v3/memories/search/", search).json["results"]
    assert [(one["id"], one["user_id"]) for one in found] == [(number, "ada")]
    listed = ask(
        running, "POST", "/v3/memories/?page=1&page_size=5", {"filters": {"user_id": "ada"}}
    )
    assert (listed.json["count"], listed.json["next"]) == (1, None)
    changed = ask(running, "PUT", f"/v1/memories/{number}/", {"metadata": {"seen": True}}).json
    assert changed["metadata"] == {"source": "chat", "seen": True}
    text = {"text": "Ada keeps the spare key at the neighbour's."}
    assert ask(running, "PUT", f"/v1/memories/{number}/", text).json["memory"] == text["text"]
    events = ask(running, "GET", f"/v1/memories/{number}/history/").json
    assert [one["event"] for one in events] == ["ADD", "UPDATE", "UPDATE"]
    assert ask(running, "DELETE", f"/v1/memories/{number}/").status == 200
    assert ask(running, "GET", f"/v1/memories/{number}/").status == 404


def test_users_agents_apps_and_runs_have_memories_of_their_own(running: Running) -> None:
    add(running, "Bob plays the violin.", user_id="bob", app_id="music", run_id="r1")
    add(running, "Bob plays chess.", user_id="bob", agent_id="coach")

    def texts(**filters: Any) -> list[str]:
        answer = ask(running, "POST", "/v3/memories/", {"filters": filters})
        return sorted(one["memory"] for one in answer.json["results"])

    assert texts(user_id="bob") == ["Bob plays chess.", "Bob plays the violin."]
    assert texts(AND=[{"user_id": "bob"}, {"app_id": "music"}]) == ["Bob plays the violin."]
    assert texts(user_id="bob", agent_id="coach") == ["Bob plays chess."]
    assert texts(user_id="bob", NOT=[{"run_id": "r1"}]) == ["Bob plays chess."]
    assert texts(app_id="music") == []
    assert texts(user_id="*", app_id="music") == ["Bob plays the violin."]
    entities = ask(running, "GET", "/v1/entities/").json["results"]
    assert {"app:music", "agent:coach", "run:r1", "user:bob"} <= {one["id"] for one in entities}
    assert ask(running, "DELETE", "/v2/entities/app/music/").json["deleted"] == 1
    assert texts(user_id="bob") == ["Bob plays chess."]
    assert ask(running, "DELETE", "/v1/memories/?user_id=bob").json["deleted"] == 1
    assert texts(user_id="bob") == []


def test_batches_happen_whole_or_not_at_all(running: Running) -> None:
    numbers = [add(running, f"Cleo owns cat number {n}.", user_id="cleo") for n in (1, 2)]
    changes = [{"memory_id": one, "text": f"Cleo gave away cat {one}."} for one in numbers]
    bad = [*changes, {"memory_id": "m00000000042", "text": "x"}]
    assert ask(running, "PUT", "/v1/batch/", {"memories": bad}).status == 404
    assert "number" in ask(running, "GET", f"/v1/memories/{numbers[0]}/").json["memory"]
    assert ask(running, "PUT", "/v1/batch/", {"memories": changes}).status == 200
    assert "gave away" in ask(running, "GET", f"/v1/memories/{numbers[1]}/").json["memory"]
    gone = [{"memory_id": one} for one in numbers]
    assert ask(running, "DELETE", "/v1/batch/", {"memories": gone}).status == 200
    assert ask(running, "GET", f"/v1/memories/{numbers[0]}/").status == 404


def test_the_open_source_server_has_its_paths_below_mem0(running: Running) -> None:
    body = {"messages": [{"role": "user", "content": "Dora drinks oat milk."}], "user_id": "dora"}
    number = ask(running, "POST", "/mem0/memories", body).json["results"][0]["id"]
    assert ask(running, "GET", "/mem0/memories?user_id=dora").json["count"] == 1
    search = {"query": "What does Dora drink?", "user_id": "dora"}
    found = ask(running, "POST", "/mem0/search", search).json["results"]
    assert [one["id"] for one in found] == [number]
    assert ask(running, "DELETE", f"/mem0/memories/{number}").status == 200
    assert ask(running, "POST", "/mem0/reset").status == 403


def test_errors_have_a_detail_and_what_is_left_out_is_named(running: Running) -> None:
    assert running.get("/v1/ping/").status == 401
    for path, body, status in (
        ("/v3/memories/add/", {"messages": []}, 400),
        ("/v3/memories/search/", {"query": " "}, 400),
        ("/v3/memories/search/", {"query": "x", "filters": []}, 200),
        ("/v3/memories/search/", {"query": "x", "filters": ["a"]}, 400),
        ("/v3/memories/search/", {"query": "x", "filters": {"AND": ["a"]}}, 400),
        ("/v1/summary/", {}, 501),
        ("/v1/exports/", {}, 501),
        ("/v1/nothing/", {}, 404),
    ):
        answer = ask(running, "POST", path, body)
        assert answer.status == status, (path, body, answer.body)
        assert status == 200 or answer.json["detail"]
    assert ask(running, "DELETE", "/v1/memories/").status == 400
    assert ask(running, "DELETE", "/v2/entities/planet/mars/").status == 400


def test_what_any_dialect_stores_is_found_here_and_the_other_way_round(running: Running) -> None:
    arguments = {"text": "Emil repairs clocks in Graz."}
    running.call("/mem0/mcp", "add_memories", arguments, authorization="Bearer secret-key")
    search = {"query": "Who repairs clocks?"}
    found = ask(running, "POST", "/v3/memories/search/", search).json["results"]
    assert [one["memory"] for one in found] == [arguments["text"]]
    path = "/v1/default/banks/default/memories/recall"
    recalled = ask(running, "POST", path, {"query": "Who repairs clocks?"}).json["results"]
    assert [one["id"] for one in recalled] == [found[0]["id"]]
