"""Rebuilds derived state: the text index, tags and vectors.

A rebuild works in batches. Each batch is a transaction that also stores the position, so an
interrupted rebuild resumes. Searches work meanwhile.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commonplace.engine.runtime import Runtime
from commonplace.language import analyzer
from commonplace.storage import text_index
from commonplace.storage.database import Database
from commonplace.storage.rows import banks, derivations, memories, vector_rows

if TYPE_CHECKING:
    from commonplace.recall.vector_index import VectorIndex

REBUILD_BATCH = 500
_POSITION_FACT = "rebuild"
_ANALYZER_FACT = "analyzer"


@dataclass(frozen=True, slots=True)
class RebuildReport:
    """The number of memories that this run processed, and whether it resumed an interrupted one."""

    memory_count: int
    resumed: bool


def stale_count(runtime: Runtime) -> int:
    """How many memories have no vector yet."""
    return vector_rows.queue_length(runtime.db)


def is_outdated(runtime: Runtime) -> bool:
    """Whether the text index or the vectors are from another analyzer or embedder, or a rebuild was
    interrupted.
    """
    semantics = runtime.semantics()
    return (
        banks.store_info(runtime.db, _ANALYZER_FACT) not in ("", analyzer.ANALYZER)
        or banks.store_info(runtime.db, _POSITION_FACT) != ""
        or (
            semantics is not None
            and vector_rows.foreign_vector_count(runtime.db, semantics.name) > 0
        )
    )


def rebuild(runtime: Runtime, progress: Callable[[int, int], None] | None = None) -> RebuildReport:
    """Rebuild all derived state from the memories. `progress` is called with the number done and
    the total.
    """
    semantics = runtime.semantics()
    target = f"{analyzer.ANALYZER}/{semantics.name if semantics else 'none'}"
    after = _position(runtime.db, target)
    resumed = after > 0
    with runtime.db.transaction():
        text_index.repair_texts(runtime.db)
    total = vector_rows.remaining_count(runtime.db, after)
    done = 0
    while batch := vector_rows.memories_after(runtime.db, after, REBUILD_BATCH):
        with runtime.db.transaction(), text_index.bulk_replacement(runtime.db):
            for bank_id in sorted({bank_id for _, bank_id in batch}):
                _rebuild_batch(
                    runtime.db, semantics, bank_id, [number for number, b in batch if b == bank_id]
                )
            after = batch[-1][0]
            banks.put_store_info(
                runtime.db, _POSITION_FACT, json.dumps({"target": target, "after": after})
            )
        done += len(batch)
        if progress:
            progress(done, max(done, total))
    with runtime.db.transaction():
        text_index.drop_orphans(runtime.db)
        text_index.repair_texts(runtime.db)
        derivations.rebuild(runtime.db)
        banks.put_store_info(runtime.db, _POSITION_FACT, "")
        banks.put_store_info(runtime.db, _ANALYZER_FACT, analyzer.ANALYZER)
    return RebuildReport(done, resumed)


def _position(db: Database, target: str) -> int:
    stored_position = json.loads(banks.store_info(db, _POSITION_FACT) or "{}")
    return int(stored_position["after"]) if stored_position.get("target") == target else 0


def _rebuild_batch(
    db: Database, semantics: "VectorIndex | None", bank_id: int, numbers: list[int]
) -> None:
    text_index.reindex(db, list(memories.by_ids(db, bank_id, numbers).values()))
    if semantics:
        embed(db, semantics, bank_id, numbers)


def embed(
    db: Database,
    semantics: "VectorIndex",
    bank_id: int,
    numbers: list[int],
    wait_ms: int | None = None,
) -> int:
    """Store the vectors of some memories, and take them off the queue. Returns how many."""
    found = memories.by_ids(db, bank_id, numbers)
    encoded = semantics.encode(list(found.values()))
    sketches = semantics.sketch(encoded)
    made = [
        (m.id, m.version, v, s) for m, v, s in zip(found.values(), encoded, sketches, strict=True)
    ]
    with db.transaction(wait_ms):
        vector_rows.put(db, semantics.name, made)
        vector_rows.unqueue(db, [number for number in numbers if number not in found])
    return len(found)
