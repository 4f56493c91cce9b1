"""Judges the hits of a question: in which order they stand, of which one can be sure, which a newer
one replaced.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from commonplace.recall import confidence, scoring, weights
from commonplace.recall.scoring import Scored
from commonplace.recall.supersession import Pair


@dataclass(frozen=True, slots=True)
class Judged:
    """A hit with how sure it is that it answers the question, and whether a newer one says what it
    said.
    """

    scored: Scored
    sure: float
    is_sure: bool
    is_replaced: bool = False

    def is_likely(self, least: float) -> bool:
        """Whether somebody has read it and takes it for as likely an answer as that."""
        return "read" in self.scored.evidence.values and self.sure >= least


def plainly(one: Scored) -> Judged:
    """A hit by itself, as pages need it and as it must be where tokens are not known: what is
    relevant is sure.
    """
    return Judged(one, one.relevance, one.evidence.exact or one.relevance >= scoring.SURE_MIN)


def judged(
    found: Sequence[Scored], values: Sequence[Mapping[str, float]], pairs: Iterable[Pair]
) -> list[Judged]:
    """The hits in their final order: who replaced another stands before it, and is as sure. Scores
    stay in place.

    `values` say how the best hits stand to the question; without any, what is relevant is sure.
    """
    if not values:
        return _in_order(found, [plainly(one) for one in found], pairs)
    hits = [_closely(one, each, len(found)) for one, each in zip(found, values, strict=False)]
    hits += [Judged(one, 0.0, False) for one in found[len(values) :]]
    return _in_order(*_calibrated(found, hits, values), pairs)


def _calibrated(
    found: Sequence[Scored], hits: Sequence[Judged], values: Sequence[Mapping[str, float]]
) -> tuple[list[Scored], list[Judged]]:
    """The same with scores that tell how sure it is: the best has that of the surest, 0.5 where it
    is just sure enough, and the others are as far behind it, in log odds, as they were.
    """
    surest = max(_margin(hit, each, len(found)) for hit, each in zip(hits, values, strict=False))
    shift = surest - scoring.log_odds(found[0].score)
    scored = [one.at(scoring.logistic(scoring.log_odds(one.score) + shift)) for one in found]
    return scored, [replace(hit, scored=one) for hit, one in zip(hits, scored, strict=True)]


def _in_order(found: Sequence[Scored], hits: list[Judged], pairs: Iterable[Pair]) -> list[Judged]:
    newest = _replacing(pairs)
    if not newest:
        return hits
    order = list(range(len(hits)))
    for older, pair in sorted(newest.items()):
        newer, old = pair.newer, hits[older]
        if old.sure > hits[newer].sure:
            hits[newer] = replace(hits[newer], sure=old.sure, is_sure=old.is_sure)
        hits[older] = replace(old, is_replaced=pair.sure >= weights.REPLACED_MIN)
        if order.index(newer) > order.index(older):
            order.remove(newer)
            order.insert(order.index(older), newer)
    return [
        hits[number]
        if found[number] is one
        else replace(hits[number], scored=hits[number].scored.at(one.score))
        for number, one in zip(order, found, strict=True)
    ]


def _closely(one: Scored, values: Mapping[str, float], count: int) -> Judged:
    sure = confidence.sure(values)
    return Judged(one, sure, values["named"] > 0 or sure >= confidence.least(values, count))


def _margin(hit: Judged, values: Mapping[str, float], count: int) -> float:
    """By how much a hit is surer than it must be, in log odds. What is sure by its name has at
    least its own score.
    """
    margin = scoring.log_odds(hit.sure) - scoring.log_odds(confidence.least(values, count))
    return max(margin, scoring.log_odds(hit.scored.score)) if values["named"] > 0 else margin


def _replacing(pairs: Iterable[Pair]) -> dict[int, Pair]:
    """For each hit that was replaced the pair that says so best, by the hit's place."""
    best: dict[int, tuple[float, Pair]] = {}
    for pair in pairs:
        sure = pair.sure
        if sure >= weights.NEWER_MIN and (pair.older not in best or sure > best[pair.older][0]):
            best[pair.older] = sure, pair
    return {older: pair for older, (_, pair) in best.items()}
