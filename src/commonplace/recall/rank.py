"""What makes a memory an answer: the evidence, the relevance it adds up to, and the order of the hits. Only arithmetic.

Four kinds of evidence, each from 0 to 1 and none relative to the other hits, so that a good hit is good in any store:

  keyword   how much of the most BM25 could give, as a square root, so that the first words found count most
  coverage  which share of the question's terms is there, rare terms counting more
  vector    how near the text is to the question as a whole
  tokens    how near the text comes to each word of the question, heavy words counting more

Their weighted mean, less a little for length because a long text touches many questions by chance, goes through a
logistic curve whose middle and slope were fitted on public questions (see `evals`), asked of the store that holds the
answer and of one that does not.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from commonplace import text

QUESTION_TERMS_MAX = 256
_KEYWORD, _COVERAGE, _VECTOR, _TOKENS = 4, 1, 4, 4
_MIDDLE, _SLOPE = 0.45, 12
_HIT_MIN = 0.22  # A hit with less evidence is never shown.
_ANSWER_MIN, _ANSWER_RISE, _ANSWER_MAX = 0.22, 0.02, 0.40
_LENGTH, _LENGTH_USUAL = 0.01, 40
_LONGER_MAX = 8  # A text this many times as long as usual is not held against itself any further.
_TERM_RATE, _LENGTH_RATE = 1.2, 0.75  # BM25's k1 and b.
_WORDS_EXPECTED = 8
_PRIOR_ROWS = 100  # A store is treated as if it held this many more texts, so that a small one still knows rare words.


@dataclass(frozen=True, slots=True)
class Question:
    """A question, taken apart: its terms with their weights, and the names that must match exactly."""

    terms: Mapping[str, float]
    identifiers: tuple[str, ...]
    weight: float
    usual_length: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for one memory. None where a channel was not asked."""

    memory_id: int
    length: int
    exact: bool
    keyword: float | None = None
    coverage: float | None = None
    vector: float | None = None
    tokens: float | None = None

    def channels(self) -> dict[str, float]:
        """The evidence by name, for those who want to see why."""
        named = {"keyword": self.keyword, "coverage": self.coverage, "vector": self.vector, "tokens": self.tokens}
        return {name: round(value, 4) for name, value in named.items() if value is not None}


def bounded(terms: Sequence[str]) -> Sequence[str]:
    """The terms of a very long question that are looked up: its beginning and its end, where people ask."""
    half = QUESTION_TERMS_MAX // 2
    return terms if len(terms) <= QUESTION_TERMS_MAX else [*terms[:half], *terms[-half:]]


def question(asked: str, counts: Mapping[str, int], row_count: int, term_count: int) -> Question:
    """A question with its terms weighed by how rare they are: `counts` says in how many texts each one is."""
    total = row_count + _PRIOR_ROWS
    weights = {term: math.log(1 + total / (count + 1)) for term, count in counts.items()}
    # A long question wanders, and nobody expects one memory to have all of its words.
    expected = min(1.0, math.sqrt(_WORDS_EXPECTED / max(1, len(weights))))
    usual_length = max(1.0, term_count / max(1, row_count))
    return Question(weights, tuple(text.identifiers(asked)), expected * sum(weights.values()) or 1.0, usual_length)


def keyword_evidence(asked: Question, terms: str) -> tuple[float, float]:
    """Keyword and coverage evidence of a text, given as its indexed terms."""
    words = terms.split()
    found = Counter(filter(asked.terms.__contains__, words))
    longer = min(_LONGER_MAX, len(words) / asked.usual_length)
    damping = _TERM_RATE * (1 - _LENGTH_RATE + _LENGTH_RATE * longer)
    score = sum(asked.terms[word] * count / (count + damping) for word, count in found.items())
    covered = sum(asked.terms[word] for word in found)
    return math.sqrt(min(1.0, score / asked.weight)), min(1.0, covered / asked.weight)


def has_identifiers(asked: Question, terms: str) -> bool:
    """Whether a text, given as its indexed terms, has every identifier of a question."""
    return bool(asked.identifiers) and all(f" {name} " in f" {terms} " for name in asked.identifiers)


def relevance(evidence: Evidence) -> float:
    """How likely a memory answers the question, from 0 to 1."""
    keyword, coverage, vector, tokens = evidence.keyword, evidence.coverage, evidence.vector, evidence.tokens
    if keyword is None or coverage is None:
        mean = (_VECTOR * (vector or 0.0) + _TOKENS * (tokens or 0.0)) / (_VECTOR + _TOKENS)
    elif vector is None or tokens is None:
        # Without vectors, the words found speak for those that were meant, and a little is granted for the silence.
        mean = 0.1 + 0.9 * (keyword + coverage) / 2
    else:
        # A word that is there is as near as can be, also where a long text's tokens were too many to keep.
        near = max(tokens, coverage)
        total = _KEYWORD * keyword + _COVERAGE * coverage + _VECTOR * vector + _TOKENS * near
        mean = total / (_KEYWORD + _COVERAGE + _VECTOR + _TOKENS)
    length = min(_LENGTH_USUAL * _LONGER_MAX, max(4, evidence.length))
    return _likely(mean - _LENGTH * math.log(length / _LENGTH_USUAL))


def answer_min(count: int) -> float:
    """The relevance that the best hit needs for anything to be said at all, in a bank of so many memories.

    The more memories there are, the nearer the nearest stranger comes, with the logarithm of their number.
    """
    return _likely(min(_ANSWER_MAX, _ANSWER_MIN + _ANSWER_RISE * math.log(max(1, count))))


@dataclass(frozen=True, slots=True)
class Scored:
    """A memory with its relevance, and the score that is shown and sorted by."""

    evidence: Evidence
    relevance: float
    score: float


def ordered(found: Sequence[Evidence], identified: bool | None = None) -> list[Scored]:
    """The memories with their scores, best first; of equals the newer.

    When the question names an exact identifier, a memory that has it scores in the upper half and one that has not in
    the lower, so that no neighbour outranks it. `identified` says so where it was settled before.
    """
    if identified is None:
        identified = any(evidence.exact for evidence in found)
    scored: list[Scored] = []
    for evidence in found:
        likely = relevance(evidence)
        score = likely / 2 + (0.5 if evidence.exact else 0.0) if identified else likely
        scored.append(Scored(evidence, likely, score))
    return sorted(scored, key=lambda one: (-one.score, -one.evidence.memory_id))


def _likely(mean: float) -> float:
    return 1 / (1 + math.exp(-_SLOPE * (mean - _MIDDLE)))


HIT_MIN = _likely(_HIT_MIN)
