"""Rows of vectors, and the queue of memories that need a new vector. The format of the bytes is
that of the embedder.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from commonplace.storage.database import Database

_BYTES_MAX = 2**31 - 1


@dataclass(frozen=True, slots=True)
class SketchChanges:
    """Sketches that are newer than those of a reader. Numbers are joined with spaces, so that numpy
    parses them at once.
    """

    seq: int
    ids: str
    live: str
    # The size of each memory's sketch in bytes; 0 if its vector is from another embedder.
    sizes: str
    sketches: bytes


def changes_after(
    db: Database, bank_id: int, embedder: str, seq: int, *, size: int, limit: int
) -> SketchChanges | None:
    """The oldest changes after a position; None if there are none. `size` is that of one sketch."""
    row = db.one(
        "newer_sketches", bank_id=bank_id, embedder=embedder, seq=seq, bytes=size, limit=limit
    )
    if row is None or not row.pop("count"):
        return None
    return SketchChanges(**row)


def high_water_mark(db: Database) -> int:
    """A number that grows with every change of a vector in any bank."""
    return int(db.value("vector_mark") or 0)


def purge_count(db: Database, bank_id: int) -> int:
    """The number of purges in a bank."""
    return int(db.value("purge_count", id=bank_id) or 0)


def all_ids(db: Database, bank_id: int) -> str:
    """The ids of all memories of a bank with a vector, separated by spaces."""
    return str(db.value("vector_ids", bank_id=bank_id) or "")


def vectors_of(
    db: Database, bank_id: int, embedder: str, memory_ids: Sequence[int], size: int = _BYTES_MAX
) -> dict[int, bytes]:
    """The vectors of some memories, each truncated to a number of bytes."""
    wanted = {
        "bank_id": bank_id,
        "embedder": embedder,
        "ids": json.dumps(list(memory_ids)),
        "bytes": size,
    }
    rows = db.all("vectors_of", **wanted)
    return {row["memory_id"]: row["vector"] for row in rows}


def put(db: Database, embedder: str, made: Iterable[tuple[int, int, bytes, bytes]]) -> None:
    """Store vectors and sketches, each with the id and the version of its memory. The memory stays
    queued if it has a newer version.
    """
    rows = [
        {"memory_id": m, "version": v, "vector": vector, "sketch": sketch}
        for m, v, vector, sketch in made
    ]
    db.run_many("put_vector_of_version", [row | {"embedder": embedder} for row in rows])
    db.run_many(
        "unqueue_embedding_of_version",
        [{"memory_id": r["memory_id"], "version": r["version"]} for r in rows],
    )


def queued_ids(db: Database, bank_id: int, *, after: int, limit: int) -> list[int]:
    """The next queued memories of a bank, by id."""
    return [
        row["memory_id"]
        for row in db.all("embedding_queue_ids", bank_id=bank_id, after=after, limit=limit)
    ]


def banks_with_queue(db: Database) -> list[int]:
    """The banks with queued memories."""
    return [row["bank_id"] for row in db.all("banks_with_embedding_queue")]


def unqueue(db: Database, memory_ids: Iterable[int]) -> None:
    """Take memories off the queue."""
    db.run("unqueue_embeddings", ids=json.dumps(list(memory_ids)))


def queue_length(db: Database, bank_id: int | None = None) -> int:
    """The number of queued memories, in one bank or in all."""
    return int(db.value("count_embedding_queue", bank_id=bank_id))


def foreign_vector_count(db: Database, embedder: str) -> int:
    """The number of vectors of other embedders."""
    return int(db.value("count_foreign_vectors", embedder=embedder))


def memories_after(db: Database, after: int, limit: int) -> list[tuple[int, int]]:
    """The next memories by id, in all banks: each with its bank's id."""
    return [
        (row["id"], row["bank_id"]) for row in db.all("memories_after", after=after, limit=limit)
    ]


def remaining_count(db: Database, after: int) -> int:
    """The number of memories with a greater id."""
    return int(db.value("count_memories_after", after=after))
