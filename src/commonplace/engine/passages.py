"""Passages: of long texts, the part that comes nearest to a question."""

from collections.abc import Sequence

from commonplace import validation
from commonplace.engine.runtime import Parts
from commonplace.language import analyzer as words
from commonplace.limits import QUERY_CHARS_MAX
from commonplace.recall import passages, pipeline, scoring
from commonplace.storage import text_index


def passages_of(parts: Parts, question: str, texts: Sequence[str]) -> tuple[str, ...]:
    """The passage of each text that comes nearest to a question. A short text comes back whole."""
    asked = words.asked(validation.body(question, what="question", bytes_max=4 * QUERY_CHARS_MAX))
    terms = tuple(scoring.bounded(words.question_terms(asked)))
    weighed = scoring.question(
        asked,
        text_index.term_counts(parts.db, terms, pipeline.COUNT_MAX),
        *text_index.extent(parts.db),
    )
    semantics = parts.semantics()
    likeness = semantics.asking(asked, weighed.terms).likeness if semantics else None
    return tuple(passages.best(text, weighed, likeness) for text in texts)
