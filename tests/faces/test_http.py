"""The server on HTTP, met by the official client in both eras and by plain requests."""

import json
import signal
import socket
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote

import anyio
import mcp_types as types
import pytest
from mcp import Client, MCPError

from commonplace.engine.engine import Engine
from commonplace.engine.operations.jobs import enqueue, get_job
from commonplace.faces.http.server import running_workers
from commonplace.limits import CALLS_MAX, SESSIONS_MAX
from tests.faces.http_client import META, MODERN, Running, server, until
from tests.faces.http_server import DIALECTS
from tests.faces.sample_dialect import SECRET

ERAS = ("legacy", "auto")
LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with server(tmp_path_factory.mktemp("home")) as one:
        yield one


def met(
    running: Running,
    path: str,
    era: str,
    talk: Callable[[Client], Coroutine[Any, Any, Any]],
    **options: Any,
) -> Any:
    """What a conversation of the official client comes to."""

    async def main() -> Any:
        with anyio.fail_after(30):
            async with Client(running.url + path, mode=era, **options) as client:
                return await talk(client)

    return anyio.run(main)


def handshake(
    running: Running, path: str, version: str = "2025-11-25", **capabilities: Any
) -> dict[str, str]:
    """The headers of a session."""
    params = {
        "protocolVersion": version,
        "capabilities": capabilities,
        "clientInfo": {"name": "raw", "version": "1"},
    }
    answer = running.ask(path, "initialize", params)
    session = {"mcp_session_id": answer.headers["mcp-session-id"], "mcp_protocol_version": version}
    assert answer.json["result"]["protocolVersion"] == version
    assert (
        running.post(
            path, {"jsonrpc": "2.0", "method": "notifications/initialized"}, **session
        ).status
        == 202
    )
    return session


@pytest.mark.parametrize("era", ERAS)
def test_the_official_client_gets_on_with_it(running: Running, era: str) -> None:
    async def talk(client: Client) -> None:
        assert client.protocol_version == (MODERN if era == "auto" else "2025-11-25")
        assert client.instructions == "Recall first, remember after."
        assert client.server_info is not None
        assert client.server_info.name == "commonplace"
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == list(DIALECTS["test"].tools)
        called = await client.call_tool("echo", {"text": "grüß dich"})
        assert called.structured_content == {"text": "grüß dich"}
        assert json.loads(called.content[0].text) == called.structured_content  # pyright: ignore
        failed = await client.call_tool("everything", {"count": "many"})
        assert failed.is_error
        assert "`text` is required" in failed.content[0].text  # pyright: ignore
        with pytest.raises(MCPError, match="Unknown tool"):
            await client.call_tool("no_such_tool", {})
        assert (await client.read_resource("memo://notes/x")).contents[0].text == "# x"  # pyright: ignore
        assert (await client.get_prompt("greet", {"name": "Ada"})).messages[
            0
        ].content.text == "Greet Ada"  # pyright: ignore
        about = types.PromptReference(name="greet")
        assert (
            await client.complete(about, {"name": "name", "value": "name-14"})
        ).completion.total == 10

    met(running, "/test/mcp", era, talk)


@pytest.mark.parametrize("era", ERAS)
def test_a_long_call_tells_how_far_it_is(running: Running, era: str) -> None:
    told: list[tuple[float, float | None, str | None]] = []

    async def note(done: float, total: float | None, text: str | None) -> None:
        told.append((done, total, text))

    async def talk(client: Client) -> Any:
        return (
            await client.call_tool("count_to", {"number": 3}, progress_callback=note)
        ).structured_content

    assert met(running, "/test/mcp", era, talk) == {"counted": 3}
    assert told == [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3")]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("action", "erased"), [("accept", True), ("decline", False), ("cancel", False)]
)
def test_a_person_is_asked_before_everything_is_destroyed(
    running: Running, era: str, action: Any, erased: bool
) -> None:
    questions: list[str] = []

    async def ask(_context: Any, params: Any) -> types.ElicitResult:
        questions.append(params.message)
        return types.ElicitResult(action=action, content={} if action == "accept" else None)

    async def talk(client: Client) -> Any:
        return await client.call_tool("erase", {"name": "it"})

    result = met(running, "/test/mcp", era, talk, elicitation_callback=ask)
    assert questions == ["Really erase everything?"]
    assert result.is_error is not erased
    assert (result.structured_content == {"erased": "it"}) is erased


@pytest.mark.parametrize("era", ERAS)
def test_a_client_that_cannot_ask_is_not_asked(running: Running, era: str) -> None:
    async def talk(client: Client) -> Any:
        return (await client.call_tool("erase", {})).structured_content

    assert met(running, "/test/mcp", era, talk) == {"erased": "all"}


@pytest.mark.parametrize("version", LEGACY)
def test_every_old_revision_shakes_hands_and_keeps_a_session(
    running: Running, version: str
) -> None:
    session = handshake(running, "/test/mcp", version)

    assert running.ask("/test/mcp", "ping", **session).json["result"] == {}
    assert (
        running.ask("/test/mcp", "logging/setLevel", {"level": "info"}, **session).json["result"]
        == {}
    )
    assert len(running.ask("/test/mcp", "tools/list", **session).json["result"]["tools"]) == len(
        DIALECTS["test"].tools
    )
    known = running.call("/test/mcp", "whoami", **session)
    assert known["client"] == "raw"
    assert known["session"] == session["mcp_session_id"]
    assert (
        running.send(
            "DELETE", "/test/mcp", headers={k.replace("_", "-"): v for k, v in session.items()}
        ).status
        == 200
    )
    assert running.ask("/test/mcp", "ping", **session).status == 404
    assert running.ask("/test/mcp", "tools/call", {"name": "whoami"}, **session).status == 404


def test_a_client_that_forgets_the_version_after_the_handshake_is_served(running: Running) -> None:
    session = handshake(running, "/test/mcp", "2025-06-18")
    del session["mcp_protocol_version"]

    assert running.ask("/test/mcp", "tools/list", **session).status == 200
    assert running.call("/test/mcp", "echo", {"text": "x"}, **session) == {"text": "x"}


@pytest.mark.parametrize(
    "wrong", [{"protocolVersion": 7}, {"capabilities": []}, {"clientInfo": {}}]
)
def test_a_broken_handshake_opens_no_session(running: Running, wrong: dict[str, Any]) -> None:
    right = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    }
    answer = running.ask("/test/mcp", "initialize", right | wrong)

    assert answer.json["error"]["code"] == -32602
    assert "mcp-session-id" not in answer.headers


def test_an_unknown_session_is_not_found(running: Running) -> None:
    for method in ("ping", "tools/list", "tools/call"):
        params = {"name": "echo", "arguments": {"text": "x"}} if method == "tools/call" else {}
        assert running.ask("/test/mcp", method, params, mcp_session_id="0" * 32).status == 404


@pytest.mark.parametrize(
    "accept", ["application/json, text/event-stream", "application/json", "*/*"]
)
def test_a_request_without_a_session_works(running: Running, accept: str) -> None:
    assert running.ask("/test/mcp", "tools/list", accept=accept).json["result"]["tools"]
    assert running.ask("/test/mcp", "ping", accept=accept).json["result"] == {}
    called = running.ask(
        "/test/mcp", "tools/call", {"name": "echo", "arguments": {"text": "x"}}, accept=accept
    )
    assert called.json["result"]["structuredContent"] == {"text": "x"}
    initialized = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    }
    assert running.ask("/test/mcp", "initialize", initialized, accept=accept).json["result"][
        "instructions"
    ]


def test_a_client_without_a_session_is_told_that_there_is_no_stream(running: Running) -> None:
    assert running.get("/test/mcp", accept="text/event-stream").status == 405
    assert running.get("/test/mcp", mcp_protocol_version=MODERN).status == 405
    said = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert running.post("/test/mcp", said).status == 202


def test_a_request_that_names_no_media_type_gets_json(running: Running) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
    answer = running.send("POST", "/mcp", body, {"content-type": "application/json"})

    assert answer.headers["content-type"] == "application/json"
    assert answer.json["result"]["tools"]


def test_too_many_sessions_do_not_keep_a_client_out(tmp_path: Path) -> None:
    params = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    }
    body = json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    ).encode()
    with server(tmp_path, COMMONPLACE_LOG_LEVEL="warning") as crowded:
        first = handshake(crowded, "/test/mcp")
        with crowded.open() as connection:
            for _ in range(SESSIONS_MAX - 1):
                connection.sendall(_plain("/test/mcp", body, {}))
                assert b"mcp-session-id" in _until_seen(connection, b"0\r\n\r\n")
        late = crowded.post("/test/mcp", body)

        assert late.json["result"]["protocolVersion"] == "2025-06-18"
        assert "mcp-session-id" not in late.headers
        assert crowded.ask("/test/mcp", "ping", **first).status == 200


@pytest.mark.parametrize(
    "path", ["/mcp", "/test/mcp", "/strict/mcp", "/hindsight/mcp", "/mcp/alice", "/test/mcp/alice"]
)
def test_every_endpoint_answers_with_and_without_a_final_slash(running: Running, path: str) -> None:
    for one in (path, path + "/"):
        assert running.ask(one, "ping").json["result"] == {}
        assert running.ask_modern(one, "server/discover").json["result"]["supportedVersions"] == [
            MODERN
        ]


@pytest.mark.parametrize(
    "path", ["/mcp/a/b", "/klingon/mcp", "/test", "/test/mcp//x", "/mcp/%ff", "/health/x"]
)
def test_other_paths_lead_nowhere(running: Running, path: str) -> None:
    assert running.ask(path, "ping").status == 404
    assert running.get(path).status == 404


@pytest.mark.parametrize(
    "bank", ["alice", "a b", "owner/repo", "grüße", "mcp", "health", ".well-known", "%2e%2e", "a+b"]
)
@pytest.mark.parametrize("end", ["", "/"])
def test_a_bank_in_the_path_may_have_any_name(running: Running, bank: str, end: str) -> None:
    path = f"/test/mcp/{quote(bank, safe='')}{end}"

    assert running.call(path, "whoami")["bank"] == bank
    assert (
        running.ask_modern(path, "tools/call", {"name": "whoami"}).json["result"][
            "structuredContent"
        ]["bank"]
        == bank
    )


@pytest.mark.parametrize("bank", ["%00", "x" * 201, "%0d%0a"])
def test_a_bank_that_cannot_be_is_refused(running: Running, bank: str) -> None:
    refused = running.ask(f"/test/mcp/{bank}", "ping")

    assert refused.status in (400, 413)
    assert refused.json["error"]["hint"]


def test_the_path_wins_over_the_header_and_the_header_over_the_default(running: Running) -> None:
    assert running.call("/mcp/alice", "where", x_bank_id="bob") == {"bank": "alice"}
    assert running.call("/mcp", "where", x_bank_id="bob") == {"bank": "bob"}
    assert running.call("/mcp", "where") == {"bank": "default"}
    assert running.call("/mcp", "where", {"bank_id": "carol"}, x_bank_id="bob") == {"bank": "carol"}


def test_a_session_opens_no_other_bank(running: Running) -> None:
    session = handshake(running, "/mcp/alice")

    assert running.call("/mcp/alice", "where", **session) == {"bank": "alice"}
    assert running.call("/mcp/bob", "where", **session) == {"bank": "bob"}


def test_on_the_path_of_one_bank_hindsight_speaks_of_no_other(running: Running) -> None:
    several, one = (
        running.ask(path, "tools/list").json["result"]["tools"] for path in ("/mcp", "/mcp/alice")
    )

    assert {"list_banks"} == {tool["name"] for tool in several} - {tool["name"] for tool in one}
    where = next(tool for tool in one if tool["name"] == "where")
    assert "bank_id" not in where["inputSchema"]["properties"]
    assert running.call("/mcp/alice", "where", {"bank_id": "bob"}) == {"bank": "alice"}
    assert "error" in running.ask("/mcp/alice", "tools/call", {"name": "list_banks"}).json


def test_the_instructions_name_the_bank_and_its_mission(running: Running) -> None:
    assert (
        "alice"
        in running.ask_modern("/mcp/alice", "server/discover").json["result"]["instructions"]
    )
    assert (
        "alice" not in running.ask_modern("/mcp", "server/discover").json["result"]["instructions"]
    )


def test_the_originals_environment_names_are_understood(tmp_path: Path) -> None:
    with server(tmp_path / "a", HINDSIGHT_MCP_BANK_ID="team") as named:
        assert named.call("/mcp", "where") == {"bank": "team"}
        assert named.call("/test/mcp", "whoami")["bank"] == "default"
    with server(tmp_path / "b", HINDSIGHT_API_MCP_ENABLED="false") as without:
        assert [
            without.ask(path, "ping").status for path in ("/mcp", "/mcp/x", "/hindsight/mcp")
        ] == [404] * 3
        assert without.ask("/test/mcp", "ping").status == 200


def test_a_chosen_dialect_is_served_on_the_plain_path(tmp_path: Path) -> None:
    with server(tmp_path, "--dialect", "strict") as chosen:
        assert [
            tool["name"] for tool in chosen.ask("/mcp", "tools/list").json["result"]["tools"]
        ] == ["echo"]
        assert chosen.ask("/hindsight/mcp", "ping").status == 200


def test_a_closed_stream_stops_the_work(running: Running) -> None:
    for number, headers in enumerate(
        ({"mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": "hold"}, {})
    ):
        name = f"closed-{number}"
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
        body["params"] = {"name": "hold", "arguments": {"name": name}} | (
            {"_meta": META} if headers else {}
        )
        calling = _raw(running, "/test/mcp", body, headers)
        assert running.call("/test/mcp", "await_hold", {"name": name}) == {"held": True}
        calling.close()
        # The call leaves at its next report.
        until(lambda: _calls_running(running) == 0)


@pytest.mark.parametrize("meta", [{"progressToken": 7}, {}])
def test_a_cancelled_request_of_a_session_stops(running: Running, meta: dict[str, Any]) -> None:
    session = handshake(running, "/test/mcp")
    name = f"cancelled {len(meta)}"
    params = {"name": "hold", "arguments": {"name": name}, "_meta": meta}
    with ThreadPoolExecutor(1) as pool:
        calling = pool.submit(running.ask, "/test/mcp", "tools/call", params, **session)
        assert running.call("/test/mcp", "await_hold", {"name": name}) == {"held": True}
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
        assert running.post("/test/mcp", cancel, **session).status == 202
        assert "error" in calling.result(30).json
    until(lambda: _calls_running(running) == 0)


def test_a_call_that_is_given_up_before_its_turn_is_never_made(tmp_path: Path) -> None:
    def calling(tool: str, **arguments: str) -> socket.socket:
        body = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        }
        return _raw(busy, "/test/mcp", body, {})

    with server(tmp_path / "home") as busy:
        held = [calling("hold", name=str(tmp_path / "go on")) for _ in range(CALLS_MAX - 1)]
        until(lambda: _calls_running(busy) == len(held))
        held.append(calling("hold", name=str(tmp_path / "go on")))
        assert busy.get("/health").json == {"status": "ok"}
        waiting = calling("remember", text="too late")
        # Whoever waits is watched after a moment; the server answers what needs no thread
        # meanwhile.
        time.sleep(0.5)
        waiting.close()
        assert busy.ask("/test/mcp", "ping").json["result"] == {}
        time.sleep(0.2)
        (tmp_path / "go on").touch()
        for connection in held:
            _until_seen(connection, b"released")
            connection.close()

        assert busy.call("/test/mcp", "remembered") == {"count": 0}


def test_a_call_that_waits_holds_up_no_other(running: Running) -> None:
    with ThreadPoolExecutor(30) as pool:
        held = [
            pool.submit(running.call, "/test/mcp", "hold", {"name": "crowd"}) for _ in range(30)
        ]
        assert running.call("/test/mcp", "await_hold", {"name": "crowd"}) == {"held": True}
        assert running.call("/test/mcp", "echo", {"text": "me first"}) == {"text": "me first"}
        running.call("/test/mcp", "release", {"name": "crowd"})
        assert [one.result(30) for one in held] == [{"released": "crowd"}] * 30


def test_a_subscription_is_acknowledged_and_stays_open(running: Running) -> None:
    headers = {"mcp-protocol-version": MODERN, "mcp-method": "subscriptions/listen"}
    wanted = {"notifications": {"toolsListChanged": True}, "_meta": META}
    body = {"jsonrpc": "2.0", "id": 9, "method": "subscriptions/listen", "params": wanted}
    streams = [_raw(running, "/test/mcp", body, headers) for _ in range(20)]
    for stream in streams:
        assert b"notifications/subscriptions/acknowledged" in _until_seen(stream, b"acknowledged")
    assert running.call("/test/mcp", "echo", {"text": "x"}) == {"text": "x"}
    for stream in streams:
        stream.close()


def test_a_bug_shows_a_reference_and_nothing_else(running: Running) -> None:
    for ask in (running.ask, running.ask_modern):
        result = ask("/test/mcp", "tools/call", {"name": "crash"}).json["result"]
        assert result["isError"]
        assert "internal error" in result["content"][0]["text"]
        reference = result["content"][0]["text"].split()[-1]
        until(lambda reference=reference: reference in running.log)
    assert SECRET not in running.log
    assert "Traceback" not in running.log
    assert "/" not in "".join(line for line in running.lines if "internal error" in line).replace(
        "tools/call", ""
    )


def test_nothing_somebody_remembers_is_logged(running: Running) -> None:
    running.call("/test/mcp", "remember", {"text": "the launch code is 0000"})
    running.ask("/test/mcp?secret=sesame", "ping")
    until(lambda: running.log.count("POST /test/mcp 200") > 1)

    assert "launch" not in running.log
    assert "sesame" not in running.log


def test_the_welcome_says_where_everything_is(running: Running) -> None:
    welcome = "\n".join(running.lines[:5])

    assert running.url in welcome
    assert "claude mcp add" in welcome
    assert "commonplace.db" in welcome


def test_the_log_can_be_read_by_programs(tmp_path: Path) -> None:
    with server(tmp_path, "--log-json") as logged:
        logged.get("/version")
        until(lambda: "GET /version 200" in logged.log)
        lines = [json.loads(line) for line in logged.lines]

    assert {"at", "level", "logger", "text"} == set(lines[-1])


def test_health_and_version_answer_and_refuse_other_methods(running: Running) -> None:
    assert running.get("/health").json == {"status": "ok"}
    assert running.send("HEAD", "/health").status == 200
    assert running.get("/version").json["protocolVersions"] == [*LEGACY, MODERN]
    assert running.post("/health", {}).status == 405


def test_running_calls_are_finished_before_the_server_goes(tmp_path: Path) -> None:
    file = tmp_path / "now"
    with server(tmp_path / "home") as going, ThreadPoolExecutor(4) as pool:
        wanted = {"name": "await_file", "arguments": {"path": str(file)}}
        told = wanted | {"_meta": META | {"progressToken": 1}}
        session = handshake(going, "/test/mcp")
        # Answered without the SDK, and through it in each era, with and without a session.
        calls = [
            pool.submit(going.ask, "/test/mcp", "tools/call", wanted),
            pool.submit(going.ask_modern, "/test/mcp", "tools/call", told),
            pool.submit(going.ask, "/test/mcp", "tools/call", told),
            pool.submit(going.ask, "/test/mcp", "tools/call", told, **session),
        ]
        until(lambda: _calls_running(going) == len(calls))
        going.process.send_signal(signal.SIGTERM)
        until(lambda: not _listens(going))
        assert going.process.poll() is None
        file.touch()
        assert [one.result(30).json["result"]["structuredContent"] for one in calls] == [
            {"found": True}
        ] * 4
        assert going.process.wait(30) == 0


def test_open_streams_do_not_keep_the_server(tmp_path: Path) -> None:
    with server(tmp_path) as going:
        headers = {"mcp-protocol-version": MODERN, "mcp-method": "subscriptions/listen"}
        wanted = {"notifications": {"toolsListChanged": True}, "_meta": META}
        body = {"jsonrpc": "2.0", "id": 9, "method": "subscriptions/listen", "params": wanted}
        listening = _raw(going, "/test/mcp", body, headers)
        _until_seen(listening, b"acknowledged")
        session = handshake(going, "/test/mcp")
        old = going.open()
        old.sendall(
            f"GET /test/mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
            f"Mcp-Session-Id: {session['mcp_session_id']}\r\n\r\n".encode()
        )
        _until_seen(old, b"text/event-stream")
        started = time.monotonic()

        assert going.stop() == 0
        assert time.monotonic() - started < 5
        assert b"resultType" in _until_seen(listening, b"resultType")
        assert "did not end" not in going.log
        listening.close()
        old.close()


def test_the_store_is_left_in_order(tmp_path: Path) -> None:
    with server(tmp_path) as going:
        going.call("/test/mcp", "remember", {"text": "kept"})
        assert going.stop() == 0
    assert not (tmp_path / "commonplace.db-wal").exists()
    with server(tmp_path) as again:
        assert again.call("/test/mcp", "remembered") == {"count": 1}


def test_jobs_are_done_while_the_server_runs(engine: Engine) -> None:
    job = enqueue(engine, "default", "shout", {"word": "hello"})
    tasks = {"shout": lambda context: str(context.payload["word"]).upper()}

    with running_workers(engine, tasks):
        until(lambda: get_job(engine, "default", job.id).state == "completed")
    assert get_job(engine, "default", job.id).result == "HELLO"
    assert not any(thread.name == "commonplace-worker" for thread in threading.enumerate())


def _plain(path: str, body: bytes, headers: dict[str, str]) -> bytes:
    fixed = {
        "Host": "localhost",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    lines = "".join(
        f"{k}: {v}\r\n" for k, v in (fixed | headers | {"Content-Length": str(len(body))}).items()
    )
    return f"POST {path} HTTP/1.1\r\n{lines}\r\n".encode() + body


def _raw(
    running: Running, path: str, message: dict[str, Any], headers: dict[str, str]
) -> socket.socket:
    connection = running.open()
    connection.sendall(_plain(path, json.dumps(message).encode(), headers))
    return connection


def _until_seen(connection: socket.socket, mark: bytes) -> bytes:
    seen = b""
    while mark not in seen:
        more = connection.recv(65536)
        assert more, f"The stream ended after {seen!r}."
        seen += more
    return seen


def _listens(running: Running) -> bool:
    try:
        running.open().close()
    except ConnectionRefusedError:
        return False
    return True


def _calls_running(running: Running) -> int:
    lines = running.get("/metrics").body.decode().splitlines()
    return next(
        int(line.split()[1]) for line in lines if line.startswith("commonplace_calls_running ")
    )
