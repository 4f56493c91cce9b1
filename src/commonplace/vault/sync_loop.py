"""Keeps folders and memories together while a server runs: at a notice, at every few turns, and all
now and then.
"""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from commonplace.engine.engine import Engine
from commonplace.errors import CommonplaceError
from commonplace.storage import note_files as rows
from commonplace.vault.file_watcher import Notices
from commonplace.vault.sync import sync
from commonplace.vault.vault import Vault, folders_of, vaults

LOOK_S = 1.0
LOOK_S_MAX = 5.0
COMPARE_S = 300.0
_SOON_S = 0.1

_log = logging.getLogger(__name__)


class Watch:
    """The watch over the vaults of a store. `look` is called as often as one likes, and best after
    each `wake`.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._notices = Notices()
        self._soonest = self._latest = self._compare_at = 0.0
        self._pulse: object = None
        self._told = False
        self._failed: dict[str, str] = {}

    def look(self) -> None:
        """Compare what may have changed, if it is time to; the first time and now and then
        everything.
        """
        now = time.monotonic()
        if self._engine.vault is None:
            return
        self._notices.cover(
            [folder for folder in folders_of(self._engine.vault) if folder.is_dir()]
        )
        pulse = rows.pulse(self._engine.db)
        self._told = self._notices.heard() or self._told or pulse != self._pulse
        if now < (self._soonest if self._told else self._latest):
            return
        self._told, self._pulse = False, pulse
        full = now >= self._compare_at
        for vault in vaults(self._engine, every=full):
            self._sync(vault, full)
        # A large folder takes longer to look through, and is looked at less often for it.
        spent = time.monotonic() - now
        gap = LOOK_S_MAX if self.listening else LOOK_S
        self._soonest = now + spent + min(LOOK_S_MAX, max(_SOON_S, 4 * spent))
        self._latest = now + spent + min(LOOK_S_MAX, max(gap, 20 * spent))
        self._compare_at = now + spent + COMPARE_S if full else self._compare_at

    def _sync(self, vault: Vault, full: bool) -> None:
        """Compare one folder; what is wrong with it is told once, and holds up no other."""
        try:
            sync(vault, full=full)
            self._failed.pop(vault.bank, None)
        except CommonplaceError as error:
            if self._failed.get(vault.bank) != error.message:
                _log.warning(
                    "The notes of bank %r are not synchronized: %s", vault.bank, error.message
                )
            self._failed[vault.bank] = error.message

    def begin(self, wake: Callable[[], object]) -> None:
        """Call `wake` from now on whenever there is a reason to look."""
        self._notices.wake = wake

    @property
    def listening(self) -> bool:
        """Whether changes are told of at the moment; if not, they are looked for."""
        return self._notices.listening

    def close(self) -> None:
        """Let go of the folders."""
        self._notices.close()


class Glances:
    """Looks for a process in which nobody watches: one before a call, unless there was one just
    now.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._soonest = 0.0

    def look(self, engine: Engine) -> None:
        """Compare what may have changed. What is wrong with a folder holds up no call."""
        with self._lock:
            now = time.monotonic()
            if engine.vault is None or now < self._soonest:
                return
            for vault in vaults(engine, every=False):
                with suppress(CommonplaceError):
                    sync(vault, settle=False)
            spent = time.monotonic() - now
            # Of a large folder, calls are not to become much slower.
            self._soonest = now + spent + min(LOOK_S_MAX, max(LOOK_S, 20 * spent))
