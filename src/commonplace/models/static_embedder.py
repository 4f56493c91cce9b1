"""The embedder that arrives with the installation: one table of token vectors; a text is the mean
of its tokens.

The table and the tokenizer are data files beside this one, made by `scripts/embedder_table.py` from
those of wordllama (MIT); NOTICE says where they come from. Nothing is ever downloaded. Training
gave common tokens short vectors, so that a plain mean already weighs words by what they say.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from commonplace.errors import Unsupported
from commonplace.models.embedder import Floats, TokenIds

TEXT_CHARS_MAX = 20_000  # The mean of more than this many characters hardly moves.
TOKENS_MAX = 4_000
_TABLE = "embedder.npy"
_TOKENIZER = "embedder-tokenizer.json"


class StaticEmbedder:
    """Vectors by looking up and adding: 20,000 short texts a second, no model to wait for. Safe to
    share.
    """

    # Earlier versions read the same table in half floats. Cosines of their vectors and of these
    # differ by 0.003 at most, so the name stays and no store embeds anything again.
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
        # Mapped, not read: only the tokens in use take up memory. A row is the size of a step and
        # the steps.
        self._table: NDArray[np.void] = np.asarray(np.load(table, mmap_mode="r"))
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()

    @property
    def dimensions(self) -> int:
        """How long a vector is."""
        return int(self._table.dtype["steps"].shape[0])

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row of length one per text; a text without tokens is all zeros."""
        return self.embed_with_tokens(texts)[0]

    def embed_with_tokens(self, texts: Sequence[str]) -> tuple[Floats, list[TokenIds]]:
        """The same, and the tokens of each text in order, at most TOKENS_MAX: the first."""
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        tokens: list[TokenIds] = []
        for row, ids in zip(rows, self._encoded(texts), strict=True):
            unique, counts = np.unique(ids, return_counts=True)
            row[:] = counts.astype(np.float32) @ self.token_vectors(unique)
            tokens.append(ids[:TOKENS_MAX])
        return rows / _lengths(rows), tokens

    def located_tokens(self, text: str) -> tuple[TokenIds, list[tuple[int, int]]]:
        """The tokens of a text in order, and from where to where in the text each one stands."""
        encoding = self._tokenizer.encode(text[:TEXT_CHARS_MAX], add_special_tokens=False)
        return np.asarray(encoding.ids, dtype=np.uint16), encoding.offsets

    def text_of(self, ids: TokenIds) -> str:
        """The text that tokens stand for."""
        return self._tokenizer.decode(ids.tolist())

    def token_vectors(self, ids: TokenIds) -> Floats:
        """One row per token, as long as the token is telling."""
        rows = self._table[ids]
        return rows["steps"].astype(np.float32) * rows["step"][:, None]

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has, repeats included; what no vector is made of counts as
        well.
        """
        encodings = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [len(encoding.ids) for encoding in encodings]

    def _encoded(self, texts: Sequence[str]) -> list[TokenIds]:
        cut = [text[:TEXT_CHARS_MAX] for text in texts]
        if len(cut) == 1:  # A batch starts threads, which one question is not worth.
            return [self.located_tokens(cut[0])[0]]
        encodings = self._tokenizer.encode_batch_fast(cut, add_special_tokens=False)
        return [np.asarray(encoding.ids, dtype=np.uint16) for encoding in encodings]


def _lengths(rows: Floats) -> Floats:
    return np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-9))
