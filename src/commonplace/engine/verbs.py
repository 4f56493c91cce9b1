"""Builds the table of verbs. A verb is a function that is imported on first use.

Forgetting and erasing may use reserved disk space; otherwise a full disk could not be freed.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from commonplace import engine as nouns
from commonplace.engine.runtime import Runtime
from commonplace.errors import Busy, Forbidden
from commonplace.storage.rows import derivations

_P = ParamSpec("_P")
_R = TypeVar("_R")
_V = TypeVar("_V", bound=Callable[..., Any])


class _Verb:
    """A method that is not imported yet. It replaces itself with the function on first use."""

    def __init__(self, load: Callable[[], Callable[..., Any]]) -> None:
        self._load = load

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner, self._name = owner, name

    def __get__(self, runtime: Runtime | None, owner: type) -> Callable[..., Any]:
        setattr(self._owner, self._name, self._load())
        return cast(
            "Callable[..., Any]", getattr(owner if runtime is None else runtime, self._name)
        )


def verb(load: Callable[[], _V]) -> _V:
    """A verb; `load` imports its function."""
    return cast("_V", _Verb(load))


def propagating(
    load: Callable[[], Callable[Concatenate[Runtime, str, _P], _R]],
) -> Callable[Concatenate[Runtime, str, _P], _R]:
    """A verb whose changes are propagated to derived memories, and then to the files of notes."""
    return verb(lambda: _with_file_sync(_with_propagation(load())))


def syncing_files(
    load: Callable[[], Callable[Concatenate[Runtime, _P], _R]],
) -> Callable[Concatenate[Runtime, _P], _R]:
    """A verb that may change notes. The files of notes are synced after it."""
    return verb(lambda: _with_file_sync(load()))


def using_disk_reserve(
    function: Callable[Concatenate[Runtime, _P], _R],
) -> Callable[Concatenate[Runtime, _P], _R]:
    """A verb that may use the disk space reserved for erasing."""

    @wraps(function)
    def run(runtime: Runtime, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        with runtime.db.use_disk_reserve():
            return function(runtime, *args, **kwargs)

    return run


def _with_file_sync(
    function: Callable[Concatenate[Runtime, _P], _R],
) -> Callable[Concatenate[Runtime, _P], _R]:
    @wraps(function)
    def run(runtime: Runtime, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        done = function(runtime, *args, **kwargs)
        if not runtime.db.in_transaction:  # Inside a transaction the next write syncs the files.
            runtime.sync_note_files(runtime)
        return done

    return run


def _with_propagation(
    function: Callable[Concatenate[Runtime, str, _P], _R],
) -> Callable[Concatenate[Runtime, str, _P], _R]:
    @wraps(function)
    def run(runtime: Runtime, bank: str, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        done = function(runtime, bank, *args, **kwargs)
        try:
            if derivations.has_pending_work(runtime.db, bank, runtime.clock.now()):
                nouns.facts.propagation.propagate(runtime, bank)
        except (Busy, Forbidden):
            # The change itself is committed. The pending propagation is recorded, and the worker or
            # the next writer does it.
            return done
        return done

    return run
