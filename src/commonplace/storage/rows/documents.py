"""Rows of documents."""

import json
from collections.abc import Sequence

from commonplace.records.work import Document
from commonplace.storage.database import Database, Row


def find(db: Database, bank_id: int, name: str) -> Document | None:
    """The document of a name, with its text."""
    row = db.one("find_document", bank_id=bank_id, name=name)
    return _document(row) if row else None


def by_id(db: Database, number: int) -> Document | None:
    """The document of an id, with its text."""
    row = db.one("find_document_by_id", id=number)
    return _document(row) if row else None


def list_documents(
    db: Database,
    bank_id: int,
    words: str | None,
    *,
    limit: int,
    offset: int,
    user: str | None = None,
) -> list[Document]:
    """Documents whose name, title or text contains the words, last changed first, without their
    texts.
    """
    rows = db.all(
        "list_documents", bank_id=bank_id, words=words, user=user, limit=limit, offset=offset
    )
    return [_document(row) for row in rows]


def count(db: Database, bank_id: int, words: str | None, user: str | None = None) -> int:
    """The number of documents that contain the words."""
    return int(db.value("count_documents", bank_id=bank_id, words=words, user=user))


def names(db: Database, bank_id: int, numbers: Sequence[int]) -> dict[int, str]:
    """The names of documents by their ids; unknown ids are left out."""
    rows = db.all(
        "document_names", bank_id=bank_id, ids=json.dumps(list(numbers)), limit=len(numbers)
    )
    return {row["id"]: row["name"] for row in rows}


def add(db: Database, document: Document) -> None:
    """Store a new document."""
    fixed = {"bank_id": document.bank_id, "name": document.name, "created_at": document.created_at}
    db.run("add_document", **_values(document), **fixed)


def update(db: Database, document: Document) -> None:
    """Write the text and the tags of a document."""
    db.run("update_document", **_values(document))


def delete(db: Database, number: int) -> None:
    """Delete a document that no memory refers to."""
    db.run("delete_document", id=number)


def _values(document: Document) -> dict[str, object]:
    return {
        "id": document.id,
        "title": document.title,
        "text": document.text,
        "sha256": document.sha256,
        "tags": json.dumps(document.tags, ensure_ascii=False),
        "metadata": json.dumps(document.metadata, ensure_ascii=False),
        "updated_at": document.updated_at,
    }


def _document(row: Row) -> Document:
    values: Row = {
        **row,
        "tags": tuple(json.loads(row["tags"])),
        "metadata": json.loads(row["metadata"]),
    }
    return Document(**values)
