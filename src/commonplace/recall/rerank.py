"""Reranks the best candidates with a model that reads the question and a text together.

Its score is one more feature: it changes the order, and shows which memory a newer one replaced.
The model is trained on questions of a sentence or two and texts of a few. It reads a turn of a
conversation with the end of the one before it, and of a longer text the passage most similar to
the question.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from commonplace.recall.candidates import Candidates
from commonplace.recall.confidence import CandidateView
from commonplace.recall.evidence import Evidence
from commonplace.recall.scoring import ScoredHit, logistic
from commonplace.recall.supersession import Pair

DEPTH = 20  # So many of the best candidates are read at most.
TEXT_CHARS_MAX = 480  # Of a longer text, an excerpt is read.
# So many pairs are read, where a change is at least as likely as this before reading.
PAIRS_MAX = 2
_PAIR_MIN = 0.006
# The budget of tokens is about a dozen messages. Above so many memories the search itself takes
# longer, so the budget falls with this exponent, down to a minimum in a bank of a million.
_TOKENS_MAX, _TOKENS_MIN = 1_400, 60
_SMALL_BANK, _EXPONENT = 20_000, 0.805
# The log odds of an unrelated text, and of an answer in the words of the question.
_SCORE_MIN, _SCORE_MAX = -8.0, 8.0


class Reranker(Protocol):
    """Reads a question and texts together."""

    def reads(self, question: str, texts: Sequence[str]) -> bool:
        """Whether they are in a language that it reads."""
        ...

    def scores(self, question: str, texts: Sequence[str], tokens_max: int) -> Sequence[float]:
        """How well each text answers the question, as log odds: of the first ones, as many as there
        is time for.
        """
        ...

    def replacing(
        self, question: str, pairs: Sequence[tuple[str, str]], tokens_max: int
    ) -> Sequence[float]:
        """Of an older text that answers the question and a newer one: whether this replaced that,
        as log odds.
        """
        ...


@dataclass(frozen=True, slots=True)
class RerankPass:
    """A reranker, the question, and the budget of tokens that it may read."""

    reranker: Reranker
    question: str
    tokens_max: int

    @classmethod
    def sized_for(cls, reranker: Reranker, question: str, count: int) -> "RerankPass":
        """A pass with the budget for a bank of so many memories."""
        share = min(1.0, _SMALL_BANK / max(1, count)) ** _EXPONENT
        return cls(reranker, question, max(_TOKENS_MIN, int(_TOKENS_MAX * share)))

    def score_best(
        self, scored: Sequence[ScoredHit], candidates: Candidates
    ) -> list[Evidence] | None:
        """The same evidence with the reranker's scores of the best; None when there is nothing that
        it reads.

        The candidates after these get the score of an unrelated text.
        """
        scores = self._scores([one.evidence.memory_id for one in scored[:DEPTH]], candidates)
        if not scores:
            return None
        unread = _scale(_SCORE_MIN)
        return [
            one.evidence.with_reading(read=scores[one.evidence.memory_id])
            if one.evidence.memory_id in scores
            else one.evidence.with_reading(unread=unread)
            for one in scored
        ]

    def _scores(self, best: Sequence[int], candidates: Candidates) -> dict[int, float]:
        """The scores of the best candidates by memory id. One without a text to read gets the
        median; none when the reranker reads no text of them.
        """
        shown = {number: _rerank_text(number, candidates) for number in best}
        texts = {number: text for number, text in shown.items() if text}
        if not texts or not self.reranker.reads(self.question, list(texts.values())):
            return {}
        scores = self.reranker.scores(self.question, list(texts.values()), self.tokens_max)
        scaled = {number: _scale(score) for number, score in zip(texts, scores, strict=False)}
        without_text = [number for number in best if number not in texts]
        return scaled | dict.fromkeys(without_text, _median(scaled.values()))

    def score_pairs(
        self, pairs: Sequence[Pair], views: Sequence[CandidateView], found: Sequence[ScoredHit]
    ) -> list[Pair]:
        """The same pairs, those most likely a change of an answer with the reranker's score.

        In the largest banks there is no time for that.
        """
        if self.tokens_max <= _TOKENS_MIN:
            return list(pairs)
        chosen = _likeliest_changes(pairs, views, found)
        texts = [(views[pairs[n].older].text, views[pairs[n].newer].text) for n in chosen]
        budget = self.tokens_max * 3 // 5
        scores = self.reranker.replacing(self.question, texts, budget) if texts else ()
        scored = list(pairs)
        for number, score in zip(chosen, scores, strict=False):
            features = replace(pairs[number].features, read=_scale(score))
            scored[number] = replace(pairs[number], features=features)
        return scored


def _rerank_text(number: int, candidates: Candidates) -> str:
    """The text of a memory that is read: a turn after the one before it, unless that is too long;
    of a long text an excerpt.
    """
    for text in (candidates.text_with_previous(number), candidates.text_with_title(number)):
        if len(text) <= TEXT_CHARS_MAX:
            return text
    return candidates.excerpt(number)


def _likeliest_changes(
    pairs: Sequence[Pair], views: Sequence[CandidateView], found: Sequence[ScoredHit]
) -> list[int]:
    """The pairs, by position, that the reranker reads: short ones that are likely enough a
    change.
    """
    short = [
        (_change_likelihood(pair, found), number)
        for number, pair in enumerate(pairs)
        if _is_short(views[pair.older], views[pair.newer])
    ]
    likely = sorted(short, reverse=True)[:PAIRS_MAX]
    return [number for likelihood, number in likely if likelihood >= _PAIR_MIN]


def _median(values: Iterable[float]) -> float:
    # `statistics` takes longer to import than a question takes.
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _change_likelihood(pair: Pair, found: Sequence[ScoredHit]) -> float:
    """How likely the older one was an answer and is none any more, before both are read."""
    read = found[pair.older].evidence.features.read or 0.0
    return pair.confidence_unread * logistic(read * (_SCORE_MAX - _SCORE_MIN))


def _is_short(*views: CandidateView) -> bool:
    return all(len(view.text) <= TEXT_CHARS_MAX for view in views)


def _scale(score: float) -> float:
    """A score from -0.5, for an unrelated text, to 0.5."""
    return (min(_SCORE_MAX, max(_SCORE_MIN, score)) - _SCORE_MIN) / (_SCORE_MAX - _SCORE_MIN) - 0.5
