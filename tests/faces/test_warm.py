"""A server on a store answers for the short-lived programs of the same store, and hooks come in
over HTTP.
"""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commonplace.engine.hooks import hook_log
from commonplace.faces.warm import client, server_file
from tests.faces.http_client import Running, server, until
from tests.faces.pipe_client import opened
from tests.faces.test_hook_command import run

KEY = "correct-horse-battery"
PROMPT = {"session_id": "s1", "cwd": "/srv/shop", "prompt": "We use pnpm here."}
STOP = {"session_id": "s1", "cwd": "/srv/shop", "last_assistant_message": "Ok."}
START = {"session_id": "s2", "cwd": "/srv/shop", "source": "startup"}


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[Running]:
    with server(tmp_path / "home", COMMONPLACE_API_KEY=KEY) as running:
        yield running


def hook(running: Running, event: str, payload: object, **headers: str) -> Any:
    given = {"authorization": f"Bearer {KEY}", **headers}
    return running.post(f"/hooks/{event}?client=codex", payload, **given)


def test_a_hook_over_http_keeps_and_gives_back(locked: Running) -> None:
    assert hook(locked, "prompt", PROMPT).json == {}
    assert hook(locked, "stop", STOP).json == {}

    answer = hook(locked, "session-start", START).json
    assert "We use pnpm here." in answer["hookSpecificOutput"]["additionalContext"]


def test_a_hook_without_the_key_or_from_a_web_page_is_refused(locked: Running) -> None:
    assert locked.post("/hooks/prompt", PROMPT).status == 401
    assert hook(locked, "prompt", PROMPT, authorization="Bearer wrong").status == 401
    assert hook(locked, "prompt", PROMPT, origin="https://evil.example").status == 403
    assert hook_log.read(locked.home, 10) == []


def test_bad_hooks_over_http_get_an_empty_answer_or_a_clear_error(locked: Running) -> None:
    assert hook(locked, "stop", b"\x00\xff").json == {}
    assert hook(locked, "stop", b"[" * 100_000).json == {}
    assert hook(locked, "stop", {}).json == {}
    assert hook(locked, "no-such-event", {}).status == 404
    assert locked.get("/hooks/stop", authorization=f"Bearer {KEY}").status == 405


def test_calls_of_other_programs_need_the_key_of_this_run(locked: Running) -> None:
    body = {"place": {}, "request": {}}
    assert locked.post("/local/call", body).status == 401
    assert locked.post("/local/call", body, authorization=f"Bearer {KEY}").status == 401
    found = server_file.find(locked.home / "commonplace.db")
    assert found is not None
    assert stat.S_IMODE((locked.home / server_file.FILE).stat().st_mode) == 0o600


def test_the_command_uses_the_server_and_needs_no_key(locked: Running) -> None:
    assert run(locked.home, "prompt", PROMPT, "codex") == {}
    assert run(locked.home, "stop", STOP, "codex") == {}
    answer = run(locked.home, "session-start", START, "codex")

    assert "We use pnpm here." in answer["hookSpecificOutput"]["additionalContext"]
    until(lambda: "POST /hooks/session-start 200" in locked.log)


def test_a_stdio_client_uses_the_server_while_it_runs_and_its_own_engine_after(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    arguments = ("mcp", "--dialect", "commonplace")
    with opened(home, "commonplace", *arguments) as pipes:
        with server(home) as running:
            pipes.hello("2025-06-18")
            first = pipes.call("remember", text="Staging listens on port 8080.")
            assert first["structuredContent"]["change"] == "added"
            assert opened_files(pipes.process.pid, "commonplace.db") == []
            assert pipes.ask("tools/call", name="no-such-tool")["error"]["code"] == -32602
            until(lambda: "POST /local/call 200" in running.log)
            assert running.stop() == 0
        assert not (home / server_file.FILE).exists()

        found = pipes.call("recall", query="Which port does staging use?")
        assert found["structuredContent"]["memories"][0]["text"] == "Staging listens on port 8080."
        assert opened_files(pipes.process.pid, "commonplace.db") != []


def opened_files(pid: int, name: str) -> list[str]:
    folder = Path(f"/proc/{pid}/fd")
    links = [os.readlink(one) for one in folder.iterdir()]
    return [one for one in links if name in one]


def test_a_file_of_a_server_that_is_gone_or_of_another_version_names_none(tmp_path: Path) -> None:
    database = tmp_path / "commonplace.db"
    assert server_file.find(database) is None
    with server_file.published(database, "0.0.0.0", 1, "key"):
        found = server_file.find(database)
        assert found is not None
        assert (found.host, found.port) == ("127.0.0.1", 1)
        with pytest.raises(client.Unreachable):
            client.post(found, "/", b"{}", bank="b", seconds=1)
        file = tmp_path / server_file.FILE
        good = json.loads(file.read_text())
        for change in ({"version": "0"}, {"pid": 2**22 + 1}, {"pid": "x"}, {"more": 1}):
            file.write_text(json.dumps({**good, **change}))
            assert server_file.find(database) is None
        file.write_text("{")
        assert server_file.find(database) is None
        file.write_text(json.dumps(good))
    assert not file.exists()
