"""The similarity of memories to a question: as a whole, token by token, and with their
surroundings.

A text comes as its vector and its tokens in order. All tokens of a long text together match many
questions by chance, so its best passage and its best section count beside the whole.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from commonplace.models.embedder import Floats, TokenEmbedder, TokenIds

_DEGREE_WIDTH = 0.15  # The width of a degree of similarity.
# A passage is two blocks, so that a sentence cut at the end of one passage is whole in the next; a
# section is six.
BLOCK_TOKENS = 24
EXCERPT_TOKENS = 72  # A passage, and half a block on either side, so that its sentences are whole.


@dataclass(frozen=True, slots=True)
class QuestionEmbedding:
    """A question, embedded once."""

    vector: Floats
    token_vectors: Floats | None
    token_weights: Floats | None
    is_character_level: bool = (
        False  # Its tokens are letters, or parts of them, which mean next to nothing by themselves.
    )


@dataclass(frozen=True, slots=True)
class Similarities:
    """The similarities of some memories to a question, a row each; 1 is the same, 0 unrelated."""

    vector: Floats
    tokens: Floats
    passage: Floats
    section: Floats
    # What these come from: the vectors, and for each token of the question the nearest token of
    # each text.
    rows: Floats
    nearest_tokens: Floats
    embedding: QuestionEmbedding

    def with_surroundings(
        self, positions: Mapping[int, int], windows: Mapping[int, Sequence[tuple[int, int]]]
    ) -> dict[int, tuple[float, float]]:
        """The vector and token similarities of memories together with those around them, which
        count less with their distance.
        """
        width = 1 + max(map(len, windows.values()))
        rows: NDArray[np.intp] = np.zeros((len(windows), width), dtype=np.intp)
        shares: Floats = np.zeros((len(windows), width), dtype=np.float32)
        for row, (number, window) in enumerate(windows.items()):
            # A place that is not there repeats the memory's own and counts nothing.
            rows[row], shares[row, 0] = positions[number], 1.0
            for column, (other, distance) in enumerate(window, 1):
                rows[row, column], shares[row, column] = positions[other], 1 / (distance + 1)
        joined = (
            normalize_rows(np.einsum("nwd,nw->nd", self.rows[rows], shares)) @ self.embedding.vector
        )
        tokens = self._weighted_mean(self.nearest_tokens[rows].max(axis=1))
        return dict(zip(windows, zip(joined.tolist(), tokens.tolist(), strict=True), strict=True))

    def of(self, position: int) -> tuple[float, float, float, float]:
        """The similarities of one memory: as a whole, of its tokens, of its best passage and of its
        best section.
        """
        return (
            float(self.vector[position]),
            float(self.tokens[position]),
            float(self.passage[position]),
            float(self.section[position]),
        )

    def extend(self, other: "Similarities") -> "Similarities":
        """These memories, then others."""
        return Similarities(
            np.concatenate([self.vector, other.vector]),
            np.concatenate([self.tokens, other.tokens]),
            np.concatenate([self.passage, other.passage]),
            np.concatenate([self.section, other.section]),
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.nearest_tokens, other.nearest_tokens]),
            self.embedding,
        )

    def token_reach(self, chosen: Sequence[int], degrees: Sequence[float]) -> list[list[float]]:
        """Which share of the question's tokens some of them reach, at several degrees; nothing
        without tokens.
        """
        if self.embedding.token_weights is None:
            return []
        near = self.nearest_tokens[list(chosen)]
        # Softly, because a token that is a little less near is not missed altogether.
        found = [
            self._weighted_mean(np.clip((near - degree) / _DEGREE_WIDTH + 0.5, 0, 1))
            for degree in degrees
        ]
        return np.stack(found, axis=1).tolist()

    def similarity_matrix(self, chosen: Sequence[int], others: Sequence[int]) -> list[list[float]]:
        """The similarity of some memories to others, a row for each of the first."""
        return (self.rows[list(chosen)] @ self.rows[list(others)].T).tolist()

    def similarity_to_others(self, chosen: Sequence[int], shares: Sequence[float]) -> list[float]:
        """The similarity of each memory to the others, which count by their shares; what all have
        in common does not count.
        """
        rows = self.rows[list(chosen)]
        rows = normalize_rows(rows - rows.mean(axis=0))
        alike = rows @ rows.T
        np.fill_diagonal(alike, 0)
        return (alike @ np.asarray(shares, dtype=np.float32)).tolist()

    def _weighted_mean(self, nearest: Floats) -> Floats:
        weights = self.embedding.token_weights
        if weights is None or not len(weights):
            return nearest.mean(axis=1)
        return nearest @ (weights / weights.sum())


def compute_similarities(
    embedding: QuestionEmbedding,
    rows: Floats,
    texts: Sequence[TokenIds] | None,
    lexicon: TokenEmbedder | None,
) -> Similarities:
    """The similarity of texts to a question; without tokens only as a whole."""
    cosines = np.maximum(rows @ embedding.vector, 0)
    question, weights = embedding.token_vectors, embedding.token_weights
    if texts is None or lexicon is None or question is None or weights is None:
        nearest = cosines[:, np.newaxis]
        return Similarities(cosines, cosines, cosines, cosines, rows, nearest, embedding)
    nearest = np.zeros((len(texts), len(weights)), dtype=np.float32)
    tokens = np.zeros(len(texts), dtype=np.float32)
    windows = np.zeros((2, len(texts)), dtype=np.float32)
    filled = _filled_positions(texts)
    if filled and len(weights):
        shares = weights / weights.sum()
        blocks, owners = _nearest_per_block(lexicon, question, [texts[place] for place in filled])
        starts = np.searchsorted(owners, np.arange(len(filled)))
        nearest[filled] = np.maximum.reduceat(blocks, starts, axis=0)
        tokens = nearest @ shares
        windows[:, filled] = _best_windows(blocks, owners, starts, shares)
    passages, sections = np.maximum(windows, 0)
    return Similarities(
        cosines, np.maximum(tokens, 0), passages, sections, rows, nearest, embedding
    )


def _filled_positions(texts: Sequence[TokenIds]) -> list[int]:
    """The positions of the texts that have any tokens."""
    return [position for position, ids in enumerate(texts) if len(ids)]


def _best_windows(
    blocks: Floats, owners: NDArray[np.intp], starts: NDArray[np.intp], shares: Floats
) -> Floats:
    """The best passage and the best section of each text: windows of two and of six blocks."""
    twos = _merge_blocks(blocks, blocks, owners, 1)
    sixes = _merge_blocks(_merge_blocks(twos, twos, owners, 2), twos, owners, 4)
    return np.stack([np.maximum.reduceat(each @ shares, starts) for each in (twos, sixes)])


def best_passage(embedding: QuestionEmbedding, ids: TokenIds, lexicon: TokenEmbedder) -> TokenIds:
    """The passage of a text that comes nearest to a question, with a little of what stands around
    it.
    """
    question, weights = embedding.token_vectors, embedding.token_weights
    if question is None or weights is None or not len(weights) or len(ids) <= EXCERPT_TOKENS:
        return ids[:EXCERPT_TOKENS]
    blocks, owners = _nearest_per_block(lexicon, question, [ids])
    first = int(np.argmax(_merge_blocks(blocks, blocks, owners, 1) @ weights)) * BLOCK_TOKENS
    start = max(0, min(first - (EXCERPT_TOKENS - 2 * BLOCK_TOKENS) // 2, len(ids) - EXCERPT_TOKENS))
    return ids[start : start + EXCERPT_TOKENS]


def normalize_rows(rows: Floats) -> Floats:
    """The same directions, with length one; what has no direction stays zero."""
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-9))


def squared_lengths(rows: Floats) -> Floats:
    """The square of each row's length."""
    return np.einsum("ij,ij->i", rows, rows)


def _merge_blocks(blocks: Floats, others: Floats, owners: NDArray[np.intp], step: int) -> Floats:
    """Each block with the other one so many steps further on, unless that one is of the next
    text.
    """
    joined = blocks.copy()
    same = owners[:-step] == owners[step:]
    joined[:-step][same] = np.maximum(blocks[:-step][same], others[step:][same])
    return joined


def _nearest_per_block(
    lexicon: TokenEmbedder, question: Floats, texts: Sequence[TokenIds]
) -> tuple[Floats, NDArray[np.intp]]:
    """For each block of each text and each token of the question, the nearest token; and whose
    block it is.
    """
    vocabulary, columns = np.unique(np.concatenate(texts), return_inverse=True)
    known = lexicon.token_vectors(vocabulary)
    similar = (known @ question.T) / np.sqrt(squared_lengths(known) + np.float32(1e-9))[
        :, np.newaxis
    ]
    starts: list[int] = []
    owners: list[int] = []
    begun = 0
    for place, ids in enumerate(texts):
        own = range(begun, begun + len(ids), BLOCK_TOKENS)
        starts += own
        owners += [place] * len(own)
        begun += len(ids)
    return np.maximum.reduceat(similar[columns], starts, axis=0), np.asarray(owners, dtype=np.intp)
