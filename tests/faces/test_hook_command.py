"""`commonplace hook` never breaks its caller: exit code 0 and an answer in the client's form."""

import json
import os
import resource
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from commonplace.engine.hooks import hook_log

PAYLOAD = {"session_id": "s1", "cwd": "/srv/shop", "source": "startup"}


def run(
    home: Path, event: str, payload: object = PAYLOAD, client: str = "claude-code", **env: str
) -> Any:
    given = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    keep = {name: value for name, value in os.environ.items() if name != "CI"}
    done = subprocess.run(
        [sys.executable, "-m", "commonplace", "hook", event, "--client", client],
        check=False,
        input=given,
        capture_output=True,
        timeout=30,
        env={**keep, "COMMONPLACE_HOME": str(home), **env},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def log(home: Path) -> list[str]:
    return [f"{one.outcome} {one.message}".strip() for one in hook_log.read(home, 50)]


def remember(home: Path) -> None:
    run(home, "prompt", {"session_id": "s0", "cwd": "/srv/shop", "prompt": "We use pnpm here."})
    run(home, "stop", {"session_id": "s0", "cwd": "/srv/shop", "last_assistant_message": "Ok."})


def test_what_one_client_kept_another_gets_in_its_own_form(home: Path) -> None:
    remember(home)

    claude = run(home, "session-start")
    cursor = run(
        home, "session-start", {"conversation_id": "c", "workspace_roots": ["/srv/shop"]}, "cursor"
    )

    assert claude["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert "We use pnpm here." in claude["hookSpecificOutput"]["additionalContext"]
    assert claude["systemMessage"].startswith("Commonplace: 1 memory added (")
    assert list(cursor) == ["additional_context"]
    assert log(home) == ["shown", "shown", "kept", "nothing"]


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (b"", "not JSON"),
        (b"\x00\xff\xfe\x89PNG", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'"text"', "not a JSON object"),
        (b"{}", "no session id"),
        (b'{"session_id": 7}', "no session id"),
    ],
)
def test_a_wrong_payload_gives_an_empty_answer_and_a_line_in_the_log(
    home: Path, payload: bytes, reason: str
) -> None:
    home.mkdir()
    assert run(home, "stop", payload) == {}
    assert len(log(home)) == 1
    assert reason in log(home)[0]


def test_fifty_megabytes_are_read_to_the_end_and_refused(home: Path) -> None:
    home.mkdir()
    payload = json.dumps({"session_id": "s", "prompt": "x" * 50_000_000}).encode()

    assert run(home, "prompt", payload) == {}
    assert "exceeds" in log(home)[0]


def test_an_unknown_event_or_client_gives_an_empty_answer(home: Path) -> None:
    home.mkdir()
    assert run(home, "no-such-event") == {}
    assert run(home, "stop", client="no-such-client") == {}
    assert all(one.startswith("failed") for one in log(home))


def test_a_locked_store_does_not_hold_the_client(home: Path) -> None:
    remember(home)
    writer = sqlite3.connect(home / "commonplace.db", isolation_level=None)
    writer.execute("begin immediate")
    started = time.monotonic()
    payload = {"session_id": "s9", "cwd": "/srv/shop", "prompt": "The cache lives in Redis."}

    assert run(home, "prompt", payload) == {}
    assert time.monotonic() - started < 10
    assert log(home)[0].startswith("failed")
    writer.close()


def test_a_full_disk_gives_an_empty_answer(home: Path) -> None:
    remember(home)
    done = subprocess.run(
        [sys.executable, "-m", "commonplace", "hook", "prompt", "--client", "codex"],
        input=json.dumps({**PAYLOAD, "prompt": "The cache lives in Redis."}).encode(),
        capture_output=True,
        check=False,
        timeout=30,
        env={**os.environ, "COMMONPLACE_HOME": str(home), "COMMONPLACE_HOOKS": "all"},
        # No file can grow, as on a disk without space.
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    )

    assert (done.returncode, json.loads(done.stdout)) == (0, {})


def test_a_damaged_store_gives_an_empty_answer(home: Path) -> None:
    home.mkdir()
    (home / "commonplace.db").write_bytes(b"this is no database" * 1_000)

    assert run(home, "session-start") == {}
    assert log(home)[0].startswith("failed")


def test_a_home_that_is_a_file_gives_an_empty_answer(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("a file")

    assert run(home, "session-start") == {}


def test_a_store_of_a_newer_version_gives_an_empty_answer(home: Path) -> None:
    remember(home)
    store = sqlite3.connect(home / "commonplace.db")
    store.execute("insert into migrations values ('9999_future', 'x', 0)")
    store.commit()
    store.close()

    assert run(home, "session-start") == {}
    assert log(home)[0].startswith("failed")


def test_wrong_settings_give_an_empty_answer(home: Path) -> None:
    assert run(home, "session-start", COMMONPLACE_EMBEDDER="no-such") == {}


def test_headless_runs_and_subagents_are_left_alone(home: Path) -> None:
    remember(home)

    assert run(home, "session-start", CLAUDE_CODE_ENTRYPOINT="sdk-cli") == {}
    assert run(home, "session-start", CI="true") == {}
    assert run(home, "session-start", {**PAYLOAD, "agent_id": "a1"}) == {}
    assert run(home, "session-start", COMMONPLACE_HOOKS="off") == {}
    assert log(home)[:4] == [
        "paused hooks are off",
        "left alone subagent",
        "left alone headless",
        "left alone headless",
    ]
    assert run(home, "session-start", CI="true", COMMONPLACE_HOOKS="all") != {}


def test_an_input_that_never_ends_does_not_hold_the_client(home: Path) -> None:
    home.mkdir()
    with subprocess.Popen(
        [sys.executable, "-m", "commonplace", "hook", "prompt", "--client", "codex"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "COMMONPLACE_HOME": str(home)},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.read() == b"{}\n"
        assert process.wait(10) == 0
    assert log(home) == ["failed it took too long"]
