"""Measures the hooks: each from spawn to exit, over HTTP, fifty sessions, and eight agents at once.
A part of `make bench`; `python -m evals.hooks_bench` runs it alone.
"""

import http.client
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from commonplace.app import open_engine
from commonplace.records.memory import Draft, Scope
from commonplace.settings import load
from evals.texts import Author

COUNT, RUNS, SESSIONS, AGENTS = 1_000, 9, 50, 8
FOLDER = "/srv/shop"
AIMS = {
    "hooks: session-start from spawn to exit, median": 150,
    "hooks: session-start over HTTP, median": 60,
    "hooks: prompt over HTTP, median": 60,
    "hooks: stop over HTTP, median": 60,
    "hooks: processes left after 50 sessions (count)": 0,
}
EVENTS: tuple[tuple[str, dict[str, str]], ...] = (
    ("session-start", {"source": "startup"}),
    ("prompt", {"prompt": "Which port does the staging database listen on?"}),
    ("stop", {"last_assistant_message": "The cache is configured in settings.toml."}),
    ("session-end", {"reason": "exit"}),
)


def measure() -> dict[str, float]:
    """Every row about hooks, in milliseconds unless the row has another unit."""
    with tempfile.TemporaryDirectory(prefix="commonplace-hooks-") as home:
        _fill(home)
        rows: dict[str, float] = {}
        for event, values in EVENTS[:3]:
            spent = [_spawn(home, f"{event}-{n}", event, values) for n in range(RUNS)]
            rows[f"hooks: {event} from spawn to exit, median"] = statistics.median(spent)
        with _server(home) as port:
            for event, values in EVENTS[:3]:
                _post(port, "warm-up", event, values)
                spent = [_post(port, f"http-{event}-{n}", event, values) for n in range(RUNS)]
                rows[f"hooks: {event} over HTTP, median"] = statistics.median(spent)
            spent = [_spawn(home, f"warm-{n}", *EVENTS[1]) for n in range(RUNS)]
            rows["hooks: prompt from spawn to exit with a server, median"] = statistics.median(
                spent
            )
        before = _processes()
        for number in range(SESSIONS):
            _session(home, f"session-{number}")
        rows["hooks: processes left after 50 sessions (count)"] = len(_processes() - before)
        with ThreadPoolExecutor(AGENTS) as pool:
            spans = list(pool.map(lambda n: _session(home, f"agent-{n}"), range(AGENTS)))
        together = sorted(one for span in spans for one in span)
        rows["hooks: a hook of eight agents at once, p95"] = together[int(len(together) * 0.95)]
        return rows


def _fill(home: str) -> None:
    engine = open_engine(load({"COMMONPLACE_HOME": home}))
    scope = Scope(project=FOLDER)
    texts = [*Author(seed=3).memories(COUNT), "The staging database listens on port 5433."]
    engine.remember_many("default", [Draft(text, kind="fact", scope=scope) for text in texts])
    engine.rebuild()
    engine.db.close()


def _payload(session: str, values: dict[str, str]) -> bytes:
    return json.dumps({"session_id": session, "cwd": FOLDER, **values}).encode()


def _spawn(home: str, session: str, event: str, values: dict[str, str]) -> float:
    command = [sys.executable, "-m", "commonplace", "hook", event, "--client", "claude-code"]
    env = {**os.environ, "COMMONPLACE_HOME": home, "COMMONPLACE_HOOKS": "all"}
    began = time.perf_counter()
    done = subprocess.run(
        command, input=_payload(session, values), capture_output=True, check=True, env=env
    )
    spent = (time.perf_counter() - began) * 1000
    json.loads(done.stdout)
    return spent


def _session(home: str, session: str) -> list[float]:
    return [_spawn(home, session, event, values) for event, values in EVENTS]


def _post(port: int, session: str, event: str, values: dict[str, str]) -> float:
    began = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("POST", f"/hooks/{event}?client=claude-code", _payload(session, values))
    response = connection.getresponse()
    response.read()
    assert response.status == 200
    connection.close()
    return (time.perf_counter() - began) * 1000


@contextmanager
def _server(home: str) -> Iterator[int]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "commonplace", "serve", "--port", str(port)]
    env = {**os.environ, "COMMONPLACE_HOME": home}
    with subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL) as process:
        try:
            deadline = time.monotonic() + 60
            while not (Path(home) / "server.json").exists() and time.monotonic() < deadline:
                time.sleep(0.05)
            time.sleep(3)  # Until the protocol library is loaded in the background.
            yield port
        finally:
            process.terminate()
            process.wait(20)


def _processes() -> set[int]:
    """The processes that run hooks."""
    found: set[int] = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if b"commonplace\0hook\0" in (folder / "cmdline").read_bytes():
                found.add(int(folder.name))
        except OSError:
            continue
    return found


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:<60} {value:>9,.1f}   {f'at most {AIMS[name]}' if name in AIMS else ''}")
