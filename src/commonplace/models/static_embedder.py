"""The built-in embedder: a table of token vectors. The vector of a text is the mean of its tokens.

The table and the tokenizer are data files beside this module, made by `scripts/embedder_table.py`
from those of wordllama (MIT); see NOTICE. Nothing is downloaded. Training gave common tokens short
vectors, so a plain mean already weighs words by their information.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from commonplace.errors import Unsupported
from commonplace.models.embedder import Floats, TokenIds

TEXT_CHARS_MAX = 20_000  # More characters hardly change the mean.
TOKENS_MAX = 4_000
_TABLE = "embedder.npy"
_TOKENIZER = "embedder-tokenizer.json"


class StaticEmbedder:
    """Adds token vectors from a table, for 20,000 short texts a second. Thread-safe."""

    # Earlier versions read the same table in half floats. The cosines differ by at most 0.003, so
    # the name is unchanged and stores need no new vectors.
    name = "wordllama-l2-supercat-256, tokens in order"

    def __init__(self, folder: Path = Path(__file__).parent) -> None:
        table, tokenizer = folder / _TABLE, folder / _TOKENIZER
        if not (table.is_file() and tokenizer.is_file()):
            raise Unsupported(
                "The embedder's table is missing from this installation.",
                hint=(
                    "Install Commonplace again, or set COMMONPLACE_EMBEDDER to none for keyword"
                    " search only."
                ),
            )
        # Memory-mapped: only the used rows take memory. A row has the size of a step and the steps.
        self._table: NDArray[np.void] = np.asarray(np.load(table, mmap_mode="r"))
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()

    @property
    def dimensions(self) -> int:
        """The number of dimensions of a vector."""
        return int(self._table.dtype["steps"].shape[0])

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row of length one per text; a text without tokens is all zeros."""
        return self.embed_with_tokens(texts)[0]

    def embed_with_tokens(self, texts: Sequence[str]) -> tuple[Floats, list[TokenIds]]:
        """The vectors, and the first TOKENS_MAX tokens of each text in order."""
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        tokens: list[TokenIds] = []
        for row, ids in zip(rows, self._encode(texts), strict=True):
            unique, counts = np.unique(ids, return_counts=True)
            row[:] = counts.astype(np.float32) @ self.token_vectors(unique)
            tokens.append(ids[:TOKENS_MAX])
        return rows / _norms(rows), tokens

    def tokens_with_offsets(self, text: str) -> tuple[TokenIds, list[tuple[int, int]]]:
        """The tokens of a text in order, and the start and end of each one in the text."""
        encoding = self._tokenizer.encode(text[:TEXT_CHARS_MAX], add_special_tokens=False)
        return np.asarray(encoding.ids, dtype=np.uint16), encoding.offsets

    def decode(self, ids: TokenIds) -> str:
        """The text of some tokens."""
        return self._tokenizer.decode(ids.tolist())

    def token_vectors(self, ids: TokenIds) -> Floats:
        """One row per token; the more informative the token, the longer the vector."""
        rows = self._table[ids]
        return rows["steps"].astype(np.float32) * rows["step"][:, None]

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has, including repeated tokens and tokens beyond the limit."""
        encodings = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [len(encoding.ids) for encoding in encodings]

    def _encode(self, texts: Sequence[str]) -> list[TokenIds]:
        cut = [text[:TEXT_CHARS_MAX] for text in texts]
        if len(cut) == 1:  # A batch would start threads, too slow for one question.
            return [self.tokens_with_offsets(cut[0])[0]]
        encodings = self._tokenizer.encode_batch_fast(cut, add_special_tokens=False)
        return [np.asarray(encoding.ids, dtype=np.uint16) for encoding in encodings]


def _norms(rows: Floats) -> Floats:
    return np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-9))
