"""Has the best candidates read by a reranker, where there is one: whoever reads both sees what no count of words does.

What it says is one more kind of evidence and settles the order. Of a long text the best passage is read.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Protocol

from commonplace import text
from commonplace.recall import rank
from commonplace.recall.rank import Evidence, Question, Scored
from commonplace.records import Memory

DEPTH = 20  # So many of the best are read.
_LEAST, _MOST = -11.0, 11.0  # What a reranker says of a stranger, and of an answer in the words of the question.
_QUESTION_CHARS, _HALF_CHARS, _TEXT_CHARS_MAX = 400, 240, 20_000


class Reranker(Protocol):
    """Reads a question and texts together."""

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """How well each text answers the question, as log odds."""
        ...


def read(
    reranker: Reranker, asked: Question, question: str, scored: Sequence[Scored], known: Mapping[int, Memory]
) -> list[Evidence]:
    """The same evidence, with what the reranker says of the best; what was not read counts as a stranger."""
    if len(question) > _QUESTION_CHARS:  # People ask at the beginning or at the end.
        question = f"{question[: _QUESTION_CHARS // 2]} {question[-_QUESTION_CHARS // 2 :]}"
    chosen = [number for one in scored[:DEPTH] if (number := one.evidence.memory_id) in known]
    said = reranker.scores(question, [passage(asked, known[number]) for number in chosen])
    values = {number: _value(score) for number, score in zip(chosen, said, strict=True)}
    unread = _value(_LEAST)
    return [one.with_value("read", values.get(one.memory_id, unread)) for one in (each.evidence for each in scored)]


def passage(asked: Question, memory: Memory) -> str:
    """What is read of a memory: all of a short one, otherwise the passage that has most of the question's words."""
    whole = "\n".join(part for part in (memory.title, memory.text) if part)[:_TEXT_CHARS_MAX]
    if len(whole) <= 2 * _HALF_CHARS:
        return whole
    halves = [whole[start : start + _HALF_CHARS] for start in range(0, len(whole), _HALF_CHARS)]
    found = [asked.terms.keys() & set(text.terms(half)) for half in halves]
    covered = [rank.coverage(asked, frozenset(one | other)) for one, other in pairwise(found)]
    best = covered.index(max(covered))
    return halves[best] + halves[best + 1]


def _value(score: float) -> float:
    """From -0.5 for a stranger to 0.5."""
    return (min(_MOST, max(_LEAST, score)) - _LEAST) / (_MOST - _LEAST) - 0.5
