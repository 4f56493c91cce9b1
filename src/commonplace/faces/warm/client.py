"""Sends a request to the server that runs on a store. A plain socket, because the modules for HTTP
take longer to import than the whole request.
"""

import json
import socket
from typing import Any

from commonplace.faces.warm.server_file import RunningServer

_CONNECT_S_MAX = 0.3
_CHUNK_BYTES = 65_536


class Unreachable(Exception):
    """Nothing was sent, so that the caller can do the work itself."""


class Interrupted(Exception):
    """The request was sent and no answer came, so that the work may be done or not."""


def post(server: RunningServer, path: str, body: bytes, *, bank: str, seconds: float) -> Any:
    """The JSON that the server answers."""
    try:
        connection = socket.create_connection((server.host, server.port), _CONNECT_S_MAX)
    except (OSError, UnicodeError) as error:
        raise Unreachable from error
    host = f"[{server.host}]" if ":" in server.host else server.host
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {host}:{server.port}\r\nConnection: close\r\n"
        f"Authorization: Bearer {server.key}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n"
    ).encode()
    named = b"X-Bank-Id: " + bank.encode() + b"\r\n"
    with connection:
        connection.settimeout(seconds)
        try:
            connection.sendall(head + named + b"\r\n" + body)
            answer = _read_all(connection)
        except OSError as error:
            raise Interrupted from error
    return _parse(answer)


def _read_all(connection: socket.socket) -> bytes:
    chunks: list[bytes] = []
    while chunk := connection.recv(_CHUNK_BYTES):
        chunks.append(chunk)
    return b"".join(chunks)


def _parse(answer: bytes) -> Any:
    head, _, body = answer.partition(b"\r\n\r\n")
    status = head.split(b" ", 2)[1:2]
    if status == [b"401"]:
        # Another server took the port, or ours has a new key.
        raise Unreachable
    if status != [b"200"]:
        raise Interrupted
    try:
        return json.loads(body)
    except ValueError as error:
        raise Interrupted from error
