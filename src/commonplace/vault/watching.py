"""Keeps folders and memories together while a server runs: a look at every turn, and everything now and then."""

import time

from commonplace.engine.engine import Engine
from commonplace.storage import banks
from commonplace.vault.place import DEFAULT_BANK, vault_of
from commonplace.vault.sync import sync

LOOK_S = 1.0
LOOK_S_MAX = 5.0
COMPARE_S = 300.0
_BANKS_MAX = 10_000


class Watch:
    """The watch over the vaults of a store. `look` is called as often as one likes."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._look_at = 0.0
        self._compare_at = 0.0

    def look(self) -> None:
        """Compare what may have changed, if it is time to; the first time and now and then everything."""
        now = time.monotonic()
        if self._engine.vault is None or now < self._look_at:
            return
        full = now >= self._compare_at
        for bank in self._banks():
            sync(vault_of(self._engine, bank), full=full)
        # A large folder takes longer to look through, and is looked at less often for it.
        spent = time.monotonic() - now
        self._look_at = time.monotonic() + min(LOOK_S_MAX, max(LOOK_S, 20 * spent))
        self._compare_at = time.monotonic() + COMPARE_S if full else self._compare_at

    def _banks(self) -> list[str]:
        known = [bank.name for bank in banks.listed(self._engine.db, _BANKS_MAX)]
        return [DEFAULT_BANK, *(name for name in known if name != DEFAULT_BANK)]
