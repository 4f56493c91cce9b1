"""Links between memories, as rows and back, and which memories changed since links were last made."""

import json
from collections.abc import Iterable, Sequence

from commonplace.records import Link, LinkKind, Memory
from commonplace.storage import banks, memories
from commonplace.storage.database import Database

KINDS: tuple[LinkKind, ...] = ("similar_to", "contradicts", "supersedes")


def put(db: Database, bank_id: int, links: Sequence[Link], now: int) -> None:
    """Store links; one that is known already gets its new confidence and reason."""
    if links:
        drawn = banks.new_ids(db, now, len(links))
        rows = [
            {
                "id": number,
                "bank_id": bank_id,
                "kind": link.kind,
                "from_id": link.from_id,
                "to_id": link.to_id,
                "confidence": link.confidence,
                "reason": link.reason,
                "at": now,
            }
            for number, link in zip(drawn, links, strict=True)
        ]
        db.run_many("put_link", rows)


def drop(db: Database, memory_id: int) -> None:
    """Let go of a memory's links with live memories."""
    db.run("drop_live_links", id=memory_id)


def of(
    db: Database, bank_id: int, memory_ids: Iterable[int], kinds: Sequence[LinkKind] = KINDS, *, limit: int
) -> list[Link]:
    """The links that begin or end at some memories, the surest first."""
    values = {"ids": json.dumps(list(memory_ids)), "kinds": json.dumps(list(kinds)), "bank_id": bank_id}
    return [Link(**row) for row in db.all("links_of", **values, limit=limit)]


def changed_since(db: Database, bank_id: int, after: int, limit: int) -> list[tuple[Memory, str]]:
    """The memories that changed after a version, in the order of their changes, each with the reason of the last."""
    rows = db.all("changed_since", bank_id=bank_id, after=after, limit=limit)
    return [(memories.read(row), row["reason"]) for row in rows]


def mark(db: Database, bank_id: int) -> int:
    """The version up to which links were made."""
    return int(banks.fact(db, f"links:{bank_id}") or 0)


def set_mark(db: Database, bank_id: int, version_id: int) -> None:
    """Note that links were made up to a version; never back."""
    banks.set_fact(db, f"links:{bank_id}", str(max(version_id, mark(db, bank_id))))
