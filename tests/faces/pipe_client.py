"""A client that reads and writes raw lines, so that a test sees every byte."""

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from commonplace.faces.mcp import messages

ROOT = Path(__file__).parents[2]
PATIENCE_S = 30
OURS = "tests.faces.stdio_server"
THEIRS = "tests.faces.sdk_server"
HELLO = {"capabilities": {}, "clientInfo": {"name": "pipes", "version": "1"}}
ENVELOPE = {
    messages.VERSION_KEY: messages.MODERN[-1],
    messages.CLIENT_KEY: {"name": "pipes", "version": "1"},
    messages.CLIENT_CAPABILITIES_KEY: {},
}


class Pipes:
    """A server process and the lines that went in and out of it."""

    def __init__(self, home: Path, module: str, *args: str) -> None:
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith("COMMONPLACE_")
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, *args],
            cwd=ROOT,
            env=kept | {"COMMONPLACE_HOME": str(home)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.lines: queue.Queue[bytes] = queue.Queue()
        self.modern = False
        self._ids = 0
        self._readers = [
            threading.Thread(target=self._read, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        self.errors = ""
        for reader in self._readers:
            reader.start()

    def write(self, raw: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(raw)
        self.process.stdin.flush()

    def send(self, message: object) -> None:
        self.write(json.dumps(message).encode() + b"\n")

    def receive(self) -> Any:
        line = self.lines.get(timeout=PATIENCE_S)
        assert line, f"the server ended: {self.errors}"
        assert line.endswith(b"\n")
        return json.loads(line)

    def request(self, method: str, **params: Any) -> int:
        """Send a request; its id."""
        self._ids += 1
        if self.modern:
            params["_meta"] = ENVELOPE | params.get("_meta", {})
        self.send({"jsonrpc": "2.0", "id": self._ids, "method": method, "params": params})
        return self._ids

    def ask(self, method: str, **params: Any) -> Any:
        """Send a request; its response, which must be the next line."""
        wanted = self.request(method, **params)
        message = self.receive()
        assert message.get("id") == wanted, message
        return message

    def call(self, tool: str, **arguments: Any) -> Any:
        """The result of a tool."""
        return self.ask("tools/call", name=tool, arguments=arguments)["result"]

    def hello(self, version: str) -> Any:
        """Open the conversation as a client of a revision does."""
        self.modern = messages.is_modern(version)
        if self.modern:
            return self.ask("server/discover")["result"]
        answer = self.ask("initialize", protocolVersion=version, **HELLO)["result"]
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def end(self) -> list[Any]:
        """Close the input; what still came out."""
        assert self.process.stdin
        self.process.stdin.close()
        return self.rest()

    def rest(self) -> list[Any]:
        """Everything until the output ends, and the process with it."""
        found: list[Any] = []
        while line := self.lines.get(timeout=PATIENCE_S):
            found.append(json.loads(line))
        self.process.wait(PATIENCE_S)
        for reader in self._readers:
            reader.join(PATIENCE_S)
        return found

    def _read(self) -> None:
        assert self.process.stdout
        with self.process.stdout as stdout:
            for line in stdout:
                self.lines.put(line)
        self.lines.put(b"")

    def _read_errors(self) -> None:
        assert self.process.stderr
        with self.process.stderr as stderr:
            for line in stderr:
                self.errors += line.decode()


@contextmanager
def opened(home: Path, module: str = OURS, *args: str) -> Iterator[Pipes]:
    pipes = Pipes(home, module, *args)
    try:
        yield pipes
    finally:
        pipes.process.kill()
        if pipes.process.stdin:
            with suppress(BrokenPipeError):
                pipes.process.stdin.close()
        pipes.process.wait()
        for reader in pipes._readers:
            reader.join(PATIENCE_S)
