"""Background tasks of a worker. An error in one task does not stop the others."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from commonplace.errors import CommonplaceError, trace_summary

if TYPE_CHECKING:
    from logging import Logger

BACKOFF_S_MAX = 60.0

Done = TypeVar("Done")


class BackgroundTask(Generic[Done]):
    """A task that is retried with a growing delay after an error. The error is logged once until
    the task succeeds.
    """

    def __init__(self, name: str, work: Callable[[], Done], poll_s: float) -> None:
        self.name = name
        # The error of the last run; empty if it succeeded.
        self.failure = ""
        self._work = work
        self._poll_s = poll_s
        self._failure_count = 0
        self._retry_at = 0.0

    def run(self) -> Done | None:
        """Run the task, unless its retry is not due yet. Returns the result, or None."""
        if time.monotonic() < self._retry_at:
            return None
        try:
            done = self._work()
        except CommonplaceError as error:
            self._record_failure(error.message)
        except Exception as error:
            # The thread must survive any error of a task, or the task would stop until the server
            # is restarted.
            self._record_failure(trace_summary(error))
        else:
            self.failure, self._failure_count, self._retry_at = "", 0, 0.0
            return done
        return None

    def _record_failure(self, failure: str) -> None:
        if failure != self.failure:
            _log().warning(
                "Background work (%s) failed and will be retried: %s", self.name, failure
            )
        self.failure = failure
        self._retry_at = time.monotonic() + min(
            self._poll_s * 2**self._failure_count, BACKOFF_S_MAX
        )
        self._failure_count = min(self._failure_count + 1, 10)


def _log() -> "Logger":
    # Most processes start without a log, and importing it takes a tenth of such a start.
    import logging

    return logging.getLogger("commonplace.engine.operations.worker")
