"""Fits items into a number of tokens."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from commonplace.engine.runtime import Runtime

_Item = TypeVar("_Item")


def fit_tokens(
    runtime: Runtime, items: Sequence[_Item], text_of: Callable[[_Item], str], tokens_max: int
) -> tuple[_Item, ...]:
    """The items whose texts fit into a number of tokens.

    An item that does not fit is skipped, but the first one is always kept.
    """
    if tokens_max <= 0:
        return ()
    tokens_left, kept = tokens_max, list[_Item]()
    for item, size in zip(items, token_counts(runtime, map(text_of, items)), strict=True):
        if size <= tokens_left or not kept:
            kept.append(item)
            tokens_left -= size
    return tuple(kept)


def token_counts(runtime: Runtime, texts: Iterable[str]) -> list[int]:
    """The number of tokens of each text. Without a tokenizer it is the number of bytes, which is
    never too low.
    """
    given = list(texts)
    semantics = runtime.semantics()
    counted = semantics.token_counts(given) if semantics else None
    return counted if counted is not None else [len(one.encode()) for one in given]
