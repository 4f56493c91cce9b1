"""Bring and take: files go in and come out, and nothing is lost on the way."""

import json
from pathlib import Path

import pytest

from tests.faces.http_client import Answer, Running
from tests.web.visitor import Visitor

BOUNDARY = "----pages"
GRAPH = (
    '{"type":"entity","name":"Ada","entityType":"person","observations":["Ada lives in Paris."]}\n'
)


def upload(visitor: Visitor, name: str, content: bytes, **fields: str) -> Answer:
    """Send a file as a browser does."""
    visitor.get("/transfer")
    whole = {"form_token": visitor.token, **fields}
    parts = [
        f'--{BOUNDARY}\r\ncontent-disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'.encode()
        for key, value in whole.items()
    ]
    head = f'--{BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    body = b"".join([*parts, head.encode(), content, f"\r\n--{BOUNDARY}--\r\n".encode()])
    kind = {"content-type": f"multipart/form-data; boundary={BOUNDARY}"}
    bank = fields.get("bank", "default")
    headers = {**kind, "origin": visitor.running.url, "cookie": visitor.cookie}
    return visitor.running.send("POST", f"/transfer/import?bank={bank}", body, headers)


def texts(visitor: Visitor, bank: str) -> str:
    return visitor.get(f"/memories.json?bank={bank}").body.decode()


def test_a_dry_run_shows_what_an_import_then_does(visitor: Visitor) -> None:
    shown = upload(visitor, "memory.jsonl", GRAPH.encode(), bank="graph", action="dry")
    assert b"Nothing was changed." in shown.body
    assert b"Ada lives in Paris." in shown.body
    assert "Ada" not in texts(visitor, "graph")

    upload(visitor, "memory.jsonl", GRAPH.encode(), bank="graph", action="import")
    assert "Ada lives in Paris." in texts(visitor, "graph")


@pytest.mark.parametrize(
    ("name", "content"),
    [("picture.png", b"\x89PNG\r\n\x1a\n\0\0"), ("../../../etc/passwd", b"root"), ("", b"")],
)
def test_a_file_of_the_wrong_kind_changes_nothing_and_says_what_fits(
    visitor: Visitor, name: str, content: bytes
) -> None:
    answer = upload(visitor, name, content, action="import")

    assert answer.status == 400
    assert b"Traceback" not in answer.body
    # The rest of the page has the path of the program, for the clients that start it.
    _, alert = answer.body.split(b'role="alert"', maxsplit=1)
    assert b"/tmp/" not in alert.split(b"</section>", maxsplit=1)[0].split(b"</div>")[0]


def test_an_upload_without_a_token_is_refused(visitor: Visitor) -> None:
    assert upload(visitor, "memory.jsonl", GRAPH.encode(), form_token="wrong").status == 403


def test_an_export_is_a_file_that_an_import_recognizes(visitor: Visitor) -> None:
    visitor.remember("It travels.", bank="from here")
    exported = visitor.get("/transfer/export?bank=from%20here")
    lines = exported.body.decode().splitlines()

    assert "attachment" in exported.headers["content-disposition"]
    assert json.loads(lines[0])["format"]
    again = upload(visitor, "export.jsonl", exported.body, action="import")
    assert b"a Commonplace archive" in again.body


def test_a_backup_lies_in_the_home(running: Running, visitor: Visitor) -> None:
    answer = visitor.post("/transfer/backup", {})
    made = list(Path(running.home, "backups").iterdir())

    assert len(made) == 1
    assert made[0].name in answer.body.decode()
    assert str(running.home) not in answer.body.decode()


def test_every_assistant_has_its_change(visitor: Visitor) -> None:
    clients = visitor.json("/transfer.json")["clients"]

    assert {"claude-code", "codex", "cursor"} <= {one["name"] for one in clients}
    assert any("/mcp" in one["change"] for one in clients)
