"""The official SDK's server, for everything that is not a regular call. The one module that imports the SDK.

One server and its managers serve every dialect and bank: which one is meant is read from each request, never kept in a
session. Answers come from `methods`, as on every transport; the SDK brings the transport of both eras.
"""

import asyncio
import warnings
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias, cast

import anyio
import mcp_types as types
from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPDeprecationWarning
from sse_starlette.sse import AppStatus

from commonplace.dialects import arguments
from commonplace.engine.engine import Engine
from commonplace.errors import CommonplaceError
from commonplace.faces.http.calls import Calls, Line
from commonplace.faces.http.endpoints import Endpoint
from commonplace.faces.http.guard import Arrival, Message, Receive, Scope, answer
from commonplace.faces.http.opening import Opening, opening
from commonplace.faces.http.sessions import Sessions
from commonplace.faces.mcp import methods, wire
from commonplace.limits import BODY_BYTES_MAX, SESSION_IDLE_S_MAX, SESSIONS_MAX

Context: TypeAlias = ServerRequestContext[Any, Any]
_PROGRESS_MAX = 100  # news that wait for a slow reader; later ones are left out
_ENDPOINT = "commonplace.endpoint"
_NOT_UTF8 = wire.failure(None, wire.PARSE_ERROR, "Parse error: the body is not UTF-8.")
# The SDK asks for a schema before it builds the context of a request.
_here: ContextVar[Endpoint] = ContextVar("endpoint")


class Official:
    """The SDK's server behind all endpoints."""

    def __init__(self, calls: Calls, sessions: Sessions) -> None:
        self._calls = calls
        self._sessions = sessions
        self._ending = anyio.Event()
        self._streams: set[anyio.CancelScope] = set()
        server = self._server()
        self._stateful = _manager(server)
        self._stateless = _manager(server, stateless=True)
        # For clients that take no event stream.
        self._json_only = _manager(server, stateless=True, json_response=True)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Serve until the end of the context."""
        # Streams are ended by `end_streams`; on its own the library would cut running calls off as well.
        AppStatus.disable_automatic_graceful_drain()
        async with self._stateful.run(), self._stateless.run(), self._json_only.run():
            yield

    def end_streams(self) -> None:
        """End the streams that only wait for news. Calls go on."""
        self._ending.set()
        for scope in tuple(self._streams):
            scope.cancel()

    async def serve(self, arrival: Arrival, endpoint: Endpoint) -> None:
        """Answer a request of either era."""
        if not _is_utf8(arrival.body):
            # The SDK reads other encodings in one era, and halves of characters too.
            await answer(arrival.send, 400, wire.encoded(_NOT_UTF8))
            return
        _here.set(endpoint)
        scope: Scope = {**arrival.scope, _ENDPOINT: endpoint}
        if b"accept" not in arrival.headers:
            # Who names no media type takes any.
            scope["headers"] = [*scope["headers"], (b"accept", b"*/*")]
        first = opening(arrival)
        stateless = self._stateless if _takes_streams(arrival) else self._json_only
        session_id = arrival.header(b"mcp-session-id")
        if arrival.method == "GET" and not session_id:
            # No stream for who has no session; clients take this status, and no other, for a plain no.
            await answer(arrival.send, 405, b"", ((b"allow", b"POST"),))
        elif first is not None and stateless is self._stateless and not session_id:
            await self._open(arrival, scope, first)
        elif _is_modern(arrival) or (arrival.method == "POST" and not session_id):
            await stateless.handle_request(scope, _replayed(arrival), arrival.send)
        else:
            await self._continue(arrival, scope, session_id)

    async def _open(self, arrival: Arrival, scope: Scope, first: Opening) -> None:
        """Shake hands and open a session; when there are too many, shake hands without one."""
        full = False

        async def send(message: Message) -> None:
            nonlocal full
            if message["type"] == "http.response.start":
                full = message["status"] == 503
                session_id = dict(message.get("headers", ())).get(b"mcp-session-id")
                if session_id and message["status"] < 400:
                    self._sessions.add(session_id.decode("latin-1"), first.client, first.version)
            if not full:
                await arrival.send(message)

        await self._stateful.handle_request(scope, _replayed(arrival), send)
        if full:
            await self._stateless.handle_request(scope, _replayed(arrival), arrival.send)

    async def _continue(self, arrival: Arrival, scope: Scope, session_id: str) -> None:
        if arrival.method == "DELETE":
            self._sessions.end(session_id)
        self._sessions.touch(session_id)
        if arrival.method != "GET":
            await self._stateful.handle_request(scope, _replayed(arrival), arrival.send)
            return
        with self._stream() as news:
            await self._stateful.handle_request(scope, arrival.receive, arrival.send)
        if news.cancelled_caught:
            await arrival.send({"type": "http.response.body", "body": b""})

    @contextmanager
    def _stream(self) -> Generator[anyio.CancelScope]:
        with anyio.CancelScope() as scope:
            self._streams.add(scope)
            try:
                yield scope
            finally:
                self._streams.discard(scope)

    def _server(self) -> Server[Any]:
        with warnings.catch_warnings():
            # Old clients still set a log level, so the SDK is given what it calls deprecated.
            warnings.simplefilter("ignore", MCPDeprecationWarning)
            server = Server[Any](
                wire.server_info()["name"],
                version=wire.server_info()["version"],
                title=wire.server_info()["title"],
                get_tool_input_schema=_schema,
                on_list_tools=self._listed,
                on_list_resources=self._listed,
                on_list_resource_templates=self._listed,
                on_list_prompts=self._listed,
                on_call_tool=self._worked,
                on_read_resource=self._worked,
                on_get_prompt=self._worked,
                on_completion=self._worked,
                on_set_logging_level=self._listed,
                on_subscriptions_listen=self._listen,
            )
        server.add_request_handler("server/discover", types.RequestParams, self._listed)
        # In place of the SDK's tracing, which nobody has switched on.
        server.middleware[:] = [self._introduced]
        return server

    async def _introduced(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Let the SDK shake hands, and say instead of it who answers here."""
        result = await call_next(ctx)
        return result if ctx.method != "initialize" else await self._listed(ctx, None)

    async def _listed(self, ctx: Context, _params: object) -> Any:
        """What the table alone answers."""
        endpoint = _endpoint(ctx)
        said = ""
        if ctx.method in ("initialize", "server/discover"):
            said = await self._calls.read(_instructions, self._calls.engine, endpoint)
        dialect = endpoint.dialect
        if ctx.method == "tools/list" and dialect.narrowed:
            dialect = await self._calls.read(dialect.narrowed, dialect, self._calls.engine, endpoint.bank)
        try:
            return methods.Conversation(dialect, lambda: said).answer(_request(ctx))
        except methods.Refused as refused:
            raise _error(refused) from None

    async def _worked(self, ctx: Context, _params: object) -> Any:
        """What the dialect answers."""
        request, endpoint = _request(ctx), _endpoint(ctx)
        line = Line(cast(Any, ctx.request).headers.get("mcp-session-id", ""))
        try:
            if request.method == "tools/call":
                await _ask(ctx, request, endpoint, line)
            if request.progress_token is None:
                return await self._calls.run(request, endpoint, line)
            return await self._with_news(ctx, request, endpoint, line)
        except methods.Refused as refused:
            raise _error(refused) from None
        except methods.Gone:
            raise MCPError(wire.INVALID_REQUEST, "Request cancelled") from None

    async def _with_news(self, ctx: Context, request: methods.Request, endpoint: Endpoint, line: Line) -> wire.Json:
        """The result of a call whose caller wants to know how far it is."""
        news, reader = anyio.create_memory_object_stream[tuple[float, float | None, str]](_PROGRESS_MAX)

        def offer(item: tuple[float, float | None, str]) -> None:
            try:
                news.send_nowait(item)
            except (anyio.WouldBlock, anyio.ClosedResourceError, anyio.BrokenResourceError):
                # A reader slower than the work misses a step, and the work does not wait.
                return

        async def tell() -> None:
            with reader:
                async for done, total, text in reader:
                    await ctx.session.report_progress(done, total, text or None)

        line.report = lambda done, total, text: self._calls.soon(lambda: offer((done, total, text)))
        teller = asyncio.create_task(tell())
        try:
            result = await self._calls.run(request, endpoint, line)
        except asyncio.CancelledError:
            teller.cancel()
            raise
        finally:
            news.close()
        await teller
        return result

    async def _listen(self, ctx: Context, params: types.SubscriptionsListenRequestParams) -> Any:
        """Acknowledge a subscription and wait: the lists never change while the server runs."""
        wanted = params.notifications.model_dump(by_alias=True, exclude_none=True)
        meta = {wire.SUBSCRIPTION_KEY: ctx.request_id}
        acknowledged = types.SubscriptionsAcknowledgedNotification(
            params=types.SubscriptionsAcknowledgedNotificationParams(
                notifications=types.SubscriptionFilter.model_validate(wire.honoured(wanted)), _meta=cast(Any, meta)
            )
        )
        await ctx.session.send_notification(acknowledged, related_request_id=ctx.request_id)
        await self._ending.wait()
        return wire.finished(ctx.method, {"_meta": meta}, ctx.protocol_version)


def _instructions(engine: Engine, endpoint: Endpoint) -> str:
    if not endpoint.single:
        return wire.instructions(endpoint.dialect)
    try:
        mission = engine.get_bank(endpoint.bank).mission
    except CommonplaceError:  # A bank that is not there yet.
        mission = ""
    return wire.instructions(endpoint.dialect, endpoint.bank, mission)


async def _ask(ctx: Context, request: methods.Request, endpoint: Endpoint, line: Line) -> None:
    """Put a tool's question to the person before its thread starts, so that no thread waits for one."""
    tool = endpoint.dialect.tools.get(str(request.params.get("name")))
    asks = tool is not None and tool.confirm and request.can_ask and not wire.is_modern(request.version)
    if tool is None or not asks or not ctx.session.can_send_request:
        return
    try:
        arguments.checked(tool.parameters, request.params.get("arguments") or {}, strict=endpoint.dialect.strict)
    except CommonplaceError:
        return  # The call itself will say so.
    try:
        given = await ctx.session.elicit_form(tool.confirm, {"type": "object", "properties": {}}, ctx.request_id)
    except MCPError:
        return  # A client that cannot ask after all; the question is a courtesy, not a lock.
    agreed = given.action == "accept"
    line.ask = lambda _question: agreed


def _manager(
    server: Server[Any], *, stateless: bool = False, json_response: bool = False
) -> StreamableHTTPSessionManager:
    return StreamableHTTPSessionManager(
        server,
        stateless=stateless,
        json_response=json_response,
        session_idle_timeout=SESSION_IDLE_S_MAX,
        max_request_body_size=BODY_BYTES_MAX,
        max_sessions=SESSIONS_MAX,
    )


def _schema(name: str) -> wire.Json | None:
    return _here.get().offer.mirrored.get(name)


def _endpoint(ctx: Context) -> Endpoint:
    return cast(Any, ctx.request).scope[_ENDPOINT]


def _request(ctx: Context) -> methods.Request:
    client, abilities = ctx.session.client_params, ctx.session.client_capabilities
    return methods.Request(
        id=ctx.request_id,
        method=ctx.method,
        params=dict(ctx.params or {}),
        version=ctx.protocol_version,
        client=client.client_info.name if client else "",
        abilities=abilities.model_dump(by_alias=True, exclude_none=True) if abilities else {},
    )


def _error(refused: methods.Refused) -> MCPError:
    return MCPError(refused.code, refused.message, refused.data)


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_modern(arrival: Arrival) -> bool:
    version = arrival.headers.get(b"mcp-protocol-version")
    return version is not None and version.decode("latin-1") not in wire.LEGACY


def _takes_streams(arrival: Arrival) -> bool:
    """Whether a client asks for event streams. One that takes anything is most likely a person with a terminal."""
    accept = arrival.header(b"accept").lower()
    return "text/event-stream" in accept or "text/*" in accept


def _replayed(arrival: Arrival) -> Receive:
    sent = False

    async def receive() -> Message:
        nonlocal sent
        if sent:
            return await arrival.receive()
        sent = True
        return {"type": "http.request", "body": arrival.body, "more_body": False}

    return receive
