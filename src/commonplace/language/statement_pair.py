"""Two statements in comparison, and the judgements that the rules make about them."""

from dataclasses import dataclass

from commonplace.language.judgement import Judgement, Relation, Statement
from commonplace.language.statement import ParsedStatement

_ADDS_MIN = 0.2


@dataclass(frozen=True, slots=True)
class Pair:
    """Two statements as given and as parsed."""

    older: Statement
    newer: Statement
    old: ParsedStatement
    new: ParsedStatement

    @property
    def is_announced(self) -> bool:
        """Whether the newer one announces a change."""
        return (
            self.new.announces or self.new.corrects or self.new.ends or bool(self.new.retractions)
        )

    @property
    def shared(self) -> float:
        """The share of the words of both that they have in common."""
        return len(self.old.content & self.new.content) / max(
            1, len(self.old.content | self.new.content)
        )

    @property
    def has_long(self) -> bool:
        """Whether one of the two is too long for a comparison of single words."""
        return self.old.is_long or self.new.is_long


def clamp_confidence(confidence: float) -> float:
    """A confidence between 0 and 0.99, rounded."""
    return round(min(0.99, max(0.0, confidence)), 2)


def unrelated(reason: str = "They have nothing in common.") -> Judgement:
    """The judgement that the two have nothing to do with each other."""
    return Judgement(Relation.UNRELATED, 0.9, reason)


def both_hold(pair: Pair, reason: str) -> Judgement:
    """The judgement that both hold: the newer one adds to the older, or is about something else."""
    if pair.shared < _ADDS_MIN:
        return unrelated(reason)
    return Judgement(Relation.ADDS, clamp_confidence(pair.shared), reason)


def older_ends(pair: Pair, confidence: float, reason: str) -> Judgement:
    """The judgement that the older one no longer holds."""
    relation = Relation.REPLACES if pair.is_announced else Relation.CONTRADICTS
    # A text of several statements does not end because one of them does.
    less = 0.3 if pair.old.has_several else 0.0
    return Judgement(relation, clamp_confidence(confidence - less), reason)
