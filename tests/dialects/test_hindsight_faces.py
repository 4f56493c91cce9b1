"""Hindsight through the real program in a process of its own, over HTTP, as its page shows."""

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.dialects.requirements import requirement
from tests.faces.http_client import Running, collected

KEY = "your-secret-key"
BEARER = f"Bearer {KEY}"
EXTENSION = "hindsight_api.extensions.builtin.tenant:ApiKeyTenantExtension"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    home = tmp_path_factory.mktemp("served")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("COMMONPLACE_", "HINDSIGHT_"))}
    told = {
        "COMMONPLACE_HOME": str(home),
        "HINDSIGHT_API_TENANT_EXTENSION": EXTENSION,
        "HINDSIGHT_API_TENANT_API_KEY": KEY,
        "HINDSIGHT_API_MCP_INSTRUCTIONS": "Use project:<name> tags.",
        "HINDSIGHT_MCP_BANK_ID": "usual",
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "commonplace", "serve", "--port", "0"],
        env=kept | told,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with collected(process, home) as running:
        yield running


def names(served: Running, path: str, **headers: str) -> list[str]:
    answer: Any = served.ask(path, "tools/list", {}, authorization=BEARER, **headers).json
    return [tool["name"] for tool in answer["result"]["tools"]]


@requirement("hindsight:http:curl", "hindsight:http:key")
def test_the_curl_of_the_page_works_with_its_key_only(served: Running) -> None:
    assert len(names(served, "/mcp", x_bank_id="my-bank")) == 30
    assert len(names(served, "/mcp/")) == 30
    assert len(names(served, "/mcp/alice/")) == len(names(served, "/mcp/alice")) == 27
    assert served.ask("/mcp", "tools/list").status == 401
    assert served.ask("/mcp", "tools/list", authorization="Bearer wrong").status == 401


@requirement("hindsight:http:bank-order")
def test_the_bank_is_that_of_the_path_then_the_header_then_the_environment(served: Running) -> None:
    for path, headers, bank in (
        ("/mcp/path/", {"x_bank_id": "header"}, "path"),
        ("/mcp", {"x_bank_id": "header"}, "header"),
        ("/mcp", {}, "usual"),
    ):
        served.call(path, "sync_retain", {"content": f"This is {bank}."}, authorization=BEARER, **headers)
        answer = served.call(f"/mcp/{bank}", "list_memories", {}, authorization=BEARER)
        assert [one["text"] for one in answer["items"]] == [f"This is {bank}."]


@requirement("hindsight:tools:instructions")
def test_the_instructions_of_the_environment_are_shown(served: Running) -> None:
    answer: Any = served.ask("/mcp", "tools/list", authorization=BEARER).json
    told = [one["name"] for one in answer["result"]["tools"] if "Use project:<name> tags." in one["description"]]
    assert told == ["retain", "recall"]


@requirement("hindsight:banks:allowlist")
def test_a_bank_lists_the_tools_it_allows(served: Running) -> None:
    given = {"config_updates": {"mcp_enabled_tools": ["recall", "get_bank"]}}
    served.call("/mcp/closed", "update_bank", given, authorization=BEARER)
    assert names(served, "/mcp/closed") == ["recall", "get_bank"]
    assert names(served, "/mcp", x_bank_id="closed") == ["recall", "get_bank"]
    assert len(names(served, "/mcp/open")) == 27
