"""Makes the vectors and links of changed memories. A read writes nothing else.

A write does not wait for vectors and links. Readers call this before they read, with a budget of
milliseconds; the worker calls it in idle time. Each bank stores how far it has come, so every
process continues where the last one ended. Inside a transaction nothing is made, because a read
must not write into its caller's transaction.
"""

import time
from collections.abc import Iterable, Sequence

from commonplace.engine.links import link_derivation
from commonplace.engine.operations import indexing
from commonplace.engine.runtime import Runtime
from commonplace.errors import Busy, Forbidden
from commonplace.records.memory import Link, Memory
from commonplace.storage.rows import banks, links, vector_rows
from commonplace.storage.rows.links import ChangePosition

EMBEDDING_BATCH = 200
_EMBEDDING_MS, _LINKING_MS = 50, 10  # The time budgets of a reader.
_LINKING_BATCH = 50
_WAIT_MS = 20  # A reader does not wait longer for another writer; the work stays pending.
_BANKS_MAX = 10_000


def catch_up_embeddings(runtime: Runtime, bank_id: int, budget_ms: int = _EMBEDDING_MS) -> int:
    """Embed new memories of a bank within a time budget. Returns how many."""
    semantics = runtime.semantics()
    if not semantics or runtime.db.in_transaction:
        return 0
    deadline = time.monotonic() + budget_ms / 1000
    count = after = 0
    try:
        while numbers := vector_rows.queued_ids(
            runtime.db, bank_id, after=after, limit=EMBEDDING_BATCH
        ):
            count += indexing.embed(runtime.db, semantics, bank_id, numbers, wait_ms=_WAIT_MS)
            after = numbers[-1]
            if time.monotonic() > deadline:
                break
    except (Busy, Forbidden):
        return count
    return count


def catch_up_all_embeddings(runtime: Runtime, budget_ms: int) -> int:
    """Embed pending memories of all banks within a time budget. Returns how many."""
    deadline = time.monotonic() + budget_ms / 1000
    count = 0
    for bank_id in vector_rows.banks_with_queue(runtime.db):
        left_ms = int((deadline - time.monotonic()) * 1000)
        if left_ms <= 0:
            break
        count += catch_up_embeddings(runtime, bank_id, left_ms)
    return count


def catch_up_links(
    runtime: Runtime, bank_id: int, wanted: Iterable[Memory] = (), budget_ms: int = _LINKING_MS
) -> None:
    """Make the links of some memories and then of all others that changed, within a time budget."""
    if runtime.db.in_transaction:
        return
    start = position = links.high_water_mark(runtime.db, bank_id)
    changed = links.changed_since(runtime.db, bank_id, position, _LINKING_BATCH)
    if not changed:
        return
    deadline = time.monotonic() + budget_ms / 1000
    made: list[tuple[Memory, list[Link]]] = []
    for memory in (one for one in wanted if links.change_position(one) > position):
        made.append((memory, link_derivation.find_links(runtime, memory, "")))
        if time.monotonic() > deadline:
            break
    for memory, reason in changed:
        made.append((memory, link_derivation.find_links(runtime, memory, reason)))
        position = links.change_position(memory)
        if time.monotonic() > deadline:
            break
    try:
        _store_links(runtime, bank_id, made, (start, position))
    except (Busy, Forbidden):
        return


def catch_up_all_links(runtime: Runtime, budget_ms: int) -> None:
    """Make links of changed memories in every bank within a time budget."""
    deadline = time.monotonic() + budget_ms / 1000
    for bank in banks.list_banks(runtime.db, _BANKS_MAX):
        left_ms = int((deadline - time.monotonic()) * 1000)
        if left_ms <= 0:
            return
        catch_up_links(runtime, bank.id, (), left_ms)


def _store_links(
    runtime: Runtime,
    bank_id: int,
    made: Sequence[tuple[Memory, list[Link]]],
    span: tuple[ChangePosition, ChangePosition],
) -> None:
    start, reached = span
    with runtime.db.transaction(_WAIT_MS):
        for memory, found in made:
            if memory.forgotten_at is None:
                links.drop(runtime.db, memory.id)
            links.put(runtime.db, bank_id, found, runtime.clock.now())
        # An import may have moved the mark back meanwhile.
        if links.high_water_mark(runtime.db, bank_id) >= start:
            links.set_high_water_mark(runtime.db, bank_id, reached)
