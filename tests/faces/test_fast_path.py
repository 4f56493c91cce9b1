"""The short way for regular calls answers as the official SDK does, and takes nothing it should leave to it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commonplace.app import open_engine
from commonplace.faces.http import fast
from commonplace.faces.http.app import Site
from commonplace.faces.http.endpoints import Endpoint, Offer
from commonplace.faces.http.guard import Arrival
from commonplace.faces.http.paths import Place
from commonplace.faces.http.sessions import Sessions
from commonplace.settings import load
from tests.faces.dialects import DIALECT, STRICT
from tests.faces.http_client import BOTH, META, MODERN, Answer
from tests.faces.inside import Inside, encoded, sites

LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
SHAKE = {"capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
QUICK = ("echo", "everything", "refuse", "overloaded", "crash", "whoami", "count_to", "no_such_tool", "erase")


@dataclass(frozen=True)
class Ways:
    """Both ways to the same tools."""

    inside: Inside
    short: Site
    long: Site

    def answers(self, message: object, headers: Mapping[str, str], path: str = "/test/mcp") -> tuple[Answer, Answer]:
        body = message if isinstance(message, bytes) else encoded(message)
        return tuple(self.inside.post(site, path, body, headers) for site in (self.short, self.long))  # pyright: ignore

    def agree(self, message: object, headers: Mapping[str, str], path: str = "/test/mcp") -> Any:
        """The message that both ways answer with."""
        short, long = self.answers(message, headers, path)
        assert (short.status, said(short)) == (long.status, said(long))
        return said(short)


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ways]:
    home = tmp_path_factory.mktemp("home")
    engine = open_engine(load({"COMMONPLACE_HOME": str(home), "COMMONPLACE_EMBEDDER": "none"}))
    with sites(engine, {"test": DIALECT, "strict": STRICT}) as (inside, short, long):
        yield Ways(inside, short, long)
    engine.db.close()


def said(answer: Answer) -> Any:
    return answer.json if answer.body else None


def call(name: str = "echo", arguments: Any = None, **more: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": {"text": "hi"} if arguments is None else arguments, **more}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def modern(name: str = "echo", arguments: Any = None, meta: Mapping[str, Any] = META) -> dict[str, Any]:
    return call(name, arguments, _meta=dict(meta))


def modern_headers(name: str = "echo") -> dict[str, str]:
    return {"mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": name}


def taken(message: object, headers: Mapping[str, str], sessions: Sessions | None = None) -> bool:
    """Whether the short way accepts a request."""
    given = {"content-type": "application/json", "accept": BOTH} | dict(headers)
    raw = {name.encode(): value.encode() for name, value in given.items()}
    body = message if isinstance(message, bytes) else encoded(message)
    arrival = Arrival(Place(dialect="test"), "POST", raw, False, body, {}, None, None)  # pyright: ignore
    return fast.regular(arrival, Endpoint(Offer(DIALECT), "default", False), sessions or Sessions()) is not None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
known = st.sampled_from(("text", "words", "count", "share", "flag", "kind", "names", "data", "either", "number"))
arguments = st.dictionaries(known | st.text(max_size=8), json_values, max_size=6)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(QUICK), given=arguments, version=st.sampled_from((MODERN, "", *LEGACY)))
def test_both_ways_say_the_same_whatever_the_arguments(
    ways: Ways, name: str, given: dict[str, Any], version: str
) -> None:
    if version == MODERN:
        ways.agree(modern(name, given), modern_headers(name))
    else:
        ways.agree(call(name, given), {"mcp-protocol-version": version} if version else {})


@pytest.mark.parametrize("version", LEGACY)
def test_both_ways_say_the_same_inside_a_session(ways: Ways, version: str) -> None:
    opening = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": version, **SHAKE}}
    opened = ways.answers(opening, {})
    ids = [answer.headers["mcp-session-id"] for answer in opened]
    for message in (call("whoami", {}), call("echo"), call("everything", {}), call("refuse", {}), call("nope", {})):
        pair: list[Any] = []
        for site, session in zip((ways.short, ways.long), ids, strict=True):
            headers = {"mcp-session-id": session, "mcp-protocol-version": version}
            answer = ways.inside.post(site, "/test/mcp", encoded(message), headers)
            assert answer.headers["mcp-session-id"] == session
            pair.append(json.loads(json.dumps(said(answer)).replace(session, "S")))
        assert pair[0] == pair[1]


@pytest.mark.parametrize(
    "arguments",
    [
        {"text": "half \ud83d"},
        {"text": "\x00"},
        {"text": "grüße 漢字 🎉  "},
        {"text": 2**70},
        {"text": -(2**70)},
        {"text": 1e308},
        {"text": 0.1 + 0.2},
        {"text": -0.0},
        {"text": "x" * 200_000},
        {"text": {"deep": [[[[{"a": [1, 2.5, None, True]}]]]]}},
    ],
)
def test_both_ways_read_and_write_the_same_json(ways: Ways, arguments: dict[str, Any]) -> None:
    for name in ("echo", "everything"):
        ways.agree(modern(name, arguments), modern_headers(name))
        ways.agree(call(name, arguments), {})
        ways.agree(call(name, {"text": "x", "data": arguments}), {})


IRREGULAR: dict[str, tuple[Any, dict[str, str]]] = {
    "another method": ({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, {}),
    "no id": ({k: v for k, v in call().items() if k != "id"}, {}),
    "null id": (call() | {"id": None}, {}),
    "a broken id": (call() | {"id": 1.5}, {}),
    "another protocol": (call() | {"jsonrpc": "1.0"}, {}),
    "a field nobody knows": (call() | {"more": 1}, {}),
    "a parameter nobody knows": (call("echo", None, more=1), {}),
    "answers to questions": (call("echo", None, inputResponses={}), {}),
    "a task": (call("echo", None, task={"ttl": 1}), {}),
    "arguments that are a list": (call("echo", [1]), {}),
    "arguments that are null": ({**call(), "params": {"name": "echo", "arguments": None}}, {}),
    "no name": ({**call(), "params": {"arguments": {}}}, {}),
    "a tool nobody has": (call("nope"), {}),
    "a tool that asks first": (call("erase", {}), {}),
    "a wish for progress": (call("echo", None, _meta={"progressToken": 1}), {}),
    "a broken wish for progress": (call("echo", None, _meta={"progressToken": None}), {}),
    "meta that is a list": (call("echo", None, _meta=[]), {}),
    "two messages": ([call(), call()], {}),
    "a list": ([], {}),
    "no JSON": (b"{", {}),
    "nothing": (b"", {}),
    "no UTF-8": (encoded(call()).replace(b"hi", b"\xff"), {}),
    "half of a character": (encoded(call()).replace(b"hi", b"\xed\xa0\xbd"), {}),
    "no UTF-8 in modern": (encoded(modern()).replace(b'"hi"', b'"\xff"'), modern_headers()),
    "another encoding": (json.dumps(call()).encode("utf-16"), {}),
    "a number that is none": (encoded(call()).replace(b'"hi"', b"NaN"), {}),
    "too deep": (encoded(call()).replace(b'"hi"', b"[" * 3000 + b"]" * 3000), {}),
    "an old revision nobody knows": (call(), {"mcp-protocol-version": "1999-01-01"}),
    "a session nobody knows": (call(), {"mcp-session-id": "x"}),
    "no JSON by its own account": (call(), {"content-type": "text/plain"}),
    "no JSON wanted": (call(), {"accept": "text/html"}),
    "modern without the name": (modern(), {k: v for k, v in modern_headers().items() if k != "mcp-name"}),
    "modern without the method": (modern(), {k: v for k, v in modern_headers().items() if k != "mcp-method"}),
    "modern with another name": (modern(), modern_headers("whoami")),
    "modern with another method": (modern(), modern_headers() | {"mcp-method": "tools/list"}),
    "modern without meta": (call(), modern_headers()),
    "modern with another version inside": (
        modern(meta=META | {"io.modelcontextprotocol/protocolVersion": "2025-11-25"}),
        modern_headers(),
    ),
    "modern without capabilities": (
        modern(meta={k: v for k, v in META.items() if "Capabilities" not in k}),
        modern_headers(),
    ),
    "modern with broken capabilities": (
        modern(meta=META | {"io.modelcontextprotocol/clientCapabilities": {"roots": 1}}),
        modern_headers(),
    ),
    "modern with a broken client": (
        modern(meta=META | {"io.modelcontextprotocol/clientInfo": {"name": 1}}),
        modern_headers(),
    ),
    "modern with a log level": (modern(meta=META | {"io.modelcontextprotocol/logLevel": "info"}), modern_headers()),
    "modern with a wish for progress": (modern(meta=META | {"progressToken": "t"}), modern_headers()),
}


@pytest.mark.parametrize("what", IRREGULAR)
def test_what_is_not_a_plain_call_goes_the_long_way_and_gets_the_same_answer(ways: Ways, what: str) -> None:
    message, headers = IRREGULAR[what]

    assert not taken(message, headers)
    ways.agree(message, headers)


@pytest.mark.parametrize(
    "capabilities",
    [
        {},
        {"elicitation": {}},
        {"elicitation": {"form": {}, "url": {}}},
        {"roots": {"listChanged": True}},
        {"sampling": {}},
    ],
)
def test_plain_calls_of_todays_clients_take_the_short_way(ways: Ways, capabilities: dict[str, Any]) -> None:
    meta = META | {"io.modelcontextprotocol/clientCapabilities": capabilities, "claudecode/toolUseId": "toolu_1"}

    assert taken(modern(meta=meta), modern_headers())
    ways.agree(modern(meta=meta), modern_headers())


def test_plain_calls_of_yesterdays_clients_take_the_short_way() -> None:
    sessions = Sessions()
    sessions.add("abc", "raw", "2025-06-18")

    assert taken(call(), {})
    assert taken(call("echo", None, _meta={"some/key": 1}), {"mcp-protocol-version": "2025-06-18"})
    assert taken(call(), {"accept": "application/json"})
    assert taken(call(), {"mcp-session-id": "abc"}, sessions)
    sessions.end("abc")
    assert not taken(call(), {"mcp-session-id": "abc"}, sessions)


def test_an_argument_a_strict_dialect_does_not_know_is_refused_on_both_ways(ways: Ways) -> None:
    refused = ways.agree(call("echo", {"text": "x", "colour": "red"}), {}, "/strict/mcp")

    assert refused["result"]["isError"]
    assert ways.agree(call("echo", {"text": "x", "colour": "red"}), {})["result"]["isError"] is False
