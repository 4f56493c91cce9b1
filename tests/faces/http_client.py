"""A server in a process of its own, and plain requests to it."""

import http.client
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DEADLINE_S = 30
BOTH = "application/json, text/event-stream"
MODERN = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
}


@dataclass(frozen=True)
class Answer:
    """A response."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body, or the last message of an event stream."""
        text = self.body.decode()
        kind = self.headers.get("content-type", "")
        if kind.startswith("text/event-stream"):
            return self.messages[-1]
        return json.loads(text) if kind.startswith("application/json") else text

    @property
    def messages(self) -> list[Any]:
        # Not splitlines, which knows more ends of a line than an event stream does.
        lines = re.split(r"\r\n|\n|\r", self.body.decode())
        return [
            json.loads(line.removeprefix("data:")) for line in lines if line.startswith("data:")
        ]


@dataclass
class Running:
    """A server that runs."""

    process: subprocess.Popen[str]
    port: int
    home: Path
    lines: list[str] = field(default_factory=list[str])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        return "\n".join(self.lines)

    def send(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] = {}
    ) -> Answer:
        """One request on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE_S)
        try:
            connection.request(method, path, body, dict(headers))
            response = connection.getresponse()
            return Answer(
                response.status, {k.lower(): v for k, v in response.getheaders()}, response.read()
            )
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        return self.send("GET", path, headers=_named(headers))

    def post(self, path: str, message: object, **headers: str) -> Answer:
        """A message in the era of handshakes, unless headers say otherwise."""
        given = {"content-type": "application/json", "accept": BOTH} | _named(headers)
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        return self.send("POST", path, body, given)

    def ask(self, path: str, method: str, params: Mapping[str, Any] = {}, **headers: str) -> Answer:
        """A request in the era of handshakes, without one."""
        return self.post(
            path, {"jsonrpc": "2.0", "id": 1, "method": method, "params": dict(params)}, **headers
        )

    def ask_modern(
        self, path: str, method: str, params: Mapping[str, Any] = {}, **headers: str
    ) -> Answer:
        """A request that carries everything in itself."""
        named = {"mcp-name": params["name"]} if "name" in params else {}
        given = {"mcp-protocol-version": MODERN, "mcp-method": method, **named, **_named(headers)}
        whole = {"_meta": META, **params}
        return self.post(
            path, {"jsonrpc": "2.0", "id": 1, "method": method, "params": whole}, **given
        )

    def call(self, path: str, name: str, arguments: Mapping[str, Any] = {}, **headers: str) -> Any:
        """The structured content of a tool's answer."""
        return self.ask(
            path, "tools/call", {"name": name, "arguments": dict(arguments)}, **headers
        ).json["result"]["structuredContent"]

    def open(self) -> socket.socket:
        """A bare connection."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=DEADLINE_S)

    def stop(self) -> int:
        """The exit code after a polite signal."""
        self.process.terminate()
        return self.process.wait(DEADLINE_S)


@contextmanager
def server(
    home: Path, *options: str, module: str = "tests.faces.http_server", **environment: str
) -> Iterator[Running]:
    """A server with the dialects for tests unless another is named, ready to answer."""
    with collected(
        started(home, [sys.executable, "-m", module, *options], **environment), home
    ) as running:
        yield running


def started(home: Path, command: Sequence[str], **environment: str) -> subprocess.Popen[str]:
    """The process of a server that is starting."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("COMMONPLACE_", "HINDSIGHT_"))}
    return subprocess.Popen(
        command,
        env=kept | {"COMMONPLACE_HOME": str(home), "COMMONPLACE_LOG_LEVEL": "debug"} | environment,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@contextmanager
def collected(process: subprocess.Popen[str], home: Path) -> Iterator[Running]:
    """A server that was just started, once it has said where it listens."""
    lines: list[str] = []
    assert process.stderr is not None
    assert process.stdout is not None
    reader = threading.Thread(target=_collect, args=(process.stderr, lines), daemon=True)
    reader.start()
    try:
        yield Running(process, _port(process, lines), home, lines)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(DEADLINE_S)
        reader.join(DEADLINE_S)
        process.stderr.close()
        process.stdout.close()


def until(true: Callable[[], object], deadline_s: float = DEADLINE_S) -> None:
    """Wait for something that really happens."""
    end = time.monotonic() + deadline_s
    while not true():
        assert time.monotonic() < end, "It did not happen in time."
        time.sleep(0.01)


def _port(process: subprocess.Popen[str], lines: list[str]) -> int:
    found: list[int] = []

    def announced() -> bool:
        assert process.poll() is None, "\n".join(lines)
        found.extend(
            int(match[1])
            for line in tuple(lines)
            if (match := re.search(r"http://\S*?:(\d+)", line))
        )
        return bool(found)

    until(announced)
    return found[0]


def _collect(stream: Any, lines: list[str]) -> None:
    for line in stream:
        lines.append(line.rstrip("\n"))


def _named(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}
