"""The derived side of the store: text index, tags, vectors, and the queue of memories that need new vectors.

Writes belong inside the transaction that changes the memory. A forgotten memory stays indexed, so that a search which
asks for forgotten ones finds it; a purged one leaves nothing behind.
"""

import json
from collections.abc import Sequence

from commonplace import text
from commonplace.records import Memory
from commonplace.storage.database import Database


def index_memory(db: Database, memory: Memory) -> None:
    """Bring the text index and the tags up to a memory's present state, and queue it for a new vector."""
    labels = " ".join((*memory.tags, memory.key.replace(".", " "), memory.category))
    db.run(
        "put_text",
        memory_id=memory.id,
        title=text.indexed(memory.title),
        body=text.indexed(memory.text),
        labels=text.indexed(labels),
    )
    live = memory.forgotten_at is None
    if memory.version > 1:
        db.run("drop_tags", ids=json.dumps([memory.id]))
        db.run("set_live", memory_id=memory.id, live=int(live))
    if live:
        for tag in memory.tags:
            db.run("put_tag", bank_id=memory.bank_id, tag=tag, memory_id=memory.id)
    db.run("mark_stale", memory_id=memory.id, bank_id=memory.bank_id)


def unindex(db: Database, bank_id: int, memory_ids: Sequence[int]) -> None:
    """Leave nothing of purged memories in any derived table."""
    ids = json.dumps(list(memory_ids))
    for name in ("drop_texts", "drop_tags", "drop_vectors", "clear_stale", "drop_links_from", "drop_links_to"):
        db.run(name, ids=ids)
