"""Answers posted messages with the same methods as standard input and output.

The official SDK handles sessions and event streams, which carry progress notifications and
questions to the user.
"""

import asyncio
import time
from base64 import b64encode
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import lru_cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeAlias

from commonplace.errors import Busy
from commonplace.faces.http.access import Headers, HttpRequest, send_error, send_response
from commonplace.faces.http.calls import Caller, Calls
from commonplace.faces.http.endpoints import Endpoint
from commonplace.faces.mcp import messages, parsing, protocol
from commonplace.faces.mcp.messages import Json, RequestId
from commonplace.faces.mcp.parsing import ProtocolError, Request
from commonplace.limits import SESSION_IDLE_S_MAX

if TYPE_CHECKING:
    from commonplace.faces.http.sdk_bridge import Bridge

BridgeSource: TypeAlias = "Callable[[], Awaitable[Bridge]]"

_HEADERLESS_VERSION = "2025-03-26"  # the protocol's default for requests without a revision
# By method, the parameter that the Mcp-Name header repeats.
_NAME_PARAMETERS = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_MODERN_STATUS = {
    messages.PARSE_ERROR: HTTPStatus.BAD_REQUEST,
    messages.INVALID_REQUEST: HTTPStatus.BAD_REQUEST,
    messages.INVALID_PARAMS: HTTPStatus.BAD_REQUEST,
    messages.METHOD_NOT_FOUND: HTTPStatus.NOT_FOUND,
}
# The SDK ends idle sessions, and it does not see the requests that are answered here.
_SESSION_TRUST_S = SESSION_IDLE_S_MAX / 2
_WATCH_AFTER_S = 0.05
_STOPPED_HINT = "Check whether the change was made before you try again."


@dataclass(slots=True)
class Session:
    """The content of a handshake, and when the SDK last received a request of the session."""

    client: str
    version: str
    capabilities: Json
    seen_at_s: float = field(default_factory=time.monotonic)

    @property
    def is_open(self) -> bool:
        """Whether the SDK certainly still has the session."""
        return time.monotonic() - self.seen_at_s < _SESSION_TRUST_S


class Dispatcher:
    """Answers requests, or forwards them to the SDK."""

    def __init__(self, calls: Calls, bridge: BridgeSource) -> None:
        self._calls = calls
        self._bridge = bridge
        self._sessions: dict[str, Session] = {}
        self._running: dict[tuple[str, RequestId], Caller] = {}

    async def serve(self, http_request: HttpRequest, endpoint: Endpoint) -> None:
        """Answer one HTTP request."""
        if http_request.method != "POST":
            await self._serve_other_method(http_request, endpoint)
            return
        if refusal := _media_type_error(http_request):
            status, text = refusal
            await _send_message(
                http_request, status, messages.error_response(None, messages.INVALID_REQUEST, text)
            )
            return
        message: object = None
        try:
            message = parsing.decode(http_request.body)
            kind, whole = parsing.classify(message)
            request = self._read_request(http_request, whole) if kind == "request" else None
            if request is None and _is_modern(http_request):
                _check_modern_message(http_request, kind)
        except ProtocolError as refused:
            failure = messages.error_response(
                parsing.message_id(message), refused.code, refused.message, refused.data
            )
            await _send_message(http_request, HTTPStatus.BAD_REQUEST, failure)
            return
        if request is None:
            await self._receive_notification(http_request, endpoint, whole)
        elif self.needs_sdk(http_request, endpoint, request):
            await self._forward_to_sdk(http_request, endpoint, request)
        else:
            await self._respond(http_request, endpoint, request)

    async def _serve_other_method(self, http_request: HttpRequest, endpoint: Endpoint) -> None:
        """Open the stream of a session or end it; nothing else is requested without POST."""
        if _session_id(http_request) and not _is_modern(http_request):
            await self._forward_to_sdk(http_request, endpoint)
            return
        # Without a session there is no stream, and clients accept only this status as a refusal.
        await send_response(
            http_request.send, HTTPStatus.METHOD_NOT_ALLOWED, b"", ((b"allow", b"POST"),)
        )

    def needs_sdk(self, http_request: HttpRequest, endpoint: Endpoint, request: Request) -> bool:
        """Whether only the SDK can answer a request."""
        streams = _accepts_event_stream(http_request.header(b"accept"))
        if messages.is_modern(request.version):
            if request.method == protocol.LISTEN_METHOD:
                return True
        else:
            session_id = _session_id(http_request)
            if session_id and not self._open_session(session_id):
                return True
            if request.method == "initialize":
                return bool(session_id) or streams
        if not streams or request.method not in protocol.ENGINE_METHODS:
            return False
        return request.progress_token is not None or _needs_confirmation(request, endpoint)

    def _open_session(self, session_id: str) -> Session | None:
        session = self._sessions.get(session_id)
        return session if session and session.is_open else None

    def _read_request(self, http_request: HttpRequest, message: Json) -> Request:
        if _is_modern(http_request):
            request = parsing.modern_request(message)
            _check_headers(http_request, request)
            parsing.check_version(request.version)
            return request
        params = parsing.params_of(message)
        if message["method"] == "initialize" and not _is_complete_handshake(params):
            raise ProtocolError(messages.INVALID_PARAMS, _INCOMPLETE_HANDSHAKE)
        if session := self._open_session(_session_id(http_request)):
            return Request(
                message["id"],
                message["method"],
                params,
                session.version,
                session.client,
                session.capabilities,
            )
        version = http_request.header(b"mcp-protocol-version") or _HEADERLESS_VERSION
        return Request(message["id"], message["method"], params, version)

    async def _respond(
        self, http_request: HttpRequest, endpoint: Endpoint, request: Request
    ) -> None:
        session_id = "" if messages.is_modern(request.version) else _session_id(http_request)
        caller = Caller(session_id)
        key = (session_id, request.id)
        if request.method in protocol.ENGINE_METHODS and session_id:
            self._running[key] = caller
        # The connection of a short call is not watched.
        timer = asyncio.get_running_loop().call_later(
            _WATCH_AFTER_S, caller.watch, http_request.receive
        )
        status = HTTPStatus.OK
        try:
            message = messages.response(
                request.id, await self._calls.result(request, endpoint, caller)
            )
        except ProtocolError as refused:
            if messages.is_modern(request.version):
                status = _MODERN_STATUS.get(refused.code, status)
            message = messages.error_response(
                request.id, refused.code, refused.message, refused.data
            )
        except protocol.CallerGone:
            message = messages.error_response(
                request.id, messages.REQUEST_CANCELLED, "Request cancelled"
            )
        except asyncio.CancelledError:
            # The server is stopping and its grace period is over.
            await send_error(
                http_request.send,
                Busy("The server stopped before the call ended.", hint=_STOPPED_HINT),
            )
            return
        finally:
            timer.cancel()
            caller.unwatch()
            if self._running.get(key) is caller:
                del self._running[key]
        await _send_message(http_request, status, message, session_id)

    async def _receive_notification(
        self, http_request: HttpRequest, endpoint: Endpoint, message: Json
    ) -> None:
        """Handle a notification or a response."""
        session_id = _session_id(http_request)
        if _is_modern(http_request) or not session_id:
            await send_response(http_request.send, HTTPStatus.ACCEPTED, b"")
            return
        if message.get("method") == "notifications/cancelled":
            wanted = parsing.message_id(
                {"id": parsing.as_object(message.get("params")).get("requestId")}
            )
            if caller := self._running.get((session_id, wanted)):
                caller.cancel()
        await self._forward_to_sdk(http_request, endpoint)

    async def _forward_to_sdk(
        self, http_request: HttpRequest, endpoint: Endpoint, request: Request | None = None
    ) -> None:
        """Have the SDK answer a request."""
        bridge = await self._bridge()
        session_id = _session_id(http_request)
        if request is not None and request.method == "initialize" and not session_id:
            session = Session(
                client=parsing.client_name(request.params.get("clientInfo")),
                version=messages.negotiate(request.params.get("protocolVersion")),
                capabilities=parsing.as_object(request.params.get("capabilities")),
            )
            if not await bridge.open_session(
                http_request, endpoint, lambda new_id: self._add_session(new_id, session)
            ):
                await self._respond(http_request, endpoint, request)
            return
        if http_request.method == "DELETE":
            self._sessions.pop(session_id, None)
        elif session := self._sessions.get(session_id):
            session.seen_at_s = time.monotonic()
        await bridge.serve(http_request, endpoint)

    def _add_session(self, session_id: str, session: Session) -> None:
        earliest_s = time.monotonic() - SESSION_IDLE_S_MAX
        for old_id in [key for key, one in self._sessions.items() if one.seen_at_s < earliest_s]:
            del self._sessions[old_id]
        self._sessions[session_id] = session


_INCOMPLETE_HANDSHAKE = (
    "initialize needs params.protocolVersion, a string, params.capabilities and "
    "params.clientInfo with a name and a version."
)


def _is_complete_handshake(params: Json) -> bool:
    """Whether a handshake has all required fields."""
    client, abilities = (
        parsing.as_object(params.get(key)) for key in ("clientInfo", "capabilities")
    )
    texts: tuple[Any, ...] = (
        params.get("protocolVersion"),
        client.get("name"),
        client.get("version"),
    )
    objects = (params.get("capabilities"), *abilities.values())
    return all(isinstance(one, str) for one in texts) and all(
        isinstance(one, dict) for one in objects
    )


def _needs_confirmation(request: Request, endpoint: Endpoint) -> bool:
    """Whether a tool asks for confirmation, in revisions in which servers send requests."""
    tool = endpoint.dialect.tools.get(str(request.params.get("name")))
    return bool(
        tool and tool.confirm and request.can_elicit and not messages.is_modern(request.version)
    )


def _check_headers(http_request: HttpRequest, request: Request) -> None:
    """Raise ProtocolError if the headers, which proxies may route by, contradict the body."""
    claims: dict[str, object] = {
        "mcp-protocol-version": request.version,
        "mcp-method": request.method,
    }
    if (name := request.params.get(_NAME_PARAMETERS.get(request.method, ""))) is not None:
        claims["mcp-name"] = name
    for header, value in claims.items():
        if not isinstance(value, str) or http_request.header(header.encode()) not in (
            value,
            _header_base64(value),
        ):
            raise ProtocolError(
                messages.HEADER_MISMATCH,
                f"The {header} header does not match the body of the request.",
            )


def _header_base64(text: str) -> str:
    """The base64 form of a text, for headers, which allow only ASCII."""
    return f"=?base64?{b64encode(text.encode(errors='surrogatepass')).decode()}?="


def _check_modern_message(http_request: HttpRequest, kind: str) -> None:
    parsing.check_version(http_request.header(b"mcp-protocol-version"))
    if kind == "response":
        raise ProtocolError(
            messages.INVALID_REQUEST, "A client sends no responses in this revision."
        )


async def _send_message(
    http_request: HttpRequest, status: int, message: Json, session_id: str = ""
) -> None:
    headers: Headers = ((b"mcp-session-id", session_id.encode("latin-1")),) if session_id else ()
    await send_response(http_request.send, status, protocol.encode(message), headers)


def _is_modern(http_request: HttpRequest) -> bool:
    """Whether a request names a modern or unknown revision."""
    version = http_request.headers.get(b"mcp-protocol-version")
    return version is not None and version.decode("latin-1") not in messages.LEGACY


def _session_id(http_request: HttpRequest) -> str:
    return http_request.header(b"mcp-session-id")


def _media_type_error(http_request: HttpRequest) -> tuple[HTTPStatus, str] | None:
    if not _is_json(http_request.header(b"content-type")):
        return HTTPStatus.BAD_REQUEST, "Invalid Content-Type header: it must be application/json."
    if not _accepts_json(http_request.header(b"accept") or "*/*"):
        return HTTPStatus.NOT_ACCEPTABLE, "Not Acceptable: the client must accept application/json."
    return None


@lru_cache(256)
def _is_json(content_type: str) -> bool:
    return content_type.partition(";")[0].strip().lower() == "application/json"


@lru_cache(256)
def _accepts_json(accept: str) -> bool:
    return not {"*/*", "application/*", "application/json"}.isdisjoint(_media_types(accept))


@lru_cache(256)
def _accepts_event_stream(accept: str) -> bool:
    """Whether a client asks for event streams. `*/*` does not count: it is usually curl."""
    return not {"text/*", "text/event-stream"}.isdisjoint(_media_types(accept))


def _media_types(accept: str) -> list[str]:
    return [one.partition(";")[0].strip().lower() for one in accept.split(",")]
