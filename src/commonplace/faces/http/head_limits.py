"""Limits for the time and the size of request heads, which apply before any key is checked.

uvicorn has no such limits: a client that sends nothing, or one byte a second, would hold its
connection for ever. An idle connection must send a request in time, and the longest idle one is
closed if there are too many.
"""

import asyncio
import http
import time
from importlib.util import find_spec
from typing import Any, cast

from commonplace.faces.http.access import error_body
from commonplace.limits import CONNECTIONS_MAX, HEAD_BYTES_MAX, HEAD_READ_S_MAX

try:
    import resource
except ImportError:  # Windows has no limit on open files.
    resource = None


class TimedProtocol(asyncio.Protocol):
    """Adds the limits to one of uvicorn's protocols, whose class is the second base."""

    # The attributes of uvicorn's protocols that are used here.
    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    connections: Any
    limit_concurrency: int | None
    cycle: Any

    # Whether a head is incomplete. Set only where the parser has no limit of its own.
    in_head = False
    idle_since_s = 0.0
    _timer: asyncio.TimerHandle | None = None
    _has_begun = False
    _head_bytes = 0

    @property
    def is_idle(self) -> bool:
        """Whether no request on this connection is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start waiting for a request."""
        super().connection_made(transport)
        self.idle_since_s = time.monotonic()
        self._start_timer()
        if self.limit_concurrency is not None and len(self.connections) >= self.limit_concurrency:
            self._close_longest_idle()

    def data_received(self, data: bytes) -> None:
        """Let uvicorn parse the data, then check the limits."""
        was_in_head = self.in_head
        super().data_received(data)
        if self.transport.is_closing():
            return
        # Data in which a head begins may also contain the end of a body, so it is not counted.
        self._head_bytes = self._head_bytes + len(data) if was_in_head and self.in_head else 0
        if self._head_bytes > HEAD_BYTES_MAX:
            self._reject(
                431,
                f"The headers exceed {HEAD_BYTES_MAX:,} bytes.",
                "Send fewer or shorter headers.",
            )
        elif self.is_idle:
            # Also true for blank lines and for a body that arrives after its response.
            self._has_begun = True
            self._start_timer()
        else:
            self.idle_since_s = time.monotonic()
            self._stop_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._stop_timer()
        super().connection_lost(exc)

    def _start_timer(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(HEAD_READ_S_MAX, self._time_out)

    def _stop_timer(self) -> None:
        self._has_begun = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _time_out(self) -> None:
        if self._has_begun and self.cycle is None:
            self._reject(408, "The request did not arrive in time.", "Send the request faster.")
        else:
            self.transport.close()

    def _reject(self, status: int, message: str, hint: str) -> None:
        # During another response, this one would be read as a part of it.
        if self.is_idle:
            body = error_body(message, hint)
            head = (
                f"HTTP/1.1 {status} {http.HTTPStatus(status).phrase}\r\ncontent-type:"
                " application/json\r\n"
            )
            ends = f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
            self.transport.write((head + ends).encode() + body)
        self.transport.close()

    def _close_longest_idle(self) -> None:
        """Close the connection that has been idle longest."""
        others = cast("set[TimedProtocol]", self.connections) - {self}
        if resting := [one for one in others if one.is_idle]:
            longest = min(resting, key=lambda one: one.idle_since_s)
            self.connections.discard(longest)
            longest.transport.abort()


def connections_max() -> int:
    """The maximum number of connections, at most half of the files the process may open."""
    if resource is None:
        return CONNECTIONS_MAX
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * CONNECTIONS_MAX
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        return min(CONNECTIONS_MAX, soft // 2)
    return CONNECTIONS_MAX


def protocol_class() -> type[asyncio.Protocol]:
    """The fastest installed HTTP protocol, with the limits."""
    if find_spec("httptools"):
        return _with_httptools()
    return _with_h11()


def _with_httptools() -> type[asyncio.Protocol]:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

    class TimedHttptools(TimedProtocol, HttpToolsProtocol):
        def on_message_begin(self) -> None:
            self.in_head = True
            super().on_message_begin()

        def on_header(self, name: bytes, value: bytes) -> None:
            # Trailers of a chunked body were never checked, so they are dropped.
            if self.in_head:
                super().on_header(name, value)

        def on_headers_complete(self) -> None:
            self.in_head = False
            super().on_headers_complete()
            if not self.url.startswith(b"/"):
                # The parser drops the host of an absolute URL; h11 keeps it.
                self.scope["raw_path"] = self.url

    return TimedHttptools


def _with_h11() -> type[asyncio.Protocol]:
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class TimedH11(TimedProtocol, H11Protocol):
        """h11 limits the size of heads itself and drops trailers."""

    return TimedH11
