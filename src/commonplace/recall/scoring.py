"""What makes a memory an answer: the evidence, the relevance it adds up to, and the order of the
hits. Only arithmetic.

Each kind of evidence goes from 0 to 1, and none is relative to the other hits, so that a good hit
is good in any store:

  keyword        the share of the highest possible BM25 score, as a square root, so that the first
                 words found count most
  coverage       which share of the question's terms is there, rare terms counting more
  passage        the same of the best passage, because a long text touches many questions by chance
  vector         how near the text is to the question as a whole
  tokens         how similar the text is to each word of the question, weighted by the embedder's
                 token weights and by rareness
  … tokens       the same of the best passage, and of the best section of a few passages
  … around       how much coverage, vector and tokens gain when the surrounding turns are included

Their weighted sum goes through a logistic curve: the relevance. What follows only settles the
order:

  company        how near a long text is to the best of the other candidates
  speaker        whether a turn is said by whom the question is about
  asking         among people, the share of a turn's sentences that are questions, which seldom
                 answer one
  telling        how informative a turn or a message is, rather than thanks, consent or a promise; 0
                 is average
  part           how near it comes to the best for one of two things that the question compares
  recent         how new it is, when the question goes on with what was last talked about
  time           whether it is of the time that the question speaks of
  preference     whether it says what somebody prefers, when the question asks for advice
  answer         whether a statement has a time, a price or a number where the question asks for one
  kind           how much it names of the kind of thing that is asked for: a dog where a pet is
  rule           how near the question is to what a standing rule is about
  read           what the reranker says, which has read both: from -0.5 to 0.5
  unread         -0.5, where it has read others

The weights were fitted on public questions (see `evals`).
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from commonplace.language import analyzer

QUESTION_TERMS_MAX = 256
ONE_QUESTION_CHARS = 400  # Who says more than this tells a story, and asks for no single thing.
PASSAGE_TERMS = 40
STATEMENT_TERMS = 30
WEIGHTS: Mapping[str, float] = {
    "keyword": 1.8,
    "coverage": 1.6,
    "passage": 2.5,
    "vector": 3.0,
    "tokens": 1.2,
    "passage tokens": 2.4,
    "section tokens": 1.6,
    "coverage around": 2.1,
    "vector around": 2.0,
    "tokens around": 2.7,
}
ORDER_WEIGHTS: Mapping[str, float] = {
    "company": 2.5,
    "speaker": 3.0,
    "asking": -2.0,
    "telling": 1.0,
    "part": 2.5,
    "recent": 1.6,
    "time": 1.5,
    "preference": 3.0,
    "answer": 1.0,
    "kind": 2.0,
    "rule": 10.0,
    "read": 8.0,
    "unread": 8.0,
}
_KEYWORD_EVIDENCE, _VECTOR_EVIDENCE = (
    ("keyword", "coverage", "passage"),
    ("vector", "tokens", "passage tokens", "section tokens"),
)
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
    """A question, taken apart: its terms with their weights, and the names that must match
    exactly.
    """

    terms: Mapping[str, float]
    identifiers: tuple[str, ...]
    weight: float
    usual_length: float


@dataclass(frozen=True, slots=True)
class WordMatch:
    """What the words of a text say: two kinds of evidence, that of the best passage, and which
    terms are there.
    """

    keyword: float
    coverage: float
    passage: float
    found_terms: frozenset[str]
    length: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for one memory, by name. What was not looked at is not there.

    A statement is a short text by itself, neither a long one nor a turn of a conversation.
    """

    memory_id: int
    exact: bool
    values: Mapping[str, float] = field(default_factory=dict[str, float])
    is_statement: bool = False

    def with_value(self, name: str, value: float) -> "Evidence":
        """The same, and one thing more."""
        return replace(self, values={**self.values, name: value})

    def channels(self) -> dict[str, float]:
        """The evidence by name, for those who want to see why."""
        return {name: round(value, 4) for name, value in self.values.items()}


def shorten_terms(terms: Sequence[str]) -> Sequence[str]:
    """The terms of a very long question that are looked up: its beginning and its end, where people
    ask.
    """
    half = QUESTION_TERMS_MAX // 2
    return terms if len(terms) <= QUESTION_TERMS_MAX else [*terms[:half], *terms[-half:]]


def build_question(
    text: str, counts: Mapping[str, int], row_count: int, term_count: int
) -> Question:
    """A question with its terms weighed by how rare they are: `counts` says in how many texts each
    one is.
    """
    total = row_count + _PRIOR_ROWS
    weights = {term: math.log(1 + total / (count + 1)) for term, count in counts.items()}
    # A long question wanders, and nobody expects one memory to have all of its words.
    expected = min(1.0, math.sqrt(_EXPECTED_TERMS / max(1, len(weights))))
    usual_length = max(1.0, term_count / max(1, row_count))
    return Question(
        weights,
        tuple(analyzer.identifiers(text)),
        expected * sum(weights.values()) or 1.0,
        usual_length,
    )


def match_words(question: Question, terms: str) -> WordMatch:
    """What the words of a text, given as its indexed terms, say about a question."""
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
    """What the words of a text say altogether, from 0 to 1."""
    values = {"keyword": match.keyword, "coverage": match.coverage, "passage": match.passage}
    return sum(WEIGHTS[name] * value for name, value in values.items()) / sum(
        WEIGHTS[name] for name in values
    )


def coverage(question: Question, found: Mapping[str, int] | frozenset[str]) -> float:
    """Which share of a question some terms cover."""
    return min(1.0, sum(question.terms[word] for word in found) / question.weight)


def has_identifiers(question: Question, terms: str) -> bool:
    """Whether a text, given as its indexed terms, has every identifier of a question."""
    return bool(question.identifiers) and all(
        f" {name} " in f" {terms} " for name in question.identifiers
    )


def strength(values: Mapping[str, float]) -> float:
    """The weighted sum of the evidence. Where a channel was not asked, the other one stands for
    it.
    """
    total = sum(WEIGHTS[name] * value for name, value in values.items() if name in WEIGHTS)
    by_words, by_meaning = _KEYWORD_EVIDENCE[0] in values, _VECTOR_EVIDENCE[0] in values
    if by_words and by_meaning:
        return total
    words_most, meaning_most = (
        sum(WEIGHTS[name] for name in names) for names in (_KEYWORD_EVIDENCE, _VECTOR_EVIDENCE)
    )
    most = words_most + meaning_most
    if by_words:
        # Without vectors, the words found speak for those that were meant, and a little is granted
        # for the silence.
        return 0.1 * most + 0.9 * total * most / words_most
    return total * most / meaning_most


def answer_min(count: int) -> float:
    """The relevance that the best hit needs for anything to be said at all, in a bank of so many
    memories.

    The more memories there are, the nearer the nearest stranger comes, with the logarithm of their
    number.
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
        strong = strength(evidence.values)
        further = sum(
            ORDER_WEIGHTS[name] * value
            for name, value in evidence.values.items()
            if name in ORDER_WEIGHTS
        )
        score = _relevance(strong + further)
        score = score / 2 + (0.5 if evidence.exact else 0.0) if identified else score
        scored.append(ScoredHit(evidence, strong, _relevance(strong), score))
    return sorted(scored, key=lambda one: (-one.score, -one.evidence.memory_id))


def _best_passage(question: Question, every: Sequence[str]) -> float:
    """The most that any run of so many terms covers."""
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
