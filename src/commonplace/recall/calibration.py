"""Calibrates the hits of a question: their final order, how sure each is, and which ones a newer
hit has replaced.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from commonplace.recall import confidence, scoring, weights
from commonplace.recall.evidence import HitFeatures
from commonplace.recall.scoring import ScoredHit
from commonplace.recall.supersession import Pair


@dataclass(frozen=True, slots=True)
class CalibratedHit:
    """A hit with the confidence that it answers the question, and whether a newer one has replaced
    it.
    """

    scored: ScoredHit
    confidence: float
    is_sure: bool
    is_replaced: bool = False

    def is_likely(self, least: float) -> bool:
        """Whether a reranker has read it, and it is an answer with at least this confidence."""
        return self.scored.evidence.features.read is not None and self.confidence >= least


def rate_by_relevance(one: ScoredHit) -> CalibratedHit:
    """A hit rated by its relevance alone, as in pages and where tokens are not known."""
    return CalibratedHit(
        one, one.relevance, one.evidence.exact or one.relevance >= scoring.SURE_MIN
    )


def calibrate(
    found: Sequence[ScoredHit], features: Sequence[HitFeatures], pairs: Iterable[Pair]
) -> list[CalibratedHit]:
    """The hits in their final order: a hit that replaced another stands before it, and is as sure.
    The scores stay at their positions.

    `features` are those of the best hits; without any, what is relevant is sure.
    """
    if not features:
        return _put_newer_first(found, [rate_by_relevance(one) for one in found], pairs)
    hits = [
        _rate_by_features(one, each, len(found)) for one, each in zip(found, features, strict=False)
    ]
    hits += [CalibratedHit(one, 0.0, False) for one in found[len(features) :]]
    return _put_newer_first(*_calibrate_scores(found, hits, features), pairs)


def _calibrate_scores(
    found: Sequence[ScoredHit], hits: Sequence[CalibratedHit], features: Sequence[HitFeatures]
) -> tuple[list[ScoredHit], list[CalibratedHit]]:
    """The same with scores that show the confidence: the best score is that of the surest hit, 0.5
    where it is just sure enough, and the distances to it, in log odds, stay.
    """
    surest = max(_margin(hit, each, len(found)) for hit, each in zip(hits, features, strict=False))
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


def _rate_by_features(one: ScoredHit, features: HitFeatures, count: int) -> CalibratedHit:
    sure = confidence.probability(features)
    return CalibratedHit(one, sure, features.named > 0 or sure >= _min_probability(features, count))


def _min_probability(features: HitFeatures, count: int) -> float:
    return confidence.min_probability(count, is_read=features.read is not None)


def _margin(hit: CalibratedHit, features: HitFeatures, count: int) -> float:
    """How far the confidence of a hit is above the threshold, in log odds. A hit that has the
    identifier asked for has at least its own score.
    """
    margin = scoring.log_odds(hit.confidence) - scoring.log_odds(_min_probability(features, count))
    return max(margin, scoring.log_odds(hit.scored.score)) if features.named > 0 else margin


def _best_replacements(pairs: Iterable[Pair]) -> dict[int, Pair]:
    """For each replaced hit the pair with the highest confidence, by the position of the hit."""
    best: dict[int, tuple[float, Pair]] = {}
    for pair in pairs:
        sure = pair.confidence
        if sure >= weights.NEWER_MIN and (pair.older not in best or sure > best[pair.older][0]):
            best[pair.older] = sure, pair
    return {older: pair for older, (_, pair) in best.items()}
