"""Forgetting and erasing work where the disk is nearly full, or nobody could make room with
them.
"""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from commonplace.engine.runtime import Parts

_P = ParamSpec("_P")
_R = TypeVar("_R")


def freeing(verb: Callable[Concatenate[Parts, _P], _R]) -> Callable[Concatenate[Parts, _P], _R]:
    """A verb that may use the room on the disk that is left for erasing."""

    @wraps(verb)
    def run(parts: Parts, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        with parts.db.freeing():
            return verb(parts, *args, **kwargs)

    return run
