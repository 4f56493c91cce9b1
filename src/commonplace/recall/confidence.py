"""Estimates how sure it is that a hit answers the question, from 0 to 1. Only arithmetic.

A score is the evidence for one hit, and many hits of one question may have a good one. Whether a
hit is right shows in a second comparison with the question and with the other candidates: see
`evidence.HitFeatures`. Where a reranker has read the best hits, its score counts most, and the
other features have other weights. The weights are in `weights.py`, which `evals/fit_sureness.py`
writes.
"""

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from commonplace.language import analyzer
from commonplace.recall import answer_types, dialogue, scoring
from commonplace.recall import weights as fitted
from commonplace.recall.answer_types import AnswerType
from commonplace.recall.evidence import HitFeatures, computed, weighted_sum
from commonplace.recall.scoring import ScoredHit

TOP = 25  # So many of the best hits are compared with the question once more.
REACH_DEGREES = (0.35, 0.45, 0.6, 0.75, 0.95)
REACH_NAMES = tuple(f"reached_{round(100 * degree)}" for degree in REACH_DEGREES)
_LONG_TERMS = 60
_SPREAD_MIN = 0.3
# With few candidates hardly any is similar by chance: in small parts of our own stores, two fifths
# of the threshold still gave seven right answers of ten.
_FEW, _MANY, _FEW_SHARE = 20, 60, 0.4
_BEHIND_MAX = 0.05  # A larger distance counts as this one: several hits may be right.
# The strengths of some unrelated memories, which a small store lacks.
_UNRELATED = [1.0] * 10


@dataclass(frozen=True, slots=True)
class QueryInfo:
    """What a question asks for: its text, its terms with their weights, those that no memory has,
    those of names, and whether it has nothing but identifiers.
    """

    text: str
    terms: Mapping[str, float]
    unknown_terms: frozenset[str]
    name_terms: frozenset[str]
    is_identifier_only: bool = False


@dataclass(frozen=True, slots=True)
class CandidateView:
    """What is compared of a candidate: its text, its terms, those of the question, and how many of
    the question's tokens it has at each degree of similarity.
    """

    text: str
    terms: frozenset[str]
    found_terms: frozenset[str]
    token_reach: Sequence[float] = ()


def name_terms(question: str, terms: Mapping[str, float]) -> frozenset[str]:
    """The terms of a question that are written as names are."""
    return (
        frozenset(
            term
            for name in answer_types.capitalized_words(question)
            for term in analyzer.question_terms(name)
        )
        & terms.keys()
    )


def distinguishing_terms(
    question: str, terms: Mapping[str, float], views: Sequence[CandidateView]
) -> frozenset[str]:
    """The terms of a question that distinguish one thing from similar ones: names, also those that
    only the texts write as a name, and terms with a figure. Van 3 is not van 4.
    """
    known = (name_terms(one, terms) for one in (question, *(view.text for view in views[:TOP])))
    return frozenset(term for term in terms if any(map(str.isdecimal, term))).union(*known)


def is_identifier_only(question: scoring.Question) -> bool:
    """Whether a question has nothing but identifiers, and the parts of them."""
    parts = {term for name in question.identifiers for term in analyzer.question_terms(name)}
    others = question.terms.keys() - parts
    return bool(parts) and all(
        any(term in name for name in question.identifiers) for term in others
    )


def confidence_features(
    query: QueryInfo, found: Sequence[ScoredHit], views: Sequence[CandidateView]
) -> list[HitFeatures]:
    """The features of the best hits; none where tokens are not known."""
    if not views or not views[0].token_reach:
        return []
    comparison = _Comparison.of(query, found)
    return [
        comparison.features_of(hit, view)
        for hit, view in zip(found[:TOP], views[:TOP], strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Comparison:
    """A question, with what its hits are compared with."""

    query: QueryInfo
    answer_types: Sequence[AnswerType]
    weight_sum: float
    # The mean and the spread of the strengths of all hits.
    mean: float
    spread: float
    best_read: float

    @classmethod
    def of(cls, query: QueryInfo, found: Sequence[ScoredHit]) -> "_Comparison":
        strengths = [hit.strength for hit in found] + _UNRELATED
        mean = math.fsum(strengths) / len(strengths)
        squares = math.fsum((strength - mean) ** 2 for strength in strengths)
        spread = math.sqrt(squares / len(strengths)) + _SPREAD_MIN
        readings = [hit.evidence.features.read for hit in found[:TOP]]
        best_read = max((read for read in readings if read is not None), default=0.0)
        types = answer_types.asked_types(query.text)
        return cls(query, types, sum(query.terms.values()) or 1.0, mean, spread, best_read)

    def features_of(self, hit: ScoredHit, view: CandidateView) -> HitFeatures:
        """The features of one of the hits."""
        query, features = self.query, hit.evidence.features
        missing = query.terms.keys() - view.found_terms
        return HitFeatures(
            **computed(features),
            **dict(zip(REACH_NAMES, view.token_reach, strict=True)),
            out_of_line=(hit.strength - self.mean) / self.spread,
            names_missing=len(query.name_terms & missing) / max(1, len(query.name_terms)),
            known_missing=self._share(missing - query.unknown_terms),
            unknown_missing=self._share(missing & query.unknown_terms),
            kind_missing=float(self._lacks_answer(hit, view)),
            named=float(query.is_identifier_only and hit.evidence.exact),
            turn=float(features.speaker is not None),
            long=min(1.0, len(view.terms) / _LONG_TERMS),
            behind=self._behind(features.read),
        )

    def _share(self, terms: Set[str]) -> float:
        return sum(self.query.terms[term] for term in terms) / self.weight_sum

    def _lacks_answer(self, hit: ScoredHit, view: CandidateView) -> bool:
        """Whether a hit lacks a type of answer that the question asks for."""
        features, text = hit.evidence.features, view.text
        if features.kind == 0:
            return True
        body = text if features.speaker is None else dialogue.strip_speaker(text)
        return not all(one.is_in(body, self.query.text) for one in self.answer_types)

    def _behind(self, read: float | None) -> float | None:
        return None if read is None else min(_BEHIND_MAX, self.best_read - read)


def probability(features: HitFeatures) -> float:
    """How likely a hit with such features is right."""
    if features.read is None:
        return scoring.logistic(weighted_sum(fitted.SURE, features) + fitted.SURE_START)
    return scoring.logistic(weighted_sum(fitted.READ, features) + fitted.READ_START)


def min_probability(count: int, *, is_read: bool) -> float:
    """How likely a hit must be right to be returned when the query has no limit, one of so many
    candidates.
    """
    share = _FEW_SHARE + (1 - _FEW_SHARE) * min(1.0, max(0.0, (count - _FEW) / (_MANY - _FEW)))
    return share * (fitted.READ_MIN if is_read else fitted.SURE_MIN)
