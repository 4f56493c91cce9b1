"""Memstate's REST interface, with the requests of langchain-memstate."""

import json
from typing import Any

from tests.faces.http_client import Running


def ask(running: Running, path: str, **given: Any) -> Any:
    answer = running.post(f"/api/v1/{path}", {"project_id": "users", **given})
    assert answer.status == 200, answer.body
    return answer.json


def read(running: Running, keypath: str) -> Any:
    return running.get(f"/api/v1/memories/keypath/{keypath}?project_id=users")


def test_a_value_is_put_read_searched_versioned_and_deleted(running: Running) -> None:
    keypath = "users.alice.language"
    for language in ("Python", "Rust"):
        stored = ask(
            running, "memories/remember", keypath=keypath, content=json.dumps({"is": language})
        )
    assert (stored["action"], stored["version"]) == ("superseded", 2)
    item = read(running, keypath).json
    assert json.loads(item["content"]) == {"is": "Rust"}
    listed = ask(running, "memories/search", query="", keypath_prefix="users.alice", limit=10)
    assert [one["memory"]["keypath"] for one in listed["results"]] == [keypath]
    assert json.loads(listed["results"][0]["memory"]["content"]) == {"is": "Rust"}
    versions = ask(running, "memories/history", keypath=keypath)["versions"]
    assert len(versions) == 2
    browsed = ask(running, "keypaths", keypath="users", recursive=True)
    assert keypath in browsed["memories"]
    named = running.get("/api/v1/keypaths?project_id=users&prefix=users").json
    assert keypath in named["keypaths"]
    assert ask(running, "memories/delete", keypath=keypath, recursive=False)["deleted_count"] == 1
    assert read(running, keypath).status == 404


def test_a_text_without_a_keypath_becomes_a_job(running: Running) -> None:
    told = ask(running, "memories/remember", content="# Ports\nstaging: 8080")
    assert told["ingestion_id"].startswith("job_")
    assert running.get(f"/api/v1/jobs/{told['ingestion_id']}").status == 200


def test_wrong_requests_are_refused(running: Running) -> None:
    for path, body in (("search", {"query": 5, "limit": "x"}), ("store", {}), ("delete", [1])):
        answer = running.post(f"/api/v1/memories/{path}", body)
        assert answer.status == 400, (path, answer.body)
        assert answer.json["error"]["message"]
