"""Syncs folders while a server runs: after a change, by polling, and fully at intervals."""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from commonplace.engine.engine import Engine
from commonplace.errors import CommonplaceError
from commonplace.storage.rows import note_files as rows
from commonplace.vault.folder.file_watcher import FileWatcher
from commonplace.vault.sync import sync
from commonplace.vault.vault import Vault, folders_of, list_vaults

LOOK_S = 1.0
LOOK_S_MAX = 5.0
COMPARE_S = 300.0
_SOON_S = 0.1

_log = logging.getLogger(__name__)


class SyncLoop:
    """Syncs the vaults of a store. `sync_if_due` is cheap if nothing is due."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._watcher = FileWatcher()
        self._not_before = self._not_after = self._compare_at = 0.0
        self._pulse: object = None
        self._changed = False
        self._failed: dict[str, str] = {}

    def sync_if_due(self) -> None:
        """Sync if it is due; the first time and at intervals with every file."""
        now = time.monotonic()
        if self._engine.vault is None:
            return
        self._watcher.watch_folders(
            [folder for folder in folders_of(self._engine.vault) if folder.is_dir()]
        )
        pulse = rows.change_counters(self._engine.db)
        self._changed = self._watcher.take_changed() or self._changed or pulse != self._pulse
        if now < (self._not_before if self._changed else self._not_after):
            return
        self._changed, self._pulse = False, pulse
        full = now >= self._compare_at
        for vault in list_vaults(self._engine, every=full):
            self._sync(vault, full)
        self._schedule_next(now, full)

    def _schedule_next(self, now: float, full: bool) -> None:
        """A large folder takes longer, and is synced less often."""
        spent = time.monotonic() - now
        gap = LOOK_S_MAX if self.is_listening else LOOK_S
        self._not_before = now + spent + min(LOOK_S_MAX, max(_SOON_S, 4 * spent))
        self._not_after = now + spent + min(LOOK_S_MAX, max(gap, 20 * spent))
        self._compare_at = now + spent + COMPARE_S if full else self._compare_at

    def _sync(self, vault: Vault, full: bool) -> None:
        """Sync one folder; an error is logged once, and the others go on."""
        try:
            sync(vault, full=full)
            self._failed.pop(vault.bank, None)
        except CommonplaceError as error:
            if self._failed.get(vault.bank) != error.message:
                _log.warning(
                    "The notes of bank %r are not synchronized: %s", vault.bank, error.message
                )
            self._failed[vault.bank] = error.message

    def start(self, wake: Callable[[], object]) -> None:
        """Call `wake` from now on after each change."""
        self._watcher.wake = wake

    @property
    def is_listening(self) -> bool:
        """Whether the system reports changes at the moment; if not, folders are polled."""
        return self._watcher.is_listening

    def close(self) -> None:
        """Stop watching the folders."""
        self._watcher.close()


class SyncBeforeCall:
    """Syncs before a call, in a process without a sync loop, at most once in a while."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._not_before = 0.0

    def sync_if_due(self, engine: Engine) -> None:
        """Sync changed files. An error in a folder does not fail the call."""
        with self._lock:
            now = time.monotonic()
            if engine.vault is None or now < self._not_before:
                return
            for vault in list_vaults(engine, every=False):
                with suppress(CommonplaceError):
                    sync(vault, settle=False)
            spent = time.monotonic() - now
            # A large folder must not slow down every call.
            self._not_before = now + spent + min(LOOK_S_MAX, max(LOOK_S, 20 * spent))
