"""A Hindsight client for tests, for many banks or for one; every answer has been checked to be
complete twice.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from commonplace.dialects import registry
from commonplace.engine.engine import Engine
from commonplace.extract.llm_statements import Model
from tests.dialects.dialect_client import Client

OBJECTS = ("retain", "sync_retain")


class Hindsight:
    """The tools; a call answers with the object, however it was wrapped."""

    def __init__(self, engine: Engine, bank: str = "") -> None:
        self.single = bool(bank)
        dialect = registry.single_bank("hindsight") if bank else registry.find("hindsight")
        self.client = Client(engine, dialect, bank=bank or "default")

    def with_model(self, llm: Callable[[], Model | None]) -> "Hindsight":
        """The same bank and mode, of an engine that has a language model."""
        return Hindsight(
            replace(self.client.engine, llm=llm), self.client.bank if self.single else ""
        )

    def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result = self.client.result(tool, **arguments)
        assert not result["isError"], result
        text, shape = result["content"][0]["text"], result["structuredContent"]
        answer: dict[str, Any] = json.loads(text)
        assert shape == (answer if self.single or tool in OBJECTS else {"result": text})
        return answer

    def failure(self, tool: str, **arguments: Any) -> str:
        """The text of a call that is an error of the protocol."""
        result = self.client.result(tool, **arguments)
        assert result["isError"], result
        text: str = result["content"][0]["text"]
        return text

    def sync_retain(self, content: str, **more: Any) -> list[str]:
        """The ids of the facts that a text added."""
        answer = self("sync_retain", content=content, **more)
        assert answer["status"] == "completed", answer
        ids: list[str] = answer["memory_ids"]
        return ids

    def found(self, query: str, **more: Any) -> list[str]:
        """The texts that recall finds."""
        return [one["text"] for one in self("recall", query=query, **more)["results"]]

    def facts(self, **more: Any) -> list[dict[str, Any]]:
        """The world's facts and the experiences, oldest first."""
        items: list[dict[str, Any]] = self("list_memories", **more)["items"]
        return [one for one in reversed(items) if one["fact_type"] != "observation"]
