"""Ends a server on standard input and output that nobody uses any more.

The end of the input says that the client is gone, but it may never come: another process can hold
the other end of the pipe open. And a thread that writes to a pipe which nobody reads waits for
ever.
"""

import os
import threading
import time
from collections.abc import Callable

from commonplace.limits import SHUTDOWN_S_MAX

# Together these stay below two seconds, the time in which a server ends after its parent.
_LOOK_S = 0.5
_GRACE_S = 1.0
# For how long nobody may take a byte of an answer when no more is asked.
_STUCK_S = 1.0


class Ending:
    """A thread that ends the process where the server cannot do so by itself.

    `stuck_s` tells for how long an answer has waited, once the input has ended or a signal has
    come.
    """

    def __init__(self, stop: Callable[[], None], stuck_s: Callable[[], float], parent: int) -> None:
        self._stop = stop
        self._stuck_s = stuck_s
        self._parent = parent
        self._latest: float | None = None
        self._left = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="commonplace-ending", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def hurry(self) -> None:
        """Say that a signal has come: what runs may still be finished, but not for ever."""
        self._latest = time.monotonic() + SHUTDOWN_S_MAX

    def leave(self) -> None:
        """Say that the server has ended by itself."""
        self._left.set()

    def _watch(self) -> None:
        while not self._left.wait(_LOOK_S):
            if self._orphaned():
                self._stop()
                self._left.wait(_GRACE_S)
                break
            if self._stuck_s() > _STUCK_S or (
                self._latest is not None and time.monotonic() > self._latest
            ):
                break
        if not self._left.is_set():
            # What was committed is on the disk; what was not was never acknowledged.
            os._exit(0)

    def _orphaned(self) -> bool:
        # Who has process 1 for a parent from the start was left there by a launcher, and has nobody
        # to watch.
        return self._parent > 1 and os.getppid() != self._parent


def parent() -> int:
    """The process that started this one, or 0 where it cannot be told whether that one still
    lives.
    """
    # Elsewhere the number stays the same when the parent has ended.
    return os.getppid() if os.name == "posix" else 0
