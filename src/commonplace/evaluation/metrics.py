"""How good answers were, where it is known what they should have been. Only arithmetic.

A measure is a quotient over questions, so that the mean of a score and a share of hits are worked
out alike. Its 95 % interval comes from drawing the questions again, with replacement, a thousand
times from a fixed seed (the percentile bootstrap), so the same answers always give the same
interval.

An answer marked as unsure claims nothing: it counts as silence for precision, recall and questions
without an answer. Otherwise a memory could be right about everything by being sure of nothing.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

Name: TypeAlias = int | str
Share: TypeAlias = tuple[float, float]

SEED, DRAW_COUNT = 7, 1000
_NOT_COUNTED: Share = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Answer:
    """One question that was asked: what it should have found, and what it found, best first.

    Nothing expected means that the store does not know. `superseded` is what used to be right;
    `also_fine` is not the answer, but no noise either.
    """

    expected: frozenset[Name]
    found: tuple[Name, ...]
    superseded: frozenset[Name] = frozenset()
    also_fine: frozenset[Name] = frozenset()
    unsure: bool = False
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measured value, its 95 % interval, and over how many questions."""

    value: float
    low: float
    high: float
    count: int


def recall_at(answer: Answer, depth: int) -> float:
    """The share of the expected memories among the first ones found."""
    return len(answer.expected.intersection(answer.found[:depth])) / len(answer.expected)


def ndcg_at(answer: Answer, depth: int) -> float:
    """How close the order of the first ones comes to the best possible one: 1 with all of the
    expected on top.
    """
    gained = sum(
        _gain(place) for place, name in enumerate(answer.found[:depth]) if name in answer.expected
    )
    return gained / sum(_gain(place) for place in range(min(depth, len(answer.expected))))


def reciprocal_rank(answer: Answer) -> float:
    """One divided by the position of the first expected memory; 0 without any."""
    return next(
        (1 / (place + 1) for place, name in enumerate(answer.found) if name in answer.expected), 0.0
    )


def is_outranked(answer: Answer) -> bool:
    """Whether a superseded memory is above every right one, or in its place."""
    for name in answer.found:
        if name in answer.expected:
            return False
        if name in answer.superseded:
            return True
    return False


def count_right(answer: Answer, *, lenient: bool) -> int:
    """How many of the found are right. Leniently also `also_fine`, and what is superseded below its
    successor.
    """
    right, above = 0, False
    for name in answer.found:
        above = above or name in answer.expected
        fine = name in answer.also_fine or (above and name in answer.superseded)
        right += name in answer.expected or (lenient and fine)
    return right


def fault_of(answer: Answer) -> str:
    """The fault of an answer, in words; "" when it has none."""
    claimed = bool(answer.found) and not answer.unsure
    if not answer.expected:
        return "answered without knowing" if claimed else ""
    if is_outranked(answer):
        return "superseded on top"
    if answer.unsure:
        return "known but unsure"
    share = recall_at(answer, len(answer.found))
    return "" if share == 1 else "missed in part" if share else "missed"


def _gain(place: int) -> float:
    return 1 / math.log2(place + 2)


def _mean(score: Callable[[Answer], float]) -> Callable[[Answer], Share]:
    return lambda answer: (float(score(answer)), 1.0) if answer.expected else _NOT_COUNTED


def _precision(*, lenient: bool) -> Callable[[Answer], Share]:
    def share(answer: Answer) -> Share:
        if not answer.expected or answer.unsure:
            return _NOT_COUNTED
        return float(count_right(answer, lenient=lenient)), float(len(answer.found))

    return share


def _recall(answer: Answer) -> float:
    return 0.0 if answer.unsure else recall_at(answer, len(answer.found))


def _admitted(answer: Answer) -> Share:
    return _NOT_COUNTED if answer.expected else (float(answer.unsure or not answer.found), 1.0)


def _outranked(answer: Answer) -> Share:
    return (float(is_outranked(answer)), 1.0) if answer.superseded else _NOT_COUNTED


Measures: TypeAlias = Mapping[str, Callable[[Answer], Share]]

RANKING: Measures = {
    "recall@5": _mean(lambda answer: recall_at(answer, 5)),
    "recall@10": _mean(lambda answer: recall_at(answer, 10)),
    "any@5": _mean(lambda answer: recall_at(answer, 5) > 0),
    "ndcg@10": _mean(lambda answer: ndcg_at(answer, 10)),
    "mrr": _mean(reciprocal_rank),
    "silent": _mean(lambda answer: not answer.found),
}
PRECISION: Measures = {
    "precision": _precision(lenient=False),
    "precision, lenient": _precision(lenient=True),
    "recall": _mean(_recall),
    "unanswerable admitted": _admitted,
    "superseded on top": _outranked,
}
PACE: Measures = {
    "questions/s": lambda answer: (1.0, answer.seconds) if answer.seconds else _NOT_COUNTED,
}


def estimate_measures(
    answers: Sequence[Answer], measures: Measures, draws: int = DRAW_COUNT
) -> dict[str, Estimate]:
    """Each measure over the answers, with its interval; a measure that no question speaks to is
    left out.
    """
    columns = {name: [measure(answer) for answer in answers] for name, measure in measures.items()}
    told = {name: shares for name, shares in columns.items() if any(bottom for _, bottom in shares)}
    random, places = Random(SEED), range(len(answers))
    drawn = [random.choices(places, k=len(answers)) for _ in range(draws)] if told else []
    return {name: _estimate(shares, drawn) for name, shares in told.items()}


def _estimate(shares: Sequence[Share], drawn: Sequence[Sequence[int]]) -> Estimate:
    tops, bottoms = [top for top, _ in shares], [bottom for _, bottom in shares]
    again: list[float] = []
    for places in drawn:
        bottom = sum(map(bottoms.__getitem__, places))
        if bottom:  # A draw may miss every question that counts; it says nothing.
            again.append(sum(map(tops.__getitem__, places)) / bottom)
    again.sort()
    value = sum(tops) / sum(bottoms)
    low = again[int(0.025 * len(again))] if again else value
    high = again[min(len(again) - 1, int(0.975 * len(again)))] if again else value
    return Estimate(value, low, high, sum(1 for bottom in bottoms if bottom))
