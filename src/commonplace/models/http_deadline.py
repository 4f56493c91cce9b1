"""HTTP with one deadline for a whole response, status line and headers included.

The timeout of a socket applies to each read, so a server that sends single bytes slowly would never
reach it.
"""

import io
import socket
import time
import urllib.request
from functools import partial
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from typing import Any


class _Stream(io.RawIOBase):
    """The data of a socket until a deadline on the monotonic clock."""

    def __init__(self, sock: socket.socket, ends_at: float) -> None:
        self._sock, self._raw, self._ends_at = sock, sock.makefile("rb", buffering=0), ends_at

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._ends_at - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._sock.settimeout(left)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Response(HTTPResponse):
    """A response that reads from a stream with a deadline."""

    def __init__(self, sock: socket.socket, *given: Any, ends_at: float, **more: Any) -> None:
        super().__init__(sock, *given, **more)
        self.fp.close()
        self.fp = io.BufferedReader(_Stream(sock, ends_at))


def handlers(ends_at: float) -> tuple[urllib.request.BaseHandler, ...]:
    """The handlers of urllib for http and https, with a deadline for the whole response."""

    def connected(kind: type[HTTPConnection], *given: Any, **more: Any) -> HTTPConnection:
        connection = kind(*given, **more)
        # Also applies to the response of a proxy.
        connection.response_class = partial(_Response, ends_at=ends_at)  # type: ignore[assignment]
        return connection

    class Http(urllib.request.HTTPHandler):
        def http_open(self, req: urllib.request.Request) -> HTTPResponse:
            return self.do_open(partial(connected, HTTPConnection), req)  # type: ignore[arg-type]

    class Https(urllib.request.HTTPSHandler):
        def https_open(self, req: urllib.request.Request) -> HTTPResponse:
            return self.do_open(partial(connected, HTTPSConnection), req)  # type: ignore[arg-type]

    return Http(), Https()
