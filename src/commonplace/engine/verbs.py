"""Makes the table of verbs: each is a function that is imported when the verb is first used."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from commonplace import engine as nouns
from commonplace.engine.runtime import Parts
from commonplace.errors import Busy, Forbidden
from commonplace.storage import derivations

_P = ParamSpec("_P")
_R = TypeVar("_R")
_V = TypeVar("_V", bound=Callable[..., Any])


class _Verb:
    """A method that is not imported yet. It replaces itself by the function at its first use."""

    def __init__(self, load: Callable[[], Callable[..., Any]]) -> None:
        self._load = load

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner, self._name = owner, name

    def __get__(self, parts: Parts | None, owner: type) -> Callable[..., Any]:
        setattr(self._owner, self._name, self._load())
        return cast("Callable[..., Any]", getattr(owner if parts is None else parts, self._name))


def verb(load: Callable[[], _V]) -> _V:
    """A verb whose function `load` imports."""
    return cast("_V", _Verb(load))


def settled(
    load: Callable[[], Callable[Concatenate[Parts, str, _P], _R]],
) -> Callable[Concatenate[Parts, str, _P], _R]:
    """A verb after which whatever rests on what it changed has followed, and so have the files of
    notes.
    """
    return verb(lambda: _following(_settling(load())))


def followed(
    load: Callable[[], Callable[Concatenate[Parts, _P], _R]],
) -> Callable[Concatenate[Parts, _P], _R]:
    """A verb that may change notes, after which their files have followed."""
    return verb(lambda: _following(load()))


def _following(
    function: Callable[Concatenate[Parts, _P], _R],
) -> Callable[Concatenate[Parts, _P], _R]:
    @wraps(function)
    def run(parts: Parts, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        done = function(parts, *args, **kwargs)
        if (
            not parts.db.in_transaction
        ):  # Else it is not certain yet; the next write takes care of it.
            parts.follow_files(parts)
        return done

    return run


def _settling(
    function: Callable[Concatenate[Parts, str, _P], _R],
) -> Callable[Concatenate[Parts, str, _P], _R]:
    @wraps(function)
    def run(parts: Parts, bank: str, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        done = function(parts, bank, *args, **kwargs)
        try:
            if derivations.something_waits(parts.db, bank, parts.clock.now()):
                nouns.facts.propagation.settle(parts, bank)
        except (Busy, Forbidden):
            # The change itself is made; what is left to do is noted, and the worker or the next
            # writer does it.
            return done
        return done

    return run
