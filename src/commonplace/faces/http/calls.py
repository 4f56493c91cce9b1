"""Runs requests in threads, counts them, and stops those whose caller has gone away.

The engine is synchronous; this is the one hop from the event loop to a thread. The results are made
in `methods`, as on every transport.
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
from commonplace.limits import CALLS_MAX

Result = TypeVar("Result")


@dataclass(slots=True)
class Line:
    """The connection of a caller, as a running tool sees it."""

    session: str = ""
    report: Progress | None = None
    ask: protocol.Asking | None = None
    work: asyncio.Future[Json] | None = None
    watcher: asyncio.Task[None] | None = None
    # Set in the event loop, read in the tool's thread.
    cut: bool = False

    def watch(self, receive: Receive) -> None:
        """From now on cancel when the caller disconnects."""
        self.watcher = asyncio.create_task(self._cancel_when_disconnected(receive))

    def unwatch(self) -> None:
        """Watch no longer."""
        if self.watcher is not None:
            self.watcher.cancel()

    def cancel(self) -> None:
        """Stop waiting for the result: work that waits never starts, work that runs ends at its
        next report.
        """
        self.cut = True
        if self.work is not None:
            self.work.cancel()

    async def _cancel_when_disconnected(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self.cancel()

    def progress(self, done: float, total: float | None, text: str) -> None:
        """Report to the caller. Raises Gone when the caller has gone away."""
        if self.cut:
            raise protocol.Gone
        if self.report is not None:
            self.report(done, total, text)


class Calls:
    """The calls of one server."""

    def __init__(self, engine: Engine, metrics: Metrics) -> None:
        self.engine = engine
        self._metrics = metrics
        self._pool = ThreadPoolExecutor(CALLS_MAX, "commonplace-call")
        self._unfinished: set[Future[Any]] = set()
        self._ended: deque[tuple[asyncio.Future[Any], Future[Any]]] = deque()
        self._collecting = False

    @property
    def running(self) -> int:
        """The number of calls that have not ended, also those that nobody waits for any more."""
        return len(self._unfinished)

    def close(self) -> None:
        """Take no more calls. Those that run go on."""
        self._pool.shutdown(wait=False)

    def read(self, function: Callable[..., Result], *arguments: object) -> asyncio.Future[Result]:
        """What a function returns or raises in a thread."""
        try:
            work = self._pool.submit(function, *arguments)
        except RuntimeError as error:
            raise Busy(
                "The operating system cannot start another thread.", hint="Try again in a moment."
            ) from error
        self._unfinished.add(work)
        # By hand, because asyncio.wrap_future is a tenth of a small call.
        result: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        work.add_done_callback(partial(self._hand_back, result))
        return result

    def _hand_back(self, result: asyncio.Future[Result], work: Future[Result]) -> None:
        """Give what ended in a thread to the event loop: what ends together comes together."""
        self._unfinished.discard(work)
        self._ended.append((result, work))
        # Two threads may both see that nobody collects and ask twice; the second finds nothing.
        if not self._collecting:
            self._collecting = True
            with suppress(RuntimeError):  # The loop is closed: nobody waits any more.
                result.get_loop().call_soon_threadsafe(self._collect)

    def _collect(self) -> None:
        # Cleared first: what ends from here on asks again.
        self._collecting = False
        while self._ended:
            _settle(*self._ended.popleft())

    async def result(self, request: protocol.Request, endpoint: Endpoint, line: Line) -> Json:
        """The result of a request. Raises Refused, or Gone."""
        if request.method not in protocol.WORKING:
            return await self._from_table(request, endpoint)
        started, failed = time.perf_counter(), True
        try:
            result = await self._from_dialect(request, endpoint, line)
            failed = result.get("isError", False)
        finally:
            # Only names that are in the table, or callers could fill the memory with names.
            name = str(request.params.get("name"))
            if request.method == "tools/call" and name in endpoint.dialect.tools:
                self._metrics.observe(
                    endpoint.dialect.name, name, time.perf_counter() - started, failed
                )
        return result

    async def _from_table(self, request: protocol.Request, endpoint: Endpoint) -> Json:
        dialect, instructions = endpoint.dialect, ""
        if request.method in protocol.INTRODUCING:
            instructions = messages.instructions(dialect)
            if endpoint.single:
                instructions = await self.read(_bank_instructions, self.engine, endpoint)
        if request.method == "tools/list" and dialect.narrowed:
            dialect = await self.read(dialect.narrowed, dialect, self.engine, endpoint.bank)
        return protocol.Conversation(dialect, lambda: instructions).answer(request)

    async def _from_dialect(
        self, request: protocol.Request, endpoint: Endpoint, line: Line
    ) -> Json:
        def make_call(request: protocol.Request) -> Call:
            return Call(
                self.engine, endpoint.bank, line.session, request.client, progress=line.progress
            )

        def work() -> Json:
            if line.cut:
                raise protocol.Gone
            return protocol.outcome(request, endpoint.dialect, make_call, line.ask)

        try:
            line.work = self.read(work)
            return await line.work
        except Busy:
            # The pool may still find a thread for it, when the caller has been told that it was not
            # done.
            line.cut = True
            raise
        except asyncio.CancelledError:
            if line.cut:
                raise protocol.Gone from None
            line.cut = True
            raise


def _settle(result: asyncio.Future[Any], work: Future[Any]) -> None:
    if result.done():  # Cancelled.
        return
    if error := work.exception():
        result.set_exception(error)
    else:
        result.set_result(work.result())


def _bank_instructions(engine: Engine, endpoint: Endpoint) -> str:
    try:
        mission = engine.get_bank(endpoint.bank).mission
    except CommonplaceError:  # A bank that is not there yet.
        mission = ""
    return messages.instructions(endpoint.dialect, endpoint.bank, mission)
