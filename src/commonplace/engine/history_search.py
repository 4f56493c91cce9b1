"""Searches superseded versions of memories. It scores by shared terms only, because the past is
searched rarely.
"""

from commonplace.engine.draft_validation import validate_filter
from commonplace.engine.runtime import Runtime
from commonplace.language import analyzer as words
from commonplace.records.memory import Version
from commonplace.records.query import Query
from commonplace.storage.rows import banks, memories

_VERSIONS_MAX = 5_000
_SCORE_MIN = 0.5


def recall_superseded(
    runtime: Runtime, bank: str, query: Query
) -> tuple[tuple[Version, float], ...]:
    """Earlier versions of the memories that match a query's filter, with their scores, best first.

    A blank question matches all of them, newest first.
    """
    found = banks.find(runtime.db, bank)
    query_terms = set(words.question_terms(query.text))
    if found is None or (query.text.strip() and not query_terms):
        return ()
    old = memories.superseded_versions(
        runtime.db, found.id, validate_filter(query.filter), runtime.clock.now(), _VERSIONS_MAX
    )
    if not query_terms:
        return tuple((one, 1.0) for one in old[: query.limit])
    scored = [
        (one, len(query_terms & set(words.terms(f"{one.title} {one.text}"))) / len(query_terms))
        for one in old
    ]
    relevant = [(one, score) for one, score in scored if score >= max(_SCORE_MIN, query.min_score)]
    return tuple(sorted(relevant, key=lambda pair: (-pair[1], -pair[0].id))[: query.limit])
