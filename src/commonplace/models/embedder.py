"""The interface of embedders. A setting selects the implementation."""

from collections.abc import Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]
TokenIds: TypeAlias = NDArray[np.uint16]


class Embedder(Protocol):
    """Turns texts into vectors of length one, whose dot product is the similarity of two texts."""

    @property
    def name(self) -> str:
        """The name of the weights and their use. Vectors of different names are never compared."""
        ...

    @property
    def dimensions(self) -> int:
        """The number of dimensions of a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row per text."""
        ...


@runtime_checkable
class TokenEmbedder(Protocol):
    """An embedder with vectors of single tokens, for comparing a question and a memory token by
    token.
    """

    def embed_with_tokens(self, texts: Sequence[str]) -> tuple[Floats, list[TokenIds]]:
        """One row per text, and its tokens in order; the first ones when there are very many."""
        ...

    def tokens_with_offsets(self, text: str) -> tuple[TokenIds, list[tuple[int, int]]]:
        """The tokens of a text in order, and the start and end of each one in the text."""
        ...

    def decode(self, ids: TokenIds) -> str:
        """The text of some tokens."""
        ...

    def token_vectors(self, ids: TokenIds) -> Floats:
        """One row per token. Informative tokens have long vectors: short for `the`, long for a
        name.
        """
        ...


@runtime_checkable
class TokenCounter(Protocol):
    """An embedder with a tokenizer, for limiting an answer to a number of tokens."""

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has, repeats included."""
        ...
