"""Lowers older memories in the order of hits, as an option. Only arithmetic.

Age is the time since a memory last changed; reading it changes nothing. Scores stay as they are, so
a minimum score is the same with and without decay.
"""

from dataclasses import replace

from commonplace.records.query import Dropped, Query, Recall

DAY_MS = 86_400_000


def apply_decay(found: Recall, now: int, half_life_days: float, query: Query) -> Recall:
    """The hits in their order after decay: one that last changed a half-life ago counts half."""
    half_life = half_life_days * DAY_MS
    weighed = sorted(
        found.hits,
        key=lambda hit: -hit.score * 0.5 ** (max(0, now - hit.memory.updated_at) / half_life),
    )
    kept, rest = (
        weighed[: query.limit],
        weighed[query.limit :] if query.limit and query.explain else (),
    )
    older = (Dropped(hit.memory.id, hit.score, "beyond the limit") for hit in rest)
    return replace(found, hits=tuple(kept), dropped=(*older, *found.dropped))
