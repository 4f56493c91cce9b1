"""Has the best candidates read by a reranker, where there is one: whoever reads both sees what no count of words does.

What it says is one more kind of evidence: it helps to settle the order, and to tell which memory a newer one replaced.
It reads what it was taught to read: a question of a sentence or two, and texts of a few. What is longer is not cut for
it; passages are weighed by words and meaning.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Protocol

from commonplace.recall.rank import ONE_QUESTION_CHARS, Evidence, Scored
from commonplace.recall.superseding import Pair
from commonplace.recall.sureness import Look

DEPTH = 8  # So many of the best are read at most,
TEXT_CHARS_MAX = 480  # and of those none that is longer than this.
PAIRS = 2  # Of so many pairs it is read whether the newer memory replaced the older one,
_PAIR_MIN = 0.006  # if it is as likely as this without reading.
_TOKENS, _TOKENS_FEW = 420, 60  # So much is read: eight messages to an assistant, and in a large bank less,
_TOKEN_MEMORIES = 2_800  # because looking through so many memories takes as long as reading one token.
_LEAST, _MOST = -8.0, 8.0  # What a reranker says of a stranger, and of an answer in the words of the question.


class Reranker(Protocol):
    """Reads a question and texts together."""

    def reads(self, question: str) -> bool:
        """Whether it is in a language that it reads."""
        ...

    def scores(self, question: str, texts: Sequence[str], tokens_max: int) -> Sequence[float]:
        """How well each text answers the question, as log odds: of the first ones, as many as there is time for."""
        ...

    def replacing(self, question: str, pairs: Sequence[tuple[str, str]], tokens_max: int) -> Sequence[float]:
        """Of an older text that answers the question and a newer one: whether this replaced that, as log odds."""
        ...


def is_read(reranker: Reranker, question: str) -> bool:
    """Whether a question is one for a reranker."""
    return len(question) <= ONE_QUESTION_CHARS and reranker.reads(question)


@dataclass(frozen=True, slots=True)
class Reading:
    """A reranker, the question it is asked, and how much of it there is time for."""

    reranker: Reranker
    question: str
    tokens: int

    @classmethod
    def among(cls, reranker: Reranker, question: str, count: int) -> "Reading":
        """To be read among so many memories."""
        return cls(reranker, question, max(_TOKENS_FEW, _TOKENS - count // _TOKEN_MEMORIES))

    def read(self, scored: Sequence[Scored], told: Callable[[int], str]) -> list[Evidence] | None:
        """The same evidence, with what the reranker says of the best; None when there is nothing that it reads.

        Of the best, what is too long stands in the middle of those that were read; what comes after, below them.
        """
        best = {one.evidence.memory_id: told(one.evidence.memory_id) for one in scored[:DEPTH]}
        chosen = {number: text for number, text in best.items() if 0 < len(text) <= TEXT_CHARS_MAX}
        if not chosen:
            return None
        said = self.reranker.scores(self.question, list(chosen.values()), self.tokens)
        values = {number: _value(score) for number, score in zip(chosen, said, strict=False)}
        values |= dict.fromkeys((number for number in best if number not in chosen), median(values.values()))
        return [
            one.evidence.with_value("read", values[one.evidence.memory_id])
            if one.evidence.memory_id in values
            else one.evidence.with_value("unread", _value(_LEAST))
            for one in scored
        ]

    def compared(self, pairs: Sequence[Pair], looks: Sequence[Look]) -> list[Pair]:
        """The same pairs; those that are most likely a change with what the reranker says of them.

        In the largest banks there is no time for that.
        """
        if self.tokens <= _TOKENS_FEW:
            return list(pairs)
        short = [place for place, pair in enumerate(pairs) if _is_short(looks[pair.older], looks[pair.newer])]
        likely = sorted(((pairs[place].likely, place) for place in short), reverse=True)[:PAIRS]
        chosen = [place for chance, place in likely if chance >= _PAIR_MIN]
        texts = [(looks[pairs[place].older].text, looks[pairs[place].newer].text) for place in chosen]
        said = self.reranker.replacing(self.question, texts, self.tokens * 3 // 5) if texts else ()
        read = dict(zip(chosen, said, strict=False))
        return [
            replace(pair, values={**pair.values, "read": _value(read[place])}) if place in read else pair
            for place, pair in enumerate(pairs)
        ]


def _is_short(*looks: Look) -> bool:
    return all(len(look.text) <= TEXT_CHARS_MAX for look in looks)


def _value(score: float) -> float:
    """From -0.5 for a stranger to 0.5."""
    return (min(_MOST, max(_LEAST, score)) - _LEAST) / (_MOST - _LEAST) - 0.5
