"""Lets older memories weigh less in the order of hits, for those who ask for it. Only arithmetic.

Age is the time since a memory last changed. Being read changes nothing, so nothing is punished for
having been read; scores stay what they are, so a least score means the same with and without it.
"""

from dataclasses import replace

from commonplace.records.query import Dropped, Query, Recall

DAY_MS = 86_400_000


def apply_decay(found: Recall, now: int, half_life_days: float, query: Query) -> Recall:
    """The hits in their order after fading: what last changed a half-life ago weighs half as much
    as what is new.
    """
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
