"""Finds which hits a newer memory has replaced, and puts the newer one first.

Nothing here decides which of two memories is true. Where two of them are about one thing and the
newer one looks like a change, the newer one is more often current. It comes before the older one,
also when it has fewer of the question's words, and gets the confidence of the older one. The
features of such a pair are in `evidence.PairFeatures`; the judge of `language.conflicts` adds its
verdict about the two texts.

Exceptions and plans change nothing, no later event changes when something happened, and a rule
stays until another rule or a change. A newer memory without the name that is asked for, or without
a word of the question although it has most of the other words of the older one, is a sibling:
production's port replaces nothing of staging. A memory without a price, or without anything of the
type that is asked for, replaces none that has it. Long texts and turns of a conversation keep their
positions. Only a reranker that has read both may override this, if they are near the best: with a
high score for siblings and for a missing price, with a fair one where a word of the question is
lost without a sign of change. The weights are in `weights.py`, which `evals/fit_sureness.py`
writes.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from commonplace.language import analyzer, conflicts
from commonplace.language.judgement import Judge, Judgement, Statement
from commonplace.recall import preferences, scoring, weights
from commonplace.recall.confidence import CandidateView
from commonplace.recall.evidence import Evidence, PairFeatures, weighted_sum
from commonplace.recall.scoring import ScoredHit

TOP = 5  # Only for so many of the best hits, newer memories are looked for.
NEAR = 12  # Among so many hits, a newer memory that is not tied may be read by a reranker.
# The least score of a reranker for an ordinary pair, for a doubtful one, and for a sibling.
_READ_MIN, _READ_MIN_LOST, _READ_MIN_DOUBTFUL = -0.2, 0.125, 0.22
_SIMILARITY_MIN = 0.15
VERBATIM_MIN = 0.95
_SIBLING_SHARE = 0.4
# Words are as rare as among so many memories, so that a small store has rare ones too.
_MEMORIES_USUAL = 60
_WEIGHT_USUAL = 4.0
# Questions about when something happened, unless they ask for the last time.
_EVENT = re.compile(r"\b(?:when|how long ago)\b[^.?!]{0,60}\b(?:did|was|were|had)\b", re.IGNORECASE)
_LAST = re.compile(r"\b(?:last|latest|newest|most recent(?:ly)?)\b", re.IGNORECASE)
_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
# Words of a change, and the words of questions that it answers without having any of them.
_CHANGES: Sequence[tuple[re.Pattern[str], frozenset[str]]] = tuple(
    (re.compile(rf"\b(?:{change})", re.IGNORECASE), frozenset(analyzer.terms(asked)))
    for change, asked in (
        ("moved|moves|relocat", "live lives home address city town flat apartment based"),
        ("left|leaves|join|quit|hired|retired", "work works job employer company team"),
        ("switch|migrat|replac|drop|adopt", "use uses used run runs"),
        ("sold|sells|bought|buys|traded", "drive drives own owns car bike have"),
    )
)

SimilarityMatrix: TypeAlias = Callable[[Sequence[int], Sequence[int]], Sequence[Sequence[float]]]


@dataclass(frozen=True, slots=True)
class Pair:
    """A newer and an older memory, by their positions among the hits, and the features that
    are evidence for a change.

    Tied ones can be a change by this evidence alone; in a doubtful pair the newer one looks like a
    sibling of the older one.
    """

    newer: int
    older: int
    features: PairFeatures
    is_tied: bool = True
    is_doubtful: bool = False
    # What the judge decides about the two texts, whatever the question is.
    verdict: Judgement | None = None

    @property
    def confidence(self) -> float:
        """How likely the newer one replaced the older one. Unless a reranker has read them, only
        tied ones count.
        """
        if self.verdict is not None and self.verdict.ends_older():
            return max(self.verdict.confidence, self._evidence_confidence)
        return self._evidence_confidence

    @property
    def confidence_unread(self) -> float:
        """The same before a reranker has read them, whether they are tied or not."""
        return self._probability(weights.SUPERSEDING, weights.SUPERSEDING_START)

    @property
    def _evidence_confidence(self) -> float:
        read = self.features.read
        if read is None:
            return self.confidence_unread if self.is_tied else 0.0
        if read < self._read_min:
            return 0.0
        return self._probability(weights.SUPERSEDING_READ, weights.SUPERSEDING_READ_START)

    @property
    def _read_min(self) -> float:
        if self.is_doubtful:
            return _READ_MIN_DOUBTFUL
        is_lost = self.features.words_lost > 0 and not self.features.change
        return _READ_MIN_LOST if is_lost else _READ_MIN

    def _probability(self, weights: Mapping[str, float], start: float) -> float:
        return scoring.logistic(start + weighted_sum(weights, self.features))


def is_about_past_event(question: str) -> bool:
    """Whether a question asks when something happened, which no later memory changes."""
    return _EVENT.search(question) is not None and _LAST.search(question) is None


def find_pairs(
    found: Sequence[ScoredHit],
    views: Sequence[CandidateView],
    similarity_matrix: SimilarityMatrix,
    question_terms: Mapping[str, float],
) -> Iterator[Pair]:
    """Each of the best hits with each newer one that is similar and tied to it, or near the best.
    `question_terms` are weighted and without names: a move of a person does not change what the
    person eats.
    """
    return _Comparison(found, views, question_terms).pairs(similarity_matrix)


def add_verdicts(pairs: Iterable[Pair], views: Sequence[CandidateView], judge: Judge) -> list[Pair]:
    """The same pairs, those near the best with what the judge decides about their texts."""
    return [
        (
            replace(
                pair,
                verdict=judge(Statement(views[pair.older].text), Statement(views[pair.newer].text)),
            )
            if pair.newer < NEAR
            else pair
        )
        for pair in pairs
    ]


@dataclass(frozen=True, slots=True)
class _Side:
    """One memory of a pair."""

    view: CandidateView
    figures: frozenset[str]
    is_change: bool
    is_exception: bool
    is_rule: bool

    @classmethod
    def of(cls, view: CandidateView) -> "_Side":
        return cls(
            view,
            frozenset(_FIGURE.findall(view.text)),
            conflicts.has_change_hint(view.text),
            conflicts.is_exception(view.text),
            preferences.is_rule(view.text),
        )

    def leaves_unchanged(self, old: "_Side") -> bool:
        """Whether it does not change an older memory: an exception never does, and a rule ends only
        with a rule or a change.
        """
        return self.is_exception or (old.is_rule and not self.is_rule and not self.is_change)


@dataclass(frozen=True, slots=True)
class _Older:
    """A hit that may have been replaced, with what is the same for all of its pairs."""

    position: int
    # The position of each newer hit, with its similarity to this one.
    similarities: Mapping[int, float]
    terms: frozenset[str]
    term_weights: Mapping[str, float]
    weight_sum: float
    changes: Sequence[re.Pattern[str]]


class _Comparison:
    """The hits of one question, compared with each other."""

    def __init__(
        self,
        found: Sequence[ScoredHit],
        views: Sequence[CandidateView],
        question_terms: Mapping[str, float],
    ) -> None:
        self._found, self._views, self._question_terms = found, views, question_terms
        self._ids = [hit.evidence.memory_id for hit in found]
        self._age_order = {number: order for order, number in enumerate(sorted(self._ids))}
        self._sides: dict[int, _Side] = {}

    def pairs(self, similarity_matrix: SimilarityMatrix) -> Iterator[Pair]:
        """The pairs whose older hit is one of the best."""
        comparable = self._comparable_positions()
        older = [position for position in comparable if position < TOP]
        if not older:
            return
        similar = similarity_matrix(self._ids[:TOP], self._ids)
        term_counts = Counter(term for view in self._views for term in view.terms)
        for position in older:
            newer = [one for one in comparable if self._ids[one] > self._ids[position]]
            similarities = {one: similar[position][one] for one in newer}
            yield from self._pairs_of(self._older(position, similarities, term_counts))

    def _comparable_positions(self) -> list[int]:
        """The positions of statements, and of all hits near the best."""
        return [
            position
            for position, hit in enumerate(self._found)
            if hit.evidence.is_statement or position < NEAR
        ]

    def _older(
        self, position: int, similarities: Mapping[int, float], term_counts: Mapping[str, int]
    ) -> _Older:
        view = self._views[position]
        # Words like `the` tie nothing together, and in a small store they are as rare as any.
        terms = view.terms.intersection(analyzer.question_terms(view.text))
        weights = {term: math.log(_MEMORIES_USUAL / (term_counts[term] + 1)) for term in terms}
        changes = _change_patterns(view, self._question_terms)
        weight_sum = sum(weights.values()) or 1.0
        return _Older(position, similarities, terms, weights, weight_sum, changes)

    def _pairs_of(self, older: _Older) -> Iterator[Pair]:
        old = self._found[older.position]
        for newer in older.similarities:
            if (
                _may_replace(self._found[newer].evidence, old.evidence)
                # A memory without the name that is asked for is about something else.
                and self._question_terms.keys() >= self._lost_terms(older, newer)
                and (pair := self._pair(older, newer))
            ):
                yield pair

    def _pair(self, older: _Older, newer: int) -> Pair | None:
        """The pair with its features; None where the newer one can be no change of the older."""
        view = self._views[newer]
        shared = older.terms & view.terms
        answers = any(change.search(view.text) for change in older.changes)
        is_tied = self._is_tied(older, newer, shared, change_answers=answers)
        if newer >= NEAR and not is_tied:
            return None
        if self._side(newer).leaves_unchanged(self._side(older.position)):
            return None
        features = self._features(older, newer, shared, change_answers=answers)
        is_doubtful = self._is_doubtful(older, newer, features)
        if newer >= NEAR and is_doubtful:
            return None
        return Pair(newer, older.position, features, is_tied and not is_doubtful, is_doubtful)

    def _is_doubtful(self, older: _Older, newer: int, features: PairFeatures) -> bool:
        """Whether the newer one looks like a sibling of the older one, or lacks the answer."""
        is_sibling = features.words_lost > 0 and features.shared > _SIBLING_SHARE
        if is_sibling and not self._side(newer).is_change:
            return True
        return _lacks_answer(self._found[newer].evidence, self._found[older.position].evidence)

    def _is_tied(
        self, older: _Older, newer: int, shared: Iterable[str], *, change_answers: bool
    ) -> bool:
        """Whether two statements are similar and share more than the names in the question, or the
        newer one has a change that answers it.
        """
        new, old = self._views[newer], self._views[older.position]
        hits = self._found[newer], self._found[older.position]
        if not all(hit.evidence.is_statement for hit in hits):
            return False
        if older.similarities[newer] < _SIMILARITY_MIN:
            return False
        question_terms = self._question_terms
        has_only_word = len(question_terms) == 1 and old.found_terms == frozenset(question_terms)
        # A question of one word searches for what has this word.
        if has_only_word and not new.found_terms:
            return False
        return change_answers or any(
            term in question_terms or term not in old.found_terms for term in shared
        )

    def _features(
        self, older: _Older, newer: int, shared: Iterable[str], *, change_answers: bool
    ) -> PairFeatures:
        new, old = self._found[newer], self._found[older.position]
        new_side, old_side = self._side(newer), self._side(older.position)
        similarity, rarities = older.similarities[newer], [older.term_weights[t] for t in shared]
        between = self._age_order[self._ids[newer]] - self._age_order[self._ids[older.position]] - 1
        terms = self._question_terms
        lost = sum(terms.get(term, 0.0) for term in self._lost_terms(older, newer))
        return PairFeatures(
            similarity=similarity,
            behind_nearest=max(older.similarities.values()) - similarity,
            shared=sum(rarities) / older.weight_sum,
            rarest_shared=max(rarities, default=0.0) / _WEIGHT_USUAL,
            between=between / len(self._ids),
            strength=new.strength,
            weaker=old.strength - new.strength,
            behind_best=self._found[0].strength - new.strength,
            position=math.log(newer + 1),
            older_position=math.log(older.position + 1),
            words_lost=lost / (sum(terms.values()) or 1.0),
            change=float(new_side.is_change),
            change_answers=float(change_answers),
            same_kind=float(bool(new_side.figures) == bool(old_side.figures)),
            same_figure=float(not new_side.figures.isdisjoint(old_side.figures)),
            longer=math.log((len(new_side.view.terms) + 1) / (len(old_side.view.terms) + 1)),
        )

    def _lost_terms(self, older: _Older, newer: int) -> frozenset[str]:
        """The terms of the question that the older one has and the newer one lacks."""
        return self._views[older.position].found_terms - self._views[newer].found_terms

    def _side(self, position: int) -> _Side:
        if position not in self._sides:
            self._sides[position] = _Side.of(self._views[position])
        return self._sides[position]


def _change_patterns(
    old: CandidateView, question_terms: Mapping[str, float]
) -> list[re.Pattern[str]]:
    """The changes that answer a question whose words the older memory has: a move answers where
    somebody lives.
    """
    asked = question_terms.keys() & old.found_terms
    return [change for change, words in _CHANGES if not words.isdisjoint(asked)]


def _may_replace(new: Evidence, old: Evidence) -> bool:
    """Whether the newer memory has no less of the name and the time that are asked for.

    A question in the older one's own words asks for that one.
    """
    if (old.features.vector or 0.0) >= VERBATIM_MIN or new.exact < old.exact:
        return False
    return (new.features.time or 0.0) >= (old.features.time or 0.0)


def _lacks_answer(new: Evidence, old: Evidence) -> bool:
    """Whether the older one has the price or the thing that is asked for, and the newer has not."""
    return _is_missing(new.features.kind, old.features.kind) or _is_missing(
        new.features.answer, old.features.answer
    )


def _is_missing(new: float | None, old: float | None) -> bool:
    return old is not None and old > 0 and new == 0
