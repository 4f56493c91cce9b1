"""A PowerMem client for tests: every answer it hands on has been checked to be in the envelope, and
complete twice.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from commonplace.dialects.powermem import DIALECT
from commonplace.engine.engine import Engine
from commonplace.extract.llm_statements import Model
from commonplace.faces.mcp import messages, protocol
from commonplace.faces.mcp.parsing import Request
from tests.dialects.dialect_client import Client


class PowerMem:
    """Seven tools; each method answers with what a caller of it would look at."""

    def __init__(
        self, engine: Engine, owner: str = "", llm: Callable[[], Model | None] = lambda: None
    ) -> None:
        # The machine that runs the tests may have a PowerMem of its own; its name for the owner is
        # not ours.
        self.engine = replace(engine, owner=owner, llm=llm)
        self.client = Client(self.engine, DIALECT)

    def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The answer to a call that succeeds."""
        result = self.client.result(tool, **arguments)
        answer: dict[str, Any] = result["structuredContent"]
        assert not result["isError"], answer
        assert json.loads(result["content"][0]["text"]) == answer
        assert answer["success"] is True
        return answer

    def failure(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The answer to a call that fails."""
        result = self.client.result(tool, **arguments)
        answer: dict[str, Any] = result["structuredContent"]
        assert result["isError"], answer
        assert json.loads(result["content"][0]["text"]) == answer
        assert answer["success"] is False
        assert answer["error"]
        assert answer["error_type"]
        return answer

    def add(self, messages: Any, **more: Any) -> list[tuple[str, str]]:
        """The events and texts of an add."""
        results = self("add_memory", messages=messages, **more)["data"]["results"]
        return [(one["event"], one["memory"]) for one in results]

    def added(self, messages: Any, **more: Any) -> int:
        """The id of what an add made."""
        number: int = self("add_memory", messages=messages, **more)["memory_id"]
        return number

    def found(self, query: str, **more: Any) -> list[str]:
        return [one["memory"] for one in self("search_memories", query=query, **more)["results"]]

    def listed(self, **more: Any) -> list[str]:
        """What is listed, oldest first."""
        answer = self("list_memories", **more)
        assert answer["count"] == len(answer["memories"])
        return [one["memory"] for one in reversed(answer["memories"])]

    def get(self, memory_id: int | str, **more: Any) -> dict[str, Any]:
        data: dict[str, Any] = self("get_memory", memory_id=memory_id, **more)["data"]
        return data

    def resource(self, uri: str) -> dict[str, Any]:
        request = Request(1, "resources/read", {"uri": uri}, messages.LEGACY[0], "tester")
        answer = protocol.execute(request, DIALECT, self.client.make_call)
        return json.loads(json.dumps(answer))
