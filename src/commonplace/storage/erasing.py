"""What an erasure finds and removes besides the memories themselves."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from commonplace.records import Metadata
from commonplace.storage.database import Database


@dataclass(frozen=True, slots=True)
class Wording:
    """What a memory said in one of its versions, and the document that version came from."""

    memory_id: int
    text: str
    title: str
    document_id: int | None
    metadata: Metadata


def wordings(db: Database, memory_ids: Iterable[int]) -> list[Wording]:
    """Every version of some memories, those of one memory together and in their order."""
    rows = db.all("versions_of_memories", ids=json.dumps(list(memory_ids)))
    return [
        Wording(row["memory_id"], row["text"], row["title"], row["document_id"], json.loads(row["metadata"]))
        for row in rows
    ]


def memories_of_document(db: Database, number: int) -> set[int]:
    """The memories that came from a document in any of their versions."""
    return {row["id"] for row in db.all("memories_of_document", id=number)}


def delete_empty(db: Database, document_ids: Iterable[int]) -> None:
    """Remove those of some documents that no memory refers to."""
    db.run("delete_empty_documents", ids=json.dumps(list(document_ids)))


def blank_traces(db: Database, bank_id: int, memory_ids: Sequence[int], document_names: Sequence[str]) -> None:
    """Remove what finished jobs and answers to idempotency keys tell of erased memories and documents."""
    db.run("blank_job_results", bank_id=bank_id)
    db.run("delete_jobs_of_documents", bank_id=bank_id, names=json.dumps(list(document_names), ensure_ascii=False))
    db.run("blank_reply_hashes", bank_id=bank_id, ids=json.dumps(list(memory_ids)))
