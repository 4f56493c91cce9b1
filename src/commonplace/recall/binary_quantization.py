"""The sketches of one bank, in this process's memory: two bits for each number of a vector, scanned
whole.

A number becomes one of four steps, written as 2a + b with a and b either 1 or -1: a is its sign, b
says whether it is large or small for its vector. A question's numbers become sixteen steps in the
same way. How near two vectors are is then a matter of counting the bits in which they differ, which
processors do many millions of times a second.

The signs alone pick one in forty, all bits the best of those. What is picked is still to be
compared in full.
"""

import threading
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from commonplace.models.embedder import Floats
from commonplace.records.query import Status

Bits: TypeAlias = NDArray[np.uint64]
Ids: TypeAlias = NDArray[np.int64]
Positions: TypeAlias = NDArray[np.intp]

_PLANES, _QUESTION_PLANES = 2, 4
_WORD = 64
_DROPPED, _LIVE, _FORGOTTEN = 0, 1, 2
_STATES = {"live": _LIVE, "forgotten": _FORGOTTEN}
_SCAN_ROWS = 16_384  # As many as a processor's cache holds with all that is worked out about them.
_KEEP_SHARE, _KEEP_MIN = 40, 4_096
_ROWS_MIN = 64


def word_count(dimensions: int) -> int:
    """How many 64-bit words hold one bit for each number of a vector."""
    return -(-dimensions // _WORD)


def sketch_bytes(dimensions: int) -> int:
    """How many bytes a sketch has."""
    return _PLANES * word_count(dimensions) * 8


def sketch_vectors(rows: Floats) -> Bits:
    """One sketch per vector: a row of words, first the signs."""
    signs = rows > 0
    large = np.abs(rows) > np.abs(rows).mean(axis=1, keepdims=True)
    return np.hstack([_pack_bits(signs), _pack_bits(signs == large)])


def question_planes(vector: Floats) -> Bits:
    """A question's vector as planes of bits, each worth twice the one before; the last holds the
    signs.
    """
    steps_max = 2**_QUESTION_PLANES - 1
    unit_size = max(float(np.abs(vector).max()) / steps_max, 1e-9)
    # Odd numbers from -15 to 15, moved to 0 to 15, so that their bits are the planes.
    steps = np.clip(
        np.floor(vector / (2 * unit_size)).astype(np.int64) + (steps_max + 1) // 2, 0, steps_max
    )
    return np.stack(
        [_pack_bits((steps >> plane & 1 == 1)[np.newaxis])[0] for plane in range(_QUESTION_PLANES)]
    )


@dataclass(frozen=True, slots=True)
class SketchView:
    """The sketches at one moment: what comes later is not in it, so that it can be scanned without
    holding a lock.
    """

    planes: Bits
    ids: Ids
    states: NDArray[np.uint8]

    def nearest(self, question: Bits, limit: int, status: Status) -> list[int]:
        """The memories nearest to a question among all with a status, nearest first; of equals the
        newer.
        """
        differing = self._sign_differences(question[-1])
        if status != "any":
            differing[self.states != _STATES[status]] = len(question[0]) * _WORD + 1
        else:
            differing[self.states == _DROPPED] = len(question[0]) * _WORD + 1
        kept = max(_KEEP_MIN, 8 * limit, len(self.ids) // _KEEP_SHARE)
        most = _WORD * len(question[0])
        counts = np.bincount(differing, minlength=most + 2)[: most + 1].cumsum()
        reach = min(most, int(np.searchsorted(counts, kept)))
        return self._nearest_of(np.flatnonzero(differing <= reach), question, limit)

    def nearest_among(self, question: Bits, limit: int, ids: Ids) -> list[int]:
        """The memories nearest to a question among those with some ids, whatever their status."""
        places = _positions_of(self.ids, np.sort(ids))[0]
        return self._nearest_of(places[self.states[places] != _DROPPED], question, limit)

    def _sign_differences(self, signs: Bits) -> NDArray[np.uint16]:
        out = np.empty(len(self.ids), dtype=np.uint16)
        column = signs[:, np.newaxis]
        for start in range(0, len(out), _SCAN_ROWS):
            chunk = slice(start, start + _SCAN_ROWS)
            np.bitwise_count(self.planes[: len(signs), chunk] ^ column).sum(
                axis=0, dtype=np.uint16, out=out[chunk]
            )
        return out

    def _nearest_of(self, places: Positions, question: Bits, limit: int) -> list[int]:
        width = question.shape[1]
        distances = np.zeros(len(places), dtype=np.int32)
        for start in range(0, len(places), _SCAN_ROWS):
            chunk = slice(start, start + _SCAN_ROWS)
            # Plane by plane, because numpy would first copy all of what does not lie in one piece.
            rows = np.stack([plane.take(places[chunk], mode="clip") for plane in self.planes])
            for plane, weight in ((rows[:width], 2), (rows[width:], 1)):
                for step, part in enumerate(question):
                    differing = np.bitwise_count(plane ^ part[:, np.newaxis]).sum(
                        axis=0, dtype=np.int32
                    )
                    distances[chunk] += (weight << step) * differing
        if len(places) > 2 * limit:
            top = np.argpartition(distances, 2 * limit)[: 2 * limit]
            places, distances = places[top], distances[top]
        ids = self.ids[places]
        ordered = ids[np.lexsort((-ids, distances))]
        # A memory may have several sketches; its nearest one counts.
        return list(dict.fromkeys(ordered.tolist()))[:limit]


class Sketches:
    """Sketches by memory id, in the order of ids. Hold `lock` while using them; a view needs
    none.
    """

    def __init__(self, dimensions: int) -> None:
        self.lock = threading.Lock()
        self.seq = 0
        self.high_water_mark = 0
        self.purge_count = 0
        self._count = 0
        self._planes: Bits = np.empty((_PLANES * word_count(dimensions), 0), dtype=np.uint64)
        self._ids: Ids = np.empty(0, dtype=np.int64)
        self._states: NDArray[np.uint8] = np.empty(0, dtype=np.uint8)

    def __len__(self) -> int:
        return int(np.count_nonzero(self._states[: self._count]))

    def view(self) -> SketchView:
        """What is held now."""
        return SketchView(
            self._planes[:, : self._count], self._ids[: self._count], self._states[: self._count]
        )

    def put(self, ids: Ids, live: NDArray[np.bool_], rows: Bits) -> None:
        """Add or replace the sketches of memories that are live or forgotten; several of one memory
        stand together.
        """
        if not len(ids):
            return
        order = np.argsort(ids, kind="stable")
        ids, rows = ids[order], rows[order]
        states = np.where(live[order], _LIVE, _FORGOTTEN).astype(np.uint8)
        if not self._count or ids[0] > self._ids[self._count - 1]:
            self._append(ids, states, rows)
        elif not self._replace(ids, states, rows):
            self.drop(ids)
            self._merge(ids, states, rows)

    def drop(self, ids: Ids) -> None:
        """Let go of all that some memories have."""
        self._states[_positions_of(self._ids[: self._count], _unique(ids))[0]] = _DROPPED

    def drop_others(self, ids: Ids) -> None:
        """Let go of all that other memories have."""
        gone = np.ones(self._count, dtype=np.bool_)
        gone[_positions_of(self._ids[: self._count], _unique(ids))[0]] = False
        self._states[: self._count][gone] = _DROPPED

    def _append(self, ids: Ids, states: NDArray[np.uint8], rows: Bits) -> None:
        count = self._count + len(ids)
        if count > len(self._ids):
            # Twice as many, of which what is not used yet takes up no memory.
            room = max(_ROWS_MIN, 2 * len(self._ids), count)
            view = self.view()
            self._planes = np.empty((len(self._planes), room), dtype=np.uint64)
            self._ids, self._states = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.uint8)
            self._write(slice(0, self._count), view.ids, view.states, view.planes)
        self._write(slice(self._count, count), ids, states, rows.T)
        self._count = count

    def _replace(self, ids: Ids, states: NDArray[np.uint8], rows: Bits) -> bool:
        """Write over what is there, where each of the memories has as many sketches as before."""
        unique, wanted = np.unique(ids, return_counts=True)
        places, counts = _positions_of(self._ids[: self._count], unique)
        if not np.array_equal(counts, wanted):
            return False
        self._write(places, ids, states, rows.T)
        return True

    def _merge(self, ids: Ids, states: NDArray[np.uint8], rows: Bits) -> None:
        """Sort new ones in between the others. A view that was taken before keeps what it had."""
        kept = np.flatnonzero(self._states[: self._count])
        every = np.concatenate([self._ids[kept], ids])
        order = np.argsort(every, kind="stable")
        self._states = np.concatenate([self._states[kept], states])[order]
        self._planes = np.hstack([self._planes[:, kept], rows.T])[:, order]
        self._ids, self._count = every[order], len(every)

    def _write(
        self, places: slice | Positions, ids: Ids, states: NDArray[np.uint8], columns: Bits
    ) -> None:
        self._planes[:, places], self._ids[places], self._states[places] = columns, ids, states


def _unique(ids: Ids) -> Ids:
    # The counts are not used, but without them numpy imports its masked arrays, which takes 10 ms.
    return np.unique(ids, return_counts=True)[0]


def _positions_of(held: Ids, ids: Ids) -> tuple[Positions, NDArray[np.intp]]:
    """Where memories stand among ids in order, one after the other, and how often each one does."""
    first = np.searchsorted(held, ids, side="left")
    counts = np.searchsorted(held, ids, side="right") - first
    starts = np.repeat(
        first - np.concatenate([[0], counts.cumsum()[:-1]]) if len(ids) else first, counts
    )
    return starts + np.arange(len(starts)), counts


def _pack_bits(bits: NDArray[np.bool_]) -> Bits:
    missing = -bits.shape[1] % _WORD
    padded = np.pad(bits, ((0, 0), (0, missing))) if missing else bits
    return np.ascontiguousarray(np.packbits(padded, axis=1)).view(np.uint64)
