"""The official Python client, in both eras, against the server on standard input and output."""

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp_types import ElicitResult, PromptReference

from commonplace.dialects import registry
from tests.faces.pipe_client import OURS, ROOT
from tests.faces.sample_dialect import DIALECT

Visit = Callable[[Client], Awaitable[None]]


@pytest.fixture(params=["legacy", "auto"])
def mode(request: pytest.FixtureRequest) -> str:
    return request.param


def visited(visit: Visit, home: Path, *args: str, **options: Any) -> None:
    """Start a server, connect to it and leave it."""

    async def journey() -> None:
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", *args],
            cwd=ROOT,
            env={"COMMONPLACE_HOME": str(home)},
        )
        with anyio.fail_after(60):
            async with Client(server, **options) as client:
                await visit(client)

    anyio.run(journey)


def test_the_client_speaks_the_newest_revision_of_its_era(mode: str, home: Path) -> None:
    async def visit(client: Client) -> None:
        assert client.protocol_version == ("2025-11-25" if mode == "legacy" else "2026-07-28")
        assert client.instructions == DIALECT.instructions
        assert client.server_info
        assert client.server_info.name == "commonplace"

    visited(visit, home, OURS, mode=mode)


def test_the_client_finds_and_calls_every_kind_of_thing(mode: str, home: Path) -> None:
    heard: list[float] = []

    async def hear(progress: float, _total: float | None, _message: str | None) -> None:
        heard.append(progress)

    async def visit(client: Client) -> None:
        listed = (await client.list_tools()).tools
        said = await client.call_tool("echo", {"text": "Grüße"})
        counted = await client.call_tool("count_to", {"number": 3}, progress_callback=hear)
        wrong = await client.call_tool("echo", {})
        read = await client.read_resource("memo://notes/a")
        written = await client.get_prompt("greet", {"name": "Ada"})
        typed = await client.complete(
            PromptReference(type="ref/prompt", name="greet"), {"name": "name", "value": "name-14"}
        )

        assert [one.name for one in listed] == list(DIALECT.tools)
        assert said.structured_content == {"text": "Grüße"}
        assert (counted.structured_content, wrong.is_error) == ({"counted": 3}, True)
        assert read.contents[0].model_dump()["text"] == "# a"
        assert written.messages[0].content.model_dump()["text"] == "Greet Ada"
        assert len(typed.completion.values) == 10
        with pytest.raises(MCPError, match="Unknown tool"):
            await client.call_tool("nope", {})

    visited(visit, home, OURS, mode=mode)
    assert heard == [1, 2, 3]


@pytest.mark.parametrize("action", ["accept", "decline"])
def test_the_client_asks_its_person_before_everything_is_destroyed(
    action: Any, mode: str, home: Path
) -> None:
    asked: list[str] = []

    async def answer(_context: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action=action, content={} if action == "accept" else None)

    async def visit(client: Client) -> None:
        result = await client.call_tool("erase", {})
        assert result.is_error == (action == "decline")

    visited(visit, home, OURS, mode=mode, elicitation_callback=answer)
    assert asked == ["Really erase everything?"]


def test_a_client_that_gives_up_stops_the_call(mode: str, home: Path) -> None:
    async def visit(client: Client) -> None:
        with anyio.move_on_after(60):
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "hold", {"name": "x"})
                await client.call_tool("await_hold", {"name": "x"})
                group.cancel_scope.cancel()
        assert (await client.call_tool("echo", {"text": "a"})).structured_content == {"text": "a"}

    visited(visit, home, OURS, mode=mode)


@pytest.mark.parametrize("name", registry.NAMES)
def test_every_dialect_is_served_to_the_client(name: str, home: Path) -> None:
    async def visit(client: Client) -> None:
        shown = [one.name for one in registry.find(name).tools.values() if one.listed]
        assert [one.name for one in (await client.list_tools()).tools] == shown
        assert (client.instructions or "").startswith(registry.find(name).instructions)

    visited(visit, home, "commonplace.mcp", "--dialect", name)
