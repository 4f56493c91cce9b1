"""Access control for HTTP requests, as the outermost ASGI layer.

Checks the origin, the host, the key, and then the size and speed of the body. The first three are
checked before any byte of the body is read. Admitted requests are passed on with their whole body.
"""

import asyncio
import hmac
import ipaddress
import json
import re
import secrets
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

from commonplace.errors import CommonplaceError
from commonplace.faces.http.routing import Route, Router
from commonplace.faces.rest import problems
from commonplace.limits import BODY_BYTES_MAX, BODY_READ_S_MAX, HEAD_BYTES_MAX

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Headers: TypeAlias = tuple[tuple[bytes, bytes], ...]

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_LOCAL_ORIGIN = re.compile(rb"https?://(?:localhost|127\.0\.0\.1)(?::[0-9]{1,5})?")
# A host name or address with a port; IPv6 addresses are in brackets.
_HOST_AND_PORT = re.compile(r"(?:\[([0-9a-f.]*:[0-9a-f:.]*)\]|([^\[\]:@]*))(?::[0-9]{0,5})?")
# These headers may appear only once, because programs differ in which of two values they read. The
# values of other headers are joined to a list.
_SINGLE_VALUED = frozenset(
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
# The second is that of mem0's client.
_KEY_SCHEMES = (b"bearer", b"token")
_BODILESS = ("GET", "HEAD", "DELETE", "OPTIONS")


@dataclass(slots=True)
class HttpRequest:
    """An admitted request with its route, its headers by name, and its body."""

    route: Route
    method: str
    headers: Mapping[bytes, bytes]
    body: bytes
    scope: Scope
    receive: Receive
    send: Send

    def header(self, name: bytes) -> str:
        """The value of a header, or an empty string."""
        return self.headers.get(name, b"").decode("latin-1")


Handler: TypeAlias = Callable[[HttpRequest], Awaitable[None]]


class Rejection(Exception):
    """A request that is not admitted, with the status and the hint of the response."""

    def __init__(self, status: int, message: str, hint: str, headers: Headers = ()) -> None:
        super().__init__(message)
        self.status = status
        self.hint = hint
        self.headers = headers


ShowRefusal: TypeAlias = Callable[[Send, Rejection], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ApiKeys:
    """The API keys. The key of a dialect is valid for that dialect only."""

    everything: str = field(default="", repr=False)
    by_dialect: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    # The key of this run, for programs that can read the folder of the store.
    local: str = field(default_factory=secrets.token_urlsafe, repr=False)

    @property
    def descriptions(self) -> list[str]:
        """Which keys are set, without the keys."""
        if not self.everything and not self.by_dialect:
            return ["None is set: everything on this machine may use the memory."]
        first = "One for everything." if self.everything else "None for everything."
        return [first, *(f"One for {name}." for name, key in self.by_dialect.items() if key)]

    def accepted_for(self, route: Route) -> tuple[str, ...]:
        """The keys that are valid for a route. Without any, the route needs no key."""
        if route.page == "health" or route.web is not None:
            # A web page checks the key itself, because browsers send it as a cookie.
            return ()
        if route.hook == "":
            return (self.local,)
        keys = tuple(filter(None, (self.everything, self.by_dialect.get(route.dialect, ""))))
        return (*keys, self.local) if keys else ()


@dataclass(frozen=True, slots=True)
class AccessPolicy:
    """The rules of access: keys, port, host names and the time for a body."""

    port: int
    keys: ApiKeys = field(default_factory=ApiKeys)
    hosts: tuple[str, ...] = ()
    body_read_s_max: float = BODY_READ_S_MAX


class AccessGuard:
    """Admits or rejects requests."""

    def __init__(
        self,
        inside: Handler,
        paths: Router,
        admission: AccessPolicy,
        show_refusal: ShowRefusal | None = None,
    ) -> None:
        self._handler = inside
        # Shows a refusal as a web page.
        self._show_refusal = show_refusal
        self._find = paths.find
        self._api_keys = admission.keys
        self._body_read_s_max = admission.body_read_s_max
        self._hosts = frozenset(_hostname(name) for name in (*LOOPBACK, *admission.hosts))
        ends = (f":{admission.port}", "") if admission.port == 80 else (f":{admission.port}",)
        self._origins = frozenset(
            f"http://{name}{end}".encode() for name in LOOPBACK for end in ends
        )
        self._host_verdicts: dict[bytes, bool] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        try:
            http_request = await self._admit(scope, receive, send)
        except Rejection as away:
            await self._refuse(scope, send, away)
            return
        await self._handler(http_request)

    async def _refuse(self, scope: Scope, send: Send, away: Rejection) -> None:
        """Send a refusal: a page where a person reads it, otherwise JSON."""
        if self._show_refusal and self._find(scope["raw_path"]).web is not None:
            await self._show_refusal(send, away)
            return
        body, media_type = error_body(str(away), away.hint), b"application/json"
        if problems.is_ours(scope["raw_path"]):
            body = problems.problem(away.status, str(away), away.hint)
            media_type = problems.MEDIA_TYPE
        await send_response(send, away.status, body, away.headers, media_type)

    async def _admit(self, scope: Scope, receive: Receive, send: Send) -> HttpRequest:
        headers: dict[bytes, bytes] = {}
        padded = False
        size = len(scope["raw_path"])
        for name, value in scope["headers"]:
            size += len(name) + len(value)
            plain = value.strip()
            padded = padded or plain is not value
            if name in headers:
                if name in _SINGLE_VALUED:
                    raise Rejection(
                        400,
                        f"The header {name.decode('latin-1')} appears twice.",
                        "Send it only once.",
                    )
                plain = b"%s, %s" % (headers[name], plain)
            headers[name] = plain
        if size > HEAD_BYTES_MAX:
            # The connection counts only heads that arrive in several parts.
            raise Rejection(
                431,
                f"The headers exceed {HEAD_BYTES_MAX:,} bytes.",
                "Send fewer or shorter headers.",
                _CLOSE,
            )
        if padded:
            # Blanks around a value have no meaning, but the parser keeps them.
            scope["headers"] = [(name, value.strip()) for name, value in scope["headers"]]
        route = self._find(scope["raw_path"])
        self._check_origin(route, headers)
        self._check_host(headers)
        if route.well_known:
            raise Rejection(
                404,
                "This server does not support OAuth.",
                "If the server has a key, send it in the Authorization header.",
            )
        self._check_key(route, headers)
        method = scope["method"]
        has_body = _has_body(method, headers) and not route.streams_body
        body = await self._read_body_in_time(headers, receive) if has_body else b""
        return HttpRequest(route, method, headers, body, scope, receive, send)

    def _check_origin(self, route: Route, headers: Mapping[bytes, bytes]) -> None:
        origin = headers.get(b"origin")
        if origin is None or origin in self._origins:
            return
        if route.web is not None and origin.partition(b"://")[2] == headers.get(b"host"):
            # Browsers send the origin of our own pages with each form. The host is checked next.
            return
        # A page served on this machine is admitted, but only together with a key.
        if not (self._api_keys.accepted_for(route) and _LOCAL_ORIGIN.fullmatch(origin)):
            # A web page in a browser can send requests to this machine.
            raise Rejection(
                403, "Requests from web pages are refused.", "Do not send an Origin header."
            )

    def _check_host(self, headers: Mapping[bytes, bytes]) -> None:
        given = headers.get(b"host", b"")
        if given not in self._host_verdicts:
            if len(self._host_verdicts) > 1000:
                self._host_verdicts.clear()
            self._host_verdicts[given] = _hostname(given.decode("latin-1")) in self._hosts
        if not self._host_verdicts[given]:
            # Web pages circumvent the check of the origin with a host name that resolves to this
            # machine (DNS rebinding).
            raise Rejection(
                403,
                "This server does not accept that host name.",
                "Use 127.0.0.1, or add it to COMMONPLACE_ALLOWED_HOSTS.",
            )

    def _check_key(self, route: Route, headers: Mapping[bytes, bytes]) -> None:
        keys = self._api_keys.accepted_for(route)
        if not keys:
            return
        scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
        bearer = token.strip() if scheme.lower() in _KEY_SCHEMES else b""
        given = tuple(filter(None, (bearer, headers.get(b"x-api-key", b""))))
        # Every key is compared, so that the time taken reveals nothing about them.
        if not sum([hmac.compare_digest(one, key.encode()) for one in given for key in keys]):
            challenge = b'Bearer error="invalid_token"' if given else b"Bearer"
            hint = "Send it as `Authorization: Bearer KEY`."
            raise Rejection(
                401, "The request needs a valid key.", hint, ((b"www-authenticate", challenge),)
            )

    async def _read_body_in_time(self, headers: Mapping[bytes, bytes], receive: Receive) -> bytes:
        declared = headers.get(b"content-length", b"0")
        if not declared.isdigit() or int(declared) > BODY_BYTES_MAX:
            raise _too_large()
        task = cast("asyncio.Task[None]", asyncio.current_task())
        # A plain timer: most bodies have arrived already, and a timeout context costs more than
        # reading them.
        timer = asyncio.get_running_loop().call_later(
            self._body_read_s_max, task.cancel, _TIMEOUT_NOTE
        )
        try:
            return await _read_body(receive)
        except asyncio.CancelledError as stopped:
            if stopped.args != (_TIMEOUT_NOTE,):
                raise
            task.uncancel()
            raise Rejection(
                408, "The request did not arrive in time.", "Send the request faster.", _CLOSE
            ) from None
        finally:
            timer.cancel()


async def _read_body(receive: Receive) -> bytes:
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Rejection(
                400,
                "The connection closed before the request was complete.",
                "Send the request again.",
            )
        chunk = message.get("body", b"")
        size += len(chunk)
        # A chunked body does not declare its length.
        if size > BODY_BYTES_MAX:
            raise _too_large()
        chunks.append(chunk)
        if not message.get("more_body", False):
            return chunks[0] if len(chunks) == 1 else b"".join(chunks)


async def send_response(
    send: Send,
    status: int,
    body: bytes,
    headers: Headers = (),
    content_type: bytes = b"application/json",
) -> None:
    """Send a complete response."""
    fixed = ((b"content-type", content_type), (b"content-length", b"%d" % len(body)))
    await send({"type": "http.response.start", "status": status, "headers": (*fixed, *headers)})
    await send({"type": "http.response.body", "body": body})


async def send_error(send: Send, error: CommonplaceError) -> None:
    """Send an error as a response."""
    await send_response(send, error.status, error_body(error.message, error.hint))


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


_CLOSE = ((b"connection", b"close"),)


def _has_body(method: str, headers: Mapping[bytes, bytes]) -> bool:
    """Whether a request has a body. mem0's client sends one with DELETE."""
    return method not in _BODILESS or (method == "DELETE" and b"content-length" in headers)


_TIMEOUT_NOTE = "The body did not arrive in time."


def _too_large() -> Rejection:
    return Rejection(
        413, f"The request exceeds {BODY_BYTES_MAX:,} bytes.", "Send less in one request.", _CLOSE
    )


def error_body(message: str, hint: str) -> bytes:
    """The body of an error response."""
    return json.dumps({"error": {"message": message, "hint": hint}}, ensure_ascii=False).encode()


def _hostname(host: str) -> str:
    """A host header as a lower-case name without its port. An invalid one matches no name."""
    name = host.strip().lower()
    if found := _HOST_AND_PORT.fullmatch(name):
        name = found[1] or found[2]
    return name.removesuffix(".")
