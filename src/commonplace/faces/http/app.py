"""The server as an ASGI app: the guard, and behind it the pages and the dispatcher of messages.

The official SDK takes most of a second to import, so it is loaded in the background once the server
listens; only what needs event streams or sessions waits for it.
"""

import asyncio
import gc
import json
import logging
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commonplace.dialects.dialect import Dialect
from commonplace.engine.engine import Engine
from commonplace.engine.operations.stats import totals
from commonplace.engine.operations.worker import Worker
from commonplace.errors import Busy, CommonplaceError, traced
from commonplace.faces.http.access import (
    Admission,
    Arrival,
    Guard,
    Message,
    Receive,
    Scope,
    Send,
    answer,
    answer_error,
)
from commonplace.faces.http.calls import Calls
from commonplace.faces.http.dispatch import Dispatcher
from commonplace.faces.http.endpoints import Endpoints
from commonplace.faces.http.health import health
from commonplace.faces.http.jobs import job_page
from commonplace.faces.http.metrics import Metrics
from commonplace.faces.http.routing import Paths
from commonplace.faces.mcp import messages

if TYPE_CHECKING:
    from commonplace.faces.http.sdk_bridge import Bridge

_log = logging.getLogger("commonplace.http")
_METHODS = b"GET, HEAD"
_RETRY_S = 5


@dataclass(frozen=True, slots=True)
class Plan:
    """What a server serves, and to whom."""

    dialects: Mapping[str, Dialect]
    # The dialect of /mcp.
    default: str
    # The bank of calls that name none, by dialect.
    banks: Mapping[str, str]
    admission: Admission


class Site:
    """One server's app."""

    def __init__(self, engine: Engine, plan: Plan) -> None:
        self.calls = Calls(engine, metrics := Metrics())
        # Those whose health is the server's health.
        self.workers: Mapping[str, Worker] = {}
        self._metrics = metrics
        self._endpoints = Endpoints(plan.dialects, plan.banks)
        self.dispatcher = Dispatcher(self.calls, self.bridge)
        self._guard = Guard(self._inside, Paths(plan.dialects, plan.default), plan.admission)
        self._bridge: asyncio.Future[Bridge] | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._ended: asyncio.Event | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if not _log.isEnabledFor(logging.DEBUG):
            await self._guard(scope, receive, send)
            return
        started, status = time.perf_counter(), 0

        async def noting(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self._guard(scope, receive, noting)
        finally:
            # The path as it came, still encoded, and nothing of the query: no line breaks, no keys.
            took_ms = (time.perf_counter() - started) * 1000
            path = scope["raw_path"].decode("ascii", "backslashreplace")
            _log.debug("%s %s %d %.1f ms", scope["method"], path, status, took_ms)

    def start(self) -> None:
        """Begin to fetch the SDK. Call it in the running loop, once the server listens."""
        self._bridge = asyncio.get_running_loop().create_future()
        self._ended = asyncio.Event()
        self._keeper = asyncio.create_task(self._keep_bridge(self._ended))

    def end_streams(self) -> None:
        """End the streams that only wait for news, so that the server need not wait for them."""
        if self._bridge is not None and self._bridge.done() and not self._bridge.cancelled():
            self._bridge.result().end_streams()

    async def stop(self) -> None:
        """End everything but the calls that still run."""
        if self._keeper is not None and self._ended is not None:
            self._ended.set()
            await self._keeper
        self.calls.close()

    async def bridge(self) -> "Bridge":
        """The official SDK, once it is loaded."""
        assert self._bridge is not None, "start() comes first"
        return await asyncio.shield(self._bridge)

    async def _keep_bridge(self, ended: asyncio.Event) -> None:
        while not ended.is_set():
            try:
                bridge = await asyncio.to_thread(_load_bridge, self.calls)
            except Exception as error:
                # Too many open files, for instance: whoever waits for the SDK is told, and it is
                # fetched again.
                self._retry_bridge(error)
                with suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(ended.wait(), _RETRY_S)
                continue
            async with bridge.running():
                assert self._bridge is not None
                self._bridge.set_result(bridge)
                await ended.wait()

    def _retry_bridge(self, error: Exception) -> None:
        _log.error("Cannot load the MCP library; trying again: %s", traced(error))
        waited, self._bridge = self._bridge, asyncio.get_running_loop().create_future()
        if waited is not None:
            waited.set_exception(
                Busy("The server is still starting.", hint="Try again in a few seconds.")
            )
            waited.exception()  # Noted as seen, because nobody may be waiting.

    async def _inside(self, arrival: Arrival) -> None:
        try:
            if arrival.place.dialect:
                await self.dispatcher.serve(arrival, self._endpoints.find(arrival))
            elif arrival.place.page:
                await self._page(arrival)
            else:
                await answer(arrival.send, 404, _NOWHERE)
        except CommonplaceError as error:
            await answer_error(arrival.send, error)

    async def _page(self, arrival: Arrival) -> None:
        if arrival.method not in ("GET", "HEAD"):
            await answer(arrival.send, 405, b"", ((b"allow", _METHODS),))
            return
        match arrival.place.page:
            case "metrics":
                running = self.calls.running
                text = self._metrics.text(await self.calls.read(totals, self.calls.engine), running)
                await answer(
                    arrival.send,
                    200,
                    text.encode(),
                    content_type=b"text/plain; version=0.0.4; charset=utf-8",
                )
            case "job":
                bank = self._endpoints.named_bank(arrival)
                found = await self.calls.read(job_page, self.calls.engine, bank, arrival.place.item)
                await answer(arrival.send, 200, json.dumps(found, ensure_ascii=False).encode())
            case "version":
                versions = [*messages.LEGACY, *messages.MODERN]
                about = messages.server_info() | {"protocolVersions": versions}
                await answer(arrival.send, 200, json.dumps(about).encode())
            case _:
                status, found = health(self.calls.engine, self.workers)
                await answer(arrival.send, status, json.dumps(found, ensure_ascii=False).encode())


def _load_bridge(calls: Calls) -> "Bridge":
    # The SDK is the larger half of the start; nobody who asks for /health should wait for it.
    from commonplace.faces.http.sdk_bridge import Bridge

    bridge = Bridge(calls)
    # What is loaded by now stays; looking through it again for garbage would be a tenth of every
    # call.
    gc.collect()
    gc.freeze()
    return bridge


_NOWHERE = json.dumps(
    {
        "error": {
            "message": "There is no such path.",
            "hint": "Try /mcp, /DIALECT/mcp, /health, /version or /metrics.",
        }
    }
).encode()
