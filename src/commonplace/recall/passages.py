"""Finds the passage of a long text that comes nearest to a question."""

import re
from collections.abc import Callable, Iterator, Sequence

from commonplace.language import analyzer
from commonplace.recall import scoring
from commonplace.recall.scoring import Question

PASSAGE_CHARS_MAX = 480
_PIECE_CHARS_MAX = PASSAGE_CHARS_MAX // 2
_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？]")

TextSimilarities = Callable[[Sequence[str]], list[float]]


def best_passage(body: str, question: Question, similarities: TextSimilarities | None) -> str:
    """The passage of a text that has the most words of a question and is most similar to it in
    meaning.

    A text that is hardly longer than a passage is returned whole.
    """
    if len(body) <= PASSAGE_CHARS_MAX + _PIECE_CHARS_MAX:
        return body
    passages = list(_passages(body))
    similar = similarities(passages) if similarities else [0.0] * len(passages)
    scores = [
        scoring.coverage(question, frozenset(question.terms).intersection(analyzer.terms(passage)))
        + near
        for passage, near in zip(passages, similar, strict=True)
    ]
    return passages[scores.index(max(scores))] if passages else ""


def _passages(body: str) -> Iterator[str]:
    """Runs of lines and sentences, overlapping by half, so that no answer is cut in all of them."""
    pieces = [piece for piece in _pieces(body) if body[piece[0] : piece[1]].strip()]
    first = 0
    while first < len(pieces):
        start, last = pieces[first][0], first
        while last + 1 < len(pieces) and pieces[last + 1][1] - start <= PASSAGE_CHARS_MAX:
            last += 1
        yield body[start : pieces[last][1]].strip()
        if last == len(pieces) - 1:
            return
        first += 1
        while first <= last and pieces[first][0] - start < _PIECE_CHARS_MAX:
            first += 1


def _pieces(body: str) -> Iterator[tuple[int, int]]:
    """Where each line begins and ends; of a long line each sentence; of a long sentence parts of
    it.
    """
    start = 0
    for line in body.splitlines(keepends=True):
        ends = (
            [start + found.end() for found in _SENTENCE_END.finditer(line)]
            if len(line) > _PIECE_CHARS_MAX
            else []
        )
        for end in (*ends, start + len(line)):
            while end - start > _PIECE_CHARS_MAX:
                blank = body.rfind(" ", start + 1, start + _PIECE_CHARS_MAX)
                cut = blank if blank > 0 else start + _PIECE_CHARS_MAX
                yield start, cut
                start = cut
            yield start, end
            start = end
