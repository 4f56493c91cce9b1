"""Answers the messages that clients post, from the same methods as on standard input and output.

The official SDK gets what needs it: event streams, for news about a call or questions to a person,
and sessions.
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
from commonplace.faces.http.access import Arrival, Headers, answer, answer_error
from commonplace.faces.http.calls import Calls, Line
from commonplace.faces.http.endpoints import Endpoint
from commonplace.faces.mcp import messages, protocol
from commonplace.faces.mcp.messages import Json, RequestId
from commonplace.faces.mcp.protocol import Refused, Request
from commonplace.limits import SESSION_IDLE_S_MAX

if TYPE_CHECKING:
    from commonplace.faces.http.sdk_bridge import Bridge

BridgeSource: TypeAlias = "Callable[[], Awaitable[Bridge]]"

_HEADERLESS_VERSION = "2025-03-26"  # what the protocol says of a request that names no revision
# The parameter that a client repeats in a header, by method.
_NAMING = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_MODERN_STATUS = {
    messages.PARSE_ERROR: HTTPStatus.BAD_REQUEST,
    messages.INVALID_REQUEST: HTTPStatus.BAD_REQUEST,
    messages.INVALID_PARAMS: HTTPStatus.BAD_REQUEST,
    messages.METHOD_NOT_FOUND: HTTPStatus.NOT_FOUND,
}
# The SDK ends a session that has no request for the whole time, and does not see those that are
# answered here.
_SESSION_SURE_S = SESSION_IDLE_S_MAX / 2
_WATCH_AFTER_S = 0.05
_STOPPED = "Check whether the change was made before you try again."


@dataclass(slots=True)
class Session:
    """What a handshake said, and when the SDK last saw a request of the session."""

    client: str
    version: str
    abilities: Json
    seen_at_s: float = field(default_factory=time.monotonic)

    @property
    def open(self) -> bool:
        """Whether the session is open for certain."""
        return time.monotonic() - self.seen_at_s < _SESSION_SURE_S


class Dispatcher:
    """Answers requests, or hands them to the SDK."""

    def __init__(self, calls: Calls, bridge: BridgeSource) -> None:
        self._calls = calls
        self._bridge = bridge
        self._sessions: dict[str, Session] = {}
        self._running: dict[tuple[str, RequestId], Line] = {}

    async def serve(self, arrival: Arrival, endpoint: Endpoint) -> None:
        """Answer one HTTP request."""
        if arrival.method != "POST":
            if _is_modern(arrival) or not _session_id(arrival):
                # Without a session there is no stream; clients take this status, and no other, for
                # a plain no.
                await answer(
                    arrival.send, HTTPStatus.METHOD_NOT_ALLOWED, b"", ((b"allow", b"POST"),)
                )
            else:
                await self._hand_over(arrival, endpoint)
            return
        if refusal := _refused_media_type(arrival):
            status, text = refusal
            await _send(arrival, status, messages.failure(None, messages.INVALID_REQUEST, text))
            return
        message: object = None
        try:
            message = protocol.decoded(arrival.body)
            kind, whole = protocol.understood(message)
            request = self._request(arrival, whole) if kind == "request" else None
            if request is None and _is_modern(arrival):
                _check_modern_note(arrival, kind)
        except Refused as refused:
            failure = messages.failure(
                protocol.known_id(message), refused.code, refused.message, refused.data
            )
            await _send(arrival, HTTPStatus.BAD_REQUEST, failure)
            return
        if request is None:
            await self._note(arrival, endpoint, whole)
        elif self.needs_sdk(arrival, endpoint, request):
            await self._hand_over(arrival, endpoint, request)
        else:
            await self._answer(arrival, endpoint, request)

    def needs_sdk(self, arrival: Arrival, endpoint: Endpoint, request: Request) -> bool:
        """Whether only the SDK can answer a request."""
        modern, session_id = messages.is_modern(request.version), _session_id(arrival)
        if modern and request.method == protocol.LISTENING:
            return True
        if session_id and not modern and not self._session(session_id):
            return True
        streams = _takes_streams(arrival.header(b"accept"))
        if request.method == "initialize" and not modern:
            return bool(session_id) or streams
        if not streams or request.method not in protocol.WORKING:
            return False
        return request.progress_token is not None or _asks_first(request, endpoint)

    def _session(self, session_id: str) -> Session | None:
        session = self._sessions.get(session_id)
        return session if session and session.open else None

    def _request(self, arrival: Arrival, message: Json) -> Request:
        if _is_modern(arrival):
            request = protocol.modern_request(message)
            _check_headers(arrival, request)
            protocol.check_version(request.version)
            return request
        params = protocol.params_of(message)
        if message["method"] == "initialize" and not _is_whole_handshake(params):
            raise Refused(messages.INVALID_PARAMS, _HANDSHAKE)
        if session := self._session(_session_id(arrival)):
            return Request(
                message["id"],
                message["method"],
                params,
                session.version,
                session.client,
                session.abilities,
            )
        version = arrival.header(b"mcp-protocol-version") or _HEADERLESS_VERSION
        return Request(message["id"], message["method"], params, version)

    async def _answer(self, arrival: Arrival, endpoint: Endpoint, request: Request) -> None:
        session_id = "" if messages.is_modern(request.version) else _session_id(arrival)
        line = Line(session_id)
        key = (session_id, request.id)
        if request.method in protocol.WORKING and session_id:
            self._running[key] = line
        # A call that ends at once needs nobody to watch whether its caller disconnects.
        timer = asyncio.get_running_loop().call_later(_WATCH_AFTER_S, line.watch, arrival.receive)
        status = HTTPStatus.OK
        try:
            message = messages.response(
                request.id, await self._calls.result(request, endpoint, line)
            )
        except Refused as refused:
            if messages.is_modern(request.version):
                status = _MODERN_STATUS.get(refused.code, status)
            message = messages.failure(request.id, refused.code, refused.message, refused.data)
        except protocol.Gone:
            message = messages.failure(request.id, messages.REQUEST_CANCELLED, "Request cancelled")
        except asyncio.CancelledError:
            # The server was told to stop and has waited as long as it does.
            await answer_error(
                arrival.send, Busy("The server stopped before the call ended.", hint=_STOPPED)
            )
            return
        finally:
            timer.cancel()
            line.unwatch()
            if self._running.get(key) is line:
                del self._running[key]
        await _send(arrival, status, message, session_id)

    async def _note(self, arrival: Arrival, endpoint: Endpoint, message: Json) -> None:
        """Take in a message that wants no answer."""
        session_id = _session_id(arrival)
        if _is_modern(arrival) or not session_id:
            await answer(arrival.send, HTTPStatus.ACCEPTED, b"")
            return
        if message.get("method") == "notifications/cancelled":
            wanted = protocol.known_id(
                {"id": protocol.object_of(message.get("params")).get("requestId")}
            )
            if line := self._running.get((session_id, wanted)):
                line.cancel()
        await self._hand_over(arrival, endpoint)

    async def _hand_over(
        self, arrival: Arrival, endpoint: Endpoint, request: Request | None = None
    ) -> None:
        """Have the SDK answer a request."""
        bridge = await self._bridge()
        session_id = _session_id(arrival)
        if request is not None and request.method == "initialize" and not session_id:
            session = Session(
                client=protocol.client_name(request.params.get("clientInfo")),
                version=messages.negotiated(request.params.get("protocolVersion")),
                abilities=protocol.object_of(request.params.get("capabilities")),
            )
            if not await bridge.open(arrival, endpoint, lambda new_id: self._add(new_id, session)):
                await self._answer(arrival, endpoint, request)
            return
        if arrival.method == "DELETE":
            self._sessions.pop(session_id, None)
        elif session := self._sessions.get(session_id):
            session.seen_at_s = time.monotonic()
        await bridge.serve(arrival, endpoint)

    def _add(self, session_id: str, session: Session) -> None:
        earliest_s = time.monotonic() - SESSION_IDLE_S_MAX
        for old_id in [key for key, one in self._sessions.items() if one.seen_at_s < earliest_s]:
            del self._sessions[old_id]
        self._sessions[session_id] = session


_HANDSHAKE = (
    "initialize needs params.protocolVersion, a string, params.capabilities and "
    "params.clientInfo with a name and a version."
)


def _is_whole_handshake(params: Json) -> bool:
    """Whether a handshake has what the protocol requires."""
    client, abilities = (
        protocol.object_of(params.get(key)) for key in ("clientInfo", "capabilities")
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


def _asks_first(request: Request, endpoint: Endpoint) -> bool:
    """Whether a tool puts a question to a person, in the era in which servers send requests."""
    tool = endpoint.dialect.tools.get(str(request.params.get("name")))
    return bool(
        tool and tool.confirm and request.can_ask and not messages.is_modern(request.version)
    )


def _check_headers(arrival: Arrival, request: Request) -> None:
    """Raise Refused where the headers, by which others may route a request, say something else than
    its body.
    """
    claims: dict[str, object] = {
        "mcp-protocol-version": request.version,
        "mcp-method": request.method,
    }
    if (name := request.params.get(_NAMING.get(request.method, ""))) is not None:
        claims["mcp-name"] = name
    for header, value in claims.items():
        if not isinstance(value, str) or arrival.header(header.encode()) not in (
            value,
            _wrapped(value),
        ):
            raise Refused(
                messages.HEADER_MISMATCH,
                f"The {header} header does not match the body of the request.",
            )


def _wrapped(text: str) -> str:
    """A text as it is written in a header that has room for ASCII only."""
    return f"=?base64?{b64encode(text.encode(errors='surrogatepass')).decode()}?="


def _check_modern_note(arrival: Arrival, kind: str) -> None:
    protocol.check_version(arrival.header(b"mcp-protocol-version"))
    if kind == "response":
        raise Refused(messages.INVALID_REQUEST, "A client sends no responses in this revision.")


async def _send(arrival: Arrival, status: int, message: Json, session_id: str = "") -> None:
    headers: Headers = ((b"mcp-session-id", session_id.encode("latin-1")),) if session_id else ()
    await answer(arrival.send, status, protocol.encoded(message), headers)


def _is_modern(arrival: Arrival) -> bool:
    """Whether a request names a revision that has no handshake, or one that nobody knows."""
    version = arrival.headers.get(b"mcp-protocol-version")
    return version is not None and version.decode("latin-1") not in messages.LEGACY


def _session_id(arrival: Arrival) -> str:
    return arrival.header(b"mcp-session-id")


def _refused_media_type(arrival: Arrival) -> tuple[HTTPStatus, str] | None:
    if not _is_json(arrival.header(b"content-type")):
        return HTTPStatus.BAD_REQUEST, "Invalid Content-Type header: it must be application/json."
    if not _takes_json(arrival.header(b"accept") or "*/*"):
        return HTTPStatus.NOT_ACCEPTABLE, "Not Acceptable: the client must accept application/json."
    return None


@lru_cache(256)
def _is_json(content_type: str) -> bool:
    return content_type.partition(";")[0].strip().lower() == "application/json"


@lru_cache(256)
def _takes_json(accept: str) -> bool:
    return not {"*/*", "application/*", "application/json"}.isdisjoint(_media_types(accept))


@lru_cache(256)
def _takes_streams(accept: str) -> bool:
    """Whether a client asks for event streams. One that takes anything is most likely a person with
    a terminal.
    """
    return not {"text/*", "text/event-stream"}.isdisjoint(_media_types(accept))


def _media_types(accept: str) -> list[str]:
    return [one.partition(";")[0].strip().lower() for one in accept.split(",")]
