"""Passages: of long texts, the part that comes nearest to a question."""

from collections.abc import Sequence

from commonplace import checks
from commonplace import text as words
from commonplace.engine.parts import Parts
from commonplace.limits import QUERY_CHARS_MAX
from commonplace.recall import passages, pipeline, rank
from commonplace.storage import search


def passages_of(parts: Parts, question: str, texts: Sequence[str]) -> tuple[str, ...]:
    """The passage of each text that comes nearest to a question. A short text comes back whole."""
    asked = words.asked(checks.body(question, what="question", bytes_max=4 * QUERY_CHARS_MAX))
    terms = tuple(rank.bounded(words.question_terms(asked)))
    weighed = rank.question(asked, search.term_counts(parts.db, terms, pipeline.COUNT_MAX), *search.extent(parts.db))
    semantics = parts.semantics()
    likeness = semantics.asking(asked, weighed.terms).likeness if semantics else None
    return tuple(passages.best(text, weighed, likeness) for text in texts)
