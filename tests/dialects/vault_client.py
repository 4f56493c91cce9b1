"""A vault client over HTTP: a real server, a real token and real files."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from commonplace.faces.http.tokens import vault_token
from commonplace.vault.folder.folder import MARKER_NAME
from commonplace.vault.note_format import frontmatter
from commonplace.vault.note_format.frontmatter import Note
from tests.faces.http_client import Answer, Running, server

PATH = "/vault/mcp"


class VaultClient:
    """Four tools of one server."""

    def __init__(self, running: Running) -> None:
        self.running = running
        self.root = running.home / "vault"
        self.headers = {"authorization": f"Bearer {vault_token(running.home)}"}

    def raw(self, tool: str, _path: str = PATH, **arguments: Any) -> Answer:
        return self.running.ask(
            _path, "tools/call", {"name": tool, "arguments": arguments}, **self.headers
        )

    def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The answer to a call that succeeds."""
        result = self.raw(tool, **arguments).json["result"]
        assert not result["isError"], result
        return result["structuredContent"]

    def failure(self, tool: str, **arguments: Any) -> int:
        """The number of a failure, read where programs read it."""
        answer = self.raw(tool, **arguments)
        result = answer.json["result"]
        assert answer.status == 200
        assert result["isError"]
        told = json.loads(result["content"][0]["text"])
        assert told == result["structuredContent"]
        assert told["error"]["message"]
        assert str(self.running.home) not in answer.body.decode()
        return told["error"]["code"]

    def append(self, title: str, body: str = "text", **more: Any) -> str:
        return str(self("memory_append", title=title, body=body, **more)["id"])

    def titles(self, query: str, **more: Any) -> list[str]:
        return [one["title"] for one in self("memory_search", query=query, **more)["results"]]

    def recall(self, *phases: str, **more: Any) -> str:
        result = self.raw("memory_recall", phases=list(phases), **more).json["result"]
        assert result["structuredContent"] == {"result": result["content"][0]["text"]}
        return str(result["content"][0]["text"])

    def session(self) -> "VaultClient":
        """The same server in a session of its own."""
        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        }
        answer = self.running.ask(PATH, "initialize", hello, **self.headers)
        other = VaultClient(self.running)
        other.headers |= {"mcp-session-id": answer.headers["mcp-session-id"]}
        note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        self.running.post(PATH, note, **other.headers)
        return other

    def files(self) -> dict[str, Note]:
        """Every file of the folder, read; nothing but notes and the mark of the folder may lie
        there.
        """
        found = sorted(
            file for file in self.root.rglob("*") if file.is_file() and file.name != MARKER_NAME
        )
        assert all(file.suffix == ".md" for file in found)
        return {
            str(f.relative_to(self.root)): frontmatter.parse_note(
                frontmatter.split_file(f.read_bytes()), f.stem
            )
            for f in found
        }


@contextmanager
def vault_server(home: Path) -> Iterator[VaultClient]:
    """A server of every dialect."""
    with server(home, "serve", "--port", "0", module="commonplace") as running:
        yield VaultClient(running)
