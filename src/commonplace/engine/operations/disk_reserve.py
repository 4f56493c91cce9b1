"""Lets forgetting and erasing use reserved disk space. Otherwise a full disk could not be freed."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from commonplace.engine.runtime import Runtime

_P = ParamSpec("_P")
_R = TypeVar("_R")


def using_disk_reserve(
    verb: Callable[Concatenate[Runtime, _P], _R],
) -> Callable[Concatenate[Runtime, _P], _R]:
    """A verb that may use the disk space reserved for erasing."""

    @wraps(verb)
    def run(runtime: Runtime, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        with runtime.db.use_disk_reserve():
            return verb(runtime, *args, **kwargs)

    return run
