"""Settles the order of hits that speak of the same thing: what was said last comes before what it replaced.

Nothing here knows which of two memories is true. But where two short statements are about as good an answer and much
alike, the newer one is more often how things are now. Of long texts and of what people say to each other this is not
so: there the better answer stays first.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from commonplace.recall.rank import Scored

_TOP = 10
_ALIKE_MIN = 0.5  # Half of what says one thing at different times is as near; of strangers one in ten comes to 0.3.
_STRENGTH_GAP = 1.2


Likeness: TypeAlias = Callable[[Sequence[int]], Sequence[Sequence[float]]]


def newest_first(scored: Sequence[Scored], likeness: Likeness) -> list[Scored]:
    """The hits, of those that are alike and about as good the newer one first; scores stay with their places."""
    top = list(scored[:_TOP])
    alike = likeness([one.evidence.memory_id for one in top])
    order = list(range(len(top)))
    for place in range(1, len(order)):
        current = order[place]
        target = place
        for above in range(place - 1, -1, -1):
            if _replaces(top[current], top[order[above]], alike[current][order[above]]):
                target = above
        order.insert(target, order.pop(place))
    moved = [top[number].at(top[place].score) for place, number in enumerate(order)]
    return [*moved, *scored[_TOP:]]


def _replaces(newer: Scored, older: Scored, likeness: float) -> bool:
    return (
        newer.evidence.is_statement
        and older.evidence.is_statement
        and newer.evidence.memory_id > older.evidence.memory_id
        and newer.evidence.exact == older.evidence.exact
        and _of_time(newer) == _of_time(older)
        and likeness >= _ALIKE_MIN
        and older.strength - newer.strength <= _STRENGTH_GAP
    )


def _of_time(one: Scored) -> float:
    return one.evidence.values.get("time", 0.0)
