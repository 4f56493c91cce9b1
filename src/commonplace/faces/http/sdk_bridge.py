"""The official SDK's server, for event streams and sessions. The only module that imports the SDK.

One server and its session managers serve every dialect and bank. The endpoint comes from each
request and is never kept in a session. The results come from `protocol`, as on every transport; the
SDK provides the transport.
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
from commonplace.faces.http.access import HttpRequest, Message, Receive, Scope
from commonplace.faces.http.calls import Caller, Calls
from commonplace.faces.http.endpoints import Endpoint
from commonplace.faces.mcp import messages, protocol
from commonplace.faces.mcp.parsing import ProtocolError, Request
from commonplace.limits import BODY_BYTES_MAX, SESSION_IDLE_S_MAX, SESSIONS_MAX

Context: TypeAlias = ServerRequestContext[Any, Any]
_PROGRESS_QUEUE_MAX = 100  # reports queued for a slow reader; later ones are dropped
_ENDPOINT = "commonplace.endpoint"


class Bridge:
    """The SDK's server behind all endpoints."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._stopping = anyio.Event()
        self._streams: set[anyio.CancelScope] = set()
        server = self._server()
        self._stateful = _session_manager(server)
        self._stateless = _session_manager(server, stateless=True)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Serve requests within the context."""
        # `end_streams` ends the streams; the library would also cancel running calls.
        AppStatus.disable_automatic_graceful_drain()
        async with self._stateful.run(), self._stateless.run():
            yield

    def end_streams(self) -> None:
        """End idle event streams. Running calls continue."""
        self._stopping.set()
        for scope in tuple(self._streams):
            scope.cancel()

    async def serve(self, http_request: HttpRequest, endpoint: Endpoint) -> None:
        """Answer a request, with or without a session."""
        scope = _asgi_scope(http_request, endpoint)
        version = http_request.header(b"mcp-protocol-version")
        if not http_request.header(b"mcp-session-id") or (
            version and version not in messages.LEGACY
        ):
            await self._stateless.handle_request(
                scope, _replay_body(http_request), http_request.send
            )
        elif http_request.method != "GET":
            await self._stateful.handle_request(
                scope, _replay_body(http_request), http_request.send
            )
        else:
            with self._cancellable_stream() as news:
                await self._stateful.handle_request(scope, http_request.receive, http_request.send)
            if news.cancelled_caught:
                await http_request.send({"type": "http.response.body", "body": b""})

    async def open_session(
        self, http_request: HttpRequest, endpoint: Endpoint, opened: Callable[[str], None]
    ) -> bool:
        """Answer a handshake and open a session.

        Returns False without an answer if there are too many sessions.
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
                await http_request.send(message)

        await self._stateful.handle_request(
            _asgi_scope(http_request, endpoint), _replay_body(http_request), send
        )
        return not full

    @contextmanager
    def _cancellable_stream(self) -> Generator[anyio.CancelScope]:
        with anyio.CancelScope() as scope:
            self._streams.add(scope)
            try:
                yield scope
            finally:
                self._streams.discard(scope)

    def _server(self) -> Server[Any]:
        with warnings.catch_warnings():
            # Old clients still set a log level, so the deprecated handler is registered.
            warnings.simplefilter("ignore", MCPDeprecationWarning)
            server = Server[Any](
                messages.server_info()["name"],
                version=messages.server_info()["version"],
                title=messages.server_info()["title"],
                # No tool has parameters in headers; without this the SDK searches all schemas.
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
        # Replaces the SDK's tracing, which is not configured.
        server.middleware[:] = [self._initialize]
        return server

    async def _initialize(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Let the SDK handle the handshake, but answer with our own result."""
        result = await call_next(ctx)
        return result if ctx.method != "initialize" else await self._answer(ctx, None)

    async def _answer(self, ctx: Context, _params: object) -> Any:
        """The result of a request, with progress reports and a confirmation if requested."""
        request, endpoint = _request(ctx), _endpoint(ctx)
        caller = Caller(cast(Any, ctx.request).headers.get("mcp-session-id", ""))
        try:
            if request.method == "tools/call":
                await _confirm(ctx, request, endpoint, caller)
            if request.progress_token is None or request.method not in protocol.ENGINE_METHODS:
                return await self._calls.result(request, endpoint, caller)
            return await self._with_progress(ctx, request, endpoint, caller)
        except ProtocolError as refused:
            raise MCPError(refused.code, refused.message, refused.data) from None
        except protocol.CallerGone:
            raise MCPError(messages.REQUEST_CANCELLED, "Request cancelled") from None

    async def _with_progress(
        self, ctx: Context, request: Request, endpoint: Endpoint, caller: Caller
    ) -> messages.Json:
        """The result of a call whose caller wants progress reports."""
        news, reader = anyio.create_memory_object_stream[tuple[float, float | None, str]](
            _PROGRESS_QUEUE_MAX
        )

        def offer(item: tuple[float, float | None, str]) -> None:
            try:
                news.send_nowait(item)
            except (anyio.WouldBlock, anyio.ClosedResourceError, anyio.BrokenResourceError):
                # A slow reader misses a report; the work does not wait.
                return

        async def report_progress() -> None:
            with reader:
                async for done, total, text in reader:
                    await ctx.session.report_progress(done, total, text or None)

        loop = asyncio.get_running_loop()
        caller.report = lambda done, total, text: cast(
            None, loop.call_soon_threadsafe(offer, (done, total, text))
        )
        reporter = asyncio.create_task(report_progress())
        try:
            result = await self._calls.result(request, endpoint, caller)
        except asyncio.CancelledError:
            reporter.cancel()
            raise
        finally:
            news.close()
        await reporter
        return result

    async def _listen(self, ctx: Context, params: types.SubscriptionsListenRequestParams) -> Any:
        """Acknowledge a subscription and wait for the end: lists never change."""
        wanted = params.notifications.model_dump(by_alias=True, exclude_none=True)
        meta = {messages.SUBSCRIPTION_KEY: ctx.request_id}
        acknowledged = types.SubscriptionsAcknowledgedNotification(
            params=types.SubscriptionsAcknowledgedNotificationParams(
                notifications=types.SubscriptionFilter.model_validate(
                    messages.supported_notifications(wanted)
                ),
                _meta=cast(Any, meta),
            )
        )
        await ctx.session.send_notification(acknowledged, related_request_id=ctx.request_id)
        await self._stopping.wait()
        return messages.complete_result(ctx.method, {"_meta": meta}, ctx.protocol_version)


async def _confirm(ctx: Context, request: Request, endpoint: Endpoint, caller: Caller) -> None:
    """Ask the user for confirmation before the thread starts, so that no thread waits for it."""
    tool = endpoint.dialect.tools.get(str(request.params.get("name")))
    asks = (
        tool is not None
        and tool.confirm
        and request.can_elicit
        and not messages.is_modern(request.version)
    )
    if tool is None or not asks or not ctx.session.can_send_request:
        return
    try:
        parameters.check_arguments(
            tool.parameters, request.params.get("arguments") or {}, strict=endpoint.dialect.strict
        )
    except CommonplaceError:
        return  # The call itself reports the error.
    try:
        given = await ctx.session.elicit_form(
            tool.confirm, {"type": "object", "properties": {}}, ctx.request_id
        )
    except MCPError:
        return  # The client cannot ask. The question is a courtesy and no access control.
    agreed = given.action == "accept"
    caller.confirm = lambda _question: agreed


def _session_manager(
    server: Server[Any], *, stateless: bool = False
) -> StreamableHTTPSessionManager:
    return StreamableHTTPSessionManager(
        server,
        stateless=stateless,
        session_idle_timeout=SESSION_IDLE_S_MAX,
        max_request_body_size=BODY_BYTES_MAX,
        max_sessions=SESSIONS_MAX,
    )


def _endpoint(ctx: Context) -> Endpoint:
    return cast(Any, ctx.request).scope[_ENDPOINT]


def _request(ctx: Context) -> Request:
    client, abilities = ctx.session.client_params, ctx.session.client_capabilities
    return Request(
        id=ctx.request_id,
        method=ctx.method,
        params=dict(ctx.params or {}),
        version=ctx.protocol_version,
        client=client.client_info.name if client else "",
        capabilities=abilities.model_dump(by_alias=True, exclude_none=True) if abilities else {},
    )


def _asgi_scope(http_request: HttpRequest, endpoint: Endpoint) -> Scope:
    scope: Scope = {**http_request.scope, _ENDPOINT: endpoint}
    if b"accept" not in http_request.headers:
        # A request without a media type accepts any.
        scope["headers"] = [*scope["headers"], (b"accept", b"*/*")]
    return scope


def _replay_body(http_request: HttpRequest) -> Receive:
    sent = False

    async def receive() -> Message:
        nonlocal sent
        if sent:
            return await http_request.receive()
        sent = True
        return {"type": "http.request", "body": http_request.body, "more_body": False}

    return receive
