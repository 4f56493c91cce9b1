"""Runs one hook: JSON on standard input, the client's answer on standard output, exit code 0.

A client waits for this program at each event. It imports only what a hook needs, gives up before
the client's time limit, and fails with an empty answer and a line in the log.
"""

import json
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

from commonplace import clock
from commonplace import settings as settings_table
from commonplace.app import open_engine
from commonplace.clock import SystemClock
from commonplace.engine.hooks import hook_log
from commonplace.engine.hooks.hook_clients import SECONDS_MAX
from commonplace.engine.hooks.hook_log import LogLine
from commonplace.engine.hooks.launch import DEFAULT_BANK, HookLauncher, HookPolicy, HookRequest
from commonplace.errors import CommonplaceError
from commonplace.faces.warm import client, server_file
from commonplace.limits import BODY_BYTES_MAX
from commonplace.settings import Settings

_SECONDS_DEFAULT = 4.0
_BUSY_MS_MAX = 1_500
_CHUNK_BYTES = 1_000_000
_HEADLESS_ENTRY_POINTS = ("sdk-cli", "sdk-py", "sdk-ts", "github-action")


@dataclass(frozen=True, slots=True)
class HookArguments:
    """The command line: `hook EVENT --client NAME [--bank NAME] [--home DIR]`."""

    event: str = ""
    client: str = "generic"
    bank: str = DEFAULT_BANK
    home: str = ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a hook. The exit code is always 0."""
    given = parse(sys.argv[1:] if arguments is None else arguments)
    answers: list[bytes] = []
    # A thread, because a store that is locked or an input that never ends must not hold the client.
    thread = threading.Thread(target=lambda: answers.append(_answer(given)), daemon=True)
    thread.start()
    seconds = next((s for event, s in SECONDS_MAX.items() if event == given.event), 0.0)
    thread.join(seconds or _SECONDS_DEFAULT)
    if not answers:
        _log_failure(given, "it took too long")
    _write(answers[0] if answers else b"{}\n")
    # Without the end of the interpreter, which would wait for threads and take a fifth of the time.
    os._exit(0)


def parse(arguments: Sequence[str]) -> HookArguments:
    """The arguments of a hook; unknown ones are passed over, because nobody reads an error."""
    found = HookArguments()
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        if name in ("--client", "--bank", "--home"):
            value = value if equals else (rest.pop(0) if rest else "")
            found = replace(found, **{name.removeprefix("--"): value})
        elif word != "hook" and not word.startswith("-"):
            found = replace(found, event=word)
    return found


def is_headless(environment: Mapping[str, str]) -> bool:
    """Whether a program runs the agent, as in a pipeline, and no person is there."""
    entry = environment.get("CLAUDE_CODE_ENTRYPOINT", "")
    return entry in _HEADLESS_ENTRY_POINTS or bool(environment.get("CI", "").strip())


def _answer(given: HookArguments) -> bytes:
    payload = _read_input()
    try:
        settings = _settings(given)
        store = settings.database_path.parent
    except CommonplaceError as error:
        sys.stderr.write(f"Error in a hook: {error.message}\n")
        return b"{}\n"
    headless = is_headless(os.environ)
    if settings.hooks == "all" or (settings.hooks == "on" and not headless):
        found = _answer_of_server(given, settings, payload)
        if found is not None:
            return found
    hurried = replace(settings, busy_timeout_ms=min(settings.busy_timeout_ms, _BUSY_MS_MAX))
    launcher = HookLauncher(
        lambda: open_engine(hurried), store, HookPolicy(settings.hooks, settings.brief_tokens)
    )
    request = HookRequest(given.client, given.event, payload, given.bank, headless=headless)
    return json.dumps(launcher.answer(request)).encode() + b"\n"


def _answer_of_server(given: HookArguments, settings: Settings, payload: bytes) -> bytes | None:
    """The answer of the server on the store, whose models are in memory; None without a server."""
    server = server_file.find(settings.database_path)
    is_sendable = given.event in SECONDS_MAX and given.bank.isprintable()
    if server is None or len(payload) > BODY_BYTES_MAX or not is_sendable:
        return None
    seconds = next(s for event, s in SECONDS_MAX.items() if event == given.event)
    path = f"/hooks/{given.event}?client={quote(given.client)}"
    try:
        found = client.post(server, path, payload, bank=given.bank, seconds=seconds)
    except client.Unreachable:
        return None
    except client.Interrupted:
        _log_failure(given, "the server did not answer")
        return b"{}\n"
    return json.dumps(found).encode() + b"\n"


def _settings(given: HookArguments) -> Settings:
    chosen = settings_table.load()
    if not given.home:
        return chosen
    return replace(chosen, home=Path(given.home).expanduser().absolute())


def _read_input() -> bytes:
    """Standard input up to a little over the limit. The rest is read too, because a client may fail
    when it cannot write all of it.
    """
    if sys.stdin is None or sys.stdin.closed:  # pyright: ignore[reportUnnecessaryComparison]
        return b""
    chunks: list[bytes] = []
    size = 0
    while chunk := os.read(sys.stdin.fileno(), _CHUNK_BYTES):
        if size <= BODY_BYTES_MAX:
            chunks.append(chunk)
        size += len(chunk)
    return b"".join(chunks)


def _write(answer: bytes) -> None:
    try:
        os.write(sys.stdout.fileno(), answer)
    except (OSError, ValueError, AttributeError):
        # The client has gone.
        return


def _log_failure(given: HookArguments, message: str) -> None:
    try:
        store = _settings(given).database_path.parent
    except CommonplaceError:
        return
    moment = clock.iso(SystemClock().now())
    line = LogLine(moment, given.event, given.client, "failed", message=message, bank=given.bank)
    hook_log.append(store, line)
