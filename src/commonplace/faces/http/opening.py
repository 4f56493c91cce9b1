"""Recognises a request that opens a handshake and will not be refused, without the official SDK."""

from typing import Any, Literal

import msgspec

from commonplace.faces.http.guard import Arrival
from commonplace.faces.mcp import wire


class _Client(msgspec.Struct):
    name: str
    version: str


class _Params(msgspec.Struct, rename="camel"):
    protocol_version: str
    capabilities: dict[str, dict[str, Any]]
    client_info: _Client


class _Message(msgspec.Struct):
    jsonrpc: Literal["2.0"]
    id: int | str
    method: Literal["initialize"]
    params: _Params


class Opening(msgspec.Struct, frozen=True):
    """What a handshake says."""

    client: str
    version: str


_decoder = msgspec.json.Decoder(_Message)


def opening(arrival: Arrival) -> Opening | None:
    """The handshake that a request opens, if it does."""
    if b'"initialize"' not in arrival.body:
        return None
    try:
        message = _decoder.decode(arrival.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return Opening(message.params.client_info.name, wire.negotiated(message.params.protocol_version))
