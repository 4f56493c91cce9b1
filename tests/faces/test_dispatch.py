"""What is answered over HTTP without the official SDK is what the SDK would answer.

A difference is a row of DIFFERENCES with its reason; a row that no longer differs fails, and so
does a new difference.
"""

import base64
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commonplace.app import open_engine
from commonplace.faces.http.app import Site
from commonplace.faces.mcp import messages
from commonplace.settings import load
from tests.faces.asgi_client import Inside, encoded, sites
from tests.faces.http_client import BOTH, META, MODERN, Answer
from tests.faces.sample_dialect import DIALECT, STRICT
from tests.faces.test_stdio_against_sdk import STEPS as ON_STANDARD_INPUT

LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
SHAKE = {"capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
QUICK = (
    "echo",
    "everything",
    "refuse",
    "overloaded",
    "crash",
    "whoami",
    "count_to",
    "no_such_tool",
    "erase",
)


@dataclass(frozen=True)
class Pair:
    """Our app, and one in which the SDK answers everything."""

    inside: Inside
    ours: Site
    theirs: Site

    def answers(
        self, message: object, headers: Mapping[str, str], path: str = "/test/mcp"
    ) -> tuple[Answer, Answer]:
        body = message if isinstance(message, bytes) else encoded(message)
        return tuple(
            self.inside.post(site, path, body, headers) for site in (self.ours, self.theirs)
        )  # pyright: ignore

    def agree(self, message: object, headers: Mapping[str, str], path: str = "/test/mcp") -> Any:
        """The message that both answer with."""
        ours, theirs = self.answers(message, headers, path)
        assert (ours.status, essence(ours)) == (theirs.status, essence(theirs))
        return said(ours)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    home = tmp_path_factory.mktemp("home")
    engine = open_engine(load({"COMMONPLACE_HOME": str(home), "COMMONPLACE_EMBEDDER": "none"}))
    with sites(engine, {"test": DIALECT, "strict": STRICT}) as (inside, ours, theirs):
        yield Pair(inside, ours, theirs)
    engine.db.close()


def said(answer: Answer) -> Any:
    return answer.json if answer.body else None


def essence(answer: Answer) -> Any:
    """A message without the wording of errors, which is each server's own."""
    message = said(answer)
    return (
        {"id": message["id"], "error": message["error"]["code"]}
        if message and "error" in message
        else message
    )


def call(name: str = "echo", arguments: Any = None, **more: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": {"text": "hi"} if arguments is None else arguments, **more}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def modern(
    name: str = "echo", arguments: Any = None, meta: Mapping[str, Any] = META
) -> dict[str, Any]:
    return call(name, arguments, _meta=dict(meta))


def modern_headers(name: str = "echo") -> dict[str, str]:
    return {"mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": name}


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
known = st.sampled_from(
    ("text", "words", "count", "share", "flag", "kind", "names", "data", "either", "number")
)
arguments = st.dictionaries(known | st.text(max_size=8), json_values, max_size=6)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(name=st.sampled_from(QUICK), given=arguments, version=st.sampled_from((MODERN, "", *LEGACY)))
def test_a_call_is_answered_as_by_the_sdk_whatever_its_arguments(
    pair: Pair, name: str, given: dict[str, Any], version: str
) -> None:
    if version == MODERN:
        pair.agree(modern(name, given), modern_headers(name))
    else:
        pair.agree(call(name, given), {"mcp-protocol-version": version} if version else {})


@pytest.mark.parametrize(
    "arguments",
    [
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
def test_the_same_json_is_read_and_written(pair: Pair, arguments: dict[str, Any]) -> None:
    for name in ("echo", "everything"):
        pair.agree(modern(name, arguments), modern_headers(name))
        pair.agree(call(name, arguments), {})
        pair.agree(call(name, {"text": "x", "data": arguments}), {})


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
    "half of a character as an escape": (call("echo", {"text": "half \ud83d"}), {}),
    "another encoding": (json.dumps(call()).encode("utf-16"), {}),
    "a number that is none": (encoded(call()).replace(b'"hi"', b"NaN"), {}),
    "too deep": (encoded(call()).replace(b'"hi"', b"[" * 3000 + b"]" * 3000), {}),
    "an old revision nobody knows": (call(), {"mcp-protocol-version": "1999-01-01"}),
    "a session nobody knows": (call(), {"mcp-session-id": "x"}),
    "no JSON by its own account": (call(), {"content-type": "text/plain"}),
    "no JSON wanted": (call(), {"accept": "text/html"}),
    "modern without the name": (
        modern(),
        {k: v for k, v in modern_headers().items() if k != "mcp-name"},
    ),
    "modern without the method": (
        modern(),
        {k: v for k, v in modern_headers().items() if k != "mcp-method"},
    ),
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
    "modern with a log level": (
        modern(meta=META | {"io.modelcontextprotocol/logLevel": "info"}),
        modern_headers(),
    ),
    "modern with a wish for progress": (
        modern(meta=META | {"progressToken": "t"}),
        modern_headers(),
    ),
}

LENIENT = "ours reads what it needs, as on standard input, and passes over what else is wrong"
STRICT_ID = "the SDK takes it for a notification, and the client waits in vain"
DIFFERENCES = {
    "null id": STRICT_ID,
    "a broken id": STRICT_ID,
    "another protocol": (
        "the SDK answers with the code of wrong parameters; ours with that of an invalid request"
    ),
    "two messages": "as above",
    "a list": "as above",
    "a broken wish for progress": LENIENT,
    "meta that is a list": LENIENT,
    "modern with broken capabilities": LENIENT,
    "modern with a broken client": LENIENT,
    "half of a character as an escape": (
        "the SDK refuses it in one era; ours reads it in both, as on standard input"
    ),
    "a number that is none": (
        "the SDK reads it as a text in one era; ours refuses it in both, because it is not JSON"
    ),
    "no JSON by its own account": "the SDK refuses it with a plain text",
}


@pytest.mark.parametrize("what", IRREGULAR)
def test_what_is_not_a_plain_call_is_answered_as_by_the_sdk(pair: Pair, what: str) -> None:
    message, headers = IRREGULAR[what]
    ours, theirs = pair.answers(message, headers)

    agree = (ours.status, essence(ours)) == (theirs.status, essence(theirs))
    assert agree == (what not in DIFFERENCES), (ours, theirs)


# What the methods are asked on standard input, without what has no answer.
STEPS = {name: step for name, step in ON_STANDARD_INPUT.items() if not isinstance(step, bytes)}


@pytest.mark.parametrize("version", [*LEGACY, MODERN])
def test_every_method_is_answered_as_by_the_sdk(pair: Pair, version: str) -> None:
    for name, (method, params) in STEPS.items():
        message = {"jsonrpc": "2.0", "id": name, "method": method} | (
            {} if params is None else {"params": params}
        )
        headers = {"mcp-protocol-version": version}
        if version == MODERN:
            given = params or {}
            message["params"] = given | {"_meta": META | given.get("_meta", {})}
            headers |= {
                "mcp-method": method,
                "mcp-name": str(given.get("name", given.get("uri", ""))),
            }
        pair.agree(message, headers)


@pytest.mark.parametrize("version", LEGACY)
def test_a_session_is_answered_with_json_and_its_id(pair: Pair, version: str) -> None:
    opening = {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {"protocolVersion": version, **SHAKE},
    }
    session = pair.inside.post(pair.ours, "/test/mcp", encoded(opening), {}).headers[
        "mcp-session-id"
    ]
    headers = {"mcp-session-id": session, "mcp-protocol-version": version}
    for message in (
        call("whoami", {}),
        call("refuse", {}),
        call("nope"),
        call() | {"method": "ping"},
    ):
        answer = pair.inside.post(pair.ours, "/test/mcp", encoded(message), headers)

        assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
        assert answer.headers["mcp-session-id"] == session
        if message == call("whoami", {}):
            known = answer.json["result"]["structuredContent"]
            assert (known["session"], known["client"]) == (session, "raw")


def test_only_a_call_whose_caller_wants_news_is_answered_with_a_stream(pair: Pair) -> None:
    wanted = call("count_to", {"number": 2}, _meta={"progressToken": 1})
    kinds = {
        "application/json": "application/json",
        "*/*": "application/json",
        BOTH: "text/event-stream",
    }
    for accept, kind in kinds.items():
        answer = pair.inside.post(pair.ours, "/test/mcp", encoded(wanted), {"accept": accept})
        assert answer.headers["content-type"].partition(";")[0] == kind
        assert answer.json["result"]["structuredContent"] == {"counted": 2}
    plain = pair.inside.post(
        pair.ours, "/test/mcp", encoded(call("count_to", {"number": 2})), {"accept": BOTH}
    )
    assert plain.headers["content-type"] == "application/json"


def test_a_name_that_ascii_cannot_express_may_be_wrapped_in_the_header(pair: Pair) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "resources/read"}
    uri = "memo://notes/grüße"
    message["params"] = {"uri": uri, "_meta": META}
    wrapped = f"=?base64?{base64.b64encode(uri.encode()).decode()}?="
    headers = {"mcp-protocol-version": MODERN, "mcp-method": "resources/read", "mcp-name": wrapped}

    assert pair.agree(message, headers)["result"]["contents"][0]["text"] == "# grüße"
    assert (
        pair.agree(message, headers | {"mcp-name": "=?base64?AAAA?="})["error"]["code"]
        == messages.HEADER_MISMATCH
    )


def test_an_argument_a_strict_dialect_does_not_know_is_refused(pair: Pair) -> None:
    refused = pair.agree(call("echo", {"text": "x", "colour": "red"}), {}, "/strict/mcp")

    assert refused["result"]["isError"]
    assert (
        pair.agree(call("echo", {"text": "x", "colour": "red"}), {})["result"]["isError"] is False
    )


def test_an_answer_that_json_cannot_express_is_an_internal_error(pair: Pair) -> None:
    answer = pair.inside.post(pair.ours, "/test/mcp", encoded(call("not_a_number", {})), {})

    assert answer.json["error"]["code"] == messages.INTERNAL_ERROR
