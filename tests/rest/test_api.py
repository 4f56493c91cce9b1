"""Our REST interface, on a server of its own."""

import json
import threading
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.faces.http_client import Answer, Running
from tests.rest.conftest import Rest

PROBLEM = "application/problem+json"


def kind_of(answer: Answer) -> tuple[int, str]:
    assert answer.headers["content-type"] == PROBLEM
    problem = json.loads(answer.body)
    assert problem["status"] == answer.status
    assert problem["detail"]
    assert problem["hint"]
    return answer.status, problem["type"].partition("#")[2]


def test_what_is_remembered_is_recalled(rest: Rest) -> None:
    draft = {
        "text": "Staging listens on port 8080.",
        "tags": ["ops"],
        "scope": {"project": "shop"},
        "metadata": {"deep": [1, None, {"ü": True}]},
        "happened_at": "2026-01-02T10:00:00+01:00",
    }
    added = rest.post("/memories", draft)
    memory = added.json["memory"]
    assert (added.status, added.json["change"], added.headers["etag"]) == (200, "added", '"1"')
    assert memory["happened_at"] == "2026-01-02T09:00:00.000Z"
    assert (memory["metadata"], memory["scope"]["project"]) == (draft["metadata"], "shop")
    found = rest.post("/recall", {"text": "which port does staging use?"}).json
    assert [hit["memory"]["id"] for hit in found["hits"]] == [memory["id"]]
    assert rest.get(f"/memories/{memory['id']}").json == memory


def test_a_memory_is_read_with_any_form_of_its_id(rest: Rest, running: Running) -> None:
    kept = running.call("/memories/mcp", "add_memory", {"content": "Lunch is at noon."})
    short = kept["data"]["memory"]["id"] if "data" in kept else kept["memory"]["id"]
    answer = running.get(f"/api/v1/banks/default/memories/{short}")
    assert (answer.status, answer.json["text"]) == (200, "Lunch is at noon.")


def test_a_change_that_is_based_on_an_old_version_is_refused(rest: Rest) -> None:
    path = f"/memories/{rest.remember('one')['id']}"
    first = rest.send("PATCH", path, b'{"text": "two"}', {"if-match": '"1"'})
    assert (first.status, first.headers["etag"]) == (200, '"2"')
    late = rest.send("PATCH", path, b'{"text": "three"}', {"if-match": '"1"'})
    assert kind_of(late) == (412, "Conflict")
    assert rest.get(path).json["text"] == "two"
    assert rest.send("PATCH", path, b'{"text": "four"}', {"if-match": "*"}).status == 200
    assert kind_of(rest.send("PATCH", path, b'{"text": "x"}', {"if-match": "2"}))[0] == 400
    assert kind_of(rest.send("PATCH", path, b'{"text": "x"}', {"if-match": '"9x"'}))[0] == 400


def test_a_memory_that_did_not_change_is_not_sent_again(rest: Rest) -> None:
    path = f"/memories/{rest.remember('one')['id']}"
    answer = rest.get(path, if_none_match='"1"')
    assert (answer.status, answer.body) == (304, b"")
    assert rest.get(path, if_none_match='"2"').status == 200


def test_forgotten_memories_are_restored_and_purged_ones_are_gone(rest: Rest) -> None:
    number = rest.remember("The password is swordfish.")["id"]
    forgotten = rest.post("/memories/forget", {"memory_ids": [number]}).json["items"]
    assert forgotten[0]["change"] == "forgotten"
    assert rest.get("/memories").json["items"] == []
    assert rest.get("/memories?status=forgotten").json["items"][0]["id"] == number
    rest.post("/memories/restore", {"memory_ids": [number], "origin": {"reason": "needed"}})
    versions = rest.get(f"/memories/{number}/history").json["items"]
    assert [one["action"] for one in versions] == ["remember", "forget", "restore"]
    assert versions[2]["origin"] == {
        "who": "",
        "dialect": "rest",
        "session": "",
        "reason": "needed",
    }
    receipt = rest.post("/memories/purge", {"memory_ids": [number]}).json
    assert [(one["kind"], one["id"]) for one in receipt["gone"]] == [("memory", number)]
    assert "swordfish" not in json.dumps(receipt)
    assert kind_of(rest.get(f"/memories/{number}")) == (404, "NotFound")


def test_a_batch_is_stored_as_a_whole_or_not_at_all(rest: Rest) -> None:
    drafts = [{"text": "one"}, {"text": "two", "kind": "rule"}]
    made = rest.post("/memories/batch", {"drafts": drafts}).json["items"]
    assert [one["memory"]["kind"] for one in made] == ["note", "rule"]
    bad = rest.post("/memories/batch", {"drafts": [{"text": "three"}, {"text": " "}]})
    assert kind_of(bad) == (400, "Invalid")
    assert rest.post("/memories/count", {}).json == {"count": 2}


def test_pages_show_every_memory_once_whatever_is_written_meanwhile(rest: Rest) -> None:
    numbers = [rest.remember(f"memory {n}", tags=["t"])["id"] for n in range(7)]
    seen: list[int] = []
    cursor = ""
    while True:
        page = rest.get(f"/memories?limit=2&tag=t{cursor}").json
        seen += [one["id"] for one in page["items"]]
        rest.remember("written meanwhile", tags=["t"])
        if page["next"] is None:
            break
        cursor = f"&cursor={page['next']}"
    assert seen == numbers[::-1]


def test_a_cursor_of_another_bank_or_filter_is_refused(rest: Rest, running: Running) -> None:
    for text in ("the red house", "the red car", "the red door"):
        rest.remember(text)
    cursor = rest.get("/memories?limit=1").json["next"]
    other = Rest(running, rest.bank + "-other")
    assert kind_of(other.get(f"/memories?cursor={cursor}")) == (400, "Invalid")
    assert kind_of(rest.get(f"/memories?kind=rule&cursor={cursor}")) == (400, "Invalid")
    for broken in ("x", cursor[:-4], "AAAA", "%00"):
        assert kind_of(rest.get(f"/memories?cursor={broken}")) == (400, "Invalid")
    question: dict[str, Any] = {"text": "what is red?", "limit": 1, "depth": 10}
    after = rest.post("/recall", question).json["next"]
    assert rest.post("/recall", question | {"after": after}).json["hits"]
    assert kind_of(other.post("/recall", question | {"after": after})) == (400, "Invalid")


def test_a_repeated_write_is_done_once(rest: Rest) -> None:
    body = {"text": "The build takes nine minutes."}
    made = [rest.post("/memories", body, idempotency_key="k1").json for _ in range(2)]
    assert [one["change"] for one in made] == ["added", "unchanged"]
    assert made[0]["memory"]["id"] == made[1]["memory"]["id"]
    other = rest.post("/memories", {"text": "Something else."}, idempotency_key="k1")
    assert kind_of(other) == (409, "Conflict")
    batch = {"drafts": [{"text": "one"}, {"text": "two"}]}
    for _ in range(2):
        assert rest.post("/memories/batch", batch, idempotency_key="k1").status == 200
    assert rest.post("/memories/count", {}).json == {"count": 3}
    assert kind_of(rest.post("/memories/forget-where", {}, idempotency_key="k"))[0] == 400


def test_of_two_bodies_with_one_key_at_once_one_is_stored(rest: Rest) -> None:
    answers: list[Answer] = []

    def write(number: int) -> None:
        body = {"text": f"Body number {number}."}
        answers.append(rest.post("/memories", body, idempotency_key="both"))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(one.status for one in answers) == [200, *[409] * 5]
    assert rest.post("/memories/count", {}).json == {"count": 1}


def test_documents_sessions_reminders_and_jobs_have_paths(rest: Rest) -> None:
    stored = rest.post("/documents", {"name": "a/b c.md", "text": "# Title"}).json
    assert stored["change"] == "added"
    assert rest.get("/documents/a%2Fb%20c.md").json["text"] == "# Title"
    assert rest.get("/documents").json["total"] == 1
    assert rest.send("DELETE", "/documents/a%2Fb%20c.md?reason=old").json == {"memory_ids": []}
    session = rest.post("/sessions", {"title": "Monday"}).json
    event = rest.post(f"/sessions/{session['id']}/events", {"text": "Began."}).json
    assert rest.get(f"/sessions/{session['id']}/events").json["items"] == [event]
    assert rest.post(f"/sessions/{session['id']}/end", {}).json["status"] == "closed"
    reminder = rest.post("/reminders", {"cron": "0 9 * * 1", "message": "Stand-up"}).json
    path = f"/reminders/{reminder['id']}"
    assert rest.post(f"{path}/disable", {}).json["enabled"] is False
    assert rest.send("DELETE", path).status == 200
    assert rest.get("/reminders").json == {"items": []}
    assert rest.get("/jobs").json == {"items": [], "total": 0}
    assert rest.get("/jobs/counts").json == {"counts": {}}


def test_banks_are_made_changed_listed_and_erased(rest: Rest, running: Running) -> None:
    made = rest.send("PUT", "", b'{"title": "Shop", "config": {"a": 1}}').json
    assert (made["title"], made["config"]) == ("Shop", {"a": 1})
    assert rest.send("PATCH", "", b'{"mission": "Sell."}').json["mission"] == "Sell."
    names = [one["name"] for one in running.get("/api/v1/banks").json["items"]]
    assert rest.bank in names
    assert [one["kind"] for one in rest.send("DELETE", "").json["gone"]] == ["bank"]
    assert kind_of(rest.get("")) == (404, "NotFound")


def test_names_with_encoded_slashes_stay_one_part_of_the_path(running: Running) -> None:
    odd = Rest(running, "a/b/memories?x=1#y")
    number = odd.remember("odd")["id"]
    assert [one["id"] for one in odd.get("/memories").json["items"]] == [number]
    assert kind_of(running.get("/api/v1/banks/a/b/memories"))[0] == 404
    assert kind_of(running.get("/api/v1/banks/%ff/memories"))[0] == 404
    assert kind_of(running.post("/api/v1/banks/%00/memories", {"text": "x"}))[0] == 400
    assert kind_of(running.get("/api/v1/banks//memories"))[0] == 404


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"[]", 400),
        (b'"text"', 400),
        (b'{"text": NaN}', 400),
        (b"\xff\xfe", 400),
        (b"[" * 100_000, 400),
        (b'{"txt": "x"}', 400),
        (b'{"text": 5}', 400),
        (b'{"text": "\\ud800"}', 400),
        (b'{"text": "x", "tags": "a"}', 400),
        (b'{"text": "x", "happened_at": "yesterday"}', 400),
        (b'{"text": "x", "happened_at": 5}', 400),
        (b'{"text": "x", "document_id": 99999999999999999999999}', 400),
        (b'{"text": "x", "scope": {"project": "p", "team": "t"}}', 400),
        (b'{"text": "' + b"x" * 1_000_001 + b'"}', 413),
        (b'{"text": "' + b"x" * 50_000_000 + b'"}', 413),
    ],
    ids=lambda value: str(value)[:30],
)
def test_bad_bodies_are_refused_and_nothing_is_written(
    running: Running, body: bytes, status: int
) -> None:
    bad = Rest(running, "bad-bodies")
    try:
        answer = bad.send("POST", "/memories", body)
    except ConnectionError:  # The server refused the body before all of it was sent.
        answer = None
    assert answer is None or kind_of(answer)[0] == status
    assert bad.get("/memories").json == {"items": [], "next": None}


def test_other_content_types_paths_and_methods_are_refused(rest: Rest, running: Running) -> None:
    plain = rest.send("POST", "/memories", b"text=x", {"content-type": "text/plain"})
    assert kind_of(plain)[0] == 415
    assert kind_of(rest.get("/nothing"))[0] == 404
    refused = rest.send("DELETE", "/memories")
    assert (kind_of(refused)[0], refused.headers["allow"]) == (405, "GET, POST")
    assert kind_of(rest.get("/memories?lmit=2"))[0] == 400
    assert kind_of(rest.get("/memories?limit=two"))[0] == 400
    assert kind_of(rest.get("/memories?limit=1&limit=2"))[0] == 400
    assert kind_of(rest.get("/memories?limit=999999"))[0] == 413
    assert running.send("HEAD", rest.path("/memories")).status == 200


def test_an_archive_is_exported_and_imported(rest: Rest, running: Running) -> None:
    rest.remember("Exported. \u2028 🐙", tags=["x"])
    exported = rest.get("/export")
    assert exported.headers["content-type"] == "application/x-ndjson"
    lines = exported.body.decode().split("\n")[:-1]
    assert json.loads(lines[0])["counts"]["memory"] == 1
    archive = exported.body.replace(rest.bank.encode(), b"imported-bank")
    lines_type = {"content-type": "application/x-ndjson"}
    rest.send("DELETE", "")
    dry = running.send("POST", "/api/v1/import?dry_run=true", archive, lines_type).json
    assert (dry["added"]["bank"], dry["dry_run"]) == (1, True)
    report = running.send("POST", "/api/v1/import", archive, lines_type)
    assert (report.status, report.json["added"]["memory"]) == (200, 1)
    found = Rest(running, "imported-bank").get("/memories").json["items"]
    assert [one["tags"] for one in found] == [["x"]]


def test_an_archive_that_is_cut_off_imports_nothing(rest: Rest, running: Running) -> None:
    rest.remember("one")
    body = rest.get("/export").body
    cut = body.replace(rest.bank.encode(), b"cut-off")[: len(body) // 2]
    answer = running.send("POST", "/api/v1/import", cut, {"content-type": "application/x-ndjson"})
    assert kind_of(answer) == (400, "Invalid")
    assert kind_of(Rest(running, "cut-off").get("")) == (404, "NotFound")


def test_a_bank_that_allows_only_some_tools_allows_only_their_operations(rest: Rest) -> None:
    number = rest.remember("Kept.")["id"]
    rest.send("PATCH", "", json.dumps({"config": {"mcp_enabled_tools": ["recall"]}}).encode())
    assert rest.post("/recall", {"text": "what is kept?"}).status == 200
    assert kind_of(rest.get(f"/memories/{number}")) == (403, "Forbidden")
    assert kind_of(rest.post("/memories", {"text": "More."})) == (403, "Forbidden")
    assert kind_of(rest.get("/export")) == (403, "Forbidden")
    assert kind_of(rest.send("DELETE", "")) == (403, "Forbidden")


def test_the_openapi_document_describes_every_answer(rest: Rest, running: Running) -> None:
    document = running.get("/openapi.json").json
    assert document["openapi"] == "3.1.0"

    def check(path: str, method: str, answer: Answer) -> None:
        responses = document["paths"][f"/api/v1/banks/{{bank}}{path}"][method]["responses"]
        content = responses["200" if answer.status == 200 else "default"]["content"]
        schema = content[answer.headers["content-type"]]["schema"]
        whole = schema | {"components": document["components"]}
        Draft202012Validator(whole).validate(json.loads(answer.body))

    made = rest.post("/memories", {"text": "Typed."})
    number = made.json["memory"]["id"]
    check("/memories", "post", made)
    check("/memories", "post", rest.post("/memories", {}))
    check("/memories", "get", rest.get("/memories"))
    check("/memories/{memory_id}", "get", rest.get(f"/memories/{number}"))
    check("/recall", "post", rest.post("/recall", {"text": "typed", "depth": 1, "explain": True}))
    check("/memories/{memory_id}/history", "get", rest.get(f"/memories/{number}/history"))
    check("/documents", "post", rest.post("/documents", {"name": "d", "text": "t"}))
    check("/memories/purge", "post", rest.post("/memories/purge", {"memory_ids": [number]}))


def test_every_operation_has_a_section_of_the_page(running: Running) -> None:
    page = running.get("/api").body.decode()
    document = running.get("/openapi.json").json
    paths = document["paths"].items()
    ids = [one["operationId"] for _, methods in paths for one in methods.values()]
    assert len(ids) == len(set(ids)) > 50
    streams = {"export", "export_bank", "import_archive"}
    assert [one for one in ids if f'id="{one}"' not in page and one not in streams] == []
    assert "text/html" in running.get("/api").headers["content-type"]
    assert running.post("/api", {}).status == 405
