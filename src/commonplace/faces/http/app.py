"""The server as an ASGI app: access control, the pages, and the dispatcher of messages.

The official SDK takes most of a second to import, so it is loaded in the background once the server
listens. Only event streams and sessions wait for it.
"""

import asyncio
import gc
import json
import logging
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from commonplace.dialects.dialect import Dialect
from commonplace.engine.banks import totals
from commonplace.engine.engine import Engine
from commonplace.engine.operations.worker import Worker
from commonplace.errors import Busy, CommonplaceError, trace_summary
from commonplace.faces.http.access import (
    AccessGuard,
    AccessPolicy,
    HttpRequest,
    Message,
    Receive,
    Scope,
    Send,
    send_error,
    send_response,
)
from commonplace.faces.http.calls import Calls
from commonplace.faces.http.dispatch import Dispatcher
from commonplace.faces.http.endpoints import Endpoints
from commonplace.faces.http.health import health
from commonplace.faces.http.jobs import job_page
from commonplace.faces.http.local import serve_local
from commonplace.faces.http.metrics import Metrics
from commonplace.faces.http.routing import Router
from commonplace.faces.mcp import messages
from commonplace.faces.rest.apis import RestApis, hindsight_version
from commonplace.faces.web.asgi import WebPages, show_refusal

if TYPE_CHECKING:
    from commonplace.faces.http.sdk_bridge import Bridge

_log = logging.getLogger("commonplace.http")
_METHODS = b"GET, HEAD"
_RETRY_S = 5


@dataclass(frozen=True, slots=True)
class SiteConfig:
    """What a server serves, and its rules of access."""

    dialects: Mapping[str, Dialect]
    # The dialect of /mcp.
    default: str
    # By dialect, the bank of calls that name none.
    banks: Mapping[str, str]
    admission: AccessPolicy
    # The folder for backups, where there is one.
    home: Path | None = None


class Site:
    """One server's app."""

    def __init__(self, engine: Engine, plan: SiteConfig) -> None:
        self.calls = Calls(engine, metrics := Metrics())
        # The workers that /health reports on.
        self.workers: Mapping[str, Worker] = {}
        self._metrics = metrics
        self._endpoints = Endpoints(plan.dialects, plan.banks)
        self.dispatcher = Dispatcher(self.calls, self.bridge)
        self._access = AccessGuard(
            self._dispatch, Router(plan.dialects, plan.default), plan.admission, show_refusal
        )
        self._rest = RestApis(self.calls, plan)
        port, key = plan.admission.port, plan.admission.keys.everything
        self._keys, self._plan = plan.admission.keys, plan
        self._web = WebPages(self.calls, port, key, self._web_facts)
        self._bridge: asyncio.Future[Bridge] | None = None
        self._bridge_task: asyncio.Task[None] | None = None
        self._stop_event: asyncio.Event | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if not _log.isEnabledFor(logging.DEBUG):
            await self._access(scope, receive, send)
            return
        started, status = time.perf_counter(), 0

        async def noting(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self._access(scope, receive, noting)
        finally:
            # The path stays encoded and the query is left out: no line breaks, no keys.
            took_ms = (time.perf_counter() - started) * 1000
            path = scope["raw_path"].decode("ascii", "backslashreplace")
            _log.debug("%s %s %d %.1f ms", scope["method"], path, status, took_ms)

    def start(self) -> None:
        """Start loading the SDK. Call it in the running loop, once the server listens."""
        self._bridge = asyncio.get_running_loop().create_future()
        self._stop_event = asyncio.Event()
        self._bridge_task = asyncio.create_task(self._run_bridge(self._stop_event))

    def end_streams(self) -> None:
        """End idle event streams, so that the shutdown does not wait for them."""
        if self._bridge is not None and self._bridge.done() and not self._bridge.cancelled():
            self._bridge.result().end_streams()

    async def stop(self) -> None:
        """Stop everything except running calls."""
        if self._bridge_task is not None and self._stop_event is not None:
            self._stop_event.set()
            await self._bridge_task
        self.calls.close()

    async def bridge(self) -> "Bridge":
        """The official SDK, once it is loaded."""
        assert self._bridge is not None, "start() comes first"
        return await asyncio.shield(self._bridge)

    async def _run_bridge(self, ended: asyncio.Event) -> None:
        while not ended.is_set():
            try:
                bridge = await asyncio.to_thread(_load_bridge, self.calls)
            except Exception as error:
                # Too many open files, for instance. Requests that need the SDK fail meanwhile.
                self._retry_bridge(error)
                with suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(ended.wait(), _RETRY_S)
                continue
            async with bridge.running():
                assert self._bridge is not None
                self._bridge.set_result(bridge)
                await ended.wait()

    def _retry_bridge(self, error: Exception) -> None:
        _log.error("Cannot load the MCP library; trying again: %s", trace_summary(error))
        waited, self._bridge = self._bridge, asyncio.get_running_loop().create_future()
        if waited is not None:
            waited.set_exception(
                Busy("The server is still starting.", hint="Try again in a few seconds.")
            )
            waited.exception()  # Retrieved, because no request may be waiting.

    async def _dispatch(self, http_request: HttpRequest) -> None:
        try:
            if http_request.route.hook is not None:
                bank = self._endpoints.bank_of(http_request)
                await serve_local(self.calls, http_request, bank)
            elif http_request.route.api:
                await self._rest.serve(http_request)
            elif http_request.route.dialect:
                await self.dispatcher.serve(http_request, self._endpoints.find(http_request))
            elif http_request.route.web is not None:
                await self._web.serve(http_request)
            elif http_request.route.page:
                await self._serve_page(http_request)
            else:
                await send_response(http_request.send, 404, _NO_SUCH_PATH)
        except CommonplaceError as error:
            await send_error(http_request.send, error)

    def _web_facts(self) -> Mapping[str, object]:
        """What the page about the health of the server shows besides the store."""
        status, page = health(self.calls.engine, self.workers)
        return {
            "status": status,
            "health": page,
            "running": self.calls.running,
            "tools": self._metrics.tool_rows(),
            "clients": self._metrics.client_rows(),
            "uptime_s": self._metrics.uptime_s,
            "keys": self._keys.descriptions,
            "home": self._plan.home,
            "address": f"http://127.0.0.1:{self._plan.admission.port}",
        }

    async def _serve_page(self, http_request: HttpRequest) -> None:
        if http_request.method not in ("GET", "HEAD"):
            await send_response(http_request.send, 405, b"", ((b"allow", _METHODS),))
            return
        match http_request.route.page:
            case "metrics":
                running = self.calls.running
                text = self._metrics.render(
                    await self.calls.read(totals, self.calls.engine), running
                )
                await send_response(
                    http_request.send,
                    200,
                    text.encode(),
                    content_type=b"text/plain; version=0.0.4; charset=utf-8",
                )
            case "job":
                bank = self._endpoints.bank_of(http_request)
                found = await self.calls.read(
                    job_page, self.calls.engine, bank, http_request.route.job_id
                )
                await send_response(
                    http_request.send, 200, json.dumps(found, ensure_ascii=False).encode()
                )
            case "version":
                versions = [*messages.LEGACY, *messages.MODERN]
                about = messages.server_info() | {"protocolVersions": versions}
                about |= hindsight_version()
                await send_response(http_request.send, 200, json.dumps(about).encode())
            case _:
                status, found = health(self.calls.engine, self.workers)
                await send_response(
                    http_request.send, status, json.dumps(found, ensure_ascii=False).encode()
                )


def _load_bridge(calls: Calls) -> "Bridge":
    # The SDK takes more than half of the start, and /health must not wait for it.
    from commonplace.faces.http.sdk_bridge import Bridge

    bridge = Bridge(calls)
    # Loaded modules stay in memory; scanning them for garbage would take a tenth of every call.
    gc.collect()
    gc.freeze()
    return bridge


_NO_SUCH_PATH = json.dumps(
    {
        "error": {
            "message": "There is no such path.",
            "hint": "Try /mcp, /DIALECT/mcp, /api, /health, /version or /metrics.",
        }
    }
).encode()
