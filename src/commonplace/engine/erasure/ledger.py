"""Records what an erasure deletes, for its receipt."""

import hashlib
import hmac
import secrets
from collections import Counter

from commonplace import filesystem
from commonplace.engine.runtime import Runtime
from commonplace.errors import Conflict
from commonplace.records.memory import Bank, Origin
from commonplace.records.receipt import ErasedItem, Kind, Portion, Receipt
from commonplace.storage import backups

KEY_FILE = "receipts.key"
_KEY_BYTES = 32


class Ledger:
    """Collects the receipt of one erasure. Each item is recorded once."""

    def __init__(self, runtime: Runtime, bank: Bank, origin: Origin) -> None:
        self._bank, self._at, self._origin = bank.name, runtime.clock.now(), origin
        self._key = _key(runtime)
        self._erased: dict[tuple[Kind, int], ErasedItem] = {}
        self._redacted: dict[tuple[Kind, int], ErasedItem] = {}
        self._rows: Counter[str] = Counter()
        self._copies = tuple(backups.older_copies(runtime.db))

    def record_erased(self, kind: Kind, number: int, text: str, *, derived: bool = False) -> None:
        """Record an erased item with its former text."""
        self._erased.setdefault((kind, number), ErasedItem(kind, number, self.hash(text), derived))

    def record_redacted(self, kind: Kind, number: int, text: str) -> None:
        """Record an item that stays without part of its text, with the former text."""
        self._redacted.setdefault(
            (kind, number), ErasedItem(kind, number, self.hash(text), derived=True)
        )

    def count_rows(self, name: str, count: int) -> None:
        """Count deleted rows that have no text of their own."""
        self._rows[name] += count

    def hash(self, text: str) -> str:
        """The keyed hash of a text. Only the owner of this store's key can test texts against
        it.
        """
        return hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()

    def receipt(self, portion: Portion, *, log_emptied: bool) -> Receipt:
        """The receipt of everything recorded."""
        named = {
            name: getattr(portion, name) for name in ("user", "project", "document", "session")
        }
        requested = {name: self.hash(value) for name, value in named.items() if value is not None}
        redacted = {
            item_key: one
            for item_key, one in self._redacted.items()
            if item_key not in self._erased
        }
        return Receipt(
            self._bank,
            self._at,
            self._origin,
            requested,
            tuple(self._erased.values()),
            tuple(redacted.values()),
            dict(self._rows),
            log_emptied,
            self._copies,
        )


def _key(runtime: Runtime) -> bytes:
    """The key of this store's receipts, created with the first one."""
    path = runtime.db.path.parent / KEY_FILE
    with filesystem.translate_os_errors(path):
        if not path.exists():
            try:
                with filesystem.new_file(path) as part:
                    part.write_text(secrets.token_hex(_KEY_BYTES) + "\n", encoding="ascii")
            except Conflict:
                pass  # Another process has created it.
        return bytes.fromhex(path.read_text(encoding="ascii").strip())
