"""Has the best candidates read by a reranker, where there is one: whoever reads both sees what no
count of words does.

What it says is one more kind of evidence: it helps to settle the order, and to tell which memory a
newer one replaced. It reads what it was taught to read: a question of a sentence or two, and texts
of a few. A turn of a talk it is shown with the end of what was said before; of a longer text, what
comes nearest to the question.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from commonplace.recall.candidates import Candidates
from commonplace.recall.confidence import CandidateView
from commonplace.recall.scoring import Evidence, ScoredHit, logistic
from commonplace.recall.supersession import Pair

DEPTH = 20  # So many of the best are read at most.
TEXT_CHARS_MAX = 480  # Of what is longer than this, an excerpt is read.
PAIRS_MAX = 2  # Of so many pairs it is read whether the newer memory replaced the older one,
_PAIR_MIN = 0.006  # if it is as likely as this without reading.
_TOKENS, _TOKENS_FEW = (
    1_400,
    60,
)  # So much is read: as much as a dozen messages; and in a bank of a million,
_SMALL, _SLOPE = 20_000, 0.805  # where looking through it takes the time. So many memories are few.
_SCORE_MIN, _SCORE_MAX = (
    -8.0,
    8.0,
)  # What a reranker says of a stranger, and of an answer in the words of the question.


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
    """A reranker, the question it is asked, and how much of it there is time for."""

    reranker: Reranker
    question: str
    tokens_max: int

    @classmethod
    def sized_for(cls, reranker: Reranker, question: str, count: int) -> "RerankPass":
        """To be read among so many memories."""
        few = min(1.0, _SMALL / max(1, count))
        return cls(reranker, question, max(_TOKENS_FEW, int(_TOKENS * few**_SLOPE)))

    def score_best(
        self, scored: Sequence[ScoredHit], candidates: Candidates
    ) -> list[Evidence] | None:
        """The same evidence, with what the reranker says of the best; None when there is nothing
        that it reads.

        What comes after these stands below them.
        """
        best = [one.evidence.memory_id for one in scored[:DEPTH]]
        shown = {number: _rerank_text(number, candidates) for number in best}
        texts = {number: text for number, text in shown.items() if text}
        if not texts or not self.reranker.reads(self.question, list(texts.values())):
            return None
        said = self.reranker.scores(self.question, list(texts.values()), self.tokens_max)
        values = {number: _scale(score) for number, score in zip(texts, said, strict=False)}
        # Of what there is nothing to show of, nothing is known.
        values |= dict.fromkeys(
            (number for number in best if number not in texts), _median(values.values())
        )
        stranger = _scale(_SCORE_MIN)

        def with_reading(one: Evidence) -> Evidence:
            value = values.get(one.memory_id)
            return one.with_value(*(("unread", stranger) if value is None else ("read", value)))

        return [with_reading(one.evidence) for one in scored]

    def score_pairs(
        self, pairs: Sequence[Pair], views: Sequence[CandidateView], found: Sequence[ScoredHit]
    ) -> list[Pair]:
        """The same pairs; with what the reranker says of those that are most likely a change of
        what it took for an answer.

        In the largest banks there is no time for that.
        """
        if self.tokens_max <= _TOKENS_FEW:
            return list(pairs)
        short = [
            place
            for place, pair in enumerate(pairs)
            if _is_short(views[pair.older], views[pair.newer])
        ]
        likely = sorted(
            ((_change_likelihood(pairs[place], found), place) for place in short), reverse=True
        )[:PAIRS_MAX]
        chosen = [place for chance, place in likely if chance >= _PAIR_MIN]
        texts = [
            (views[pairs[place].older].text, views[pairs[place].newer].text) for place in chosen
        ]
        said = (
            self.reranker.replacing(self.question, texts, self.tokens_max * 3 // 5) if texts else ()
        )
        read = dict(zip(chosen, said, strict=False))
        return [
            replace(pair, values={**pair.values, "read": _scale(read[place])})
            if place in read
            else pair
            for place, pair in enumerate(pairs)
        ]


def _rerank_text(number: int, candidates: Candidates) -> str:
    """What is read of a memory: a turn with what it replies to, unless that is too much; of a long
    text an excerpt.
    """
    for text in (candidates.text_with_previous(number), candidates.text_with_title(number)):
        if len(text) <= TEXT_CHARS_MAX:
            return text
    return candidates.excerpt(number)


def _median(values: Iterable[float]) -> float:
    # `statistics` takes longer to import than a question takes.
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _change_likelihood(pair: Pair, found: Sequence[ScoredHit]) -> float:
    """How likely something was an answer and is none any more, before both are read together."""
    said = found[pair.older].evidence.values.get("read", 0.0)
    return pair.confidence_unread * logistic(said * (_SCORE_MAX - _SCORE_MIN))


def _is_short(*looks: CandidateView) -> bool:
    return all(len(look.text) <= TEXT_CHARS_MAX for look in looks)


def _scale(score: float) -> float:
    """From -0.5 for a stranger to 0.5."""
    return (min(_SCORE_MAX, max(_SCORE_MIN, score)) - _SCORE_MIN) / (_SCORE_MAX - _SCORE_MIN) - 0.5
