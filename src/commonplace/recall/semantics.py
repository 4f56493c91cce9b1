"""Nearness in meaning: what a bank's vectors, and the tokens in them, say about a question.

A stored vector is made of two parts: the text's vector as half floats, then the ids of its tokens. The first half of
each vector's dimensions is also kept in this process, a bank at a time, and catches up with the store before each
search: it picks the candidates, and their whole vectors, read from the store, say how near they are.
"""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from commonplace.models.embedder import Embedder, Floats, Lexicon, TokenIds, Tokenizing
from commonplace.recall.sketches import Sketches, unit
from commonplace.records import Memory, Status
from commonplace.storage import vectors
from commonplace.storage.database import Database

ROWS_MAX = 500_000  # Over all banks; 512 bytes each. The bank that was not asked for longest goes first.
QUESTION_TOKENS_MAX = 64
_BLOCK = 16_384

Encoded: TypeAlias = bytes


@dataclass(frozen=True, slots=True)
class Meaning:
    """A question, embedded once."""

    vector: Floats
    token_vectors: Floats | None
    token_weights: Floats | None


@dataclass(frozen=True, slots=True)
class Nearness:
    """How near a memory is to a question: as a whole, and token by token. 1 is the same, 0 is unrelated."""

    vector: float
    tokens: float


class Semantics:
    """The vectors of a store as one process sees them. Safe to share between threads."""

    def __init__(self, embedder: Embedder, *, rows_max: int = ROWS_MAX) -> None:
        self._embedder = embedder
        self._lexicon = embedder if isinstance(embedder, Lexicon) else None
        self._rows_max = rows_max
        self._lock = threading.Lock()
        self._banks: OrderedDict[int, Sketches] = OrderedDict()
        self._vector_bytes = 2 * embedder.dimensions
        self._sketch_dimensions = max(1, embedder.dimensions // 2)

    @property
    def name(self) -> str:
        """The name of the embedder."""
        return self._embedder.name

    def count(self, bank_id: int) -> int:
        """How many vectors of a bank this process holds."""
        with self._lock:
            return len(self._banks.get(bank_id, ()))

    def token_counts(self, texts: Sequence[str]) -> list[int] | None:
        """How many tokens each text has; None when the embedder has no tokenizer."""
        return self._embedder.token_counts(texts) if isinstance(self._embedder, Tokenizing) else None

    def encode(self, memories: Sequence[Memory]) -> list[Encoded]:
        """Memories as the store keeps them: what their titles, texts and labels mean."""
        if not memories:
            return []
        texts = [_passage(memory) for memory in memories]
        if self._lexicon is None:
            return [row.tobytes() for row in self._embedder.embed(texts).astype(np.float16)]
        rows, tokens = self._lexicon.embed_with_tokens(texts)
        return [row.tobytes() + ids.tobytes() for row, ids in zip(rows.astype(np.float16), tokens, strict=True)]

    def meaning(self, question: str) -> Meaning:
        """A question, ready to be compared."""
        if self._lexicon is None:
            return Meaning(self._embedder.embed([question])[0], None, None)
        rows, tokens = self._lexicon.embed_with_tokens([question])
        found = self._lexicon.token_vectors(tokens[0])
        weights = _squares(found)
        heaviest = np.argsort(-weights, kind="stable")[:QUESTION_TOKENS_MAX]
        return Meaning(rows[0], unit(found[heaviest]), weights[heaviest])

    def nearest(
        self, db: Database, bank_id: int, meaning: Meaning, limit: int, among: Status | Sequence[int]
    ) -> list[int]:
        """The memories nearest to a question, nearest first, among all with a status or among those with some ids."""
        sketch = unit(meaning.vector[np.newaxis, : self._sketch_dimensions])[0]
        sketches = self._sketches(bank_id)
        with sketches.lock:
            self._catch_up(db, bank_id, sketches)
            return sketches.nearest(sketch, limit, among)

    def nearness(self, meaning: Meaning, encoded: Sequence[Encoded]) -> list[Nearness]:
        """How near each stored vector is to a question."""
        if not encoded:
            return []
        cosines = self._cosines(meaning, encoded)
        closeness = self._closeness(meaning, encoded) if self._lexicon else cosines
        return [Nearness(max(0.0, c), max(0.0, t)) for c, t in zip(cosines, closeness, strict=True)]

    def _cosines(self, meaning: Meaning, encoded: Sequence[Encoded]) -> list[float]:
        joined = b"".join(row[: self._vector_bytes] for row in encoded)
        rows = np.frombuffer(joined, dtype=np.float16).reshape(len(encoded), -1).astype(np.float32)
        return (rows @ meaning.vector).tolist()

    def _closeness(self, meaning: Meaning, encoded: Sequence[Encoded]) -> list[float]:
        """The mean, over a question's tokens, of the similarity to the nearest token of a text, heavy tokens more."""
        question, weights = meaning.token_vectors, meaning.token_weights
        texts = [np.frombuffer(row, dtype=np.uint16, offset=self._vector_bytes) for row in encoded]
        filled = [place for place, ids in enumerate(texts) if len(ids)]
        out = np.zeros(len(texts), dtype=np.float32)
        if self._lexicon is None or question is None or weights is None or not len(weights) or not filled:
            return out.tolist()
        every: TokenIds = np.concatenate([texts[place] for place in filled])
        vocabulary, columns = np.unique(every, return_inverse=True)
        known = self._lexicon.token_vectors(vocabulary)
        similar = (known @ question.T) / np.sqrt(_squares(known) + np.float32(1e-9))[:, np.newaxis]
        starts = np.cumsum([0] + [len(texts[place]) for place in filled[:-1]])
        nearest = np.maximum.reduceat(similar[columns], starts, axis=0)
        out[filled] = nearest @ (weights / weights.sum())
        return out.tolist()

    def _sketches(self, bank_id: int) -> Sketches:
        with self._lock:
            sketches = self._banks.setdefault(bank_id, Sketches(self._sketch_dimensions))
            self._banks.move_to_end(bank_id)
            held = sum(len(other) for other in self._banks.values())
            while held > self._rows_max and len(self._banks) > 1:
                held -= len(self._banks.popitem(last=False)[1])
            return sketches

    def _catch_up(self, db: Database, bank_id: int, sketches: Sketches) -> None:
        if db.in_transaction:
            # What is written here may yet be taken back, and others would then get the same numbers.
            return
        purge_count = vectors.purge_count(db, bank_id)
        if purge_count > sketches.purge_count:
            # A purged vector leaves no trace to read, so what is held is compared with what is there.
            sketches.keep(vectors.all_ids(db, bank_id))
            sketches.purge_count = purge_count
        size = 2 * self._sketch_dimensions
        while vectors.newest(db, bank_id) > sketches.seq:
            changes = vectors.newer(db, bank_id, self.name, sketches.seq, size=size, limit=_BLOCK)
            sketches.drop([change.memory_id for change in changes if change.vector is None])
            kept = [(change.memory_id, change.live, change.vector) for change in changes if change.vector is not None]
            if kept:
                ids, live, rows = zip(*kept, strict=True)
                sketches.put(ids, live, _half_floats(rows, self._sketch_dimensions))
            sketches.seq = changes[-1].seq


def _passage(memory: Memory) -> str:
    labels = " ".join((*memory.tags, memory.key, memory.category)).strip()
    return "\n".join(part for part in (memory.title, memory.text, labels) if part)


def _squares(rows: Floats) -> Floats:
    return np.einsum("ij,ij->i", rows, rows)


def _half_floats(rows: Sequence[bytes], dimensions: int) -> Floats:
    halves: NDArray[np.float16] = np.frombuffer(b"".join(rows), dtype=np.float16)
    return unit(halves.reshape(len(rows), dimensions).astype(np.float32))
