"""The short vectors of one bank, in this process's memory, in blocks that never move as the bank grows."""

import threading
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from commonplace.models.embedder import Floats
from commonplace.records import Status

_BLOCK_ROWS = 4_096


class Sketches:
    """Vectors by memory id, scanned whole: exact, and fast to hundreds of thousands. Hold `lock` while using them."""

    def __init__(self, dimensions: int) -> None:
        self.lock = threading.Lock()
        self.seq = 0
        self.purge_count = 0
        self._dimensions = dimensions
        self._blocks: list[Floats] = []
        self._ids: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._live: NDArray[np.bool_] = np.empty(0, dtype=np.bool_)
        self._places: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._places)

    def put(self, ids: Sequence[int], live: Sequence[bool], rows: Floats) -> None:
        """Add or replace vectors, each of length one, of memories that are live or forgotten."""
        for number, alive, row in zip(ids, live, rows, strict=True):
            place = self._places.setdefault(number, len(self._places))
            if place >= len(self._ids):
                self._blocks.append(np.empty((_BLOCK_ROWS, self._dimensions), dtype=np.float32))
                self._ids = np.concatenate([self._ids, np.empty(_BLOCK_ROWS, dtype=np.int64)])
                self._live = np.concatenate([self._live, np.empty(_BLOCK_ROWS, dtype=np.bool_)])
            self._blocks[place // _BLOCK_ROWS][place % _BLOCK_ROWS] = row
            self._ids[place], self._live[place] = number, alive

    def drop(self, ids: Iterable[int]) -> None:
        """Let go of vectors; the last one moves into each gap."""
        for number in ids:
            place = self._places.pop(number, None)
            last = len(self._places)
            if place is not None and place != last:
                self._blocks[place // _BLOCK_ROWS][place % _BLOCK_ROWS] = self._row(last)
                self._ids[place], self._live[place] = self._ids[last], self._live[last]
                self._places[int(self._ids[last])] = place

    def keep(self, ids: Iterable[int]) -> None:
        """Let go of every vector but these."""
        self.drop(self._places.keys() - set(ids))

    def nearest(self, vector: Floats, limit: int, among: Status | Sequence[int]) -> list[int]:
        """The ids of the nearest vectors, nearest first; of equals the newer."""
        count = len(self._places)
        scores = np.empty(count, dtype=np.float32)
        for start in range(0, count, _BLOCK_ROWS):
            end = min(start + _BLOCK_ROWS, count)
            np.dot(self._blocks[start // _BLOCK_ROWS][: end - start], vector, out=scores[start:end])
        ids = self._ids[:count]
        if isinstance(among, str):
            if among != "any":
                scores[self._live[:count] != (among == "live")] = -np.inf
        else:
            chosen = np.array([self._places[number] for number in among if number in self._places], dtype=np.int64)
            scores, ids = scores[chosen], ids[chosen]
        if len(scores) > limit:
            top = np.argpartition(scores, -limit)[-limit:]
            scores, ids = scores[top], ids[top]
        found = np.isfinite(scores)
        scores, ids = scores[found], ids[found]
        return ids[np.lexsort((-ids, -scores))].tolist()

    def _row(self, place: int) -> Floats:
        return self._blocks[place // _BLOCK_ROWS][place % _BLOCK_ROWS]


def unit(rows: Floats) -> Floats:
    """The same directions, with length one; what has no direction stays zero."""
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-9))
