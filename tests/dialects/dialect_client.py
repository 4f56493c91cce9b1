"""Calls a dialect's tools as an MCP client does: through the face's own methods, without its
pipes.
"""

import json
from dataclasses import dataclass
from typing import Any

from commonplace.dialects.dialect import Call, Dialect
from commonplace.engine.engine import Engine
from commonplace.faces.mcp import messages, protocol
from commonplace.faces.mcp.parsing import Request


@dataclass(frozen=True)
class Client:
    """One client of a dialect on an engine."""

    engine: Engine
    dialect: Dialect
    name: str = "tester"
    bank: str = "default"

    def result(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The whole result of a tools/call."""
        params = {"name": tool, "arguments": arguments}
        request = Request(1, "tools/call", params, messages.LEGACY[-1], self.name)
        answer = protocol.execute(request, self.dialect, self.make_call)
        return json.loads(json.dumps(answer))

    def listed(self) -> dict[str, dict[str, Any]]:
        """The tools as tools/list shows them, by name."""
        conversation = protocol.ClientSession(self.dialect, lambda: "")
        request = Request(1, "tools/list", {}, messages.LEGACY[-1], self.name)
        return {tool["name"]: tool for tool in conversation.answer_from_table(request)["tools"]}

    def make_call(self, request: Request) -> Call:
        return Call(self.engine, self.bank, session="s", client=request.client)
