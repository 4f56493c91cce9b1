"""What a newer statement can be to an older one, and who decides it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

# How sure a caller must be: to act on a verdict, and to show it as possible.
SURE, POSSIBLE = 0.75, 0.5


class Relation(StrEnum):
    """What a newer statement is to an older one."""

    SAME = "same"
    # The newer one says that something changed or was wrong, and what the older one says is over.
    REPLACES = "replaces"
    # Both cannot hold, and nothing says why. To a caller who knows which is newer, the newer one
    # holds.
    CONTRADICTS = "contradicts"
    # It says more about the same.
    ADDS = "adds"
    UNRELATED = "unrelated"


@dataclass(frozen=True, slots=True)
class Statement:
    """A text, when it was said in milliseconds since 1970 and by whom, and the key it is kept
    under, if any."""

    text: str
    said_at: int | None = None
    speaker: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """How one statement relates to another, how sure that is from 0 to 1, and why, in a sentence.

    `is_reversed` says that the statement given as the newer one was said first: then it is the
    other one that
    replaces it.
    """

    relation: Relation
    confidence: float
    reason: str
    is_reversed: bool = False

    def ends_older(self, least: float = SURE) -> bool:
        """Whether the older statement surely enough does not hold any more."""
        return (
            self.relation in (Relation.REPLACES, Relation.CONTRADICTS) and self.confidence >= least
        )


Judge: TypeAlias = Callable[[Statement, Statement], Judgement]
