"""Tells of changes in folders the moment they happen, where the system can. Who listens still has
to look now and then: network drives say nothing of what others do on them, and a system watches
only so many folders.
"""

import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path

from commonplace.errors import traced
from commonplace.vault.ignore_rules import IGNORE_NAME

FOLDERS_MAX = 2_000
_STEP_MS = 200  # How long to wait for more of the same: an editor's save is several changes.
_TOGETHER_MS = 1_000
_TURN_MS = 400

_log = logging.getLogger(__name__)


class Notices:
    """A thread that hears of changes in some folders, and calls `wake` for each handful of them."""

    def __init__(self) -> None:
        self.wake: Callable[[], object] = bool
        self._heard = threading.Event()
        self._listening = threading.Event()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._folders: tuple[Path, ...] = ()
        self._marks: tuple[object, ...] = ()

    @property
    def listening(self) -> bool:
        """Whether changes are told of at the moment."""
        return self._listening.is_set()

    def heard(self) -> bool:
        """Whether anything was told since this was last asked."""
        was = self._heard.is_set()
        self._heard.clear()
        return was

    def cover(self, roots: list[Path]) -> None:
        """Listen to these folders and all below them, if not to them already."""
        try:
            marks = tuple(_mark(root) for root in roots)
        except OSError:
            return  # Gone since it was asked for; the next turn knows more.
        if marks == self._marks:
            return
        self.close()
        self._marks = marks
        self._folders = tuple(folder for root in roots for folder in below(root))
        if not 0 < len(self._folders) <= FOLDERS_MAX:
            return
        self._stop = threading.Event()
        listening = (self._folders, self._stop)
        self._thread = threading.Thread(
            target=self._listen, args=listening, name="commonplace-notices", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Stop listening, and wait until that is so."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        self._thread, self._marks = None, ()

    def _listen(self, folders: tuple[Path, ...], stop: threading.Event) -> None:
        # A fiftieth of a second that a server without notes need not spend at its start.
        from watchfiles import watch

        known = {str(folder) for folder in folders}
        try:
            for changes in watch(
                *folders,
                watch_filter=_may_matter,
                debounce=_TOGETHER_MS,
                step=_STEP_MS,
                stop_event=stop,
                raise_interrupt=False,
                # Looking is what the listener does by itself, and less often.
                force_polling=False,
                # Links are followed by those who watch whole trees, and may lead anywhere.
                recursive=False,
                # A turn without a change says that listening has begun.
                rust_timeout=_TURN_MS,
                yield_on_timeout=True,
            ):
                if not changes:
                    self._listening.set()
                    continue
                if any(path in known or os.path.isdir(path) for _, path in changes):
                    self._marks = ()  # Folders came or went: cover them anew.
                self._heard.set()
                self.wake()
        except FileNotFoundError:
            self._marks = ()  # A folder that went before it could be listened to.
        except Exception as error:
            # Whatever it is, the watch goes on by looking at the folder every few seconds.
            _log.info(
                "Changes in the folder of notes are looked for every few seconds: %s", traced(error)
            )
        finally:
            self._listening.clear()


def below(root: Path) -> list[Path]:
    """A folder and those in it whose notes count: no links, and none whose name begins with a
    dot.
    """
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


def _mark(root: Path) -> object:
    """What tells a folder from another one that was put in its place."""
    found = root.stat()
    return (root, found.st_dev, found.st_ino)


def _may_matter(_change: object, path: str) -> bool:
    name = os.path.basename(path)
    return name == IGNORE_NAME or not name.startswith(".")
