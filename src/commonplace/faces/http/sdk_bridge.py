"""The official SDK's server, for event streams and sessions. The one module that imports the SDK.

One server and its managers serve every dialect and bank: which one is meant is read from each
request, never kept in a session. Answers come from `methods`, as on every transport; the SDK brings
the transport of both eras.
"""

import asyncio
import warnings
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from http import HTTPStatus
from typing import Any, TypeAlias, cast

import anyio
import mcp_types as types
from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPDeprecationWarning
from sse_starlette.sse import AppStatus

from commonplace.dialects import parameters
from commonplace.errors import CommonplaceError
from commonplace.faces.http.access import Arrival, Message, Receive, Scope
from commonplace.faces.http.calls import Calls, Line
from commonplace.faces.http.endpoints import Endpoint
from commonplace.faces.mcp import messages, protocol
from commonplace.limits import BODY_BYTES_MAX, SESSION_IDLE_S_MAX, SESSIONS_MAX

Context: TypeAlias = ServerRequestContext[Any, Any]
_PROGRESS_MAX = 100  # news that wait for a slow reader; later ones are left out
_ENDPOINT = "commonplace.endpoint"


class Bridge:
    """The SDK's server behind all endpoints."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._ending = anyio.Event()
        self._streams: set[anyio.CancelScope] = set()
        server = self._server()
        self._stateful = _manager(server)
        self._stateless = _manager(server, stateless=True)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Serve until the end of the context."""
        # Streams are ended by `end_streams`; on its own the library would cut running calls off as
        # well.
        AppStatus.disable_automatic_graceful_drain()
        async with self._stateful.run(), self._stateless.run():
            yield

    def end_streams(self) -> None:
        """End the streams that only wait for news. Calls go on."""
        self._ending.set()
        for scope in tuple(self._streams):
            scope.cancel()

    async def serve(self, arrival: Arrival, endpoint: Endpoint) -> None:
        """Answer a request of a session, or one that needs none."""
        scope = _scope(arrival, endpoint)
        version = arrival.header(b"mcp-protocol-version")
        if not arrival.header(b"mcp-session-id") or (version and version not in messages.LEGACY):
            await self._stateless.handle_request(scope, _replayed(arrival), arrival.send)
        elif arrival.method != "GET":
            await self._stateful.handle_request(scope, _replayed(arrival), arrival.send)
        else:
            with self._stream() as news:
                await self._stateful.handle_request(scope, arrival.receive, arrival.send)
            if news.cancelled_caught:
                await arrival.send({"type": "http.response.body", "body": b""})

    async def open(
        self, arrival: Arrival, endpoint: Endpoint, opened: Callable[[str], None]
    ) -> bool:
        """Answer a handshake and open a session; False, without an answer, when there are too many
        sessions.
        """
        full = False

        async def send(message: Message) -> None:
            nonlocal full
            if message["type"] == "http.response.start":
                full = message["status"] == HTTPStatus.SERVICE_UNAVAILABLE
                session_id = dict(message.get("headers", ())).get(b"mcp-session-id")
                if session_id and message["status"] < HTTPStatus.BAD_REQUEST:
                    opened(session_id.decode("latin-1"))
            if not full:
                await arrival.send(message)

        await self._stateful.handle_request(_scope(arrival, endpoint), _replayed(arrival), send)
        return not full

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
                messages.server_info()["name"],
                version=messages.server_info()["version"],
                title=messages.server_info()["title"],
                # No tool of a dialect asks for a parameter in a header; without this the SDK looks
                # through all schemas.
                get_tool_input_schema=lambda _name: None,
                on_list_tools=self._answer,
                on_list_resources=self._answer,
                on_list_resource_templates=self._answer,
                on_list_prompts=self._answer,
                on_call_tool=self._answer,
                on_read_resource=self._answer,
                on_get_prompt=self._answer,
                on_completion=self._answer,
                on_set_logging_level=self._answer,
                on_subscriptions_listen=self._listen,
            )
        server.add_request_handler("server/discover", types.RequestParams, self._answer)
        # In place of the SDK's tracing, which nobody has switched on.
        server.middleware[:] = [self._introduced]
        return server

    async def _introduced(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Let the SDK shake hands, and say instead of it who answers here."""
        result = await call_next(ctx)
        return result if ctx.method != "initialize" else await self._answer(ctx, None)

    async def _answer(self, ctx: Context, _params: object) -> Any:
        """The result of a request, with news about it and a question to the person where they are
        wanted.
        """
        request, endpoint = _request(ctx), _endpoint(ctx)
        line = Line(cast(Any, ctx.request).headers.get("mcp-session-id", ""))
        try:
            if request.method == "tools/call":
                await _ask(ctx, request, endpoint, line)
            if request.progress_token is None or request.method not in protocol.WORKING:
                return await self._calls.result(request, endpoint, line)
            return await self._with_news(ctx, request, endpoint, line)
        except protocol.Refused as refused:
            raise MCPError(refused.code, refused.message, refused.data) from None
        except protocol.Gone:
            raise MCPError(messages.REQUEST_CANCELLED, "Request cancelled") from None

    async def _with_news(
        self, ctx: Context, request: protocol.Request, endpoint: Endpoint, line: Line
    ) -> messages.Json:
        """The result of a call whose caller wants to know how far it is."""
        news, reader = anyio.create_memory_object_stream[tuple[float, float | None, str]](
            _PROGRESS_MAX
        )

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

        loop = asyncio.get_running_loop()
        line.report = lambda done, total, text: cast(
            None, loop.call_soon_threadsafe(offer, (done, total, text))
        )
        teller = asyncio.create_task(tell())
        try:
            result = await self._calls.result(request, endpoint, line)
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
        meta = {messages.SUBSCRIPTION_KEY: ctx.request_id}
        acknowledged = types.SubscriptionsAcknowledgedNotification(
            params=types.SubscriptionsAcknowledgedNotificationParams(
                notifications=types.SubscriptionFilter.model_validate(messages.honoured(wanted)),
                _meta=cast(Any, meta),
            )
        )
        await ctx.session.send_notification(acknowledged, related_request_id=ctx.request_id)
        await self._ending.wait()
        return messages.finished(ctx.method, {"_meta": meta}, ctx.protocol_version)


async def _ask(ctx: Context, request: protocol.Request, endpoint: Endpoint, line: Line) -> None:
    """Put a tool's question to the person before its thread starts, so that no thread waits for
    one.
    """
    tool = endpoint.dialect.tools.get(str(request.params.get("name")))
    asks = (
        tool is not None
        and tool.confirm
        and request.can_ask
        and not messages.is_modern(request.version)
    )
    if tool is None or not asks or not ctx.session.can_send_request:
        return
    try:
        parameters.checked(
            tool.parameters, request.params.get("arguments") or {}, strict=endpoint.dialect.strict
        )
    except CommonplaceError:
        return  # The call itself will say so.
    try:
        given = await ctx.session.elicit_form(
            tool.confirm, {"type": "object", "properties": {}}, ctx.request_id
        )
    except MCPError:
        return  # A client that cannot ask after all; the question is a courtesy, not a lock.
    agreed = given.action == "accept"
    line.ask = lambda _question: agreed


def _manager(server: Server[Any], *, stateless: bool = False) -> StreamableHTTPSessionManager:
    return StreamableHTTPSessionManager(
        server,
        stateless=stateless,
        session_idle_timeout=SESSION_IDLE_S_MAX,
        max_request_body_size=BODY_BYTES_MAX,
        max_sessions=SESSIONS_MAX,
    )


def _endpoint(ctx: Context) -> Endpoint:
    return cast(Any, ctx.request).scope[_ENDPOINT]


def _request(ctx: Context) -> protocol.Request:
    client, abilities = ctx.session.client_params, ctx.session.client_capabilities
    return protocol.Request(
        id=ctx.request_id,
        method=ctx.method,
        params=dict(ctx.params or {}),
        version=ctx.protocol_version,
        client=client.client_info.name if client else "",
        abilities=abilities.model_dump(by_alias=True, exclude_none=True) if abilities else {},
    )


def _scope(arrival: Arrival, endpoint: Endpoint) -> Scope:
    scope: Scope = {**arrival.scope, _ENDPOINT: endpoint}
    if b"accept" not in arrival.headers:
        # Who names no media type takes any.
        scope["headers"] = [*scope["headers"], (b"accept", b"*/*")]
    return scope


def _replayed(arrival: Arrival) -> Receive:
    sent = False

    async def receive() -> Message:
        nonlocal sent
        if sent:
            return await arrival.receive()
        sent = True
        return {"type": "http.request", "body": arrival.body, "more_body": False}

    return receive
