"""Ends a server on standard input and output whose client is gone.

The end of the input means that the client is gone, but it may never arrive: another process can
hold the other end of the pipe open. A thread that writes to a pipe without a reader blocks for
ever.
"""

import os
import threading
import time
from collections.abc import Callable

from commonplace.limits import SHUTDOWN_S_MAX

# Their sum stays below two seconds, within which a server ends after its parent.
_POLL_S = 0.5
_GRACE_S = 1.0
# How long an answer may wait for a reader once no more requests can arrive.
_STUCK_S_MAX = 1.0


class Watchdog:
    """A thread that ends the process if the server cannot end by itself.

    `stuck_s` returns how long an answer has been waiting for a reader after the input ended or a
    signal arrived.
    """

    def __init__(self, stop: Callable[[], None], stuck_s: Callable[[], float], parent: int) -> None:
        self._stop = stop
        self._stuck_s = stuck_s
        self._parent_pid = parent
        self._deadline_s: float | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="commonplace-ending", daemon=True)

    def start(self) -> None:
        """Start watching."""
        self._thread.start()

    def set_deadline(self) -> None:
        """Start the shutdown deadline after a signal; running calls may finish until then."""
        self._deadline_s = time.monotonic() + SHUTDOWN_S_MAX

    def cancel(self) -> None:
        """Stop watching, because the server has ended by itself."""
        self._ended.set()

    def _watch(self) -> None:
        while not self._ended.wait(_POLL_S):
            if self._is_orphaned():
                self._stop()
                self._ended.wait(_GRACE_S)
                break
            if self._stuck_s() > _STUCK_S_MAX or (
                self._deadline_s is not None and time.monotonic() > self._deadline_s
            ):
                break
        if not self._ended.is_set():
            # Committed changes are on the disk; changes that are not were never acknowledged.
            os._exit(0)

    def _is_orphaned(self) -> bool:
        # A process whose parent is process 1 from the start was detached by a launcher, so
        # there is no parent to watch.
        return self._parent_pid > 1 and os.getppid() != self._parent_pid


def parent_pid() -> int:
    """The id of the parent process, or 0 where its end cannot be detected."""
    # On other systems the number does not change when the parent ends.
    return os.getppid() if os.name == "posix" else 0
