"""Semantic similarity: the vectors of a bank, and their tokens, compared with a question.

A stored vector has two parts: the text's vector as half floats, then the ids of its tokens in
order. With it the store keeps a sketch of a few bits. This process holds the sketches of the banks
it searches, a bank at a time, and catches up with the store before each search. Sketches find
candidates; their vectors, read from the store, give the exact similarity.
"""

import threading
import unicodedata
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from commonplace import reserved_metadata
from commonplace.language import analyzer
from commonplace.language.analyzer import Word
from commonplace.models.embedder import Embedder, Floats, TokenCounter, TokenEmbedder, TokenIds
from commonplace.recall import binary_quantization, late_interaction
from commonplace.recall.binary_quantization import Bits, Sketches
from commonplace.recall.late_interaction import (
    QuestionEmbedding,
    Similarities,
    normalize_rows,
    squared_lengths,
)
from commonplace.records.memory import Memory
from commonplace.storage import text_index
from commonplace.storage.database import Database
from commonplace.storage.rows import vector_rows
from commonplace.storage.rows.vector_rows import SketchChanges
from commonplace.storage.text_index import SearchScope

# Over all banks, 73 bytes each. The least recently searched bank is evicted first.
ROWS_MAX = 2_000_000
QUESTION_TOKENS_MAX = 64
# The least that a bank counts, so that thousands of tiny ones are evicted too.
_BANK_ROWS_MIN = 1_000
_BLOCK = 65_536
# So many candidates by sketch contain nearly all of the nearest ten of a million; half as many do
# in a bank that is not large.
_REACH, _LARGE = 400, 100_000
_WIDEN_FACTOR = 16
# A token of a script that the embedder knows has two letters or more; others it spells letter by
# letter, or in bytes.
_LETTERS_MIN = 1.2
# The weight of the most common words; a word that no memory has yet weighs about 7.
_RARE_MIN = 0.3

Encoded: TypeAlias = bytes


class VectorIndex:
    """The vectors of a store as one process sees them. Safe to share between threads."""

    def __init__(self, embedder: Embedder, *, rows_max: int = ROWS_MAX) -> None:
        self._embedder = embedder
        self._lexicon = embedder if isinstance(embedder, TokenEmbedder) else None
        self._rows_max = rows_max
        self._lock = threading.Lock()
        self._banks: OrderedDict[int, Sketches] = OrderedDict()
        self._vector_bytes = 2 * embedder.dimensions
        self._sketch_bytes = binary_quantization.sketch_bytes(embedder.dimensions)

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
        return (
            self._embedder.token_counts(texts) if isinstance(self._embedder, TokenCounter) else None
        )

    def encode(self, memories: Sequence[Memory]) -> list[Encoded]:
        """Memories as the store keeps them: what their titles, texts and labels mean."""
        if not memories:
            return []
        texts = [_embedded_text(memory) for memory in memories]
        if self._lexicon is None:
            return [row.tobytes() for row in self._embedder.embed(texts).astype(np.float16)]
        rows, tokens = self._lexicon.embed_with_tokens(texts)
        return [
            row.tobytes() + ids.tobytes()
            for row, ids in zip(rows.astype(np.float16), tokens, strict=True)
        ]

    def embed_question(
        self, question: str, rareness: Mapping[str, float] | None = None
    ) -> QuestionEmbedding:
        """An embedded question. Words that are rare in the store have more weight, where `rareness`
        is given.
        """
        if self._lexicon is None:
            return QuestionEmbedding(self._embedder.embed([question])[0], None, None)
        plain = unicodedata.normalize("NFKC", question)
        tokens, places = self._lexicon.tokens_with_offsets(plain)
        rare = token_rareness(tokens, places, analyzer.question_words(plain), rareness)
        rows = self._lexicon.token_vectors(tokens)
        whole = normalize_rows((np.sqrt(rare)[:, np.newaxis] * rows).sum(axis=0, keepdims=True))[0]
        _, first = np.unique(tokens, return_index=True)
        weights = (rare * squared_lengths(rows))[first]
        heaviest = np.argsort(-weights, kind="stable")[:QUESTION_TOKENS_MAX]
        is_spelt = len("".join(plain.split())) < _LETTERS_MIN * len(tokens)
        return QuestionEmbedding(
            whole, normalize_rows(rows[first][heaviest]), weights[heaviest], is_spelt
        )

    def sketch(self, encoded: Sequence[Encoded]) -> list[bytes]:
        """A sketch of each stored vector."""
        return (
            [row.tobytes() for row in binary_quantization.sketch_vectors(self._rows(encoded))]
            if encoded
            else []
        )

    def nearest(
        self, db: Database, within: SearchScope, embedding: QuestionEmbedding, limit: int
    ) -> list[int]:
        """The memories nearest to a question among those a filter means, nearest first; of equals
        the newer.
        """
        held = self._sketches_of(within.bank_id)
        with held.lock:
            self._catch_up(db, within.bank_id, held)
            view = held.view()
        question = binary_quantization.question_planes(embedding.vector)
        reach = max(_REACH if len(view.ids) > _LARGE else _REACH // 2, 2 * limit)
        led = text_index.ids_from_index(db, within)
        if led is not None:
            # An index leads to what the filter can mean, so the nearest of those are tried.
            candidates = view.nearest_among(question, reach, _parse_ids(led))
            found = _filter_ids(db, within, self._rank_by_vector(db, within, embedding, candidates))
            if len(found) >= limit or len(candidates) < reach:
                return found[:limit]
        else:
            candidates = view.nearest(question, reach, within.chosen.status)
            best = self._rank_by_vector(db, within, embedding, candidates)
            if len(best) < len(candidates) and self._drop_purged(db, within.bank_id, held):
                view = held.view()
                best = self._rank_by_vector(
                    db, within, embedding, view.nearest(question, reach, within.chosen.status)
                )
            best = best[: 2 * limit]
            # Most filters let most memories through, so the nearest of all are tried.
            found = _filter_ids(db, within, best)
            if len(found) >= limit or len(best) < 2 * limit:
                return found[:limit]
            # Then as many more as should hold enough, were they all like these.
            wider_reach = 3 * limit * len(best) // max(1, len(found))
            if wider_reach <= reach * _WIDEN_FACTOR:
                wider = _filter_ids(
                    db,
                    within,
                    view.nearest(question, max(reach, wider_reach), within.chosen.status),
                )
                if len(wider) >= 2 * limit:
                    return self._rank_by_vector(db, within, embedding, wider[:reach])[:limit]
        every = view.nearest_among(question, reach, _parse_ids(text_index.matching_ids(db, within)))
        return self._rank_by_vector(db, within, embedding, every)[:limit]

    def _rank_by_vector(
        self,
        db: Database,
        within: SearchScope,
        embedding: QuestionEmbedding,
        numbers: Sequence[int],
    ) -> list[int]:
        """Candidates in the order of their vectors, the newer first where two are equal. A
        memory without a vector is left out.
        """
        stored = vector_rows.vectors_of(db, within.bank_id, self.name, numbers, self._vector_bytes)
        if not stored:
            return []
        near = zip(self._cosines(embedding, list(stored.values())), stored, strict=True)
        return [number for _, number in sorted(near, reverse=True)]

    def prepare_query(self, question: str, rareness: Mapping[str, float]) -> "VectorQuery":
        """A question, ready to be held against this store's vectors."""
        return VectorQuery(self, self.embed_question(question, rareness))

    def text_similarities(self, embedding: QuestionEmbedding, texts: Sequence[str]) -> list[float]:
        """The similarity of texts that are not stored to a question, as a whole."""
        return (self._embedder.embed(texts) @ embedding.vector).tolist()

    def similarities(
        self, embedding: QuestionEmbedding, encoded: Sequence[Encoded]
    ) -> Similarities:
        """The similarities of stored vectors to a question."""
        texts = [self._tokens(row) for row in encoded] if self._lexicon else None
        return late_interaction.compute_similarities(
            embedding, self._rows(encoded), texts, self._lexicon
        )

    def excerpt(self, embedding: QuestionEmbedding, encoded: Encoded) -> str:
        """What comes nearest to a question in a stored text; nothing where tokens are not known."""
        if self._lexicon is None:
            return ""
        return self._lexicon.decode(
            late_interaction.best_passage(embedding, self._tokens(encoded), self._lexicon)
        )

    def _cosines(self, embedding: QuestionEmbedding, encoded: Sequence[Encoded]) -> list[float]:
        return (self._rows(encoded) @ embedding.vector).tolist()

    def _tokens(self, encoded: Encoded) -> TokenIds:
        return np.frombuffer(encoded, dtype=np.uint16, offset=self._vector_bytes)

    def _rows(self, encoded: Sequence[Encoded]) -> Floats:
        joined = b"".join(row[: self._vector_bytes] for row in encoded)
        halves: NDArray[np.float16] = np.frombuffer(joined, dtype=np.float16)
        return halves.reshape(len(encoded), self._embedder.dimensions).astype(np.float32)

    def _sketches_of(self, bank_id: int) -> Sketches:
        with self._lock:
            if bank_id not in self._banks:
                self._banks[bank_id] = Sketches(self._embedder.dimensions)
                rows = sum(max(_BANK_ROWS_MIN, len(held)) for held in self._banks.values())
                while rows > self._rows_max and len(self._banks) > 1:
                    rows -= max(_BANK_ROWS_MIN, len(self._banks.popitem(last=False)[1]))
            self._banks.move_to_end(bank_id)
            return self._banks[bank_id]

    def _changes_since(self, db: Database, bank_id: int, seq: int) -> SketchChanges | None:
        return vector_rows.changes_after(
            db, bank_id, self.name, seq, size=self._sketch_bytes, limit=_BLOCK
        )

    def _catch_up(self, db: Database, bank_id: int, sketches: Sketches) -> None:
        high_water_mark = vector_rows.high_water_mark(db)
        if db.in_transaction or high_water_mark <= sketches.high_water_mark:
            # What is written in a transaction may yet be taken back, and others would then get the
            # same numbers. And who reads an older state than another thread has read leaves things
            # as they are.
            return
        while changes := self._changes_since(db, bank_id, sketches.seq):
            ids, sizes = _parse_ids(changes.ids), _parse_ids(changes.sizes)
            counts = sizes // self._sketch_bytes
            sketches.drop(ids[counts == 0])
            rows: Bits = np.frombuffer(changes.sketches, dtype=np.uint64).reshape(
                -1, self._sketch_bytes // 8
            )
            live = _parse_ids(changes.live) > 0
            sketches.put(np.repeat(ids, counts), np.repeat(live, counts), rows)
            sketches.seq = changes.seq
        sketches.high_water_mark = high_water_mark

    def _drop_purged(self, db: Database, bank_id: int, sketches: Sketches) -> bool:
        """Let go of purged vectors; whether there may have been any. They leave no trace to read,
        so what is held is compared with what is there: only once one of them is met, because
        comparing a million takes its time.
        """
        purge_count = vector_rows.purge_count(db, bank_id)
        with sketches.lock:
            if (
                db.in_transaction
                or purge_count <= sketches.purge_count
                or vector_rows.high_water_mark(db) < sketches.high_water_mark
            ):
                return False
            sketches.drop_others(_parse_ids(vector_rows.all_ids(db, bank_id)))
            sketches.purge_count = purge_count
            return True


@dataclass(frozen=True, slots=True)
class VectorQuery:
    """A question as the embedder of a store understands it."""

    index: VectorIndex
    embedding: QuestionEmbedding

    def nearest(self, db: Database, within: SearchScope, limit: int) -> list[int]:
        """The memories nearest to the question among those a filter means, nearest first."""
        return self.index.nearest(db, within, self.embedding, limit)

    def text_similarities(self, texts: Sequence[str]) -> list[float]:
        """The similarity of texts that are not stored to the question."""
        return self.index.text_similarities(self.embedding, texts)

    def similarities(self, encoded: Sequence[Encoded]) -> Similarities:
        """The similarities of stored vectors to the question."""
        return self.index.similarities(self.embedding, encoded)

    def excerpt(self, encoded: Encoded) -> str:
        """What comes nearest to the question in a stored text; nothing where tokens are not
        known.
        """
        return self.index.excerpt(self.embedding, encoded)


def token_rareness(
    tokens: TokenIds,
    places: Sequence[tuple[int, int]],
    words: Sequence[Word],
    rareness: Mapping[str, float] | None,
) -> Floats:
    """How rare the word is that each token belongs to; a token that is there twice is as rare as
    its rarest word.
    """
    if rareness is None:
        return np.ones(len(tokens), dtype=np.float32)
    found: dict[int, float] = {}
    of_words = [
        max((rareness.get(term, 0.0) for term in word.terms), default=0.0) for word in words
    ]
    starts, ends = [word.start for word in words], [word.end for word in words]
    for token, (start, end) in zip(tokens.tolist(), places, strict=True):
        touched = of_words[bisect_right(ends, start) : bisect_left(starts, end)]
        found[token] = max(found.get(token, _RARE_MIN), *touched, 0.0)
    return np.asarray([found[token] for token in tokens.tolist()], dtype=np.float32)


def _filter_ids(db: Database, within: SearchScope, numbers: Sequence[int]) -> list[int]:
    allowed = text_index.filter_ids(db, within.bank_id, numbers, within.chosen, within.now)
    return [number for number in numbers if number in allowed]


def _embedded_text(memory: Memory) -> str:
    # A digest or a number among the labels would be half of what a short text means.
    names = reserved_metadata.aliases(memory.metadata)
    labels = analyzer.plain_words(" ".join((*memory.tags, memory.key, memory.category, *names)))
    return "\n".join(part for part in (memory.title, memory.text, labels) if part)


def _parse_ids(joined: str) -> NDArray[np.int64]:
    return np.fromstring(joined, dtype=np.int64, sep=" ")
