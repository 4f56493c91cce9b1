"""Redacts documents when memories are erased. A document without remaining memories is deleted;
another loses the statements of the erased ones.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import cast

from commonplace.engine.erasure.ledger import Ledger
from commonplace.engine.facts.fact_metadata import parse_fact_metadata
from commonplace.engine.runtime import Runtime
from commonplace.extract import redaction
from commonplace.records.memory import Metadata
from commonplace.records.work import Document
from commonplace.storage.rows import documents, erasure, memories
from commonplace.storage.rows.erasure import VersionText

# Metadata of documents for the engine: facts that other documents stated first, and facts that a
# model extracted from each chunk.
SHARED = "shared"
EXTRACTED = "read"
# Scope and time of a document. They stay, since they do not depend on its text.
_KEPT_FIELDS = ("user", "agent", "run", "said_at", "zone_ms", SHARED)


class DocumentRedactor:
    """Redacts the documents of one erasure. Each is redacted once, for all of its erased
    memories.
    """

    def __init__(
        self, runtime: Runtime, erased_ids: Iterable[int], ledger: Ledger | None = None
    ) -> None:
        self._db = runtime.db
        self._clock = runtime.clock
        self._ledger = ledger
        self._erased_ids = frozenset(erased_ids)
        self._redacted_ids: set[int] = set()
        self._emptied_ids: set[int] = set()
        self._document_ids_of_batch: list[int] = []
        # The names of the documents that the last batch leaves without memories.
        self.names: list[str] = []

    def redact(self, memory_ids: Sequence[int]) -> None:
        """Remove the statements of some memories from their documents, before the memories are
        erased.
        """
        self.names = []
        self._document_ids_of_batch = _document_ids(erasure.version_texts(self._db, memory_ids))
        for number in self._document_ids_of_batch:
            if number not in self._redacted_ids:
                self._redacted_ids.add(number)
                document = documents.by_id(self._db, number)
                if document is not None:
                    self._redact(document)

    def delete_empty_documents(self) -> None:
        """Delete the documents without remaining memories, after the last batch of memories is
        erased.
        """
        erasure.delete_empty(
            self._db,
            [number for number in self._document_ids_of_batch if number in self._emptied_ids],
        )

    def _redact(self, document: Document) -> None:
        shared = document.metadata.get(SHARED)
        shared_ids = cast("list[int]", shared) if isinstance(shared, list) else []
        memory_ids = erasure.memories_of_document(self._db, document.id) | set(shared_ids)
        left = set(
            memories.by_ids(self._db, document.bank_id, sorted(memory_ids - self._erased_ids))
        )
        now = max(document.updated_at, self._clock.now())
        if not left:
            # The row stays until its last memory is erased; its text does not.
            self._emptied_ids.add(document.id)
            self.names.append(document.name)
            blank = replace(
                document,
                title="",
                text="",
                sha256=_sha256(""),
                tags=(),
                metadata={},
                updated_at=now,
            )
            documents.update(self._db, blank)
            if self._ledger:
                self._ledger.record_erased("document", document.id, document.text, derived=True)
            return
        erased_texts = erasure.version_texts(self._db, sorted(memory_ids & self._erased_ids))
        remaining_texts = [
            one
            for one in erasure.version_texts(self._db, sorted(left))
            if _is_from_document(one, document.id)
        ]
        after = _without_statements(document, erased_texts, remaining_texts)
        if SHARED in after.metadata:
            after = replace(
                after,
                metadata={**after.metadata, SHARED: [one for one in shared_ids if one in left]},
            )
        documents.update(self._db, replace(after, updated_at=now))
        if self._ledger:
            self._ledger.record_redacted("document", document.id, document.text)


def _document_ids(texts: Sequence[VersionText]) -> list[int]:
    found: dict[int, None] = {}
    for one in texts:
        fact = parse_fact_metadata(one.metadata)
        numbers = (
            *(fact.documents if fact else ()),
            *(() if one.document_id is None else (one.document_id,)),
        )
        found.update(dict.fromkeys(numbers))
    return list(found)


def _is_from_document(one: VersionText, number: int) -> bool:
    fact = parse_fact_metadata(one.metadata)
    return one.document_id == number or (fact is not None and number in fact.documents)


def _without_statements(
    document: Document, erased_texts: Sequence[VersionText], remaining_texts: Sequence[VersionText]
) -> Document:
    """A document without the statements of some memories. Where these cannot be located in the
    text, the text is replaced by the remaining facts.
    """
    newest = {one.memory_id: one.text for one in remaining_texts}
    statements = [
        _erased_statement(list(some), document.id)
        for _, some in groupby(erased_texts, key=lambda one: one.memory_id)
    ]
    redacted = redaction.redact(
        document.text, statements, (f"{one.title} {one.text}" for one in remaining_texts)
    )
    text = "\n".join(newest.values()) if redacted.text is None else redacted.text
    return replace(
        document,
        text=text,
        text_chars=len(text),
        sha256=_sha256(text),
        title="" if redacted.contains_forbidden(document.title) else document.title,
        tags=tuple(tag for tag in document.tags if not redacted.contains_forbidden(tag)),
        metadata=_redacted_metadata(document.metadata, redacted),
    )


def _erased_statement(texts: Sequence[VersionText], number: int) -> redaction.ErasedStatement:
    """The texts of a memory in a document. A statement that the document no longer contains need
    not be found in it.
    """
    fact = parse_fact_metadata(texts[-1].metadata)
    is_stated = fact is None or number in fact.documents
    return redaction.ErasedStatement(
        tuple(one.text for one in texts if _is_from_document(one, number)), is_stated
    )


def _redacted_metadata(
    metadata: Metadata, redacted: redaction.RedactedText
) -> Mapping[str, object]:
    return {
        name: value
        for name, value in metadata.items()
        if name in _KEPT_FIELDS
        or (
            name != EXTRACTED
            and not redacted.contains_forbidden(json.dumps(value, ensure_ascii=False))
        )
    }


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
