"""Threads for work that may wait: started when all others are busy, up to a limit, and kept for the next piece.

Leaner than the standard library's pool, because for a quick tool the way to a thread and back is most of the cost:
pieces that end together come back to the event loop together.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, TypeAlias, TypeVar, cast

from commonplace.errors import Busy

Found = TypeVar("Found")
_Piece: TypeAlias = tuple["asyncio.Future[Any]", Callable[..., Any], tuple[object, ...]]
_Ended: TypeAlias = tuple["asyncio.Future[Any]", Any, BaseException | None]


class Threads:
    """The threads of one event loop. Made and used in it; `running` may be asked from anywhere."""

    def __init__(self, threads_max: int) -> None:
        self._threads_max = threads_max
        self._waiting: SimpleQueue[_Piece | None] = SimpleQueue()
        self._ended: deque[_Ended] = deque()
        self._collecting = False
        self._count = 0
        self.running = 0
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(self, function: Callable[..., Found], *arguments: object) -> "asyncio.Future[Found]":
        """What a function returns or raises. Whoever stops waiting for it does not stop it."""
        loop = self._loop = self._loop or asyncio.get_running_loop()
        # As many threads as pieces, so that a piece that waits holds up no other.
        if self.running >= self._count < self._threads_max:
            self._start_one()
        future: asyncio.Future[Found] = loop.create_future()
        self.running += 1
        self._waiting.put((future, function, arguments))
        return future

    def close(self) -> None:
        """Let every thread end after its piece."""
        for _ in range(self._count):
            self._waiting.put(None)

    def soon(self, function: Callable[[], object]) -> None:
        """Have the event loop call a function. For pieces, from their threads."""
        cast(asyncio.AbstractEventLoop, self._loop).call_soon_threadsafe(function)

    def _start_one(self) -> None:
        # Not waited for at the end of the process: its owner has waited as long as it wants to.
        thread = threading.Thread(target=self._work, name="commonplace-call", daemon=True)
        try:
            thread.start()
            self._count += 1
        except RuntimeError as error:  # The system has no room for a thread; those that run do the work.
            if not self._count:
                raise Busy(
                    "The operating system cannot start another thread.", hint="Try again in a moment."
                ) from error

    def _work(self) -> None:
        while (piece := self._waiting.get()) is not None:
            future, function, arguments = piece
            try:
                ended: _Ended = (future, function(*arguments), None)
            except BaseException as error:  # Carried to the one who waits, whatever it is.
                ended = (future, None, error)
            self._ended.append(ended)
            # Two threads may both see that nobody collects and ask twice; the second finds nothing, which is harmless.
            if not self._collecting:
                self._collecting = True
                self._tell()

    def _tell(self) -> None:
        try:
            self.soon(self._collect)
        except RuntimeError:  # The loop is closed: nobody waits any more, but somebody may still count.
            self._forget()

    def _forget(self) -> None:
        self._collecting = False
        while self._ended:
            self._ended.popleft()
            self.running -= 1

    def _collect(self) -> None:
        # Cleared first: what ends from here on asks again.
        self._collecting = False
        while self._ended:
            future, found, error = self._ended.popleft()
            self.running -= 1
            if future.done():
                continue
            if error is None:
                future.set_result(found)
            else:
                future.set_exception(error)
