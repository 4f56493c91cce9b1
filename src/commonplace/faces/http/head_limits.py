"""How long a request may take to begin and how large its head may be, before anybody has looked at
a key.

uvicorn has no such limits: a client that says nothing, or one byte a second, would hold its
connection for ever. A connection on which no request runs has to bring one in time, and gives way
when there are too many.
"""

import asyncio
import http
import time
from importlib.util import find_spec
from typing import Any, cast

from commonplace.faces.http.access import refusal
from commonplace.limits import CONNECTIONS_MAX, HEAD_BYTES_MAX, HEAD_READ_S_MAX

try:
    import resource
except ImportError:  # Windows, where a process may open as many files as it likes.
    resource = None


class Punctual(asyncio.Protocol):
    """The limits, on top of one of uvicorn's protocols. Its class comes second among the bases."""

    # What uvicorn's protocols have: the attributes used here.
    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    connections: Any
    limit_concurrency: int | None
    cycle: Any

    # Whether the head of a request has begun and not ended, where the parser sets no limit of its
    # own.
    in_head = False
    rests_since_s = 0.0
    _clock: asyncio.TimerHandle | None = None
    _begun = False
    _head_bytes = 0

    @property
    def rests(self) -> bool:
        """Whether no request of this connection is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Expect a request from now on."""
        super().connection_made(transport)
        self.rests_since_s = time.monotonic()
        self._expect_request()
        if self.limit_concurrency is not None and len(self.connections) >= self.limit_concurrency:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        """Let uvicorn read on, then see whether there is a request by now."""
        was_in_head = self.in_head
        super().data_received(data)
        if self.transport.is_closing():
            return
        # A part in which a head begins may also hold the end of a body, so only whole parts count.
        self._head_bytes = self._head_bytes + len(data) if was_in_head and self.in_head else 0
        if self._head_bytes > HEAD_BYTES_MAX:
            self._refuse(
                431,
                f"The headers exceed {HEAD_BYTES_MAX:,} bytes.",
                "Send fewer or shorter headers.",
            )
        elif self.rests:
            # Also blank lines, and the body of a request that was answered before it came.
            self._begun = True
            self._expect_request()
        else:
            self.rests_since_s = time.monotonic()
            self._stop_clock()

    def connection_lost(self, exc: Exception | None) -> None:
        """Expect nothing more."""
        self._stop_clock()
        super().connection_lost(exc)

    def _expect_request(self) -> None:
        if self._clock is None:
            self._clock = self.loop.call_later(HEAD_READ_S_MAX, self._give_up)

    def _stop_clock(self) -> None:
        self._begun = False
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _give_up(self) -> None:
        if self._begun and self.cycle is None:
            self._refuse(408, "The request did not arrive in time.", "Send the request faster.")
        else:
            self.transport.close()

    def _refuse(self, status: int, message: str, hint: str) -> None:
        # After an answer that is still under way, another one would be taken for a part of it.
        if self.rests:
            body = refusal(message, hint)
            head = (
                f"HTTP/1.1 {status} {http.HTTPStatus(status).phrase}\r\ncontent-type:"
                " application/json\r\n"
            )
            ends = f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
            self.transport.write((head + ends).encode() + body)
        self.transport.close()

    def _make_room(self) -> None:
        """End the connection that has gone longest without a request."""
        others = cast("set[Punctual]", self.connections) - {self}
        if resting := [one for one in others if one.rests]:
            longest = min(resting, key=lambda one: one.rests_since_s)
            self.connections.discard(longest)
            longest.transport.abort()


def connections_max() -> int:
    """How many connections a server may hold: the usual limit, or half of the files it may open if
    those are fewer.
    """
    if resource is None:
        return CONNECTIONS_MAX
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * CONNECTIONS_MAX
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        return min(CONNECTIONS_MAX, soft // 2)
    return CONNECTIONS_MAX


def protocol() -> type[asyncio.Protocol]:
    """The faster of the parsers that are installed, with the limits."""
    if find_spec("httptools"):
        return _with_httptools()
    return _with_h11()


def _with_httptools() -> type[asyncio.Protocol]:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

    class PunctualHttptools(Punctual, HttpToolsProtocol):
        def on_message_begin(self) -> None:
            self.in_head = True
            super().on_message_begin()

        def on_header(self, name: bytes, value: bytes) -> None:
            # What follows a body in chunks is no header: it was never looked at.
            if self.in_head:
                super().on_header(name, value)

        def on_headers_complete(self) -> None:
            self.in_head = False
            super().on_headers_complete()
            if not self.url.startswith(b"/"):
                # The parser drops the host of a whole address, which no header says. The other
                # parser keeps it.
                self.scope["raw_path"] = self.url

    return PunctualHttptools


def _with_h11() -> type[asyncio.Protocol]:
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class PunctualH11(Punctual, H11Protocol):
        """h11 has a limit for heads of its own and keeps no trailers."""

    return PunctualH11
