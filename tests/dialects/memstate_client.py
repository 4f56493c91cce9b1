"""A Memstate client for tests: every answer it hands on has been checked to be in the envelope, and
complete twice.
"""

import json
from typing import Any

from commonplace.dialects.memstate import DIALECT
from commonplace.engine.engine import Engine
from tests.dialects.dialect_client import Client

ENVELOPE = {"ok", "schema_version", "tool", "operation", "request", "data", "meta"}


class Memstate:
    """Seven tools; each method answers with the envelope, or its data where the name says nothing
    else.
    """

    def __init__(self, engine: Engine, name: str = "tester") -> None:
        self.client = Client(engine, DIALECT, name)

    def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The envelope of a call that succeeds."""
        result = self.client.result(f"memstate_{tool}", **arguments)
        answer = result["structuredContent"]
        assert not result["isError"], answer
        assert json.loads(result["content"][0]["text"]) == answer
        assert set(answer) == ENVELOPE
        assert (answer["ok"], answer["schema_version"], answer["tool"]) == (
            True,
            1,
            f"memstate_{tool}",
        )
        assert answer["request"] == arguments
        return answer

    def failure(self, tool: str, **arguments: Any) -> dict[str, str]:
        """The error of a call that fails."""
        result = self.client.result(f"memstate_{tool}", **arguments)
        answer, text = result["structuredContent"], result["content"][0]["text"]
        assert result["isError"], answer
        assert set(answer) == ENVELOPE | {"error"}
        assert (answer["ok"], answer["data"], answer["request"]) == (False, None, arguments)
        sentence, _, rest = text.partition("\n\n")
        assert (sentence, json.loads(rest)) == (answer["error"]["message"], answer)
        error: dict[str, str] = answer["error"]
        return error

    def get(self, **arguments: Any) -> dict[str, Any]:
        data: dict[str, Any] = self("get", **arguments)["data"]
        return data

    def tree(self, project: str, **arguments: Any) -> dict[str, str]:
        """The summaries by keypath, without the project's prefix."""
        memories: dict[str, str] = self.get(project_id=project, **arguments)["memories"]
        return {key.removeprefix(f"project.{project}."): text for key, text in memories.items()}

    def revision(self, project: str) -> int:
        number: int = self.get(project_id=project)["revision_number"]
        return number

    def set(self, project: str, keypath: str, value: str, **more: Any) -> dict[str, Any]:
        data: dict[str, Any] = self(
            "set", project_id=project, keypath=keypath, value=value, **more
        )["data"]
        return data

    def remember(self, project: str, content: str, **more: Any) -> dict[str, Any]:
        data: dict[str, Any] = self("remember", project_id=project, content=content, **more)["data"]
        return data

    def history(self, project: str, keypath: str) -> list[dict[str, Any]]:
        data = self("history", project_id=project, keypath=keypath)["data"]
        versions: list[dict[str, Any]] = data["versions"]
        assert data["total_versions"] == len(versions)
        return versions

    def search(self, query: str, **more: Any) -> dict[str, Any]:
        data: dict[str, Any] = self("search", query=query, **more)["data"]
        return data

    def found(self, query: str, **more: Any) -> list[str]:
        """The keypaths of the results."""
        return [one["keypath"] for one in self.search(query, **more)["results"]]

    def delete(self, project: str, keypath: str, **more: Any) -> dict[str, Any]:
        data: dict[str, Any] = self("delete", project_id=project, keypath=keypath, **more)["data"]
        return data

    def delete_project(self, project: str) -> dict[str, Any]:
        data: dict[str, Any] = self("delete_project", project_id=project)["data"]
        return data
