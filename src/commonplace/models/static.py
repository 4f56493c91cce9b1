"""The embedder that arrives with the installation: one table of token vectors; a text is the mean of its tokens.

The table and the tokenizer are data files inside the package `wordllama`, whose code is never run. Nothing is ever
downloaded. Training gave common tokens short vectors, so that a plain mean already weighs words by what they say.
"""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from commonplace.errors import Unsupported
from commonplace.models import weights
from commonplace.models.embedder import Floats, TokenIds

TEXT_CHARS_MAX = 20_000  # The mean of more than this many characters hardly moves.
TOKENS_MAX = 4_000
_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_TENSOR = "embedding.weight"


class StaticEmbedder:
    """Vectors by looking up and adding: 20,000 short texts a second, no model to wait for. Safe to share."""

    name = "wordllama-l2-supercat-256, tokens in order"

    def __init__(self, package: str = "wordllama") -> None:
        folder = weights.folder_of(package, _WEIGHTS, _TOKENIZER)
        if folder is None:
            raise Unsupported(
                "The embedding weights are not installed.",
                hint="Run `make` again to install them, or set COMMONPLACE_EMBEDDER to none for keyword search only.",
            )
        # Mapped, not read: only the tokens in use take up memory.
        self._table = _mapped(folder / _WEIGHTS)
        self._tokenizer = Tokenizer.from_file(str(folder / _TOKENIZER))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()

    @property
    def dimensions(self) -> int:
        """How long a vector is."""
        return int(self._table.shape[1])

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
        return self._table[ids].astype(np.float32)

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has, repeats included; what no vector is made of counts as well."""
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


def _mapped(path: Path) -> NDArray[np.float16]:
    """The one table in a safetensors file: eight bytes of length, a JSON header, the numbers."""
    with path.open("rb") as file:
        header_bytes = int.from_bytes(file.read(8), "little")
        entry = json.loads(file.read(header_bytes))[_TENSOR]
    if entry["dtype"] != "F16":
        raise Unsupported("The embedding weights have an unknown form.", hint="Run `make` again to reinstall them.")
    start = 8 + header_bytes + int(entry["data_offsets"][0])
    rows, columns = entry["shape"]
    return np.asarray(np.memmap(path, dtype=np.float16, mode="r", offset=start, shape=(int(rows), int(columns))))
