"""A memories.sh client for tests: every answer it hands on has been checked to be complete
twice.
"""

import json
from collections.abc import Callable
from typing import Any

from commonplace.dialects.dialect import Call
from commonplace.dialects.memories import DIALECT
from commonplace.engine.engine import Engine
from commonplace.faces.mcp import messages, protocol
from commonplace.faces.mcp.parsing import Request

ENVELOPE = {"ok", "data", "error", "meta"}


class Memories:
    """Twenty-four tools, as a client in a folder calls them."""

    def __init__(self, engine: Engine, folder: str = "", *, bank: str = "default") -> None:
        self.engine, self.folder, self.bank = engine, folder, bank
        self.progress: list[tuple[float, float | None]] = []
        self.on_progress: Callable[[], None] | None = None

    def result(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The whole result of a tools/call."""
        return self._asked("tools/call", name=tool, arguments=arguments)

    def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The data of a call that succeeds."""
        return self.data_and_text(tool, **arguments)[0]

    def text(self, tool: str, **arguments: Any) -> str:
        """The text of a call that succeeds."""
        return self.data_and_text(tool, **arguments)[1]

    def data_and_text(self, tool: str, **arguments: Any) -> tuple[dict[str, Any], str]:
        """The data and the text of a call that succeeds."""
        answer, text = self.envelope(tool, **arguments)
        data: dict[str, Any] = answer["data"]
        return data, text

    def envelope(self, tool: str, **arguments: Any) -> tuple[dict[str, Any], str]:
        """The envelope and the text of a call that succeeds."""
        result = self.result(tool, **arguments)
        answer, text = result["structuredContent"], result["content"][0]["text"]
        assert not result["isError"], text
        assert answer["ok"] is True
        assert set(answer) <= {"ok", "data", "meta"}, "nothing stands in the envelope twice"
        assert text.strip()
        return answer, text

    def failure(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The error of a call that fails; `text` is what a reader sees."""
        result = self.result(tool, **arguments)
        answer, text = result["structuredContent"], result["content"][0]["text"]
        assert result["isError"], answer
        assert set(answer) == ENVELOPE
        assert (answer["ok"], answer["data"]) == (False, None)
        assert set(answer["error"]) == {"type", "code", "message", "status", "retryable", "details"}
        assert answer["error"]["message"] in text
        return {**answer["error"], "text": text}

    def add(self, content: str, **more: Any) -> str:
        """The id of a new memory."""
        number: str = self("add_memory", content=content, **more)["id"]
        return number

    def contents(self, **more: Any) -> list[str]:
        """What list_memories shows."""
        return [
            one["content"] for one in self("list_memories", **({"limit": 100} | more))["memories"]
        ]

    def found(self, query: str, **more: Any) -> list[str]:
        """What search_memories finds."""
        return [one["content"] for one in self("search_memories", query=query, **more)["memories"]]

    def read(self, uri: str) -> str:
        """What a resource says."""
        (one,) = self._asked("resources/read", uri=uri)["contents"]
        assert (one["uri"], one["mimeType"]) == (uri, "text/markdown")
        text: str = one["text"]
        return text

    def listed(self, method: str = "tools/list", key: str = "tools") -> list[dict[str, Any]]:
        """What a list shows."""
        conversation = protocol.ClientSession(DIALECT, lambda: "")
        found: list[dict[str, Any]] = conversation.answer_from_table(
            Request(1, method, {}, messages.LEGACY[-1])
        )[key]
        return found

    def _asked(self, method: str, **params: Any) -> dict[str, Any]:
        request = Request(1, method, params, messages.LEGACY[-1], "tester")
        answer: dict[str, Any] = json.loads(
            json.dumps(protocol.execute(request, DIALECT, self._call))
        )
        return answer

    def _call(self, request: Request) -> Call:
        return Call(
            self.engine,
            self.bank,
            session="s",
            client=request.client,
            folder=self.folder,
            progress=self._report,
        )

    def _report(self, done: float, total: float | None, _text: str) -> None:
        self.progress.append((done, total))
        if self.on_progress:
            self.on_progress()
