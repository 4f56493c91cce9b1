"""Documents lose what is erased: one whose memories all go goes with them, another loses the words
of those that go.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import cast

from commonplace.engine.erasure_ledger import Ledger
from commonplace.engine.facts.fact_metadata import mark_in
from commonplace.engine.runtime import Parts
from commonplace.extract import redaction
from commonplace.records.memory import Metadata
from commonplace.records.work import Document
from commonplace.storage import documents, erasure, memories
from commonplace.storage.erasure import Wording

# What documents note for the engine: which facts others said first, and which a model read from
# which chunk.
SHARED = "shared"
READ = "read"
# For whom and when a document was told; what it is found by does not change with its words.
_KEPT = ("user", "agent", "run", "said_at", "zone_ms", SHARED)


class Redacting:
    """The documents of one erasure. Each is looked at once, with all of its memories that are to
    go.
    """

    def __init__(self, parts: Parts, doomed: Iterable[int], ledger: Ledger | None = None) -> None:
        self._db = parts.db
        self._clock = parts.clock
        self._ledger = ledger
        self._doomed = frozenset(doomed)
        self._seen: set[int] = set()
        self._empty: set[int] = set()
        self._touched: list[int] = []
        # The names of those that go with the memories that were given last.
        self.names: list[str] = []

    def redact(self, memory_ids: Sequence[int]) -> None:
        """Take what some memories say out of their documents, before the memories themselves go."""
        self.names = []
        self._touched = _documents_of(erasure.wordings(self._db, memory_ids))
        for number in self._touched:
            if number not in self._seen:
                self._seen.add(number)
                document = documents.by_id(self._db, number)
                if document is not None:
                    self._redact(document)

    def drop(self) -> None:
        """Remove the documents of which nothing is left, after the memories that were given
        last.
        """
        erasure.delete_empty(
            self._db, [number for number in self._touched if number in self._empty]
        )

    def _redact(self, document: Document) -> None:
        shared = document.metadata.get(SHARED)
        also = cast("list[int]", shared) if isinstance(shared, list) else []
        carried = erasure.memories_of_document(self._db, document.id) | set(also)
        left = set(memories.by_ids(self._db, document.bank_id, sorted(carried - self._doomed)))
        now = max(document.updated_at, self._clock.now())
        if not left:
            # Its row stays until its last memory goes; its words do not.
            self._empty.add(document.id)
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
                self._ledger.gone("document", document.id, document.text, derived=True)
            return
        gone = erasure.wordings(self._db, sorted(carried & self._doomed))
        kept = [one for one in erasure.wordings(self._db, sorted(left)) if _from(one, document.id)]
        after = _without(document, gone, kept)
        if SHARED in after.metadata:
            after = replace(
                after, metadata={**after.metadata, SHARED: [one for one in also if one in left]}
            )
        documents.update(self._db, replace(after, updated_at=now))
        if self._ledger:
            self._ledger.shortened("document", document.id, document.text)


def _documents_of(wordings: Sequence[Wording]) -> list[int]:
    found: dict[int, None] = {}
    for one in wordings:
        mark = mark_in(one.metadata)
        numbers = (
            *(mark.documents if mark else ()),
            *(() if one.document_id is None else (one.document_id,)),
        )
        found.update(dict.fromkeys(numbers))
    return list(found)


def _from(one: Wording, number: int) -> bool:
    mark = mark_in(one.metadata)
    return one.document_id == number or (mark is not None and number in mark.documents)


def _without(document: Document, gone: Sequence[Wording], kept: Sequence[Wording]) -> Document:
    """A document without what some memories said in it. Where that cannot be found, its facts are
    all that is left.
    """
    newest = {one.memory_id: one.text for one in kept}
    statements = [
        _statement(list(some), document.id)
        for _, some in groupby(gone, key=lambda one: one.memory_id)
    ]
    redacted = redaction.without(
        document.text, statements, (f"{one.title} {one.text}" for one in kept)
    )
    text = "\n".join(newest.values()) if redacted.text is None else redacted.text
    return replace(
        document,
        text=text,
        text_chars=len(text),
        sha256=_sha256(text),
        title="" if redacted.holds(document.title) else document.title,
        tags=tuple(tag for tag in document.tags if not redacted.holds(tag)),
        metadata=_noted(document.metadata, redacted),
    )


def _statement(wordings: Sequence[Wording], number: int) -> redaction.Erased:
    """What a memory said in a document. What the document took back since need not be found in
    it.
    """
    mark = mark_in(wordings[-1].metadata)
    present = mark is None or number in mark.documents
    return redaction.Erased(tuple(one.text for one in wordings if _from(one, number)), present)


def _noted(metadata: Metadata, redacted: redaction.Redacted) -> Mapping[str, object]:
    return {
        name: value
        for name, value in metadata.items()
        if name in _KEPT
        or (name != READ and not redacted.holds(json.dumps(value, ensure_ascii=False)))
    }


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
