"""Runs requests in threads, counts them, and cancels those whose caller has disconnected.

The engine is synchronous; this is the only place where the event loop hands work to a thread. The
results come from `protocol`, as on every transport.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from commonplace.dialects.dialect import Call, Progress
from commonplace.engine.engine import Engine
from commonplace.errors import Busy, CommonplaceError
from commonplace.faces.http.access import Receive
from commonplace.faces.http.endpoints import Endpoint
from commonplace.faces.http.metrics import Metrics
from commonplace.faces.mcp import messages, protocol
from commonplace.faces.mcp.messages import Json
from commonplace.faces.mcp.parsing import Request
from commonplace.limits import CALLS_MAX

Result = TypeVar("Result")


@dataclass(slots=True)
class Caller:
    """The caller of a running tool: its session, its progress reports, and its cancellation."""

    session: str = ""
    report: Progress | None = None
    confirm: protocol.Confirm | None = None
    work: asyncio.Future[Json] | None = None
    watcher: asyncio.Task[None] | None = None
    # Set in the event loop, read in the tool's thread.
    is_cancelled: bool = False

    def watch(self, receive: Receive) -> None:
        """Cancel the work as soon as the caller disconnects."""
        self.watcher = asyncio.create_task(self._cancel_when_disconnected(receive))

    def unwatch(self) -> None:
        """Stop watching the connection."""
        if self.watcher is not None:
            self.watcher.cancel()

    def cancel(self) -> None:
        """Cancel the work: queued work never starts, running work ends at its next report."""
        self.is_cancelled = True
        if self.work is not None:
            self.work.cancel()

    async def _cancel_when_disconnected(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self.cancel()

    def progress(self, done: float, total: float | None, text: str) -> None:
        """Report progress to the caller. Raises CallerGone if the caller has disconnected."""
        if self.is_cancelled:
            raise protocol.CallerGone
        if self.report is not None:
            self.report(done, total, text)


class Calls:
    """The calls of one server."""

    def __init__(self, engine: Engine, metrics: Metrics) -> None:
        self.engine = engine
        self._metrics = metrics
        self._pool = ThreadPoolExecutor(CALLS_MAX, "commonplace-call")
        self._running_work: set[Future[Any]] = set()
        self._finished_work: deque[tuple[asyncio.Future[Any], Future[Any]]] = deque()
        self._delivery_scheduled = False

    @property
    def running(self) -> int:
        """The number of unfinished calls, including those whose caller has disconnected."""
        return len(self._running_work)

    def close(self) -> None:
        """Accept no more calls. Running calls continue."""
        self._pool.shutdown(wait=False)

    def read(self, function: Callable[..., Result], *arguments: object) -> asyncio.Future[Result]:
        """Run a function in a thread and return a future of its result."""
        try:
            work = self._pool.submit(function, *arguments)
        except RuntimeError as error:
            raise Busy(
                "The operating system cannot start another thread.", hint="Try again in a moment."
            ) from error
        self._running_work.add(work)
        # Done without asyncio.wrap_future, which takes a tenth of a small call.
        result: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        work.add_done_callback(partial(self._return_result, result))
        return result

    async def timed(
        self, face: str, name: str, function: Callable[..., tuple[Result, bool]], *arguments: object
    ) -> Result:
        """Run a function in a thread and count the call. It returns its result and whether it
        failed.
        """
        started, failed = time.perf_counter(), True
        try:
            result, failed = await self.read(function, *arguments)
        finally:
            self._metrics.observe(face, name, time.perf_counter() - started, failed)
        return result

    def _return_result(self, result: asyncio.Future[Result], work: Future[Result]) -> None:
        """Pass a finished result to the event loop, in one batch with others."""
        self._running_work.discard(work)
        self._finished_work.append((result, work))
        # Two threads may both schedule a delivery; the second one finds nothing.
        if not self._delivery_scheduled:
            self._delivery_scheduled = True
            with suppress(RuntimeError):  # The loop is closed, so there is no waiter.
                result.get_loop().call_soon_threadsafe(self._deliver_results)

    def _deliver_results(self) -> None:
        # Cleared first, so that later results schedule another delivery.
        self._delivery_scheduled = False
        while self._finished_work:
            _transfer_result(*self._finished_work.popleft())

    async def result(self, request: Request, endpoint: Endpoint, caller: Caller) -> Json:
        """The result of a request. Raises ProtocolError or CallerGone."""
        if request.method not in protocol.ENGINE_METHODS:
            return await self._answer_from_table(request, endpoint)
        started, failed = time.perf_counter(), True
        try:
            result = await self._run_in_thread(request, endpoint, caller)
            failed = result.get("isError", False)
        finally:
            # Only known names, because any other name would take memory for good.
            name = str(request.params.get("name"))
            if request.method == "tools/call" and name in endpoint.dialect.tools:
                self._metrics.observe(
                    endpoint.dialect.name, name, time.perf_counter() - started, failed
                )
                self._metrics.observe_client(request.client, self.engine.clock.now(), failed)
        return result

    async def _answer_from_table(self, request: Request, endpoint: Endpoint) -> Json:
        dialect, instructions = endpoint.dialect, ""
        if request.method in protocol.INSTRUCTION_METHODS:
            instructions = messages.instructions(dialect)
            if endpoint.is_only_bank:
                instructions = await self.read(_bank_instructions, self.engine, endpoint)
        if request.method == "tools/list" and dialect.restrict_to_allowlist:
            dialect = await self.read(
                dialect.restrict_to_allowlist, dialect, self.engine, endpoint.bank
            )
        return protocol.ClientSession(dialect, lambda: instructions).answer_from_table(request)

    async def _run_in_thread(self, request: Request, endpoint: Endpoint, caller: Caller) -> Json:
        def make_call(request: Request) -> Call:
            return Call(
                self.engine, endpoint.bank, caller.session, request.client, progress=caller.progress
            )

        def work() -> Json:
            if caller.is_cancelled:
                raise protocol.CallerGone
            return protocol.execute(request, endpoint.dialect, make_call, caller.confirm)

        try:
            caller.work = self.read(work)
            return await caller.work
        except Busy:
            # The pool may still start the work after the caller got the error.
            caller.is_cancelled = True
            raise
        except asyncio.CancelledError:
            if caller.is_cancelled:
                raise protocol.CallerGone from None
            caller.is_cancelled = True
            raise


def _transfer_result(result: asyncio.Future[Any], work: Future[Any]) -> None:
    if result.done():  # Cancelled.
        return
    if error := work.exception():
        result.set_exception(error)
    else:
        result.set_result(work.result())


def _bank_instructions(engine: Engine, endpoint: Endpoint) -> str:
    try:
        mission = engine.get_bank(endpoint.bank).mission
    except CommonplaceError:  # The bank does not exist yet.
        mission = ""
    return messages.instructions(endpoint.dialect, endpoint.bank, mission)
