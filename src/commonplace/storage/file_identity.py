"""Checks that the open files are still the files at the path of the store.

A process can write to an open file after it was removed, renamed or replaced, and SQLite does not
notice. Such a write succeeds, and is lost when the process ends.
"""

import os
from pathlib import Path
from typing import TypeAlias

from commonplace.errors import Unsupported

_Identity: TypeAlias = tuple[int, int]


class OpenFiles:
    """The identities of the store's file and its write-ahead log when they were opened."""

    def __init__(self, path: Path) -> None:
        self._path = os.fspath(path)
        self._log_path = self._path + "-wal"
        self._store = _identity(self._path)
        self._log: _Identity | None = None

    def is_in_place(self) -> bool:
        """Whether the path of the store still leads to the opened file."""
        return self._store is not None and _identity(self._path) == self._store

    def is_log_in_place(self) -> bool:
        """Whether the log is still the file that the last write went to."""
        return self._log is None or _identity(self._log_path) == self._log

    def check(self) -> None:
        """Raise if the path of the store leads to another file, or to none."""
        if not self.is_in_place():
            raise Unsupported(
                "The store's file was removed, renamed or replaced while it was open; nothing was"
                " written.",
                hint=(
                    "Put the file back, or stop every process that uses the store and start again."
                    " To change the content under running processes, use `commonplace restore"
                    " --backup FILE`."
                ),
            )

    def check_log(self) -> None:
        """Raise if the log is another file than before. Must be called in a write transaction.

        The log stays the same file as long as any connection has read from the store.
        """
        found = _identity(self._log_path)
        if self._log is None:
            self._log = found
        elif found != self._log:
            raise Unsupported(
                "The store's write-ahead log was removed or replaced while it was open; nothing was"
                " written.",
                hint=(
                    "Stop every process that uses the store and start again. The content of the log"
                    " is saved at the stop."
                ),
            )


def _identity(path: str) -> _Identity | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
