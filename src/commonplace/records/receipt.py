"""The request of an erasure and its receipt, as plain values.

A receipt lists erased items by id and keyed hash. The text together with the key of the store
proves that the text was erased; the receipt itself contains no text.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from commonplace.records.memory import Origin

Kind: TypeAlias = Literal[
    "memory",
    "observation",
    "document",
    "mental_model",
    "directive",
    "knowledge_folder",
    "session",
    "event",
    "snapshot",
    "reminder",
    "stream",
    "bank",
]


@dataclass(frozen=True, slots=True)
class Portion:
    """A part of a bank. A field of None does not restrict it; without any field it is the whole
    bank.
    """

    user: str | None = None
    project: str | None = None
    document: str | None = None
    session: str | None = None
    # Only forgotten memories, and nothing else.
    forgotten: bool = False


WHOLE_BANK = Portion()


@dataclass(frozen=True, slots=True)
class ErasedItem:
    """An item that was erased or shortened: its kind, its id and the keyed hash of its text.

    A derived item was made from another erased item.
    """

    kind: Kind
    id: int
    hash: str
    derived: bool = False


@dataclass(frozen=True, slots=True)
class Receipt:
    """The result of an erasure: what was erased, when, and at whose request."""

    bank: str
    at: int
    origin: Origin
    # The request, with keyed hashes in the place of names.
    asked: Mapping[str, str]
    gone: tuple[ErasedItem, ...]
    # Items that remain with less text: documents, events, snapshots, and mental models whose
    # answer is generated again.
    shortened: tuple[ErasedItem, ...] = ()
    # Counts of rows that have no text to hash.
    rows: Mapping[str, int] = field(default_factory=dict[str, int])
    # Whether the write-ahead log was emptied too. Another process that reads prevents it; then an
    # idle server empties it later.
    log_emptied: bool = True
    # Names of older copies of the store beside it, which may still contain what was erased.
    copies: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """The number of erased items of each kind."""
        return {
            **Counter(one.kind for one in self.gone),
            **{name: n for name, n in self.rows.items() if n},
        }

    @property
    def memory_ids(self) -> tuple[int, ...]:
        """The memories of the request, without those derived from them."""
        return tuple(
            one.id for one in self.gone if one.kind in ("memory", "observation") and not one.derived
        )
