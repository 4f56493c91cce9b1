"""Runs what asks the dialect in threads, counts the calls, and stops those whose caller has gone away.

The engine is synchronous; this is the one hop from the event loop to a thread. What a call answers, and how a bug in it
ends, is the same on every transport and said in `methods`.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from commonplace.dialects.table import Call, Progress
from commonplace.engine.engine import Engine
from commonplace.faces.http.endpoints import Endpoint
from commonplace.faces.http.metrics import Metrics
from commonplace.faces.http.threads import Threads
from commonplace.faces.mcp import methods
from commonplace.faces.mcp.wire import Json
from commonplace.limits import CALLS_MAX


@dataclass(slots=True)
class Line:
    """The connection of a caller, as a running tool sees it."""

    session: str = ""
    report: Progress | None = None
    # Called from the tool's thread the first time it reports, so that quick tools need nobody to watch the line.
    watch: Callable[[], None] | None = None
    ask: methods.Asking | None = None
    # Set in the event loop, read in the tool's thread.
    cut: bool = False

    def progress(self, done: float, total: float | None, text: str) -> None:
        """Tell the caller, or leave the tool when there is nobody to tell."""
        if self.cut:
            raise methods.Gone
        if self.watch is not None:
            watch, self.watch = self.watch, None
            watch()
        if self.report is not None:
            self.report(done, total, text)


class Calls:
    """The calls of one server."""

    def __init__(self, engine: Engine, metrics: Metrics) -> None:
        self.engine = engine
        self._metrics = metrics
        self._threads = Threads(CALLS_MAX)
        # Asks the engine in a thread.
        self.read = self._threads.run
        # Has the event loop do something, from a thread.
        self.soon = self._threads.soon

    @property
    def running(self) -> int:
        """How many calls have not ended, also those that nobody waits for any more."""
        return self._threads.running

    def close(self) -> None:
        """Take no more calls. Those that run go on."""
        self._threads.close()

    async def run(self, request: methods.Request, endpoint: Endpoint, line: Line) -> Json:
        """The result of a request that asks the dialect. Raises Refused, or Gone."""

        def make_call(request: methods.Request) -> Call:
            return Call(self.engine, endpoint.bank, line.session, request.client, progress=line.progress)

        started, failed = time.perf_counter(), True
        try:
            result = await self.read(methods.outcome, request, endpoint.dialect, make_call, line.ask)
            failed = result.get("isError", False)
        except asyncio.CancelledError:
            line.cut = True
            raise
        finally:
            # Only names that are in the table, or callers could fill the memory with names.
            if request.method == "tools/call" and (name := str(request.params.get("name"))) in endpoint.dialect.tools:
                self._metrics.observe(endpoint.dialect.name, name, time.perf_counter() - started, failed)
        return result
