"""Access control, tested with plain requests to a real server."""

import asyncio
import json
import socket
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from commonplace.errors import Busy, Forbidden, Invalid
from commonplace.faces.http import access, tokens
from commonplace.faces.http.access import AccessGuard, AccessPolicy
from commonplace.faces.http.routing import Router
from commonplace.faces.http.server import run
from commonplace.limits import BODY_BYTES_MAX
from commonplace.settings import load
from tests.faces.http_client import Running, server, until
from tests.faces.http_server import DIALECTS

KEY = "correct-horse-battery"
PATHS = ("/health", "/version", "/metrics", "/mcp", "/test/mcp/some-bank", "/nowhere")


@pytest.fixture(scope="module")
def open_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with server(tmp_path_factory.mktemp("open")) as running:
        yield running


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    home = tmp_path_factory.mktemp("locked")
    with server(
        home,
        COMMONPLACE_API_KEY=KEY,
        COMMONPLACE_ALLOWED_HOSTS="memory.example, Other.Example:9999",
    ) as running:
        yield running


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "http://127.0.0.1:1", "http://localhost", "file://", ""],
)
def test_a_foreign_origin_is_refused_on_every_path(
    open_server: Running, path: str, origin: str
) -> None:
    assert open_server.get(path, origin=origin).status == 403


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]"])
def test_a_page_of_the_server_itself_may_ask(open_server: Running, name: str) -> None:
    assert open_server.get("/version", origin=f"http://{name}:{open_server.port}").status == 200


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "169.254.169.254", ""]
)
def test_a_foreign_host_is_refused_on_every_path(
    open_server: Running, path: str, host: str
) -> None:
    assert open_server.get(path, host=host).status == 403


@pytest.mark.parametrize(
    "host",
    [
        "[::1].evil.example",
        "[::1]evil.example",
        "[::1]:80@evil.example",
        "[::1",
        "[localhost]",
        "[127.0.0.1]:80",
        "localhost:80@evil.example",
        "localhost:evil.example",
        "localhost:-1",
        "user@localhost",
    ],
)
def test_a_host_that_only_begins_like_one_of_this_machine_is_refused(
    open_server: Running, host: str
) -> None:
    assert open_server.get("/health", host=host).status == 403


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "LOCALHOST:1234", "localhost.", "[::1]:8888"]
)
def test_the_machines_own_names_are_known(open_server: Running, host: str) -> None:
    assert open_server.get("/version", host=host).status == 200


@pytest.mark.parametrize("host", ["memory.example", "MEMORY.example:443", "other.example"])
def test_names_in_the_settings_are_known(locked: Running, host: str) -> None:
    assert locked.get("/health", host=host).status == 200


def test_two_hosts_in_one_request_are_refused(open_server: Running) -> None:
    with open_server.open() as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n")
        assert connection.recv(100).split(b" ")[1] == b"400"


def test_origin_host_and_key_are_judged_before_the_body_arrives(locked: Running) -> None:
    heads = {
        b"403": b"Host: localhost\r\nOrigin: https://evil.example\r\n",
        b"401": b"Host: localhost\r\n",
        b"413": f"Host: localhost\r\nAuthorization: Bearer {KEY}\r\n".encode(),
    }
    for status, head in heads.items():
        length = BODY_BYTES_MAX + 1 if status == b"413" else 100
        with locked.open() as connection:
            # The body never comes.
            connection.sendall(
                b"POST /mcp HTTP/1.1\r\n" + head + b"Content-Length: %d\r\n\r\n" % length
            )
            assert connection.recv(100).split(b" ")[1] == status


@pytest.mark.parametrize("path", [path for path in PATHS if path != "/health"])
def test_with_a_key_set_everything_but_health_needs_it(locked: Running, path: str) -> None:
    refused, wrong = locked.get(path), locked.get(path, authorization=f"Bearer {KEY}x")

    assert (refused.status, refused.headers["www-authenticate"]) == (401, "Bearer")
    assert (wrong.status, wrong.headers["www-authenticate"]) == (
        401,
        'Bearer error="invalid_token"',
    )
    assert locked.get("/health").status == 200


@pytest.mark.parametrize(
    "given",
    [{"authorization": f"Bearer {KEY}"}, {"authorization": f"bearer  {KEY}"}, {"x_api_key": KEY}],
)
def test_the_key_opens_the_door_in_either_header(locked: Running, given: dict[str, str]) -> None:
    assert locked.get("/version", **given).status == 200
    assert locked.call("/test/mcp", "whoami", **given)["bank"] == "default"


@pytest.mark.parametrize(
    "given", [{"authorization": f"Basic {KEY}"}, {"authorization": KEY}, {"x_api_key": ""}]
)
def test_anything_else_in_the_header_does_not(locked: Running, given: dict[str, str]) -> None:
    assert locked.get("/version", **given).status == 401


@pytest.mark.parametrize(
    "path",
    [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-authorization-server/mcp",
        "/mcp/.well-known/openid-configuration",
        "/test/mcp/bank/.well-known/oauth-protected-resource",
    ],
)
def test_who_looks_for_an_oauth_server_hears_at_once_that_there_is_none(
    locked: Running, path: str
) -> None:
    assert locked.get(path).status == 404


def test_the_vault_needs_its_token_although_nothing_else_needs_a_key(open_server: Running) -> None:
    token = (open_server.home / tokens.NAME).read_text().strip()

    assert open_server.ask("/vault/mcp", "ping").status == 401
    assert open_server.ask("/vault/mcp", "ping", authorization="Bearer nope").status == 401
    assert open_server.ask("/vault/mcp", "ping", authorization=f"Bearer {token}").status == 200
    assert (
        open_server.ask("/vault/mcp/notes/", "ping", authorization=f"Bearer {token}").status == 200
    )
    assert open_server.ask("/test/mcp", "ping").status == 200


def test_the_hindsight_key_is_for_hindsight(tmp_path: Path) -> None:
    with server(tmp_path, HINDSIGHT_API_TENANT_API_KEY=KEY) as running:
        for path in ("/mcp", "/mcp/alice/", "/hindsight/mcp"):
            assert running.ask(path, "ping").status == 401
            assert running.ask(path, "ping", authorization=f"Bearer {KEY}").status == 200
        assert running.ask("/test/mcp", "ping").status == 200
        assert running.get("/version").status == 200


def test_the_vault_token_is_made_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    first = tokens.vault_token(tmp_path / "home")
    file = tmp_path / "home" / tokens.NAME

    assert len(first) >= 32
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.chmod(0o644)
    assert tokens.vault_token(tmp_path / "home") == first
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.write_text("\n")
    assert tokens.vault_token(tmp_path / "home") not in ("", first)
    assert [one.name for one in file.parent.iterdir()] == [tokens.NAME]


def test_a_body_over_the_limit_is_refused_however_it_comes(open_server: Running) -> None:
    whole = b"x" * (BODY_BYTES_MAX + 1)

    def chunked() -> Iterator[bytes]:
        for start in range(0, len(whole), 1_000_000):
            yield whole[start : start + 1_000_000]

    head = {"content-type": "application/json", "accept": "*/*"}
    with open_server.open() as connection:
        connection.sendall(
            b"POST /test/mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        for chunk in chunked():
            connection.sendall(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        assert connection.recv(100).split(b" ")[1] == b"413"
    just = (
        b" " * (BODY_BYTES_MAX - 100)
        + json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
    )
    assert open_server.send("POST", "/test/mcp", just, head).status == 200


def test_a_client_that_sends_slowly_holds_up_nobody_and_is_let_go(open_server: Running) -> None:
    slow = [open_server.open() for _ in range(20)]
    for connection in slow:
        connection.sendall(
            b"POST /test/mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"
        )
    started = time.monotonic()
    assert open_server.call("/test/mcp", "echo", {"text": "quick"}) == {"text": "quick"}
    assert time.monotonic() - started < 5
    for connection in slow:
        connection.close()


def test_a_body_that_does_not_arrive_in_time_is_given_up() -> None:
    sent: list[dict[str, object]] = []

    async def receive() -> dict[str, object]:
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: object) -> None:
        sent.append(dict(message))  # pyright: ignore

    async def inside(_arrival: object) -> None:
        raise AssertionError("A request without its body was let in.")

    async def ask() -> None:
        at_the_door = AccessGuard(
            inside, Router(DIALECTS, "test"), AccessPolicy(1, body_read_s_max=0.05)
        )
        scope = {"headers": [(b"host", b"localhost")], "method": "POST", "raw_path": b"/mcp"}
        await at_the_door(scope, receive, send)

    asyncio.run(ask())
    assert sent[0]["status"] == 408


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "memory.example"])
def test_a_public_address_without_a_key_is_refused(tmp_path: Path, host: str) -> None:
    with pytest.raises(Forbidden, match="Without a key") as refused:
        run(load({"COMMONPLACE_HOME": str(tmp_path)}), host=host, port=0)
    assert "COMMONPLACE_API_KEY" in refused.value.hint


def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(Busy, match=f"Port {port} is in use"):
            run(load({"COMMONPLACE_HOME": str(tmp_path)}), port=port)


def test_a_dialect_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="klingon"):
        run(load({"COMMONPLACE_HOME": str(tmp_path)}), port=0, dialect="klingon")


def test_an_address_is_loopback_or_not() -> None:
    assert all(map(access.is_loopback, ("127.0.0.1", "127.8.8.8", "localhost", "::1", "[::1]")))
    assert not any(map(access.is_loopback, ("0.0.0.0", "::", "example.org", "10.0.0.1", "")))


def test_no_answer_and_no_log_line_shows_a_key(locked: Running) -> None:
    token = (locked.home / tokens.NAME).read_text().strip()
    answers = [
        locked.get(f"/version?key={KEY}"),
        locked.get("/version", authorization=f"Bearer {KEY}"),
        locked.get("/metrics", authorization=f"Bearer {KEY}"),
        locked.get("/version", authorization=f"Bearer {token}wrong"),
    ]
    until(lambda: locked.log.count("/metrics") >= 1)
    shown = locked.log + "".join(str(answer.headers) + answer.body.decode() for answer in answers)
    assert KEY not in shown
    assert token not in shown
    assert str(locked.home) not in "".join(locked.lines[5:])
