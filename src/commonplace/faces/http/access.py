"""Who may come in. Pure ASGI, outermost, and in this order: origin, host, key, size and pace of the
body.

The first three are judged before a byte of the body is read. What passes is handed on with its
body, whole.
"""

import asyncio
import hmac
import ipaddress
import json
import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

from commonplace.errors import CommonplaceError
from commonplace.faces.http.routing import Paths, Place
from commonplace.limits import BODY_BYTES_MAX, BODY_READ_S_MAX, HEAD_BYTES_MAX

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Headers: TypeAlias = tuple[tuple[bytes, bytes], ...]

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_LOCAL_PAGE = re.compile(rb"https?://(?:localhost|127\.0\.0\.1)(?::[0-9]{1,5})?")
# A name or an address with a port. Brackets are for addresses of IPv6, and nothing stands around
# them.
_WITH_PORT = re.compile(r"(?:\[([0-9a-f.]*:[0-9a-f:.]*)\]|([^\[\]:@]*))(?::[0-9]{0,5})?")
# Two readers may disagree on the value of a header that comes twice. Others are lists, and are
# joined.
_ONCE = frozenset(
    (
        *(
            b"origin",
            b"host",
            b"authorization",
            b"x-api-key",
            b"x-bank-id",
            b"content-length",
            b"content-type",
        ),
        *(b"mcp-protocol-version", b"mcp-session-id", b"mcp-method", b"mcp-name"),
    )
)
_BODILESS = ("GET", "HEAD", "DELETE", "OPTIONS")


@dataclass(slots=True)
class Arrival:
    """A request that was let in: where it leads, its headers by name, and its body."""

    place: Place
    method: str
    headers: Mapping[bytes, bytes]
    body: bytes
    scope: Scope
    receive: Receive
    send: Send

    def header(self, name: bytes) -> str:
        """The value of a header, or an empty text."""
        return self.headers.get(name, b"").decode("latin-1")


Inside: TypeAlias = Callable[[Arrival], Awaitable[None]]


class TurnedAway(Exception):
    """A request that is not let in, and what its sender is told."""

    def __init__(self, status: int, message: str, hint: str, headers: Headers = ()) -> None:
        super().__init__(message)
        self.status = status
        self.hint = hint
        self.headers = headers


@dataclass(frozen=True, slots=True)
class Keys:
    """Which key opens what. A dialect with keys of its own is opened by one of them or by the key
    for everything.
    """

    everything: str = field(default="", repr=False)
    by_dialect: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)

    def opening(self, place: Place) -> tuple[str, ...]:
        """The keys that open a place; none are needed where there are none."""
        if place.page == "health":
            return ()
        return tuple(filter(None, (self.everything, self.by_dialect.get(place.dialect, ""))))


@dataclass(frozen=True, slots=True)
class Admission:
    """Whom to let in: who has a key, or asks for this port by one of these names, and does not
    dawdle.
    """

    port: int
    keys: Keys = field(default_factory=Keys)
    hosts: tuple[str, ...] = ()
    body_read_s_max: float = BODY_READ_S_MAX


class Guard:
    """Lets requests in or turns them away."""

    def __init__(self, inside: Inside, paths: Paths, admission: Admission) -> None:
        self._inside = inside
        self._find = paths.find
        self._keys = admission.keys
        self._body_read_s_max = admission.body_read_s_max
        self._hosts = frozenset(_name(name) for name in (*LOOPBACK, *admission.hosts))
        ends = (f":{admission.port}", "") if admission.port == 80 else (f":{admission.port}",)
        self._origins = frozenset(
            f"http://{name}{end}".encode() for name in LOOPBACK for end in ends
        )
        self._host_is_known: dict[bytes, bool] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        try:
            arrival = await self._admitted(scope, receive, send)
        except TurnedAway as away:
            await answer(send, away.status, refusal(str(away), away.hint), away.headers)
            return
        await self._inside(arrival)

    async def _admitted(self, scope: Scope, receive: Receive, send: Send) -> Arrival:
        headers: dict[bytes, bytes] = {}
        padded = False
        size = len(scope["raw_path"])
        for name, value in scope["headers"]:
            size += len(name) + len(value)
            plain = value.strip()
            padded = padded or plain is not value
            if name in headers:
                if name in _ONCE:
                    raise TurnedAway(
                        400,
                        f"The header {name.decode('latin-1')} appears twice.",
                        "Send it only once.",
                    )
                plain = b"%s, %s" % (headers[name], plain)
            headers[name] = plain
        if size > HEAD_BYTES_MAX:
            # Where a head comes in one piece, nobody has counted before.
            raise TurnedAway(
                431,
                f"The headers exceed {HEAD_BYTES_MAX:,} bytes.",
                "Send fewer or shorter headers.",
                _CLOSE,
            )
        if padded:
            # Blanks around a value mean nothing, but the parser leaves them on.
            scope["headers"] = [(name, value.strip()) for name, value in scope["headers"]]
        place = self._find(scope["raw_path"])
        self._check_origin(place, headers)
        self._check_host(headers)
        if place.well_known:
            raise TurnedAway(
                404,
                "This server does not support OAuth.",
                "If the server has a key, send it in the Authorization header.",
            )
        self._check_key(place, headers)
        method = scope["method"]
        body = b"" if method in _BODILESS else await self._body(headers, receive)
        return Arrival(place, method, headers, body, scope, receive, send)

    def _check_origin(self, place: Place, headers: Mapping[bytes, bytes]) -> None:
        origin = headers.get(b"origin")
        if origin is None or origin in self._origins:
            return
        # A page that another program of this machine serves is no stranger's, but without a key it
        # proves nothing.
        if not (self._keys.opening(place) and _LOCAL_PAGE.fullmatch(origin)):
            # A page in a browser can reach this machine although nobody meant it to.
            raise TurnedAway(
                403, "Requests from web pages are refused.", "Do not send an Origin header."
            )

    def _check_host(self, headers: Mapping[bytes, bytes]) -> None:
        given = headers.get(b"host", b"")
        if given not in self._host_is_known:
            if len(self._host_is_known) > 1000:
                self._host_is_known.clear()
            self._host_is_known[given] = _name(given.decode("latin-1")) in self._hosts
        if not self._host_is_known[given]:
            # A foreign name that points to this machine is how a web page gets around the rule
            # above.
            raise TurnedAway(
                403,
                "This server does not accept that host name.",
                "Use 127.0.0.1, or add it to COMMONPLACE_ALLOWED_HOSTS.",
            )

    def _check_key(self, place: Place, headers: Mapping[bytes, bytes]) -> None:
        keys = self._keys.opening(place)
        if not keys:
            return
        scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
        bearer = token.strip() if scheme.lower() == b"bearer" else b""
        given = tuple(filter(None, (bearer, headers.get(b"x-api-key", b""))))
        # Every key is compared, so that the time taken does not tell which one was near.
        if not sum([hmac.compare_digest(one, key.encode()) for one in given for key in keys]):
            challenge = b'Bearer error="invalid_token"' if given else b"Bearer"
            hint = "Send it as `Authorization: Bearer KEY`."
            raise TurnedAway(
                401, "The request needs a valid key.", hint, ((b"www-authenticate", challenge),)
            )

    async def _body(self, headers: Mapping[bytes, bytes], receive: Receive) -> bytes:
        declared = headers.get(b"content-length", b"0")
        if not declared.isdigit() or int(declared) > BODY_BYTES_MAX:
            raise _too_large()
        task = cast("asyncio.Task[None]", asyncio.current_task())
        # A bare timer, because nearly every body is there already and a context for it costs more
        # than reading it.
        timer = asyncio.get_running_loop().call_later(self._body_read_s_max, task.cancel, _TOO_SLOW)
        try:
            return await _read(receive)
        except asyncio.CancelledError as stopped:
            if stopped.args != (_TOO_SLOW,):
                raise
            task.uncancel()
            raise TurnedAway(
                408, "The request did not arrive in time.", "Send the request faster.", _CLOSE
            ) from None
        finally:
            timer.cancel()


async def _read(receive: Receive) -> bytes:
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise TurnedAway(
                400,
                "The connection closed before the request was complete.",
                "Send the request again.",
            )
        chunk = message.get("body", b"")
        size += len(chunk)
        # A body in chunks does not say its length beforehand.
        if size > BODY_BYTES_MAX:
            raise _too_large()
        chunks.append(chunk)
        if not message.get("more_body", False):
            return chunks[0] if len(chunks) == 1 else b"".join(chunks)


async def answer(
    send: Send,
    status: int,
    body: bytes,
    headers: Headers = (),
    content_type: bytes = b"application/json",
) -> None:
    """Send a whole response."""
    fixed = ((b"content-type", content_type), (b"content-length", b"%d" % len(body)))
    await send({"type": "http.response.start", "status": status, "headers": (*fixed, *headers)})
    await send({"type": "http.response.body", "body": body})


async def answer_error(send: Send, error: CommonplaceError) -> None:
    """Send what went wrong."""
    await answer(send, error.status, refusal(error.message, error.hint))


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


_CLOSE = ((b"connection", b"close"),)
_TOO_SLOW = "The body did not arrive in time."


def _too_large() -> TurnedAway:
    return TurnedAway(
        413, f"The request exceeds {BODY_BYTES_MAX:,} bytes.", "Send less in one request.", _CLOSE
    )


def refusal(message: str, hint: str) -> bytes:
    """The body of an answer that refuses."""
    return json.dumps({"error": {"message": message, "hint": hint}}, ensure_ascii=False).encode()


def _name(host: str) -> str:
    """A host without its port, as names are compared; what is no host stays as it is and is
    nobody's name.
    """
    name = host.strip().lower()
    if found := _WITH_PORT.fullmatch(name):
        name = found[1] or found[2]
    return name.removesuffix(".")
