"""Scores candidates: how well the words of a text match a question, how relevant a candidate is,
and the order of the hits. Only arithmetic.

The weighted sum of a candidate's own features is its strength. A logistic curve turns that into the
relevance. Further features only change the order. `evidence` describes them all; the weights were
fitted on public questions (see `evals`).
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from commonplace.language import analyzer
from commonplace.recall.evidence import Evidence, Features, checked_weights, weighted_sum

QUESTION_TERMS_MAX = 256
ONE_QUESTION_CHARS = 400  # A longer text is a story, and does not ask for a single thing.
PASSAGE_TERMS = 40
STATEMENT_TERMS = 30
WEIGHTS: Mapping[str, float] = checked_weights(
    Features,
    {
        "keyword": 1.8,
        "coverage": 1.6,
        "passage": 2.5,
        "vector": 3.0,
        "tokens": 1.2,
        "passage_tokens": 2.4,
        "section_tokens": 1.6,
        "coverage_around": 2.1,
        "vector_around": 2.0,
        "tokens_around": 2.7,
    },
)
ORDER_WEIGHTS: Mapping[str, float] = checked_weights(
    Features,
    {
        "speaker": 3.0,
        "asking": -2.0,
        "telling": 1.0,
        "company": 2.5,
        "recent": 1.6,
        "time": 1.5,
        "preference": 3.0,
        "rule": 10.0,
        "kind": 2.0,
        "answer": 1.0,
        "part": 2.5,
        "read": 8.0,
        "unread": 8.0,
    },
)
_KEYWORD_FEATURES = ("keyword", "coverage", "passage")
_VECTOR_FEATURES = ("vector", "tokens", "passage_tokens", "section_tokens")
_MIDDLE = 5.0
_HIT_MIN = 2.2  # A hit with less evidence is never shown.
_ANSWER_MIN, _ANSWER_RISE, _ANSWER_MAX = 2.3, 0.22, 4.8
SURE_MIN = 0.5  # An answer whose best hit is less relevant is marked as unsure.
_TERM_RATE, _LENGTH_RATE = 1.2, 0.75  # BM25's k1 and b.
_LENGTH_RATIO_MAX = (
    8  # A text this many times as long as usual is not held against itself any further.
)
_EXPECTED_TERMS = 8
_PROBABILITY_MIN = 1e-12  # Nothing is less likely.
# A store is treated as if it held this many more texts, so that words can be rare in a small one.
_PRIOR_ROWS = 100


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it is scored: its terms with their weights, and the identifiers that must match
    exactly.
    """

    terms: Mapping[str, float]
    identifiers: tuple[str, ...]
    weight: float
    usual_length: float


@dataclass(frozen=True, slots=True)
class WordMatch:
    """How the words of a text match a question: as a whole and in its best passage, with the terms
    that it has.
    """

    keyword: float
    coverage: float
    passage: float
    found_terms: frozenset[str]
    length: int


def shorten_terms(terms: Sequence[str]) -> Sequence[str]:
    """The terms of a very long question that are looked up: its beginning and its end, where people
    ask.
    """
    half = QUESTION_TERMS_MAX // 2
    return terms if len(terms) <= QUESTION_TERMS_MAX else [*terms[:half], *terms[-half:]]


def build_question(
    text: str, counts: Mapping[str, int], row_count: int, term_count: int
) -> Question:
    """A question with its terms weighted by rareness; `counts` is the number of texts with each
    term.
    """
    total = row_count + _PRIOR_ROWS
    weights = {term: math.log(1 + total / (count + 1)) for term, count in counts.items()}
    # A long question has words beside the point, so one memory need not have all of them.
    expected = min(1.0, math.sqrt(_EXPECTED_TERMS / max(1, len(weights))))
    usual_length = max(1.0, term_count / max(1, row_count))
    return Question(
        weights,
        tuple(analyzer.identifiers(text)),
        expected * sum(weights.values()) or 1.0,
        usual_length,
    )


def match_words(question: Question, terms: str) -> WordMatch:
    """How the words of a text, given as its indexed terms, match a question."""
    every = terms.split()
    counts = Counter(filter(question.terms.__contains__, every))
    longer = min(_LENGTH_RATIO_MAX, len(every) / question.usual_length)
    damping = _TERM_RATE * (1 - _LENGTH_RATE + _LENGTH_RATE * longer)
    score = sum(question.terms[word] * count / (count + damping) for word, count in counts.items())
    whole = coverage(question, counts)
    passage = whole if len(every) <= PASSAGE_TERMS else _best_passage(question, every)
    return WordMatch(
        math.sqrt(min(1.0, score / question.weight)), whole, passage, frozenset(counts), len(every)
    )


def word_score(match: WordMatch) -> float:
    """The weighted mean of the features of words, from 0 to 1."""
    features = Features(keyword=match.keyword, coverage=match.coverage, passage=match.passage)
    weights = {name: WEIGHTS[name] for name in _KEYWORD_FEATURES}
    return weighted_sum(weights, features) / sum(weights.values())


def coverage(question: Question, found: Mapping[str, int] | frozenset[str]) -> float:
    """The share of a question that some terms cover."""
    return min(1.0, sum(question.terms[word] for word in found) / question.weight)


def has_identifiers(question: Question, terms: str) -> bool:
    """Whether a text, given as its indexed terms, has every identifier of a question."""
    return bool(question.identifiers) and all(
        f" {name} " in f" {terms} " for name in question.identifiers
    )


def strength(features: Features) -> float:
    """The weighted sum of the features. Where one channel was not searched, the other stands for
    it.
    """
    total = weighted_sum(WEIGHTS, features)
    by_words, by_meaning = features.keyword is not None, features.vector is not None
    if by_words and by_meaning:
        return total
    words_most = sum(WEIGHTS[name] for name in _KEYWORD_FEATURES)
    meaning_most = sum(WEIGHTS[name] for name in _VECTOR_FEATURES)
    most = words_most + meaning_most
    if by_words:
        # Without vectors, the words found stand for the meaning, with a little for what they miss.
        return 0.1 * most + 0.9 * total * most / words_most
    return total * most / meaning_most


def answer_min(count: int) -> float:
    """The relevance that the best hit needs for an answer, in a bank of so many memories.

    The similarity of the nearest unrelated memory grows with the logarithm of their number.
    """
    return _relevance(min(_ANSWER_MAX, _ANSWER_MIN + _ANSWER_RISE * math.log(max(1, count))))


@dataclass(frozen=True, slots=True)
class ScoredHit:
    """A memory with its strength, its relevance, and the score that is shown and sorted by."""

    evidence: Evidence
    strength: float
    relevance: float
    score: float

    def with_score(self, score: float) -> "ScoredHit":
        """The same with another score."""
        return replace(self, score=score)


def rank(found: Sequence[Evidence], identified: bool | None = None) -> list[ScoredHit]:
    """The memories with their scores, best first; of equals the newer.

    When the question names an exact identifier, a memory that has it scores in the upper half and
    one that has not in the lower, so that no neighbour outranks it.
    """
    if identified is None:
        identified = any(evidence.exact for evidence in found)
    scored: list[ScoredHit] = []
    for evidence in found:
        strong = strength(evidence.features)
        score = _relevance(strong + weighted_sum(ORDER_WEIGHTS, evidence.features))
        score = score / 2 + (0.5 if evidence.exact else 0.0) if identified else score
        scored.append(ScoredHit(evidence, strong, _relevance(strong), score))
    return sorted(scored, key=lambda one: (-one.score, -one.evidence.memory_id))


def _best_passage(question: Question, every: Sequence[str]) -> float:
    """The largest share that one passage covers."""
    positions = [(place, word) for place, word in enumerate(every) if word in question.terms]
    inside: Counter[str] = Counter()
    covered = best = 0.0
    first = 0
    for place, word in positions:
        if not inside[word]:
            covered += question.terms[word]
        inside[word] += 1
        while positions[first][0] <= place - PASSAGE_TERMS:
            gone = positions[first][1]
            inside[gone] -= 1
            if not inside[gone]:
                covered -= question.terms[gone]
            first += 1
        best = max(best, covered)
    return min(1.0, best / question.weight)


def logistic(value: float) -> float:
    """From any number to one between 0 and 1; 0 becomes a half."""
    return 1 / (1 + math.exp(-value))


def log_odds(likely: float) -> float:
    """From a number between 0 and 1 back to any, never without end."""
    kept = min(max(likely, _PROBABILITY_MIN), 1 - _PROBABILITY_MIN)
    return math.log(kept / (1 - kept))


def _relevance(strong: float) -> float:
    return logistic(strong - _MIDDLE)


HIT_MIN = _relevance(_HIT_MIN)
