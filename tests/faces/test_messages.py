"""The protocol's JSON that is built from a dialect's table, without any process."""

import json
from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace.app import open_engine
from commonplace.dialects import registry
from commonplace.dialects.dialect import Call, Dialect, Reply, Resource
from commonplace.engine.engine import Engine
from commonplace.errors import Invalid
from commonplace.faces.mcp import messages, parsing, protocol, resources
from commonplace.faces.mcp.parsing import ProtocolError
from commonplace.faces.mcp.protocol import ClientSession
from commonplace.settings import load
from tests.faces.sample_dialect import DIALECT, STRICT, echo, erase, everything

MODERN = messages.MODERN[-1]
OLDEST, NEWEST_LEGACY = messages.LEGACY[0], messages.LEGACY[-1]


def asked(conversation: ClientSession, method: str, params: object = None) -> messages.Json:
    message = {"jsonrpc": "2.0", "id": 1, "method": method} | (
        {} if params is None else {"params": params}
    )
    return conversation.answer_from_table(conversation.read_request(message))


def refusal(conversation: ClientSession, method: str, params: object = None) -> ProtocolError:
    with pytest.raises(ProtocolError) as caught:
        asked(conversation, method, params)
    return caught.value


def modern(**meta: object) -> dict[str, object]:
    return {"_meta": {messages.VERSION_KEY: MODERN, messages.CLIENT_CAPABILITIES_KEY: {}} | meta}


@pytest.fixture
def conversation() -> ClientSession:
    return ClientSession(DIALECT, lambda: DIALECT.instructions)


def test_a_tool_is_listed_with_everything_its_row_says() -> None:
    entry = messages.tool_entry(everything, strict=False)

    assert (entry["name"], entry["title"]) == ("everything", "All kinds")
    assert entry["description"] == "Take one argument of every type."
    properties = entry["inputSchema"]["properties"]
    assert {name: one.get("type") for name, one in properties.items()} == {
        "text": "string",
        "count": "integer",
        "share": "number",
        "flag": "boolean",
        "kind": "string",
        "names": "array",
        "data": "object",
        "either": None,
    }
    assert properties["kind"]["enum"] == ["red", "green"]
    assert (
        properties["count"]["minimum"],
        properties["count"]["maximum"],
        properties["count"]["default"],
    ) == (
        0,
        10,
        3,
    )
    assert entry["inputSchema"]["required"] == ["text"]
    assert entry["outputSchema"]["type"] == "object"


@pytest.mark.parametrize(
    ("tool", "hints"),
    [
        (echo, (True, False, True)),
        (everything, (False, False, True)),
        (erase, (False, True, False)),
    ],
)
def test_the_effect_becomes_the_annotations(
    tool: messages.Tool, hints: tuple[bool, bool, bool]
) -> None:
    shown = messages.tool_entry(tool, strict=False)["annotations"]

    assert (shown["readOnlyHint"], shown["destructiveHint"], shown["idempotentHint"]) == hints
    assert shown["openWorldHint"] is False


def test_only_the_tools_that_decide_whether_memory_is_used_ask_to_be_kept_loaded() -> None:
    loaded = [
        one["name"]
        for one in messages.tools(DIALECT)
        if one.get("_meta") == {"anthropic/alwaysLoad": True}
    ]

    assert loaded == ["echo", "remember"]


def test_a_strict_dialect_says_in_its_schema_that_it_refuses_what_it_does_not_know() -> None:
    assert messages.tools(STRICT)[0]["inputSchema"]["additionalProperties"] is False
    assert "additionalProperties" not in messages.tool_entry(echo, strict=False)["inputSchema"]


def test_tools_come_in_the_order_of_the_table_every_time() -> None:
    assert [one["name"] for one in messages.tools(DIALECT)] == list(DIALECT.tools)
    assert messages.tools(DIALECT) == messages.tools(DIALECT)


def test_an_answer_has_both_halves() -> None:
    result = messages.call_result(Reply({"a": 1}, "one", is_error=True))

    assert result == {
        "content": [{"type": "text", "text": "one"}],
        "structuredContent": {"a": 1},
        "isError": True,
    }


def test_fixed_addresses_and_templates_are_listed_apart() -> None:
    assert [one["uri"] for one in messages.resources(DIALECT)] == ["memo://about"]
    assert [one["uriTemplate"] for one in messages.resource_templates(DIALECT)] == [
        "memo://notes/{name}"
    ]


@pytest.mark.parametrize(
    ("uri", "parts"),
    [
        ("memo://about", {}),
        ("memo://notes/a", {"name": "a"}),
        ("memo://notes/a%20b%2Fc", {"name": "a b/c"}),
        ("memo://notes/", None),
        ("memo://notes/a/b", None),
        ("memo://notes/.+", {"name": ".+"}),
        ("other://about", None),
    ],
)
def test_an_address_is_taken_apart(uri: str, parts: dict[str, str] | None) -> None:
    found = resources.find(DIALECT.resources, uri)

    assert (found and found[1]) == parts


def test_a_fixed_address_wins_over_a_template() -> None:
    general = Resource("memo://{name}", "any", "", "text/plain", lambda call, name: name)

    found = resources.find((general, *DIALECT.resources), "memo://about")

    assert found
    assert found[0].name == "about"


@pytest.mark.parametrize("version", messages.LEGACY)
def test_a_handshake_gets_the_revision_it_asks_for(
    version: str, conversation: ClientSession
) -> None:
    result = asked(conversation, "initialize", {"protocolVersion": version})

    assert result["protocolVersion"] == version
    assert result["instructions"] == DIALECT.instructions
    assert result["serverInfo"]["name"] == "commonplace"
    assert "resultType" not in result


@pytest.mark.parametrize("version", ["2023-01-01", "2026-07-28", "", None, 7, ["2024-11-05"]])
def test_a_handshake_that_asks_for_anything_else_gets_the_newest_that_has_handshakes(
    version: object, conversation: ClientSession
) -> None:
    assert (
        asked(conversation, "initialize", {"protocolVersion": version})["protocolVersion"]
        == NEWEST_LEGACY
    )


def test_only_what_the_dialect_has_is_offered() -> None:
    bare = Dialect("bare", "Bare", "", {})

    assert messages.capabilities(bare, MODERN) == {"tools": {"listChanged": False}}
    assert set(messages.capabilities(bare, OLDEST)) == {"tools", "logging"}
    assert set(messages.capabilities(DIALECT, MODERN)) == {
        "tools",
        "resources",
        "prompts",
        "completions",
    }


def test_a_dialect_without_resources_and_prompts_lists_none() -> None:
    conversation = ClientSession(Dialect("bare", "Bare", "", {}), str)

    assert asked(conversation, "resources/list") == {"resources": []}
    assert asked(conversation, "prompts/list") == {"prompts": []}
    assert "instructions" not in asked(conversation, "initialize", {"protocolVersion": OLDEST})


def test_a_modern_result_says_its_type_its_sender_and_how_long_it_holds(
    conversation: ClientSession,
) -> None:
    for method, (ttl_ms, scope) in messages.CACHE_HINTS.items():
        if method in protocol.ENGINE_METHODS:
            continue
        result = asked(conversation, method, modern())
        assert (result["resultType"], result["ttlMs"], result["cacheScope"]) == (
            "complete",
            ttl_ms,
            scope,
        )
        assert result["_meta"][messages.SERVER_KEY] == messages.server_info()


def test_discovery_names_the_revisions_that_need_no_handshake(conversation: ClientSession) -> None:
    result = asked(conversation, "server/discover", modern())

    assert result["supportedVersions"] == list(messages.MODERN)
    assert result["instructions"] == DIALECT.instructions


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("ping", modern(), messages.METHOD_NOT_FOUND),
        ("logging/setLevel", modern() | {"level": "info"}, messages.METHOD_NOT_FOUND),
        ("server/discover", None, messages.METHOD_NOT_FOUND),
        ("resources/subscribe", {"uri": "memo://about"}, messages.METHOD_NOT_FOUND),
        ("logging/setLevel", {"level": "loud"}, messages.INVALID_PARAMS),
        ("tools/list", {"cursor": "next"}, messages.INVALID_PARAMS),
        ("tools/list", [1], messages.INVALID_PARAMS),
        ("tools/list", {"_meta": {messages.VERSION_KEY: MODERN}}, messages.INVALID_PARAMS),
        ("tools/list", modern(**{messages.VERSION_KEY: 7}), messages.INVALID_PARAMS),
        (
            "tools/list",
            modern(**{messages.VERSION_KEY: "2027-01-01"}),
            messages.UNSUPPORTED_VERSION,
        ),
        (
            "tools/list",
            modern(**{messages.VERSION_KEY: NEWEST_LEGACY}),
            messages.UNSUPPORTED_VERSION,
        ),
    ],
)
def test_what_a_revision_does_not_have_is_refused(
    method: str, params: object, code: int, conversation: ClientSession
) -> None:
    assert refusal(conversation, method, params).code == code


def test_a_revision_that_is_not_spoken_is_answered_with_those_that_are(
    conversation: ClientSession,
) -> None:
    refused = refusal(conversation, "tools/list", modern(**{messages.VERSION_KEY: "2027-01-01"}))

    assert refused.data == {"supported": list(messages.MODERN), "requested": "2027-01-01"}


def test_a_modern_client_that_forgets_its_envelope_is_told_what_is_missing(
    conversation: ClientSession,
) -> None:
    asked(conversation, "server/discover", modern())

    refused = refusal(conversation, "tools/list", {})

    assert refused.code == messages.INVALID_PARAMS
    assert messages.VERSION_KEY in refused.message


def test_a_client_may_look_with_discovery_and_then_shake_hands(conversation: ClientSession) -> None:
    asked(conversation, "server/discover", modern())
    asked(conversation, "initialize", {"protocolVersion": OLDEST})

    assert asked(conversation, "tools/list")["tools"]


@pytest.mark.parametrize(
    "message",
    [
        None,
        7,
        "hello",
        [],
        [{"jsonrpc": "2.0", "id": 1, "method": "ping"}],
        {},
        {"id": 1, "method": "ping"},
        {"jsonrpc": "1.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1},
        {"jsonrpc": "2.0", "id": 1, "method": 7},
        {"jsonrpc": "2.0", "id": None, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1.5, "method": "ping"},
        {"jsonrpc": "2.0", "id": True, "method": "ping"},
        {"jsonrpc": "2.0", "id": [], "method": "ping"},
    ],
)
def test_what_is_no_message_is_an_invalid_request(message: object) -> None:
    with pytest.raises(ProtocolError) as caught:
        parsing.classify(message)

    assert caught.value.code == messages.INVALID_REQUEST


def test_completions_are_cut_where_the_protocol_says() -> None:
    result = messages.completion_result(str(one) for one in range(150))["completion"]

    assert (len(result["values"]), result["total"], result["hasMore"]) == (100, 150, True)
    assert messages.completion_result(()) == {
        "completion": {"values": [], "total": 0, "hasMore": False}
    }


@pytest.mark.parametrize(
    "text", ["plain", "čšž 漢字 🐙", "line\nbreak\r\u2028", "half \ud83d", "\x00\x1f"]
)
def test_any_text_survives_on_one_line(text: str) -> None:
    line = messages.encode({"text": text})

    assert b"\n" not in line
    assert json.loads(line) == {"text": text}


@pytest.mark.parametrize(
    "line", [b"NaN", b'{"a": Infinity}', b"[1e999]", b"{", b"\xff", b"", b"[" * 100_000]
)
def test_a_line_that_could_not_be_answered_is_not_read(line: bytes) -> None:
    with pytest.raises((ValueError, RecursionError)):
        messages.decode(line)


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = (
    "name",
    "arguments",
    "uri",
    "cursor",
    "level",
    "ref",
    "argument",
    "notifications",
    "inputResponses",
    "_meta",
)
# Not those that wait, or are broken on purpose.
OTHERS = {"hold", "await_hold", "chatter", "crash", "not_a_number"}
NAMED = st.sampled_from([*(DIALECT.tools.keys() - OTHERS), "greet"])
PARAMS = st.dictionaries(
    st.sampled_from(KEYS), ANYTHING | NAMED | st.just({"name": "name", "value": ""}), max_size=5
)
METHODS = st.sampled_from(
    [
        *protocol.ENGINE_METHODS,
        *messages.CACHE_HINTS,
        "initialize",
        "ping",
        "logging/setLevel",
        "nope",
    ]
)
ENVELOPES = st.sampled_from(
    [{}, modern(), modern(progressToken=1), {"_meta": {messages.VERSION_KEY: MODERN}}]
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    opened = open_engine(load({"COMMONPLACE_HOME": str(tmp_path_factory.mktemp("store"))}))
    yield opened
    opened.db.close()


@given(method=METHODS, params=PARAMS | ANYTHING, envelope=ENVELOPES)
@settings(max_examples=300, deadline=None)
def test_whatever_is_asked_is_answered_or_refused(
    store: Engine, method: str, params: object, envelope: dict[str, object]
) -> None:
    conversation = ClientSession(DIALECT, str)
    whole = params | envelope if isinstance(params, dict) else params
    with suppress(ProtocolError):
        request = conversation.read_request(
            {"jsonrpc": "2.0", "id": 1, "method": method, "params": whole}
        )
        if method in protocol.ENGINE_METHODS:
            result = protocol.execute(request, DIALECT, lambda _request: Call(store, "default"))
        else:
            result = conversation.answer_from_table(request)
        assert json.loads(messages.encode(result)) == result
        assert "internal error" not in str(result)


def test_every_dialect_of_the_house_can_be_listed() -> None:
    for name in registry.NAMES:
        dialect = registry.find(name)
        assert (dialect.name, bool(dialect.title), bool(dialect.instructions)) == (name, True, True)
        assert len(messages.tools(registry.single_bank(name))) <= len(messages.tools(dialect))


def test_an_unknown_dialect_is_answered_with_the_known_ones() -> None:
    with pytest.raises(Invalid) as caught:
        registry.find("latin")

    assert "memstate" in caught.value.hint
