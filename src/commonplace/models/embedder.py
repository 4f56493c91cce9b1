"""What an embedder promises. Which one is used is a setting; what it needs is its own business."""

from collections.abc import Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]
TokenIds: TypeAlias = NDArray[np.uint16]


class Embedder(Protocol):
    """Turns texts into vectors of length one, so that a dot product says how near two texts are."""

    @property
    def name(self) -> str:
        """Names the weights and their use. Vectors of different names are never compared."""
        ...

    @property
    def dimensions(self) -> int:
        """How long a vector is."""
        ...

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row per text."""
        ...


@runtime_checkable
class Lexicon(Protocol):
    """An embedder that also knows single tokens, so that a question can be held against a memory
    token by token.
    """

    def embed_with_tokens(self, texts: Sequence[str]) -> tuple[Floats, list[TokenIds]]:
        """One row per text, and its tokens in order; the first ones when there are very many."""
        ...

    def located_tokens(self, text: str) -> tuple[TokenIds, list[tuple[int, int]]]:
        """The tokens of a text in order, and from where to where in the text each one stands."""
        ...

    def text_of(self, ids: TokenIds) -> str:
        """The text that tokens stand for."""
        ...

    def token_vectors(self, ids: TokenIds) -> Floats:
        """One row per token; the longer it is, the more the token says: next to nothing for `the`,
        much for a name.
        """
        ...


@runtime_checkable
class Tokenizing(Protocol):
    """An embedder with a tokenizer, so that an answer can be kept within a number of tokens."""

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has, repeats included."""
        ...
