"""Recall: the memories of a bank that answer a question."""

from collections.abc import Sequence
from dataclasses import replace

from commonplace import validation
from commonplace.engine import catch_up
from commonplace.engine.draft_validation import validate_filter
from commonplace.engine.links import replacements
from commonplace.engine.runtime import Runtime
from commonplace.errors import Invalid, TooLarge
from commonplace.language import analyzer as words
from commonplace.language import temporal_expressions
from commonplace.limits import BULK_MAX, QUERY_CHARS_MAX, RECALL_MAX
from commonplace.recall import pagination, passages, pipeline, recency_decay, scoring
from commonplace.recall.pipeline import Models
from commonplace.records.query import Query, Recall
from commonplace.storage import text_index
from commonplace.storage.rows import banks

_TIMED_CHARS = 2_000  # The time span of a question is parsed from its beginning only.


def recall(runtime: Runtime, bank: str, query: Query) -> Recall:
    """The memories of a bank that answer a question, best first; empty when none is relevant."""
    _validate(query)
    query = replace(
        query, text=words.normalize_question(query.text), filter=validate_filter(query.filter)
    )
    found = banks.find(runtime.db, validation.name(bank, what="bank"))
    if found is None:  # Nothing was written to it yet.
        return Recall(())
    models = _models(runtime, query)
    if models.semantics:
        catch_up.catch_up_embeddings(runtime, found.id)
    now = runtime.clock.now() if query.now is None else query.now
    # Recency may lift a memory from below the limit, so all are scored before sorting. Pagination
    # sorts by the score alone.
    has_decay = runtime.half_life_days and not query.depth
    wide = replace(query, limit=RECALL_MAX) if has_decay and query.limit else query
    timed = _with_time_span(wide, now)
    run = pagination.run if query.depth else pipeline.run
    with runtime.db.snapshot():
        answer = run(runtime.db, models, found.id, timed, now)
    if has_decay:
        answer = recency_decay.apply_decay(answer, now, runtime.half_life_days, query)
    return replacements.mark_replaced(
        runtime, found.id, answer, replace(query, during=timed.during)
    )


def passages_of(runtime: Runtime, question: str, texts: Sequence[str]) -> tuple[str, ...]:
    """The passage of each text that matches a question best. A short text is returned whole."""
    normalized = words.normalize_question(
        validation.nonempty_text(question, what="question", bytes_max=4 * QUERY_CHARS_MAX)
    )
    terms = tuple(scoring.shorten_terms(words.question_terms(normalized)))
    weighted_question = scoring.build_question(
        normalized,
        text_index.term_counts(runtime.db, terms, pipeline.COUNT_MAX),
        *text_index.index_size(runtime.db),
    )
    semantics = runtime.semantics()
    similarity = (
        semantics.prepare_query(normalized, weighted_question.terms).text_similarities
        if semantics
        else None
    )
    return tuple(passages.best_passage(text, weighted_question, similarity) for text in texts)


def _models(runtime: Runtime, query: Query) -> Models:
    """The models that the channels of a query need. A query of a single channel shows the order of
    that channel, so it is not reranked.
    """
    return Models(
        runtime.semantics() if "vector" in query.channels else None,
        runtime.reranker() if set(query.channels) == set(pipeline.CHANNELS) else None,
        runtime.judge,
    )


def _with_time_span(query: Query, now: int) -> Query:
    """The query with the first time span that its text names, unless the caller gave one."""
    if query.during is not None:
        return query
    span = temporal_expressions.first_span(query.text[:_TIMED_CHARS], now)
    return replace(query, during=(span.start, span.end)) if span else query


def _validate(query: Query) -> None:
    validation.nonempty_text(query.text, what="question", bytes_max=4 * QUERY_CHARS_MAX)
    if len(query.text) > QUERY_CHARS_MAX:
        raise TooLarge(
            f"The question has {len(query.text):,} characters; the limit is {QUERY_CHARS_MAX:,}.",
            hint="Use only the important words.",
        )
    if query.limit is not None:
        validation.count(query.limit, what="limit", least=1, most=RECALL_MAX)
    validation.count(query.depth, what="depth", most=BULK_MAX)
    if not 0 <= query.min_score <= 1:
        raise Invalid(f"The minimum score is {query.min_score}.", hint="Use 0 to 1.")
    if not query.channels:
        raise Invalid(
            "No channel is selected.", hint=f"Use some of: {', '.join(pipeline.CHANNELS)}."
        )
    for channel in query.channels:
        validation.choice(channel, pipeline.CHANNELS, what="channel")
