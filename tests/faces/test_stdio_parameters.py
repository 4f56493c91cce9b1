"""A server for one user does not list the parameters that distinguish users."""

from pathlib import Path
from typing import Any

import pytest

from tests.faces.http_client import server
from tests.faces.pipe_client import opened

PROGRAM = "commonplace"
MULTIUSER = {"memories": {"tenant_id", "user_id"}, "powermem": {"user_id"}}


def parameters(tools: list[dict[str, Any]]) -> set[str]:
    return {name for tool in tools for name in tool["inputSchema"]["properties"]}


@pytest.mark.parametrize("dialect", list(MULTIUSER))
def test_stdio_leaves_out_what_tells_people_apart_and_nothing_else(
    dialect: str, home: Path
) -> None:
    with opened(home, PROGRAM, "mcp", "--dialect", dialect) as pipes:
        pipes.hello("2025-06-18")
        shown = parameters(pipes.ask("tools/list")["result"]["tools"])
    with server(home, "serve", "--port", "0", module=PROGRAM) as running:
        answer = running.ask(f"/{dialect}/mcp", "tools/list")
        served = parameters(answer.json["result"]["tools"])

    assert served - shown == MULTIUSER[dialect]
    assert shown <= served


def test_a_user_is_still_a_wall_for_a_caller_that_names_one_on_stdio(home: Path) -> None:
    with opened(home, PROGRAM, "mcp", "--dialect", "memories") as pipes:
        pipes.hello("2025-06-18")
        pipes.call("add_memory", content="Ada likes tea", user_id="ada")
        of_ada = pipes.call("list_memories", user_id="ada")["structuredContent"]["data"]["memories"]
        of_bo = pipes.call("list_memories", user_id="bo")["structuredContent"]["data"]["memories"]

    assert [one["content"] for one in of_ada] == ["Ada likes tea"]
    assert of_bo == []


def test_a_tenant_is_still_another_bank_for_a_caller_that_names_one_on_stdio(home: Path) -> None:
    with opened(home, PROGRAM, "mcp", "--dialect", "memories") as pipes:
        pipes.hello("2025-06-18")
        pipes.call("add_memory", content="Tea", tenant_id="shop")
        there = pipes.call("list_memories", tenant_id="shop")["structuredContent"]["data"][
            "memories"
        ]
        here = pipes.call("list_memories")["structuredContent"]["data"]["memories"]

    assert [one["content"] for one in there] == ["Tea"]
    assert here == []
