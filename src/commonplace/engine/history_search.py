"""Looks for a question among what memories used to say. Small on purpose: the past is searched
seldom.
"""

from commonplace.engine.draft_validation import checked_filter
from commonplace.engine.runtime import Parts
from commonplace.language import analyzer as words
from commonplace.records.memory import Version
from commonplace.records.query import Query
from commonplace.storage import banks, memories

_VERSIONS_MAX = 5_000
_RELEVANT_MIN = 0.5


def recall_superseded(parts: Parts, bank: str, query: Query) -> tuple[tuple[Version, float], ...]:
    """Earlier versions of the memories a query's filter means that answer it, each with its score,
    best first.

    A blank question is answered by all of them, newest first.
    """
    found = banks.find(parts.db, bank)
    asked = set(words.question_terms(query.text))
    if found is None or (query.text.strip() and not asked):
        return ()
    old = memories.superseded(
        parts.db, found.id, checked_filter(query.filter), parts.clock.now(), _VERSIONS_MAX
    )
    if not asked:
        return tuple((one, 1.0) for one in old[: query.limit])
    scored = [
        (one, len(asked & set(words.terms(f"{one.title} {one.text}"))) / len(asked)) for one in old
    ]
    relevant = [
        (one, score) for one, score in scored if score >= max(_RELEVANT_MIN, query.min_score)
    ]
    return tuple(sorted(relevant, key=lambda pair: (-pair[1], -pair[0].id))[: query.limit])
