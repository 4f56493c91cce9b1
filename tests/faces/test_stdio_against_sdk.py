"""The thin loop answers as the official library's server does: the same lines to both, the answers
compared.

A difference is a row of DIFFERENCES with its reason; a row that no longer differs fails, and so
does a new difference.
"""

import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from commonplace.faces.mcp import messages
from tests.faces.pipe_client import ENVELOPE, HELLO, OURS, THEIRS, Pipes, opened
from tests.faces.sdk_server import conversed

VERSIONS = ("2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28")
REF = {"type": "ref/prompt", "name": "greet"}
URI = {"type": "ref/resource", "uri": "memo://notes/{name}"}

# What is sent, by name: a method and its parameters, or raw bytes.
STEPS: dict[str, tuple[str, Any] | bytes] = {
    "ping": ("ping", {}),
    "no params": ("tools/list", None),
    "tools": ("tools/list", {}),
    "null cursor": ("tools/list", {"cursor": None}),
    "resources": ("resources/list", {}),
    "templates": ("resources/templates/list", {}),
    "prompts": ("prompts/list", {}),
    "level": ("logging/setLevel", {"level": "info"}),
    "bad level": ("logging/setLevel", {"level": "loud"}),
    "discover": ("server/discover", {}),
    "unknown method": ("nope/nope", {}),
    "subscribe": ("resources/subscribe", {"uri": "memo://about"}),
    "echo": ("tools/call", {"name": "echo", "arguments": {"text": "Grüße 🐙\n\u2028"}}),
    "everything": (
        "tools/call",
        {"name": "everything", "arguments": {"text": "a", "data": {"b": [1, 2.5, None]}}},
    ),
    "extra arguments": ("tools/call", {"name": "echo", "arguments": {"text": "a", "more": 1}}),
    "missing argument": ("tools/call", {"name": "echo", "arguments": {}}),
    "no arguments": ("tools/call", {"name": "echo"}),
    "null arguments": ("tools/call", {"name": "refuse", "arguments": None}),
    "arguments as a list": ("tools/call", {"name": "echo", "arguments": []}),
    "name as a number": ("tools/call", {"name": 7, "arguments": {}}),
    "no name": ("tools/call", {}),
    "unknown tool": ("tools/call", {"name": "nope", "arguments": {}}),
    "failing tool": ("tools/call", {"name": "refuse", "arguments": {}}),
    "busy tool": ("tools/call", {"name": "overloaded", "arguments": {}}),
    "buggy tool": ("tools/call", {"name": "crash", "arguments": {}}),
    "progress": (
        "tools/call",
        {"name": "count_to", "arguments": {"number": 2}, "_meta": {"progressToken": 9}},
    ),
    "progress not wanted": ("tools/call", {"name": "count_to", "arguments": {"number": 2}}),
    "read": ("resources/read", {"uri": "memo://about"}),
    "read a template": ("resources/read", {"uri": "memo://notes/a%20b"}),
    "read nothing": ("resources/read", {"uri": "memo://nothing"}),
    "read a missing note": ("resources/read", {"uri": "memo://notes/missing"}),
    "read a number": ("resources/read", {"uri": 7}),
    "prompt": ("prompts/get", {"name": "greet", "arguments": {"name": "Ada", "tone": "warmly"}}),
    "prompt without its argument": ("prompts/get", {"name": "greet"}),
    "unknown prompt": ("prompts/get", {"name": "nope"}),
    "completion": (
        "completion/complete",
        {"ref": REF, "argument": {"name": "name", "value": "name-00"}},
    ),
    "many completions": (
        "completion/complete",
        {"ref": URI, "argument": {"name": "name", "value": ""}},
    ),
    "no completion": (
        "completion/complete",
        {"ref": REF, "argument": {"name": "tone", "value": "w"}},
    ),
    "bad completion": ("completion/complete", {"ref": {"type": "ref/other"}, "argument": {}}),
    "params as a list": b'{"jsonrpc":"2.0","id":"x","method":"tools/list","params":[]}',
    "unknown notification": b'{"jsonrpc":"2.0","method":"notifications/nope"}',
    "cancelled nothing": (
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}'
    ),
    "an answer nobody asked for": b'{"jsonrpc":"2.0","id":5,"result":{}}',
    "blank": b"   ",
    "not json": b"{nope",
    "not utf-8": b'{"jsonrpc":"2.0","id":"x","method":"\xff"}',
    "no version": b'{"id":"x","method":"ping"}',
    "null id": b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
    "batch": b'[{"jsonrpc":"2.0","id":"x","method":"ping"}]',
}

SILENT = (
    "the library drops what it cannot read without a word; ours answers, so that a client does not"
    " wait in vain"
)
DIFFERENCES = {
    "params as a list": SILENT,
    "not json": SILENT,
    "not utf-8": "the library replaces the bytes and goes on; ours says that the line is not UTF-8",
    "no version": SILENT,
    "null id": SILENT,
    "batch": SILENT,
}
MODERN_DIFFERENCES = {
    "discover": (
        "ours offers no news of changes, since lists never change, and no log; the library derives"
        " both"
    ),
}


def line(step: tuple[str, Any] | bytes, modern: bool) -> bytes:
    if isinstance(step, bytes):
        return step
    method, params = step
    if modern:
        params = dict(params or {})
        params["_meta"] = ENVELOPE | params.get("_meta", {})
    message = {"jsonrpc": "2.0", "id": "x", "method": method} | (
        {} if params is None else {"params": params}
    )
    return json.dumps(message).encode()


def answers(pipes: Pipes, step: tuple[str, Any] | bytes) -> list[Any]:
    """What comes back for a line, until a request sent after it is answered as well."""
    pipes.write(line(step, pipes.modern) + b"\n")
    mark = pipes.request("server/discover" if pipes.modern else "ping")
    awaited = {mark} | (set() if isinstance(step, bytes) else {"x"})
    found: list[Any] = []
    while awaited:
        message = pipes.receive()
        awaited.discard(message.get("id"))
        if message.get("id") != mark:
            found.append(_essence(message))
    return found


def _essence(message: Any) -> Any:
    """A message without the wording of errors, which is each server's own."""
    if "error" in message:
        return {"id": message["id"], "error": message["error"]["code"]}
    return message


@pytest.mark.parametrize("version", VERSIONS)
def test_the_same_lines_get_the_same_answers(version: str, home: Path) -> None:
    seen: dict[str, list[Any]] = {}
    with opened(home, OURS) as ours, opened(home, THEIRS) as theirs:
        for pipes in (ours, theirs):
            greeting = pipes.hello(version)
            if not pipes.modern:
                seen.setdefault("hello", []).append(greeting)
            for name, step in STEPS.items():
                seen.setdefault(name, []).append(answers(pipes, step))

    differing = {name for name, (mine, other) in seen.items() if mine != other}
    assert differing == set(
        DIFFERENCES | (MODERN_DIFFERENCES if messages.is_modern(version) else {})
    )


OPENINGS: dict[str, tuple[list[Any], str]] = {
    "an old revision": ([("initialize", {"protocolVersion": "2024-11-05", **HELLO})], ""),
    "an unknown revision": ([("initialize", {"protocolVersion": "1999-01-01", **HELLO})], ""),
    "the modern revision": ([("initialize", {"protocolVersion": "2026-07-28", **HELLO})], ""),
    "a revision not spoken": (
        [("tools/list", {"_meta": ENVELOPE | {messages.VERSION_KEY: "2027-01-01"}})],
        "",
    ),
    "a revision that is a number": (
        [("tools/list", {"_meta": ENVELOPE | {messages.VERSION_KEY: 7}})],
        "",
    ),
    "half an envelope": ([("tools/list", {"_meta": {messages.VERSION_KEY: "2026-07-28"}})], ""),
    "no envelope after one": ([("server/discover", {"_meta": ENVELOPE}), ("tools/list", {})], ""),
    "ping first": ([("ping", {})], ""),
    "unknown first": ([("nope", {})], ""),
    "a handshake without its fields": (
        [("initialize", {})],
        "ours takes a handshake for what it says, and what it does not say for unknown",
    ),
    "no handshake": (
        [("tools/list", {})],
        "ours serves scripts that skip the handshake, as it does over HTTP",
    ),
    "a handshake after discovery": (
        [
            ("server/discover", {"_meta": ENVELOPE}),
            ("initialize", {"protocolVersion": "2025-11-25", **HELLO}),
        ],
        "ours lets a client look with discovery and then shake hands",
    ),
    "an envelope after a handshake": (
        [
            ("initialize", {"protocolVersion": "2025-11-25", **HELLO}),
            ("tools/list", {"_meta": ENVELOPE}),
        ],
        "ours reads the era from each request and needs no memory of the first",
    ),
}


@pytest.mark.parametrize("name", OPENINGS)
def test_conversations_open_alike(name: str, home: Path) -> None:
    steps, reason = OPENINGS[name]
    messages = [
        {"jsonrpc": "2.0", "id": n, "method": m, "params": p} for n, (m, p) in enumerate(steps, 1)
    ]
    theirs = [_essence(one) for one in anyio.run(conversed, messages)]
    with opened(home, OURS) as pipes:
        ours = [_essence(pipes.ask(method, **params)) for method, params in steps]

    assert (_without_offers(ours) != _without_offers(theirs)) == bool(reason), (ours, theirs)


def _without_offers(messages: list[Any]) -> list[Any]:
    """Messages without what discovery offers, whose difference is named above."""
    for message in messages:
        if "supportedVersions" in message.get("result", {}):
            del message["result"]["capabilities"]
    return messages
