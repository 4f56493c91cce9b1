"""The real server refuses a body that is not UTF-8, on every path and in every era."""

import json
from collections.abc import Iterator

import pytest

from tests.dialects.test_hindsight_faces import serving
from tests.faces.http_client import META, MODERN, Running

BANKED = ("hindsight", "memories", "memstate", "powermem")
PATHS = ("/mcp", *(f"/{name}/mcp" for name in BANKED), *(f"/{name}/mcp/a-bank" for name in BANKED))
HANDSHAKE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "raw", "version": "1"},
}
BROKEN = {
    "a stray byte": b"\xff",
    "half of a character in bytes": b"\xed\xa0\xbd",
    "a character cut short": "é".encode()[:1],
    "Latin letters of another encoding": "café".encode("latin-1"),
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with serving(tmp_path_factory.mktemp("served")) as running:
        yield running


def body(method: str, params: dict[str, object], broken: bytes) -> bytes:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return json.dumps(message).encode().replace(b"HERE", broken)


@pytest.mark.parametrize("path", PATHS)
def test_a_body_that_is_not_utf_8_is_a_parse_error_on_every_path(
    served: Running, path: str
) -> None:
    opened = served.post(path, body("initialize", HANDSHAKE, b""))
    call = {"name": "recall", "arguments": {"query": "HERE"}}
    modern = {"mcp_protocol_version": MODERN, "mcp_method": "tools/call", "mcp_name": "recall"}
    for broken in BROKEN.values():
        requests = (
            (body("tools/call", call, broken), {}),
            (body("tools/call", call, broken), {"accept": "application/json"}),
            (
                body("tools/call", call, broken),
                {"mcp_session_id": opened.headers["mcp-session-id"]},
            ),
            (body("tools/call", call | {"_meta": META}, broken), modern),
            (body("tools/list", {"cursor": "HERE"}, broken), {}),
            (
                body(
                    "initialize",
                    HANDSHAKE | {"clientInfo": {"name": "HERE", "version": "1"}},
                    broken,
                ),
                {},
            ),
        )
        for sent, headers in requests:
            answer = served.post(path, sent, **headers)
            assert (answer.status, answer.json["error"]["code"]) == (400, -32700), (sent, headers)
            assert "UTF-8" in answer.json["error"]["message"]


def test_what_is_utf_8_is_read_and_a_refused_body_leaves_no_line_in_the_log(
    served: Running,
) -> None:
    for text in ("café", "漢字", "🎉"):
        answer = served.call("/mcp/letters", "sync_retain", {"content": f"The sign is {text}."})
        assert answer["status"] == "completed"
    assert served.post("/mcp", b"\xff").status == 400
    assert "error" not in "\n".join(served.lines).lower()
