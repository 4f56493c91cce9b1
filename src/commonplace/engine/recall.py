"""Recall: what a bank knows about a question."""

from dataclasses import replace

from commonplace import validation
from commonplace.engine.draft_validation import checked_filter
from commonplace.engine.operations import indexing
from commonplace.engine.runtime import Parts
from commonplace.errors import Invalid, TooLarge
from commonplace.language import analyzer as words
from commonplace.language import temporal_expressions
from commonplace.limits import BULK_MAX, QUERY_CHARS_MAX, RECALL_MAX
from commonplace.recall import pagination, pipeline, recency_decay
from commonplace.recall.pipeline import Models
from commonplace.records.query import Query, Recall
from commonplace.storage import banks

_TIMED_CHARS = 2_000  # A longer question is a text, and the times it names are its own.
HEAL_MS = 50  # What a question may spend on embedding what was written since the last one.


def recall(parts: Parts, bank: str, query: Query) -> Recall:
    """What a bank knows about a question, best first; empty when it knows nothing relevant."""
    _check(query)
    query = replace(query, text=words.asked(query.text), filter=checked_filter(query.filter))
    found = banks.find(parts.db, validation.name(bank, what="bank"))
    if found is None:  # Nothing was ever written there, so nothing is known.
        return Recall(())
    bank_id = found.id
    semantics = parts.semantics() if "vector" in query.channels else None
    if semantics:
        indexing.heal(parts, bank_id, HEAL_MS)
    now = parts.clock.now() if query.now is None else query.now
    # What is newer may come from further down, so all of it is looked at before the order is
    # settled. Pages go by the score alone.
    fades = parts.fading_days and not query.depth
    asked = replace(query, limit=RECALL_MAX) if fades and query.limit else query
    if asked.during is None and (
        span := temporal_expressions.first(query.text[:_TIMED_CHARS], now)
    ):
        asked = replace(asked, during=(span.start, span.end))
    # Who asks for one channel alone wants to see what that one says.
    reranker = parts.reranker() if set(query.channels) == set(pipeline.CHANNELS) else None
    run = pagination.run if query.depth else pipeline.run
    with parts.db.snapshot():
        answer = run(parts.db, Models(semantics, reranker, parts.judge), bank_id, asked, now)
    return recency_decay.faded(answer, now, parts.fading_days, query) if fades else answer


def _check(query: Query) -> None:
    validation.body(query.text, what="question", bytes_max=4 * QUERY_CHARS_MAX)
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
