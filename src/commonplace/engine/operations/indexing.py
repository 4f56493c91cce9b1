"""Derived state: keeps vectors up with the memories, and rebuilds the text index, tags and vectors
from canonical rows.

A rebuild works in batches, each one transaction that also notes how far it came, so a killed one
goes on from there. Searches work all the while.
"""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commonplace.engine.runtime import Parts
from commonplace.errors import Busy, Forbidden
from commonplace.language import analyzer
from commonplace.storage import banks, derivations, memories, text_index, vector_rows
from commonplace.storage.database import Database

if TYPE_CHECKING:
    from commonplace.recall.vector_index import Semantics

HEAL_BATCH = 200
REBUILD_BATCH = 500
_WAIT_MS = 20
_POSITION = "rebuild"
_ANALYZER = "analyzer"


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild did: memories gone through in this run, and in all when an earlier run was cut
    short.
    """

    memory_count: int
    resumed: bool


def heal(parts: Parts, bank_id: int, budget_ms: int) -> int:
    """Embed what was written to a bank since, within a time; how many memories that were.

    Another writer is hardly waited for: the question at hand is more urgent, and the queue stays.
    """
    semantics = parts.semantics()
    # Inside a transaction the vectors would not be anybody else's to see, and it may yet be taken
    # back.
    if (
        not semantics
        or parts.db.in_transaction
        or not vector_rows.stale_ids(parts.db, bank_id, after=0, limit=1)
    ):
        return 0
    deadline = time.monotonic() + budget_ms / 1000
    count = after = 0
    try:
        while numbers := vector_rows.stale_ids(parts.db, bank_id, after=after, limit=HEAL_BATCH):
            count += _embed(parts.db, semantics, bank_id, numbers, wait_ms=_WAIT_MS)
            after = numbers[-1]
            if time.monotonic() > deadline:
                break
    except (Busy, Forbidden):
        return count
    return count


def heal_all(parts: Parts, budget_ms: int) -> int:
    """Embed what waits in any bank, within a time; how many memories that were."""
    deadline = time.monotonic() + budget_ms / 1000
    count = 0
    for bank_id in vector_rows.stale_banks(parts.db):
        left_ms = int((deadline - time.monotonic()) * 1000)
        if left_ms <= 0:
            break
        count += heal(parts, bank_id, left_ms)
    return count


def stale_count(parts: Parts) -> int:
    """How many memories wait for a vector."""
    return vector_rows.stale_count(parts.db)


def outdated(parts: Parts) -> bool:
    """Whether the text index or the vectors were made by another analyzer or embedder, or a rebuild
    was interrupted.
    """
    semantics = parts.semantics()
    return (
        banks.fact(parts.db, _ANALYZER) not in ("", analyzer.ANALYZER)
        or banks.fact(parts.db, _POSITION) != ""
        or (semantics is not None and vector_rows.foreign_count(parts.db, semantics.name) > 0)
    )


def rebuild(parts: Parts, progress: Callable[[int, int], None] | None = None) -> Rebuilt:
    """Make all derived state again from the memories; `progress` hears how many are done, and of
    how many.
    """
    semantics = parts.semantics()
    target = f"{analyzer.ANALYZER}/{semantics.name if semantics else 'none'}"
    after = _position(parts.db, target)
    resumed = after > 0
    with parts.db.transaction():
        text_index.repair_texts(parts.db)
    total = vector_rows.remaining_count(parts.db, after)
    done = 0
    while batch := vector_rows.memories_after(parts.db, after, REBUILD_BATCH):
        with parts.db.transaction(), text_index.quick_replacing(parts.db):
            for bank_id in sorted({bank_id for _, bank_id in batch}):
                _rebuild_batch(
                    parts.db, semantics, bank_id, [number for number, b in batch if b == bank_id]
                )
            after = batch[-1][0]
            banks.set_fact(parts.db, _POSITION, json.dumps({"target": target, "after": after}))
        done += len(batch)
        if progress:
            progress(done, max(done, total))
    with parts.db.transaction():
        text_index.drop_lost(parts.db)
        text_index.repair_texts(parts.db)
        derivations.rebuild(parts.db)
        banks.set_fact(parts.db, _POSITION, "")
        banks.set_fact(parts.db, _ANALYZER, analyzer.ANALYZER)
    return Rebuilt(done, resumed)


def _position(db: Database, target: str) -> int:
    noted = json.loads(banks.fact(db, _POSITION) or "{}")
    return int(noted["after"]) if noted.get("target") == target else 0


def _rebuild_batch(
    db: Database, semantics: "Semantics | None", bank_id: int, numbers: list[int]
) -> None:
    text_index.reindex(db, list(memories.by_ids(db, bank_id, numbers).values()))
    if semantics:
        _embed(db, semantics, bank_id, numbers)


def _embed(
    db: Database,
    semantics: "Semantics",
    bank_id: int,
    numbers: list[int],
    wait_ms: int | None = None,
) -> int:
    found = memories.by_ids(db, bank_id, numbers)
    encoded = semantics.encode(list(found.values()))
    sketches = semantics.sketched(encoded)
    made = [
        (m.id, m.version, v, s) for m, v, s in zip(found.values(), encoded, sketches, strict=True)
    ]
    with db.transaction(wait_ms):
        vector_rows.put(db, semantics.name, made)
        vector_rows.clear_stale(db, [number for number in numbers if number not in found])
    return len(found)
