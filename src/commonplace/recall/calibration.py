"""Judges the hits of a question: in which order they stand, of which one can be sure, which a newer
one replaced.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from commonplace.recall import confidence, scoring, weights
from commonplace.recall.scoring import ScoredHit
from commonplace.recall.supersession import Pair


@dataclass(frozen=True, slots=True)
class CalibratedHit:
    """A hit with how sure it is that it answers the question, and whether a newer one says what it
    said.
    """

    scored: ScoredHit
    confidence: float
    is_sure: bool
    is_replaced: bool = False

    def is_likely(self, least: float) -> bool:
        """Whether somebody has read it and takes it for as likely an answer as that."""
        return "read" in self.scored.evidence.values and self.confidence >= least


def rate_by_relevance(one: ScoredHit) -> CalibratedHit:
    """A hit by itself, as pages need it and as it must be where tokens are not known: what is
    relevant is sure.
    """
    return CalibratedHit(
        one, one.relevance, one.evidence.exact or one.relevance >= scoring.SURE_MIN
    )


def calibrate(
    found: Sequence[ScoredHit], values: Sequence[Mapping[str, float]], pairs: Iterable[Pair]
) -> list[CalibratedHit]:
    """The hits in their final order: who replaced another stands before it, and is as sure. Scores
    stay in place.

    `values` say how the best hits stand to the question; without any, what is relevant is sure.
    """
    if not values:
        return _put_newer_first(found, [rate_by_relevance(one) for one in found], pairs)
    hits = [
        _rate_by_features(one, each, len(found)) for one, each in zip(found, values, strict=False)
    ]
    hits += [CalibratedHit(one, 0.0, False) for one in found[len(values) :]]
    return _put_newer_first(*_calibrate_scores(found, hits, values), pairs)


def _calibrate_scores(
    found: Sequence[ScoredHit], hits: Sequence[CalibratedHit], values: Sequence[Mapping[str, float]]
) -> tuple[list[ScoredHit], list[CalibratedHit]]:
    """The same with scores that tell how sure it is: the best has that of the surest, 0.5 where it
    is just sure enough, and the others are as far behind it, in log odds, as they were.
    """
    surest = max(_margin(hit, each, len(found)) for hit, each in zip(hits, values, strict=False))
    shift = surest - scoring.log_odds(found[0].score)
    scored = [
        one.with_score(scoring.logistic(scoring.log_odds(one.score) + shift)) for one in found
    ]
    return scored, [replace(hit, scored=one) for hit, one in zip(hits, scored, strict=True)]


def _put_newer_first(
    found: Sequence[ScoredHit], hits: list[CalibratedHit], pairs: Iterable[Pair]
) -> list[CalibratedHit]:
    newest = _best_replacements(pairs)
    if not newest:
        return hits
    order = list(range(len(hits)))
    for older, pair in sorted(newest.items()):
        newer, old = pair.newer, hits[older]
        if old.confidence > hits[newer].confidence:
            hits[newer] = replace(hits[newer], confidence=old.confidence, is_sure=old.is_sure)
        hits[older] = replace(old, is_replaced=pair.confidence >= weights.REPLACED_MIN)
        if order.index(newer) > order.index(older):
            order.remove(newer)
            order.insert(order.index(older), newer)
    return [
        hits[number]
        if found[number] is one
        else replace(hits[number], scored=hits[number].scored.with_score(one.score))
        for number, one in zip(order, found, strict=True)
    ]


def _rate_by_features(one: ScoredHit, values: Mapping[str, float], count: int) -> CalibratedHit:
    sure = confidence.probability(values)
    return CalibratedHit(
        one, sure, values["named"] > 0 or sure >= confidence.min_probability(values, count)
    )


def _margin(hit: CalibratedHit, values: Mapping[str, float], count: int) -> float:
    """By how much a hit is surer than it must be, in log odds. What is sure by its name has at
    least its own score.
    """
    margin = scoring.log_odds(hit.confidence) - scoring.log_odds(
        confidence.min_probability(values, count)
    )
    return max(margin, scoring.log_odds(hit.scored.score)) if values["named"] > 0 else margin


def _best_replacements(pairs: Iterable[Pair]) -> dict[int, Pair]:
    """For each hit that was replaced the pair that says so best, by the hit's place."""
    best: dict[int, tuple[float, Pair]] = {}
    for pair in pairs:
        sure = pair.confidence
        if sure >= weights.NEWER_MIN and (pair.older not in best or sure > best[pair.older][0]):
            best[pair.older] = sure, pair
    return {older: pair for older, (_, pair) in best.items()}
