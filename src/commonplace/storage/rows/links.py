"""Rows of links between memories, and the memories that changed since links were last made."""

import json
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from commonplace.records.memory import Link, LinkKind, Memory
from commonplace.storage.database import Database
from commonplace.storage.rows import banks, memories

# The time of a memory's last change, and its id.
ChangePosition: TypeAlias = tuple[int, int]
# The kinds of links that end the older memory.
ENDING_KINDS: tuple[LinkKind, ...] = ("contradicts", "supersedes")
_MARK = "links"
KINDS: tuple[LinkKind, ...] = ("similar_to", "contradicts", "supersedes")
# Causal links exist only between facts, which also store them in their metadata.
FACT_KINDS: tuple[LinkKind, ...] = (*KINDS, "caused_by")


def put(db: Database, bank_id: int, links: Sequence[Link], now: int) -> None:
    """Store links. A stored link gets the new confidence and reason."""
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
    """Delete a memory's links with live memories."""
    db.run("drop_live_links", id=memory_id, kinds=json.dumps(KINDS))


def links_of(
    db: Database,
    bank_id: int,
    memory_ids: Iterable[int],
    kinds: Sequence[LinkKind] = KINDS,
    *,
    limit: int,
) -> list[Link]:
    """The links from or to some memories, highest confidence first."""
    values = {
        "ids": json.dumps(list(memory_ids)),
        "kinds": json.dumps(list(kinds)),
        "bank_id": bank_id,
    }
    return [Link(**row) for row in db.all("links_of", **values, limit=limit)]


def replacements_of(
    db: Database, bank_id: int, memory_ids: Iterable[int], *, min_confidence: float, now: int
) -> tuple[list[Link], bool]:
    """The links that end some memories, from live memories that everybody sees who sees these. Also
    whether links of changed memories are still to be made.
    """
    rows = db.all(
        "replacements_of",
        bank_id=bank_id,
        ids=json.dumps(list(memory_ids)),
        min_confidence=min_confidence,
        now=now,
        mark=f"{_MARK}:{bank_id}",
    )
    found = [Link(**row) for row in rows if row["kind"]]
    return found, len(found) < len(rows)


def links_between_live(db: Database, bank_id: int, kind: LinkKind, limit: int) -> list[Link]:
    """The links of a kind whose two memories are live, the newest first."""
    rows = db.all("links_between_live", bank_id=bank_id, kind=kind, limit=limit)
    return [Link(**row) for row in rows]


def changed_since(
    db: Database, bank_id: int, after: ChangePosition, limit: int
) -> list[tuple[Memory, str]]:
    """The memories that changed after a position, in the order of their changes, each with the
    reason of its last change.
    """
    rows = db.all("changed_since", bank_id=bank_id, at=after[0], id=after[1], limit=limit)
    return [(memories.from_row(row), row["reason"]) for row in rows]


def change_position(memory: Memory) -> ChangePosition:
    """The position of a memory in the order of changes."""
    return memory.updated_at, memory.id


def high_water_mark(db: Database, bank_id: int, name: str = _MARK) -> ChangePosition:
    """The position up to which links were made. Links by a model have a mark of their own."""
    at, _, number = banks.store_info(db, f"{name}:{bank_id}").partition("/")
    return int(at or 0), int(number or 0)


def set_high_water_mark(
    db: Database, bank_id: int, reached: ChangePosition, name: str = _MARK
) -> None:
    """Store the position up to which links were made. It never moves back."""
    at, number = max(reached, high_water_mark(db, bank_id, name))
    banks.put_store_info(db, f"{name}:{bank_id}", f"{at}/{number}")


def lower_high_water_mark(db: Database, bank_id: int, changed: ChangePosition) -> None:
    """Move the position back before a memory that is written with a time of the past, as imports
    do, so that its links are made too.
    """
    if changed <= high_water_mark(db, bank_id):
        at, number = changed
        banks.put_store_info(db, f"{_MARK}:{bank_id}", f"{at}/{number - 1}")
