"""Memstate through the real program in processes of its own: over HTTP, and with the official
client over pipes.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from mcp import Client

from tests.dialects.requirements import requirement
from tests.faces.http_client import Running, collected
from tests.faces.test_stdio_clients import visited

KEY = "mst_correct-horse"
PATH = "/memstate/mcp"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    home = tmp_path_factory.mktemp("served")
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("COMMONPLACE_", "HINDSIGHT_"))
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "commonplace", "serve", "--port", "0"],
        env=kept | {"COMMONPLACE_HOME": str(home), "COMMONPLACE_API_KEY": KEY},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with collected(process, home) as running:
        yield running


@requirement("memstate:http:api-key")
def test_the_key_is_accepted_as_bearer_and_as_x_api_key(served: Running) -> None:
    given = {"project_id": "p", "keypath": "a", "value": "v"}
    assert (
        served.call(PATH, "memstate_set", given, authorization=f"Bearer {KEY}")["data"]["action"]
        == "created"
    )
    assert served.call(PATH, "memstate_set", given, x_api_key=KEY)["data"]["action"] == "unchanged"
    assert served.ask(PATH, "tools/list").status == 401
    assert served.ask(PATH, "tools/list", x_api_key="wrong").status == 401


@requirement("memstate:clients:sixteen")
def test_sixteen_clients_over_http_make_sixteen_versions_of_one_keypath(served: Running) -> None:
    def write(number: int) -> int:
        given = {"project_id": "crowd", "keypath": "a.b", "value": f"value {number}"}
        version: int = served.call(PATH, "memstate_set", given, x_api_key=KEY)["data"]["version"]
        return version

    with ThreadPoolExecutor(16) as crowd:
        assert sorted(crowd.map(write, range(16))) == list(range(1, 17))
    where = {"project_id": "crowd", "keypath": "a.b"}
    versions = served.call(PATH, "memstate_history", where, x_api_key=KEY)["data"]["versions"]
    assert [one["is_latest"] for one in versions] == [False] * 15 + [True]
    assert len({one["summary"] for one in versions}) == 16


@requirement("memstate:tools:seven", "memstate:envelope:keys", "memstate:envelope:failure")
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_official_client_accepts_every_answer(home: Path, mode: str) -> None:
    calls = [
        ("memstate_get", {}),
        (
            "memstate_remember",
            {"project_id": "p", "content": "# Auth\n- Provider: SuperTokens", "source": "agent"},
        ),
        ("memstate_set", {"project_id": "p", "keypath": "auth.port", "value": "8080"}),
        ("memstate_get", {"project_id": "p", "include_content": True}),
        ("memstate_search", {"query": "provider", "project_id": "p"}),
        ("memstate_history", {"project_id": "p", "keypath": "auth.provider"}),
        ("memstate_delete", {"project_id": "p", "keypath": "auth.port"}),
        ("memstate_delete_project", {"project_id": "p"}),
    ]

    async def visit(client: Client) -> None:
        assert len((await client.list_tools()).tools) == 7
        for name, given in calls:
            result = await client.call_tool(name, given)
            assert not result.is_error
            assert result.structured_content
            assert (result.structured_content["ok"], result.structured_content["request"]) == (
                True,
                given,
            )
        wrong = await client.call_tool("memstate_get", {"project_id": "p", "at_revision": 99})
        assert wrong.is_error
        assert wrong.structured_content
        assert wrong.structured_content["error"]["code"] == "invalid_argument"

    visited(visit, home, "commonplace.mcp", "--dialect", "memstate", mode=mode)
