"""Writes down what an erasure takes, so that there is a receipt at its end."""

import hashlib
import hmac
import secrets
from collections import Counter

from commonplace import filesystem
from commonplace.engine.runtime import Parts
from commonplace.errors import Conflict
from commonplace.records.memory import Bank, Origin
from commonplace.records.receipt import Gone, Kind, Portion, Receipt

KEY_FILE = "receipts.key"
_KEY_BYTES = 32


class Ledger:
    """The receipt of one erasure in the making. A thing is written down once, however often it is
    met.
    """

    def __init__(self, parts: Parts, bank: Bank, origin: Origin) -> None:
        self._bank, self._at, self._origin = bank.name, parts.clock.now(), origin
        self._key = _key(parts)
        self._gone: dict[tuple[Kind, int], Gone] = {}
        self._shortened: dict[tuple[Kind, int], Gone] = {}
        self._rows: Counter[str] = Counter()

    def gone(self, kind: Kind, number: int, text: str, *, derived: bool = False) -> None:
        """Something went, and this is what it said."""
        self._gone.setdefault((kind, number), Gone(kind, number, self.hash(text), derived))

    def shortened(self, kind: Kind, number: int, text: str) -> None:
        """Something stays and lost words; this is what it said before."""
        self._shortened.setdefault(
            (kind, number), Gone(kind, number, self.hash(text), derived=True)
        )

    def rows(self, name: str, count: int) -> None:
        """So many rows went that say nothing by themselves."""
        self._rows[name] += count

    def hash(self, text: str) -> str:
        """The keyed hash of a text: only who has the key of this store can try texts against it."""
        return hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()

    def receipt(self, portion: Portion, *, log_emptied: bool) -> Receipt:
        """The receipt of all that was written down."""
        named = {
            name: getattr(portion, name) for name in ("user", "project", "document", "session")
        }
        asked = {name: self.hash(value) for name, value in named.items() if value is not None}
        kept = {place: one for place, one in self._shortened.items() if place not in self._gone}
        return Receipt(
            self._bank,
            self._at,
            self._origin,
            asked,
            tuple(self._gone.values()),
            tuple(kept.values()),
            dict(self._rows),
            log_emptied,
        )


def _key(parts: Parts) -> bytes:
    """The key of this store's receipts, made with the first of them."""
    path = parts.db.path.parent / KEY_FILE
    with filesystem.explained(path):
        if not path.exists():
            try:
                with filesystem.new_file(path) as part:
                    part.write_text(secrets.token_hex(_KEY_BYTES) + "\n", encoding="ascii")
            except Conflict:
                pass  # Another process made it just now.
        return bytes.fromhex(path.read_text(encoding="ascii").strip())
