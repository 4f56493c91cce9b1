"""Recognises the request that opens a handshake, without the official SDK."""

import msgspec

from commonplace.faces.http.guard import Arrival
from commonplace.faces.mcp import wire


class _Client(msgspec.Struct):
    name: str = ""


class _Params(msgspec.Struct):
    clientInfo: _Client = msgspec.field(default_factory=_Client)  # noqa: N815
    protocolVersion: str = ""  # noqa: N815


class _Message(msgspec.Struct):
    method: str
    params: _Params = msgspec.field(default_factory=_Params)


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
    except (msgspec.DecodeError, RecursionError):
        return None
    if message.method != "initialize":
        return None
    return Opening(message.params.clientInfo.name, wire.negotiated(message.params.protocolVersion))
