"""What a worker does at each turn, piece by piece: what goes wrong with one piece holds up no
other.
"""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from commonplace.errors import CommonplaceError, traced

if TYPE_CHECKING:
    from logging import Logger

BACKOFF_S_MAX = 60.0

Done = TypeVar("Done")


class Duty(Generic[Done]):
    """A piece of work that is tried again after every error: later each time, and logged once until
    it succeeds.
    """

    def __init__(self, name: str, work: Callable[[], Done], poll_s: float) -> None:
        self.name = name
        # What went wrong at the last try; empty when nothing did.
        self.failure = ""
        self._work = work
        self._poll_s = poll_s
        self._tries = 0
        self._again_at = 0.0

    def turn(self) -> Done | None:
        """Do the work, unless it failed a moment ago; what it returned, or None."""
        if time.monotonic() < self._again_at:
            return None
        try:
            done = self._work()
        except CommonplaceError as error:
            self._note(error.message)
        except Exception as error:
            # The thread must outlive any fault in what it does, or that work stops until somebody
            # restarts the server.
            self._note(traced(error))
        else:
            self.failure, self._tries, self._again_at = "", 0, 0.0
            return done
        return None

    def _note(self, failure: str) -> None:
        if failure != self.failure:
            _log().warning(
                "Background work (%s) failed and will be retried: %s", self.name, failure
            )
        self.failure = failure
        self._again_at = time.monotonic() + min(self._poll_s * 2**self._tries, BACKOFF_S_MAX)
        self._tries = min(self._tries + 1, 10)


def _log() -> "Logger":
    # Most processes that can do jobs start without a log; loading it is a tenth of such a start.
    import logging

    return logging.getLogger("commonplace.engine.operations.worker")
