"""Measures recall and remember over REST beside the same over MCP. A part of `make bench`."""

import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from typing import Any

from evals.serving import process_us

MEMORIES, CALLS, CLIENTS, CALLS_EACH = 500, 200, 32, 10
_BANK = "/api/v1/banks/default"
_Message = tuple[str, str, bytes]
_HEADERS = {
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
}


def measure() -> dict[str, float]:
    """Every row about REST."""
    with tempfile.TemporaryDirectory(prefix="commonplace-rest-") as home:
        command = [sys.executable, "-m", "commonplace", "serve", "--port", "0"]
        environment = os.environ | {"COMMONPLACE_HOME": home}
        with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE) as process:
            try:
                return _rows(process)
            finally:
                process.terminate()


def _rows(process: subprocess.Popen[bytes]) -> dict[str, float]:
    assert process.stderr
    found = re.search(rb":(\d+)", process.stderr.readline())
    assert found
    port = int(found[1])
    drafts = [{"text": f"Machine {n} listens on port {8000 + n}."} for n in range(MEMORIES)]
    _send(port, [_rest(f"{_BANK}/memories/batch", {"drafts": drafts})])
    results: dict[str, float] = {}
    for name, make in _CALLS.items():
        _send(port, [make(number) for number in range(20)])
        before = process_us(process.pid)
        _send(port, [make(number) for number in range(CALLS)])
        results[f"{name}: server work per call (ms)"] = (
            (process_us(process.pid) - before) / CALLS / 1000
        )
        spent = _crowd(port, make)
        results[f"{name}: answer among {CLIENTS} clients, median"] = statistics.median(spent) * 1000
    return results


def _rest(path: str, body: object) -> _Message:
    return "POST", path, json.dumps(body).encode()


def _mcp(tool: str, arguments: dict[str, Any]) -> _Message:
    params = {"name": tool, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return "POST", "/mem0/mcp", json.dumps(message).encode()


_CALLS: dict[str, Callable[[int], _Message]] = {
    "rest: a page of one memory": lambda _: ("GET", f"{_BANK}/memories?limit=1", b""),
    "rest: recall": lambda number: _rest(
        f"{_BANK}/recall", {"text": f"which port does machine {number} use?", "limit": 5}
    ),
    "mcp: recall": lambda number: _mcp(
        "search_memories", {"query": f"which port does machine {number} use?", "limit": 5}
    ),
    "rest: remember": lambda number: _rest(
        f"{_BANK}/memories", {"text": f"Lamp {number} burns oil number {number}."}
    ),
    "mcp: remember": lambda number: _mcp(
        "add_memory", {"text": f"Lamp {number} burns oil number {number}.", "infer": False}
    ),
}


def _send(port: int, messages: list[_Message]) -> list[float]:
    """How long each request took on one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    spent: list[float] = []
    for method, path, body in messages:
        begun = time.perf_counter()
        connection.request(method, path, body or None, _HEADERS)
        answer = connection.getresponse()
        answer.read()
        spent.append(time.perf_counter() - begun)
        assert answer.status == 200, path
    connection.close()
    return spent


def _crowd(port: int, make: Callable[[int], _Message]) -> list[float]:
    spent: list[float] = []

    def work(client: int) -> None:
        first = client * CALLS_EACH
        spent.extend(_send(port, [make(number) for number in range(first, first + CALLS_EACH)]))

    threads = [threading.Thread(target=work, args=(client,)) for client in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return spent


if __name__ == "__main__":
    for row, value in measure().items():
        print(f"{row:<50} {value:8.2f}")
