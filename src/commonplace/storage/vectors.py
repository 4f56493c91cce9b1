"""Vectors as rows, and the queue of memories that need new ones. A vector's bytes are its maker's business."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from commonplace.storage.database import Database

_IDS_MAX = 10_000_000


@dataclass(frozen=True, slots=True)
class Change:
    """A vector that is newer than what a reader has; None when it now belongs to another embedder."""

    seq: int
    memory_id: int
    live: bool
    vector: bytes | None


def newer(db: Database, bank_id: int, embedder: str, seq: int, *, size: int, limit: int) -> list[Change]:
    """What changed after a point, oldest first; of each vector only so many bytes."""
    values = {"bank_id": bank_id, "embedder": embedder, "seq": seq, "bytes": size, "limit": limit}
    rows = db.all("newer_vectors", **values)
    return [Change(row["seq"], row["memory_id"], bool(row["live"]), row["vector"]) for row in rows]


def newest(db: Database, bank_id: int) -> int:
    """The point a reader has come to when it has read everything."""
    return int(db.value("newest_vector", bank_id=bank_id) or 0)


def purge_count(db: Database, bank_id: int) -> int:
    """How often something was purged from a bank."""
    return int(db.value("purge_count", id=bank_id) or 0)


def all_ids(db: Database, bank_id: int) -> list[int]:
    """Every memory of a bank that has a vector."""
    return [row["memory_id"] for row in db.all("vector_ids", bank_id=bank_id, limit=_IDS_MAX)]


def of(db: Database, bank_id: int, embedder: str, memory_ids: Sequence[int]) -> dict[int, bytes]:
    """The vectors of some memories; those without one are left out."""
    rows = db.all("vectors_of", bank_id=bank_id, embedder=embedder, ids=json.dumps(list(memory_ids)))
    return {row["memory_id"]: row["vector"] for row in rows}


def put(db: Database, embedder: str, made: Iterable[tuple[int, int, bytes]]) -> None:
    """Store vectors made of a memory's id and version, and take the memory off the queue unless it changed since."""
    rows = [{"memory_id": number, "version": version, "vector": vector} for number, version, vector in made]
    db.run_many("put_vector_of_version", [row | {"embedder": embedder} for row in rows])
    db.run_many("clear_stale_version", [{"memory_id": r["memory_id"], "version": r["version"]} for r in rows])


def stale_ids(db: Database, bank_id: int, *, after: int, limit: int) -> list[int]:
    """The next memories of a bank, by id, that wait for a vector."""
    return [row["memory_id"] for row in db.all("stale_ids", bank_id=bank_id, after=after, limit=limit)]


def stale_banks(db: Database) -> list[int]:
    """The banks with memories that wait for a vector."""
    return [row["bank_id"] for row in db.all("stale_banks")]


def clear_stale(db: Database, memory_ids: Iterable[int]) -> None:
    """Take memories off the queue."""
    db.run("clear_stale", ids=json.dumps(list(memory_ids)))


def stale_count(db: Database, bank_id: int | None = None) -> int:
    """How many memories wait for a vector, in one bank or in all."""
    return int(db.value("count_stale", bank_id=bank_id))


def foreign_count(db: Database, embedder: str) -> int:
    """How many vectors another embedder made."""
    return int(db.value("count_foreign_vectors", embedder=embedder))


def memories_after(db: Database, after: int, limit: int) -> list[tuple[int, int]]:
    """The next memories by id, in all banks: each with its bank's id."""
    return [(row["id"], row["bank_id"]) for row in db.all("memories_after", after=after, limit=limit)]


def remaining_count(db: Database, after: int) -> int:
    """How many memories have a greater id."""
    return int(db.value("count_memories_after", after=after))
