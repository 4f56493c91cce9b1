"""Watches folders for changes.

This only makes the next sync come sooner: network drives report no changes of other machines, and a
system watches a limited number of folders.
"""

import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path

from commonplace.errors import trace_summary
from commonplace.vault.folder.ignore_rules import IGNORE_NAME

FOLDERS_MAX = 2_000
_STEP_MS = 200  # An editor's save is several changes, so it waits for more.
_DEBOUNCE_MS = 1_000
_POLL_MS = 400

_log = logging.getLogger(__name__)


class FileWatcher:
    """A thread that watches folders, and calls `wake` after each batch of changes."""

    def __init__(self) -> None:
        self.wake: Callable[[], object] = bool
        self._changed = threading.Event()
        self._active = threading.Event()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._folders: tuple[Path, ...] = ()
        self._identities: tuple[object, ...] = ()

    @property
    def is_listening(self) -> bool:
        """Whether changes are reported at the moment."""
        return self._active.is_set()

    def take_changed(self) -> bool:
        """Whether anything changed since the last call."""
        was = self._changed.is_set()
        self._changed.clear()
        return was

    def watch_folders(self, roots: list[Path]) -> None:
        """Watch these folders and all below them; nothing happens if they are watched already."""
        try:
            marks = tuple(_folder_identity(root) for root in roots)
        except OSError:
            return  # A folder was removed meanwhile; the next call handles it.
        if marks == self._identities:
            return
        self.close()
        self._identities = marks
        self._folders = tuple(folder for root in roots for folder in subfolders(root))
        if not 0 < len(self._folders) <= FOLDERS_MAX:
            return
        self._stop = threading.Event()
        listening = (self._folders, self._stop)
        self._thread = threading.Thread(
            target=self._listen, args=listening, name="commonplace-notices", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Stop watching, and wait for the thread."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        self._thread, self._identities = None, ()

    def _listen(self, folders: tuple[Path, ...], stop: threading.Event) -> None:
        # Imported late: it takes 20 ms, which a server without notes does not need.
        from watchfiles import watch

        known = {str(folder) for folder in folders}
        try:
            for changes in watch(
                *folders,
                watch_filter=_is_relevant,
                debounce=_DEBOUNCE_MS,
                step=_STEP_MS,
                stop_event=stop,
                raise_interrupt=False,
                # The sync loop polls already, less often.
                force_polling=False,
                # Recursive watching follows links, which may lead anywhere.
                recursive=False,
                # A timeout without a change shows that watching has begun.
                rust_timeout=_POLL_MS,
                yield_on_timeout=True,
            ):
                if not changes:
                    self._active.set()
                    continue
                if any(path in known or os.path.isdir(path) for _, path in changes):
                    self._identities = ()  # Folders came or went: watch them anew.
                self._changed.set()
                self.wake()
        except FileNotFoundError:
            self._identities = ()  # A folder was removed before it was watched.
        except Exception as error:
            # The sync loop goes on by polling, whatever the error.
            _log.info(
                "Changes in the folder of notes are looked for every few seconds: %s",
                trace_summary(error),
            )
        finally:
            self._active.clear()


def subfolders(root: Path) -> list[Path]:
    """A folder and all folders below it, without links and hidden folders."""
    found: list[Path] = []
    waiting = [root]
    while waiting and len(found) <= FOLDERS_MAX:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                inner = [
                    e.path
                    for e in entries
                    if e.is_dir(follow_symlinks=False) and not e.name.startswith(".")
                ]
        except OSError:
            continue
        found.append(folder)
        waiting += map(Path, inner)
    return found


def _folder_identity(root: Path) -> object:
    """Device and inode, which change if another folder takes the place of this one."""
    found = root.stat()
    return (root, found.st_dev, found.st_ino)


def _is_relevant(_change: object, path: str) -> bool:
    name = os.path.basename(path)
    return name == IGNORE_NAME or not name.startswith(".")
