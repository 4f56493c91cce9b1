"""What we set out to reach: set, measure, goal."""

from dataclasses import dataclass

OWN = "own precision set"


@dataclass(frozen=True, slots=True)
class Goal:
    """The least value of a measure on a set."""

    set: str
    measure: str
    least: float


GOALS = (
    Goal("locomo-turn", "recall@10", 0.78),
    Goal("locomo-session", "recall@10", 0.97),
    Goal("realtalk-turn", "recall@10", 0.68),
    Goal("longmemeval-session", "any@5", 0.92),
    Goal("longmemeval-session", "mrr", 0.80),
    Goal("longmemeval-turn", "recall@10", 0.80),
    Goal("realmem", "recall@10", 0.82),
    Goal("beam", "recall@10", 0.58),
    Goal("memdaily-zh", "recall@10", 0.97),
    Goal("scifact", "ndcg@10", 0.70),
    Goal(OWN, "precision", 0.70),
    Goal(OWN, "recall", 0.90),
    Goal(OWN, "unanswerable admitted", 0.80),
)
