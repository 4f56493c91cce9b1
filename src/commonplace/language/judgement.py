"""The relations of a newer statement to an older one, and the type of the judge."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

# The least confidence with which a caller acts on a judgement, and shows it as possible.
CONFIDENT_MIN, POSSIBLE_MIN = 0.75, 0.5


class Relation(StrEnum):
    """How a newer statement relates to an older one."""

    SAME = "same"
    # The newer one announces a change or a correction, and the older one no longer holds.
    REPLACES = "replaces"
    # Both cannot hold, and no words explain why. The newer one holds for a caller that knows which
    # one is newer.
    CONTRADICTS = "contradicts"
    # The newer one adds something about the same subject.
    ADDS = "adds"
    UNRELATED = "unrelated"


@dataclass(frozen=True, slots=True)
class Statement:
    """A text with its time in milliseconds since 1970, its speaker and its key, if it has any."""

    text: str
    said_at: int | None = None
    speaker: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """How one statement relates to another, the confidence from 0 to 1, and the reason in a
    sentence.

    `is_reversed` means that the statement passed as the newer one has the earlier time, so the
    other one replaces it.
    """

    relation: Relation
    confidence: float
    reason: str
    is_reversed: bool = False

    def ends_older(self, min_confidence: float = CONFIDENT_MIN) -> bool:
        """Whether the older statement no longer holds, with enough confidence."""
        return (
            self.relation in (Relation.REPLACES, Relation.CONTRADICTS)
            and self.confidence >= min_confidence
        )


Judge: TypeAlias = Callable[[Statement, Statement], Judgement]
