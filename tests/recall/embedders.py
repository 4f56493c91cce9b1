"""Embedders for tests: no weights, the same answer every time."""

import hashlib
from collections.abc import Sequence

import numpy as np

from commonplace.language import analyzer
from commonplace.models.embedder import Floats


class HashEmbedder:
    """Each term points somewhere; a text is the sum. Knows no meaning, only which terms are
    shared.
    """

    def __init__(self, name: str = "hash-64", dimensions: int = 64) -> None:
        self.name = name
        self.dimensions = dimensions

    def embed(self, texts: Sequence[str]) -> Floats:
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, words in zip(rows, map(analyzer.terms, texts), strict=True):
            for word in words:
                row += self._direction(word)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-9))

    def _direction(self, word: str) -> Floats:
        seed = int.from_bytes(hashlib.sha256(f"{self.name} {word}".encode()).digest()[:8], "little")
        return np.random.default_rng(seed).standard_normal(self.dimensions).astype(np.float32)
