"""Measures the servers as clients feel them: start, work per call, many clients, memory. A part of
`make bench`.

Work is the server's own processor time from the kernel's accounts (Linux only), which a busy
machine distorts least.
"""

import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LEGACY, MODERN = "2025-11-25", "2026-07-28"
STARTS, CALLS, CLIENTS, CALLS_EACH = 9, 2_000, 32, 60
_META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}
_INIT = {
    "protocolVersion": LEGACY,
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


def measure() -> dict[str, float]:
    """Every row about serving."""
    with tempfile.TemporaryDirectory(prefix="commonplace-serving-") as home:
        return _stdio(home) | _http(home)


def _message(number: int, method: str, params: dict[str, object]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


def _call(number: int, era: str) -> bytes:
    params: dict[str, object] = {"name": "memstate_get", "arguments": {}}
    return _message(number, "tools/call", params | ({"_meta": _META} if era == MODERN else {}))


def process_us(pid: int) -> float:
    """Processor time of a process so far, all its threads."""
    tasks = Path(f"/proc/{pid}/task")
    if not tasks.is_dir():
        return float("nan")
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks.iterdir()) / 1000


def _resident_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status")
    found = re.search(r"VmRSS:\s+(\d+)", status.read_text()) if status.exists() else None
    return int(found[1]) / 1024 if found else float("nan")


@contextmanager
def _started(home: str, *args: str, **pipes: int) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "commonplace", *args]
    with subprocess.Popen(
        command, env=os.environ | {"COMMONPLACE_HOME": home}, bufsize=0, **pipes
    ) as process:
        try:
            yield process
        finally:
            process.terminate()


def _stdio(home: str) -> dict[str, float]:
    results: dict[str, float] = {}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}

    def ask(process: subprocess.Popen[bytes], message: bytes) -> bytes:
        assert process.stdin
        assert process.stdout
        process.stdin.write(message + b"\n")
        return process.stdout.readline()

    starts: list[float] = []
    for _ in range(STARTS):
        begun = time.perf_counter()
        with _started(home, "mcp", "--dialect", "memstate", **pipes) as process:
            ask(process, _message(0, "initialize", _INIT))
            starts.append(time.perf_counter() - begun)
    results["stdio: spawn to first answer, median"] = statistics.median(starts) * 1000
    for era in (LEGACY, MODERN):
        with _started(home, "mcp", "--dialect", "memstate", **pipes) as process:
            if era == LEGACY:
                ask(process, _message(0, "initialize", _INIT))
            for number in range(100):
                ask(process, _call(number, era))
            before = process_us(process.pid)
            for number in range(CALLS):
                ask(process, _call(number, era))
            results[f"stdio: server work per small call, {era} (ms)"] = (
                (process_us(process.pid) - before) / CALLS / 1000
            )
            results["stdio: resident memory (MB)"] = _resident_mb(process.pid)
    return results


def _http(home: str) -> dict[str, float]:
    results: dict[str, float] = {}
    with _started(home, "serve", "--port", "0", stderr=subprocess.PIPE) as process:
        assert process.stderr
        said = process.stderr.readline().decode()
        port = int(re.search(r":(\d+)", said)[1])  # type: ignore[index]
        # The official SDK is loaded in the background after the start; its import is not a call's
        # work.
        asyncio.run(_handshake(port))
        for era in (LEGACY, MODERN):
            asyncio.run(_client(port, era, 100))
            before = process_us(process.pid)
            asyncio.run(_client(port, era, CALLS))
            results[f"http: server work per small call, {era} (ms)"] = (
                (process_us(process.pid) - before) / CALLS / 1000
            )
        results["http: resident memory, idle (MB)"] = _resident_mb(process.pid)
        spent = asyncio.run(_crowd(port))
        results[f"http: answer among {CLIENTS} clients, median"] = statistics.median(spent) * 1000
        results[f"http: answer among {CLIENTS} clients, p95"] = (
            sorted(spent)[int(len(spent) * 0.95)] * 1000
        )
    return results


async def _handshake(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    body = _message(0, "initialize", _INIT)
    writer.write(_head(port, LEGACY, len(body)) + body)
    await _answer(reader)
    writer.close()
    await writer.wait_closed()


async def _crowd(port: int) -> list[float]:
    found = await asyncio.gather(*(_client(port, MODERN, CALLS_EACH) for _ in range(CLIENTS)))
    return [one for spent in found for one in spent]


async def _client(port: int, era: str, count: int) -> list[float]:
    """One connection kept open, one call after the other; how long each took."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    spent: list[float] = []
    for number in range(count):
        body = _call(number, era)
        begun = time.perf_counter()
        writer.write(_head(port, era, len(body)) + body)
        await _answer(reader)
        spent.append(time.perf_counter() - begun)
    writer.close()
    await writer.wait_closed()
    return spent


def _head(port: int, era: str, length: int) -> bytes:
    lines = [
        "POST /memstate/mcp HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        f"Content-Length: {length}",
        f"MCP-Protocol-Version: {era}",
    ]
    if era == MODERN:
        lines += ["Mcp-Method: tools/call", "Mcp-Name: memstate_get"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


async def _answer(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    assert b" 200 " in head.split(b"\r\n")[0], head
    length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
    if length:
        return await reader.readexactly(int(length[1]))
    body = b""
    while True:
        size = int((await reader.readline()).strip() or b"0", 16)
        body += await reader.readexactly(size + 2)
        if size == 0:
            return body


if __name__ == "__main__":
    print(json.dumps(measure(), indent=1))
