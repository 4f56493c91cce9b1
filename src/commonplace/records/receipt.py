"""What an erasure is asked to take, and the receipt of what it took. Plain values; nothing reaches
out.

A receipt names what went by id and keyed hash. Who has the words and the key of the store can show
that they went; the receipt itself tells none of them.
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
    """A part of a bank; what is None does not narrow it. Without any field it is the whole bank."""

    user: str | None = None
    project: str | None = None
    document: str | None = None
    session: str | None = None
    # Only memories that are forgotten, and nothing besides memories.
    forgotten: bool = False


WHOLE = Portion()


@dataclass(frozen=True, slots=True)
class Gone:
    """One thing that went, or that lost words: its kind, its id and the keyed hash of what it said.

    What is derived was made of something else that went.
    """

    kind: Kind
    id: int
    hash: str
    derived: bool = False


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an erasure took, when, and for whom."""

    bank: str
    at: int
    origin: Origin
    # What it was asked to take, as keyed hashes of the names.
    asked: Mapping[str, str]
    gone: tuple[Gone, ...]
    # What stays and lost words: documents, events, snapshots, and mental models whose answer is
    # made anew.
    shortened: tuple[Gone, ...] = ()
    # Rows that have no words of their own to hash.
    rows: Mapping[str, int] = field(default_factory=dict[str, int])
    # Whether the log was emptied too. If not, another process was reading; the next idle moment of
    # a server does it.
    log_emptied: bool = True

    @property
    def counts(self) -> dict[str, int]:
        """How many things of each kind went."""
        return {
            **Counter(one.kind for one in self.gone),
            **{name: n for name, n in self.rows.items() if n},
        }

    @property
    def memory_ids(self) -> tuple[int, ...]:
        """The memories that were asked for, without those derived from them."""
        return tuple(
            one.id for one in self.gone if one.kind in ("memory", "observation") and not one.derived
        )
