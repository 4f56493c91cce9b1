"""A short way for regular calls: accepts only what leaves nothing to judge, and leaves the rest to the official SDK.

It never refuses anything: whatever is not exactly a plain tool call goes the long way, so every refusal is the SDK's.
The answer is made by the same function there and here.
"""

import asyncio
from functools import lru_cache
from typing import Any, Literal

import msgspec

from commonplace.faces.http.calls import Calls, Line
from commonplace.faces.http.endpoints import Endpoint
from commonplace.faces.http.guard import Arrival, Headers, answer
from commonplace.faces.http.sessions import Sessions
from commonplace.faces.mcp import methods, wire

_HEADERLESS_VERSION = "2025-03-26"  # what the protocol says of a request that names no revision
_LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel"


class _Capabilities(msgspec.Struct, forbid_unknown_fields=True):
    elicitation: dict[str, dict[str, Any]] | msgspec.UnsetType = msgspec.UNSET
    roots: dict[str, bool] | msgspec.UnsetType = msgspec.UNSET
    sampling: dict[str, dict[str, Any]] | msgspec.UnsetType = msgspec.UNSET
    extensions: dict[str, dict[str, Any]] | msgspec.UnsetType = msgspec.UNSET
    experimental: dict[str, dict[str, Any]] | msgspec.UnsetType = msgspec.UNSET


class _Client(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    version: str
    title: str | msgspec.UnsetType = msgspec.UNSET


class _Meta(msgspec.Struct):
    version: str = msgspec.field(default="", name=wire.VERSION_KEY)
    capabilities: _Capabilities | msgspec.UnsetType = msgspec.field(
        default=msgspec.UNSET, name=wire.CLIENT_CAPABILITIES_KEY
    )
    client: _Client | msgspec.UnsetType = msgspec.field(default=msgspec.UNSET, name=wire.CLIENT_KEY)
    progress_token: msgspec.Raw | msgspec.UnsetType = msgspec.field(default=msgspec.UNSET, name="progressToken")
    log_level: msgspec.Raw | msgspec.UnsetType = msgspec.field(default=msgspec.UNSET, name=_LOG_LEVEL_KEY)


class _Params(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    arguments: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    meta: _Meta = msgspec.field(default_factory=_Meta, name="_meta")


class _Message(msgspec.Struct, forbid_unknown_fields=True):
    jsonrpc: Literal["2.0"]
    id: int | str
    method: Literal["tools/call"]
    params: _Params


_decoder = msgspec.json.Decoder(_Message)
_encoder = msgspec.json.Encoder()


class Regular(msgspec.Struct, frozen=True):
    """A call that may take the short way."""

    request: methods.Request
    session: str


def regular(arrival: Arrival, endpoint: Endpoint, sessions: Sessions) -> Regular | None:
    """The plain tool call that a request is, if it is one beyond doubt."""
    headers = arrival.headers
    if arrival.method != "POST" or arrival.repeated or not _takes_json(headers.get(b"accept", b"*/*")):
        return None
    if not _is_json(headers.get(b"content-type", b"")):
        return None
    try:
        message = _decoder.decode(arrival.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    params = message.params
    if params.name not in endpoint.offer.plain:
        return None
    if params.meta.progress_token is not msgspec.UNSET or params.meta.log_level is not msgspec.UNSET:
        return None
    version = headers.get(b"mcp-protocol-version", b"").decode("latin-1")
    if version in wire.MODERN:
        return _modern(arrival, message, version)
    return _legacy(arrival, message, version, sessions)


async def answer_regular(arrival: Arrival, endpoint: Endpoint, calls: Calls, call: Regular) -> None:
    """Run the call and send its result."""
    watching: list[asyncio.Task[None]] = []
    line = Line(call.session)

    async def watch() -> None:
        while (await arrival.receive())["type"] != "http.disconnect":
            pass
        line.cut = True

    line.watch = lambda: calls.soon(lambda: watching.append(asyncio.create_task(watch())))
    try:
        result = await calls.run(call.request, endpoint, line)
    except methods.Gone:
        return
    finally:
        for task in watching:
            task.cancel()
    message = wire.response(call.request.id, result)
    try:
        body = _encoder.encode(message)
    except (TypeError, ValueError, OverflowError):
        # A number beyond 64 bits, or half of a character: rare, and the standard library can write both.
        body = wire.encoded(message)
    headers: Headers = ((b"mcp-session-id", call.session.encode("latin-1")),) if call.session else ()
    await answer(arrival.send, 200, body, headers)


def _modern(arrival: Arrival, message: _Message, version: str) -> Regular | None:
    params, headers = message.params, arrival.headers
    agreed = (
        params.meta.version == version
        and params.meta.capabilities is not msgspec.UNSET
        and headers.get(b"mcp-method") == b"tools/call"
        and headers.get(b"mcp-name") == params.name.encode()
    )
    if not agreed:
        return None
    client = "" if isinstance(params.meta.client, msgspec.UnsetType) else params.meta.client.name
    return Regular(_request(message, version, client), "")


def _legacy(arrival: Arrival, message: _Message, version: str, sessions: Sessions) -> Regular | None:
    if version and version not in wire.LEGACY:
        return None
    session_id = arrival.header(b"mcp-session-id")
    if not session_id:
        return Regular(_request(message, version or _HEADERLESS_VERSION, ""), "")
    session = sessions.find(session_id)
    return Regular(_request(message, session.version, session.client), session_id) if session else None


def _request(message: _Message, version: str, client: str) -> methods.Request:
    params = {"name": message.params.name, "arguments": message.params.arguments}
    return methods.Request(message.id, message.method, params, version, client)


@lru_cache(256)
def _takes_json(accept: bytes) -> bool:
    kinds = [kind.split(b";")[0].strip().lower() for kind in accept.split(b",")]
    return any(kind in (b"*/*", b"application/*", b"application/json") for kind in kinds)


@lru_cache(256)
def _is_json(content_type: bytes) -> bool:
    return content_type.split(b";")[0].strip().lower() == b"application/json"
