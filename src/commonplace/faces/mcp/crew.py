"""A few threads that do work side by side. They start when there is work for them and end when told to."""

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import TYPE_CHECKING

from commonplace.errors import Busy, traced

if TYPE_CHECKING:
    from logging import Logger


class Crew:
    """At most so many threads; work beyond that waits in line."""

    def __init__(self, size_max: int) -> None:
        self._size_max = size_max
        self._work: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self._open = 0

    @property
    def waiting(self) -> int:
        """How much of the work has not begun."""
        return max(0, self._open - self._size_max)

    def give(self, work: Callable[[], None]) -> None:
        """Have a piece of work done. To be called from one thread only."""
        with self._lock:
            self._open += 1
            short = self._open > len(self._threads) < self._size_max
        if short:
            thread = threading.Thread(target=self._run, name=f"call-{len(self._threads)}", daemon=True)
            try:
                thread.start()
                self._threads.append(thread)
            except RuntimeError as error:  # The system has no room for a thread; those that run do the work.
                if not self._threads:
                    self._open -= 1
                    raise Busy(
                        "The operating system cannot start another thread.", hint="Try again in a moment."
                    ) from error
        self._work.put(work)

    def finish(self) -> None:
        """Wait until all work is done, and end the threads."""
        for _ in self._threads:
            self._work.put(None)
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        while work := self._work.get():
            try:
                work()
            except Exception as error:
                # The thread serves whoever comes next, whatever was wrong with this piece.
                _log().error("A call failed without an answer: %s", traced(error))
            with self._lock:
                self._open -= 1


def _log() -> "Logger":
    # Loading it is a tenth of the way to the first answer.
    import logging

    return logging.getLogger("commonplace.mcp")
