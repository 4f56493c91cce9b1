"""The head of a request has a time limit and a size limit, before any key is read; tested on raw
sockets.
"""

import json
import resource
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from commonplace.limits import CONNECTIONS_MAX, HEAD_BYTES_MAX, HEAD_READ_S_MAX
from tests.faces.http_client import Running, collected, server, started

KEY = "correct-horse-battery"
PARSERS = ["tests.faces.http_server", "tests.faces.h11_server"]


@pytest.fixture(scope="module", params=PARSERS, ids=["httptools", "h11"])
def locked(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    """A server that others could reach, with a key, on either parser."""
    home = tmp_path_factory.mktemp("locked")
    with server(
        home, "--host", "0.0.0.0", module=request.param, COMMONPLACE_API_KEY=KEY
    ) as running:
        yield running


def status(connection: socket.socket) -> bytes:
    return connection.recv(1000).split(b" ")[1]


def ended_after_s(connection: socket.socket, drip: bytes, *, give_up_s: float) -> float:
    """How long a connection stays open on which a little comes again and again."""
    started = time.monotonic()
    connection.settimeout(0.02)
    while (waited := time.monotonic() - started) < give_up_s:
        try:
            connection.sendall(drip)
            if not connection.recv(1000):
                break
        except TimeoutError:
            continue
        except OSError:
            break
    return waited


def resident_bytes(process_id: int) -> int:
    pages = Path(f"/proc/{process_id}/statm").read_text().split()[1]
    return int(pages) * resource.getpagesize()


WHOLE = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
REFUSED = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n"


def test_who_never_ends_a_request_is_let_go_whatever_comes_meanwhile(locked: Running) -> None:
    # What is sent first, and then again and again.
    habits = {
        "says nothing": (b"", b""),
        "sends blank lines": (b"", b"\r\n"),
        "sends the path byte by byte": (b"GET /", b"a"),
        "never ends the headers": (b"GET /health HTTP/1.1\r\n", b"X-A: b\r\n"),
        "never ends the headers of a second request": (WHOLE, b"G"),
        "sends the body after the answer": (REFUSED, b"x"),
    }
    with ExitStack() as kept:
        opened = {habit: kept.enter_context(locked.open()) for habit in habits}
        for habit, (first, _) in habits.items():
            opened[habit].sendall(first)
        started = time.monotonic()
        open_still = dict(opened)
        while open_still and time.monotonic() - started < 3 * HEAD_READ_S_MAX:
            for habit, connection in tuple(open_still.items()):
                if ended_after_s(connection, habits[habit][1], give_up_s=0.1) < 0.1:
                    del open_still[habit]
        assert not open_still


def test_headers_that_never_end_cost_no_memory(locked: Running) -> None:
    before = resident_bytes(locked.process.pid)
    for endless in (b"X-A: b\r\n" * 1_000, b"x" * 8_000):
        with locked.open() as connection, suppress(OSError):
            connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Long: ")
            for _ in range(5_000):
                connection.sendall(endless)
    assert resident_bytes(locked.process.pid) - before < 20_000_000
    assert locked.get("/health").status == 200


def test_large_headers_are_refused_with_their_limit_and_ordinary_ones_are_not(
    locked: Running,
) -> None:
    for size, expected in (
        (HEAD_BYTES_MAX // 2, (b"200",)),
        (HEAD_BYTES_MAX + 1_000, (b"431", b"400")),
    ):
        with locked.open() as connection:
            connection.sendall(
                b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"x" * size + b"\r\n\r\n"
            )
            assert status(connection) in expected


def test_neither_a_pause_between_requests_nor_a_long_call_ends_a_connection(
    locked: Running, tmp_path: Path
) -> None:
    there = tmp_path / "there"
    params = {"name": "await_file", "arguments": {"path": str(there)}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    body = json.dumps(message).encode()
    head = (
        f"POST /test/mcp HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {KEY}\r\nContent-Type:"
        " application/json\r\n"
    )
    with locked.open() as pausing, locked.open() as running:
        running.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        pausing.sendall(WHOLE)
        answer = b""
        while not answer.endswith(b'"}'):
            answer += pausing.recv(1000)
        time.sleep(HEAD_READ_S_MAX + 1)
        there.touch()
        assert status(running) == b"200"
        pausing.sendall(WHOLE)
        assert status(pausing) == b"200"


def test_more_half_open_connections_than_there_is_room_for_keep_nobody_out(locked: Running) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS_MAX + 200
    if hard < wanted + 200:
        pytest.fail(f"This test opens {wanted:,} connections; `ulimit -Hn` is {hard:,}.")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted + 200), hard))
    try:
        with ExitStack() as kept:
            for _ in range(wanted):
                kept.enter_context(locked.open()).sendall(b"GET /health HTTP/1.1\r\nX-A: b\r\n")
            started = time.monotonic()
            assert locked.get("/health").status == 200
            assert time.monotonic() - started < HEAD_READ_S_MAX / 2
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_server_that_may_open_few_files_still_answers(tmp_path: Path) -> None:
    command = 'ulimit -n 128; exec "$0" -m tests.faces.http_server'
    with (
        collected(started(tmp_path, ["sh", "-c", command, sys.executable]), tmp_path) as running,
        ExitStack() as kept,
    ):
        for _ in range(400):
            kept.enter_context(running.open()).sendall(b"GET /health HTTP/1.1\r\nX-A: b\r\n")
        began = time.monotonic()
        assert running.get("/health").status == 200
        assert running.call("/test/mcp", "echo", {"text": "still here"}) == {"text": "still here"}
        assert time.monotonic() - began < HEAD_READ_S_MAX / 2


def test_what_follows_a_body_in_chunks_is_no_header(locked: Running) -> None:
    body = (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","arguments":{}}}'
    )
    head = (
        f"POST /test/mcp HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {KEY}\r\nContent-Type:"
        " application/json\r\n"
    )
    with locked.open() as connection:
        connection.sendall(
            f"{head}Transfer-Encoding: chunked\r\n\r\n{len(body):x}\r\n".encode() + body
        )
        connection.sendall(b"\r\n0\r\nX-Bank-Id: other\r\nMcp-Session-Id: made-up\r\n\r\n")
        answer = connection.recv(10_000)
    assert b" 200 " in answer
    assert b"other" not in answer


def test_a_request_line_that_names_another_host_is_refused(locked: Running) -> None:
    with locked.open() as connection:
        connection.sendall(b"GET http://evil.example/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert status(connection) in (b"401", b"404")
