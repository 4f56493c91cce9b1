"""Derivations: the sources of a memory, and the memories derived from it."""

from dataclasses import dataclass

from commonplace.engine.memories import get
from commonplace.engine.runtime import Runtime
from commonplace.records.memory import Memory
from commonplace.storage.rows import derivations, memories


@dataclass(frozen=True, slots=True)
class Derivations:
    """The sources of a memory, and the memories derived from it."""

    sources: tuple[Memory, ...]
    derived: tuple[Memory, ...]


def list_derivations(runtime: Runtime, bank: str, memory_id: int | str) -> Derivations:
    """The sources of a memory, and the memories derived from it, as far as they exist."""
    with runtime.db.snapshot():
        memory = get(runtime, bank, memory_id)
        sources = derivations.source_ids(runtime.db, [memory.id])
        derived = derivations.derived_ids(runtime.db, [memory.id])
        found = memories.by_ids(runtime.db, memory.bank_id, [*sources, *derived])
    return Derivations(
        tuple(found[one] for one in sources if one in found),
        tuple(found[one] for one in derived if one in found),
    )
