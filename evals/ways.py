"""The ways a question is asked: as daily, with one channel alone, or with one ingredient taken out.

A way is a context manager that yields what to do with the query. A switch of the query is turned there; a value of a
module is swapped for as long as the context lasts.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from types import ModuleType
from typing import TypeAlias

from commonplace import Query

Changed: TypeAlias = Callable[[Query], Query]
Way: TypeAlias = Callable[[], AbstractContextManager[Changed]]

OURS, BM25, VECTORS = "Commonplace", "plain BM25", "vectors alone"


@contextmanager
def as_daily() -> Generator[Changed]:
    """The query as it is."""
    yield lambda query: query


def only(*channels: str) -> Way:
    """Some channels alone."""

    @contextmanager
    def way() -> Generator[Changed]:
        yield lambda query: replace(query, channels=channels)

    return way


def with_value(module: ModuleType, name: str, value: object) -> Way:
    """A value of a module, changed for the time of a question."""

    @contextmanager
    def way() -> Generator[Changed]:
        before = getattr(module, name)
        setattr(module, name, value)
        try:
            yield lambda query: query
        finally:
            setattr(module, name, before)

    return way


# What is taken out in turn by `--ablate`.
ABLATIONS: Mapping[str, Way] = {
    "without vectors": only("keyword"),
    "without keywords": only("vector"),
}
WAYS: Mapping[str, Way] = {OURS: as_daily, VECTORS: only("vector"), **ABLATIONS}
