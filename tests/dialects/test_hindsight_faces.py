"""Hindsight through the real program in a process of its own, over HTTP, as its page shows."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.dialects.requirements import requirement
from tests.faces.http_client import DEADLINE_S, Running, collected, until

KEY, MASTER = "your-secret-key", "the-key-for-everything"
BEARER = f"Bearer {KEY}"
EXTENSION = "hindsight_api.extensions.builtin.tenant:ApiKeyTenantExtension"


def started(home: Path, **told: str) -> subprocess.Popen[str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("COMMONPLACE_", "HINDSIGHT_"))
    }
    return subprocess.Popen(
        [sys.executable, "-m", "commonplace", "serve", "--port", "0"],
        env=kept | {"COMMONPLACE_HOME": str(home)} | told,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextmanager
def serving(home: Path, **told: str) -> Iterator[Running]:
    with collected(started(home, **told), home) as running:
        yield running


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    told = {
        "COMMONPLACE_API_KEY": MASTER,
        "HINDSIGHT_API_TENANT_EXTENSION": EXTENSION,
        "HINDSIGHT_API_TENANT_API_KEY": KEY,
        "HINDSIGHT_API_MCP_INSTRUCTIONS": "Use project:<name> tags.",
        "HINDSIGHT_MCP_BANK_ID": "usual",
    }
    with serving(tmp_path_factory.mktemp("served"), **told) as running:
        yield running


def names(served: Running, path: str, **headers: str) -> list[str]:
    answer: Any = served.ask(path, "tools/list", {}, authorization=BEARER, **headers).json
    return [tool["name"] for tool in answer["result"]["tools"]]


def called(
    served: Running, path: str, tool: str, arguments: dict[str, Any], **headers: str
) -> dict[str, Any]:
    """The whole result of a call."""
    params = {"name": tool, "arguments": arguments}
    result: dict[str, Any] = served.ask(
        path, "tools/call", params, authorization=BEARER, **headers
    ).json["result"]
    return result


@requirement("hindsight:http:curl", "hindsight:http:key", "hindsight:http:mounted")
def test_the_curl_of_the_page_works_with_its_key_only(served: Running) -> None:
    assert len(names(served, "/mcp", x_bank_id="my-bank")) == 39
    assert len(names(served, "/mcp/")) == 39
    assert len(names(served, "/mcp/alice/")) == len(names(served, "/mcp/alice")) == 36
    for wrong in ("Bearer wrong", "Bearer", KEY, f"Basic {KEY}", f"Bearer {KEY[:-1]}"):
        assert served.ask("/mcp", "tools/list", authorization=wrong).status == 401
    assert served.ask("/mcp", "tools/list").status == 401
    assert served.ask("/mcp/alice/", "tools/list").status == 401
    assert served.get("/mcp/alice/").status == 401


@requirement("hindsight:http:key", "hindsight:http:keys")
def test_both_keys_open_the_endpoints_and_health_is_open(served: Running) -> None:
    for right in (BEARER, f"bearer {KEY}", f"Bearer {MASTER}"):
        assert served.ask("/mcp/alice/", "tools/list", authorization=right).status == 200
    assert served.get("/health").status == 200
    # The tenant's key is for this tongue alone.
    assert served.ask("/memstate/mcp", "tools/list", authorization=BEARER).status == 401
    assert served.get("/metrics", authorization=BEARER).status == 401
    assert served.ask("/memstate/mcp", "tools/list", authorization=f"Bearer {MASTER}").status == 200


@requirement(
    "hindsight:http:enabled",
    "hindsight:http:open",
    "hindsight:http:mounted",
    "hindsight:http:bank-order",
)
def test_the_endpoints_are_there_and_open_unless_they_are_switched_off(tmp_path: Path) -> None:
    with serving(tmp_path) as running:
        assert running.ask("/mcp", "tools/list").status == 200
        assert running.ask("/hindsight/mcp/alice", "tools/list").status == 200
        for path in ("/mcp/alice/", "/mcp"):
            assert (
                running.call(path, "sync_retain", {"content": "The kettle is blue."})["status"]
                == "completed"
            )
        # Where nobody names a bank, it is called default.
        for bank in ("alice", "default"):
            assert running.call(f"/mcp/{bank}/", "list_memories", {})["total"] == 1
    with serving(
        tmp_path, HINDSIGHT_API_MCP_ENABLED="false", HINDSIGHT_API_TENANT_API_KEY=KEY
    ) as running:
        for path in ("/mcp", "/mcp/", "/mcp/alice/", "/hindsight/mcp", "/hindsight/mcp/alice"):
            assert running.ask(path, "tools/list").status == 404
        assert running.get("/health").status == 200
        assert running.ask("/memstate/mcp", "tools/list").status == 200
        listed = next(line for line in running.lines if "endpoints" in line)
        assert "hindsight" not in listed
        # The same memories are behind the other endpoints.
        until(lambda: "set COMMONPLACE_API_KEY to protect the other endpoints" in running.log)


@requirement("hindsight:http:key")
def test_an_extension_without_a_key_does_not_leave_the_door_open(tmp_path: Path) -> None:
    process = started(tmp_path, HINDSIGHT_API_TENANT_EXTENSION=EXTENSION)
    said = process.communicate(timeout=DEADLINE_S)[1]
    assert process.returncode != 0
    assert "HINDSIGHT_API_TENANT_API_KEY" in said


@requirement("hindsight:http:bank-order")
def test_the_bank_is_that_of_the_path_then_the_header_then_the_environment(served: Running) -> None:
    for path, headers, bank in (
        ("/mcp/path/", {"x_bank_id": "header"}, "path"),
        ("/mcp", {"x_bank_id": "header"}, "header"),
        ("/mcp", {}, "usual"),
    ):
        served.call(
            path, "sync_retain", {"content": f"This is {bank}."}, authorization=BEARER, **headers
        )
        answer = served.call(f"/mcp/{bank}", "list_memories", {}, authorization=BEARER)
        assert [one["text"] for one in answer["items"]] == [f"This is {bank}."]


@requirement("hindsight:tools:instructions")
def test_the_instructions_of_the_environment_are_shown(served: Running) -> None:
    for path in ("/mcp", "/mcp/alice/"):
        answer: Any = served.ask(path, "tools/list", authorization=BEARER).json
        told = [
            one["name"]
            for one in answer["result"]["tools"]
            if "Use project:<name> tags." in one["description"]
        ]
        assert told == ["retain", "recall"]


@requirement("hindsight:banks:allowlist", "hindsight:banks:allowlist-holds")
def test_a_bank_lists_and_runs_only_the_tools_it_allows(served: Running) -> None:
    given = {"config_updates": {"mcp_enabled_tools": ["recall", " Get_Bank "]}}
    served.call("/mcp/closed", "update_bank", given, authorization=BEARER)
    assert names(served, "/mcp/closed") == ["recall", "get_bank"]
    assert names(served, "/mcp", x_bank_id="closed") == ["recall", "get_bank"]
    assert len(names(served, "/mcp/open")) == 36
    keep = {"content": "Sesame."}
    for path, tool, arguments, headers in (
        ("/mcp/closed", "sync_retain", keep, {}),
        ("/mcp/closed/", "SYNC_RETAIN", keep, {}),
        ("/mcp/closed", "sync_retain", {**keep, "bank_id": "open"}, {}),
        ("/mcp/closed", "retain", keep, {"x_bank_id": "open"}),
        ("/mcp", "sync_retain", keep, {"x_bank_id": "closed"}),
        ("/mcp", "sync_retain", {**keep, "bank_id": "closed"}, {"x_bank_id": "open"}),
        ("/mcp", "sync_retain", {**keep, "bank_id": " closed "}, {}),
        ("/mcp", "list_memories", {"bank_id": "closed"}, {}),
        (
            "/mcp",
            "update_bank",
            {"bank_id": "closed", "config_updates": {"mcp_enabled_tools": None}},
            {},
        ),
        ("/mcp", "create_bank", {"bank_id": "closed"}, {}),
        ("/mcp", "delete_bank", {"bank_id": "closed"}, {}),
    ):
        result = called(served, path, tool, arguments, **headers)
        assert result["isError"], (path, tool, arguments)
        assert result["content"][0]["text"] == f"Unknown tool: '{tool}'"
    params = {"name": "sync_retain", "arguments": {**keep, "bank_id": "closed"}}
    batch = [
        {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        for number in range(2)
    ]
    assert served.post("/mcp", json.dumps(batch).encode(), authorization=BEARER).status == 400
    modern = served.ask_modern("/mcp", "tools/call", params, authorization=BEARER).json
    assert modern["result"]["isError"] is True
    assert (
        called(served, "/mcp/closed", "recall", {"query": "Sesame"})["structuredContent"]["results"]
        == []
    )


@requirement("hindsight:banks:allowlist-holds")
def test_lists_of_tools_are_kept_by_nobody_else(served: Running) -> None:
    for path in ("/mcp", "/mcp/open"):
        answer = served.ask_modern(path, "tools/list", authorization=BEARER).json["result"]
        assert (answer["cacheScope"], answer["ttlMs"]) == ("private", 0)
    other = served.ask_modern("/memstate/mcp", "tools/list", authorization=f"Bearer {MASTER}").json[
        "result"
    ]
    assert other["cacheScope"] == "public"


@requirement("hindsight:shapes:two", "hindsight:shapes:failures")
def test_answers_look_on_the_wire_as_the_original_sends_them(served: Running) -> None:
    many = called(served, "/mcp", "get_bank", {"bank_id": "nobody"})
    assert many["structuredContent"] == {"result": many["content"][0]["text"]}
    assert (many["isError"], many["_meta"]["fastmcp"]) == (False, {"wrap_result": True})
    one = called(served, "/mcp/nobody/", "get_bank", {})
    assert (
        one["structuredContent"]
        == json.loads(one["content"][0]["text"])
        == {"error": "Bank 'nobody' not found"}
    )
    assert "fastmcp" not in one.get("_meta", {})
    kept = called(served, "/mcp", "sync_retain", {"content": "Shapes.", "bank_id": "shapes"})
    assert kept["structuredContent"]["status"] == "completed"
    wrong = called(served, "/mcp/nobody/", "recall", {})
    assert (wrong["isError"], "`query` is required" in wrong["content"][0]["text"]) == (True, True)
    gone = called(served, "/mcp/nobody/", "list_banks", {})
    assert (gone["isError"], gone["content"][0]["text"]) == (True, "Unknown tool: 'list_banks'")
