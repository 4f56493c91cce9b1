"""HTTP with one time limit for a whole answer, status line and headers included, however slowly its
bytes come.

The limit of a socket counts from byte to byte, so a server that sends one now and then would never
run into it.
"""

import io
import socket
import time
import urllib.request
from functools import partial
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from typing import Any


class _Stream(io.RawIOBase):
    """What a socket sends until a moment on the monotonic clock."""

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
    """A response that is read from such a stream."""

    def __init__(self, sock: socket.socket, *given: Any, ends_at: float, **more: Any) -> None:
        super().__init__(sock, *given, **more)
        self.fp.close()
        self.fp = io.BufferedReader(_Stream(sock, ends_at))


def handlers(ends_at: float) -> tuple[urllib.request.BaseHandler, ...]:
    """The handlers of urllib for http and https, with the moment at which an answer has to be
    there.
    """

    def connected(kind: type[HTTPConnection], *given: Any, **more: Any) -> HTTPConnection:
        connection = kind(*given, **more)
        # Also used for what a proxy answers.
        connection.response_class = partial(_Response, ends_at=ends_at)  # type: ignore[assignment]
        return connection

    class Http(urllib.request.HTTPHandler):
        def http_open(self, req: urllib.request.Request) -> HTTPResponse:
            return self.do_open(partial(connected, HTTPConnection), req)  # type: ignore[arg-type]

    class Https(urllib.request.HTTPSHandler):
        def https_open(self, req: urllib.request.Request) -> HTTPResponse:
            return self.do_open(partial(connected, HTTPSConnection), req)  # type: ignore[arg-type]

    return Http(), Https()
