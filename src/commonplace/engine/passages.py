"""Passages: the parts of long texts that match a question best."""

from collections.abc import Sequence

from commonplace import validation
from commonplace.engine.runtime import Runtime
from commonplace.language import analyzer as words
from commonplace.limits import QUERY_CHARS_MAX
from commonplace.recall import passages, pipeline, scoring
from commonplace.storage import text_index


def passages_of(runtime: Runtime, question: str, texts: Sequence[str]) -> tuple[str, ...]:
    """The passage of each text that matches a question best. A short text is returned whole."""
    asked = words.normalize_question(
        validation.nonempty_text(question, what="question", bytes_max=4 * QUERY_CHARS_MAX)
    )
    terms = tuple(scoring.shorten_terms(words.question_terms(asked)))
    weighed = scoring.build_question(
        asked,
        text_index.term_counts(runtime.db, terms, pipeline.COUNT_MAX),
        *text_index.index_size(runtime.db),
    )
    semantics = runtime.semantics()
    likeness = (
        semantics.prepare_query(asked, weighed.terms).text_similarities if semantics else None
    )
    return tuple(passages.best_passage(text, weighed, likeness) for text in texts)
