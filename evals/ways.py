"""The ways a question is asked: as daily, with one channel alone, or with one ingredient taken out.

A way is a context manager that yields what to do with the query. A switch of the query is turned
there; weights are swapped for as long as the context lasts.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from types import ModuleType
from typing import TypeAlias

from commonplace import Query
from commonplace.recall import candidates, scoring, supersession, vector_index, weights

Changed: TypeAlias = Callable[[Query], Query]
Way: TypeAlias = Callable[[], AbstractContextManager[Changed]]

OURS, BM25, VECTORS = "Commonplace", "plain BM25", "vectors alone"
UNREAD = "without the reranker"
SMALL = "without the small ingredients"


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


def without(*names: str) -> Way:
    """Some kinds of evidence left out: looked at, but weighing nothing."""

    @contextmanager
    def way() -> Generator[Changed]:
        before = scoring.WEIGHTS, scoring.ORDER_WEIGHTS, weights.SURE, weights.READ
        scoring.WEIGHTS = _lightened(scoring.WEIGHTS, names)
        scoring.ORDER_WEIGHTS, weights.SURE, weights.READ = (
            {n: w for n, w in weights.items() if n not in names} for weights in before[1:]
        )
        try:
            yield lambda query: query
        finally:
            scoring.WEIGHTS, scoring.ORDER_WEIGHTS, weights.SURE, weights.READ = before

    return way


def _with(module: ModuleType, name: str, value: object) -> Way:
    """One part of a module in another's place."""

    @contextmanager
    def way() -> Generator[Changed]:
        before = getattr(module, name)
        setattr(module, name, value)
        try:
            yield lambda query: query
        finally:
            setattr(module, name, before)

    return way


_rareness_of = vector_index.token_rareness
# The hits in the order of their scores, however old they are.
as_weighed = _with(supersession, "find_pairs", lambda *_: iter(()))
# The tokens of a question weighed as the embedder weighs them, whatever is in the store.
all_as_rare = _with(
    vector_index,
    "token_rareness",
    lambda tokens, places, words, _: _rareness_of(tokens, places, words, None),
)
# What is near to a question that the embedder can only spell, believed as in any other.
spelt_as_known = _with(candidates, "CHARACTER_LEVEL_SHARE", 1.0)


# Ingredients of which none moves a public set by more than a question or two when it is left out
# alone; "without the small ingredients" leaves all of them out together.
SMALL_INGREDIENTS = (
    "telling",
    "asking",
    "part",
    "company",
    "recent",
    "preference",
    "answer",
    "kind",
    "kind_missing",
    "rule",
)


@contextmanager
def without_small_ingredients() -> Generator[Changed]:
    """All small ingredients left out together, and no blend with words for what is spelt."""
    with without(*SMALL_INGREDIENTS)() as changed, spelt_as_known():
        yield changed


def _lightened(weights: Mapping[str, float], names: Sequence[str]) -> dict[str, float]:
    """The weights without some of them. What a memory says itself weighs as much as before, so that
    thresholds fit.
    """
    own = [name for name in weights if "around" not in name]
    left = sum(weights[name] for name in own if name not in names)
    more = sum(weights[name] for name in own) / left if left else 1.0
    return {n: 0.0 if n in names else w * more if n in own else w for n, w in weights.items()}


def _named(part: str) -> tuple[str, ...]:
    return tuple(name for name in scoring.WEIGHTS if part in name)


# The names of features on the page, and in `recall.evidence`.
EVIDENCE: Mapping[str, tuple[str, ...]] = {
    "tokens": _named("tokens"),
    "passages": _named("passage"),
    "what was said around": _named("around"),
    # What is read takes time, so there it is not read at all.
    **{name: (name,) for name in scoring.ORDER_WEIGHTS if name != "read"},
}
# What is taken out in turn by `--ablate`.
ABLATIONS: Mapping[str, Way] = {
    "without vectors": only("keyword"),
    "without keywords": only("vector"),
    **{f"without {ingredient}": without(*names) for ingredient, names in EVIDENCE.items()},
    UNREAD: as_daily,
    "without the rareness of words": all_as_rare,
    "without words for what is spelt": spelt_as_known,
    "without the newest first": as_weighed,
}
WAYS: Mapping[str, Way] = {
    OURS: as_daily,
    VECTORS: only("vector"),
    SMALL: without_small_ingredients,
    **ABLATIONS,
}
