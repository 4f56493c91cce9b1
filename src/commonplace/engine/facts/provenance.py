"""Records which documents state which fact.

A fact belongs to the document that stated it first, and lists the others.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from commonplace.engine.facts import fact_extraction, fact_metadata
from commonplace.engine.facts.fact_extraction import Extraction
from commonplace.engine.facts.fact_metadata import FactMetadata, fact_metadata_of
from commonplace.engine.memories import first_version, next_version
from commonplace.engine.runtime import Runtime
from commonplace.engine.versions.revisions import RevisionWriter
from commonplace.extract import fact_splitting
from commonplace.language.statement import fold_text
from commonplace.records.memory import Draft, Memory, Scope
from commonplace.records.query import Filter
from commonplace.records.work import Document
from commonplace.storage.rows import banks, memories
from commonplace.storage.rows import documents as rows

# A document lists at most this many facts that belong to other documents.
_SHARED_MAX = 2_000
SHARED_KEY = "shared"
_EXTRACTED_MAX = 1_500


def record_fact(
    runtime: Runtime, draft: Draft, writer: RevisionWriter, *, corrects: bool, dated: bool
) -> tuple[Memory, bool]:
    """Store a fact that a document states. Returns the memory, and whether it is new, stated again
    or corrected.

    If the document `corrects`, the context of its own facts is updated as well, and if it is also
    `dated`, their times.
    """
    draft, before = _resolve_key(runtime, draft, writer)
    if before is None:
        first, second = banks.new_ids(runtime.db, writer.now, 2)
        memory = first_version(draft, (first, second), writer)
        writer.write(memory, "remember")
        return memory, True
    metadata = fact_metadata_of(before)
    document_id = cast(int, draft.document_id)
    if document_id in metadata.documents:
        # A fact forgotten after this document stated it stays forgotten until another document
        # states it.
        if before.forgotten_at is not None or before.document_id != document_id:
            return before, False
        changes = _changed_fields(before, draft, corrects=corrects, dated=dated)
        return (
            (_revise(runtime, before, writer, **changes), corrects) if changes else (before, False)
        )
    if before.forgotten_at is None:
        documents = (*metadata.documents, document_id)
        return _revise(
            runtime,
            before,
            writer,
            metadata=fact_metadata.update_fact_metadata(before, documents=documents),
        ), True
    draft_fields = {
        name: getattr(draft, name)
        for name in ("kind", "metadata", "category", "happened_at", "happened_until")
    }
    return _revise(
        runtime, before, writer, forgotten_at=None, document_id=document_id, **draft_fields
    ), True


def _changed_fields(before: Memory, draft: Draft, *, corrects: bool, dated: bool) -> dict[str, Any]:
    """The fields of a document's own fact that differ in the new draft, besides its text."""
    drafted = fact_metadata.parse_fact_metadata(draft.metadata) or FactMetadata()
    after = replace(fact_metadata_of(before), chunk=drafted.chunk)
    changes: dict[str, Any] = {}
    # A fact edited through another dialect keeps its edits.
    if corrects and fold_text(before.text) == fold_text(draft.text):
        after = replace(after, context=drafted.context)
        changes = {"category": draft.category}
        if dated:
            after = replace(after, mentioned_at=drafted.mentioned_at)
            changes |= {"happened_at": draft.happened_at, "happened_until": draft.happened_until}
    caller_fields = fact_metadata.caller_fields(draft.metadata) if corrects else {}
    changes["metadata"] = fact_metadata.with_fact_metadata(
        caller_fields or fact_metadata.user_metadata(before), after
    )
    return {name: value for name, value in changes.items() if getattr(before, name) != value}


def _resolve_key(
    runtime: Runtime, draft: Draft, writer: RevisionWriter
) -> tuple[Draft, Memory | None]:
    """The draft with a free or matching key, and the memory that already has this key.

    A fact that was edited through another dialect has another meaning now. It keeps its key only
    for the documents it came from; for other documents the draft gets a new key.
    """
    keyed_draft, attempt = draft, 0
    while found := memories.find_by_key(runtime.db, writer.bank_id, Scope(), keyed_draft.key):
        if (
            draft.document_id in fact_metadata_of(found).documents
            or fact_splitting.fact_digest(found.text, found.tags) == draft.key
        ):
            break
        attempt += 1
        keyed_draft = replace(draft, key=f"{draft.key}.{attempt}")
    return keyed_draft, found


def _revise(runtime: Runtime, memory: Memory, writer: RevisionWriter, **changes: Any) -> Memory:
    version_id = banks.new_ids(runtime.db, writer.now)[0]
    after = replace(next_version(memory, version_id, writer.now), **changes)
    writer.write(
        after, "remember" if "forgotten_at" in changes and after.forgotten_at is None else "revise"
    )
    return after


def facts_of_document(runtime: Runtime, document: Document) -> list[Memory]:
    """The live facts that a document states: its own, and those that belong to other documents."""
    now = runtime.clock.now()
    own_ids = memories.select_ids(
        runtime.db, document.bank_id, Filter(document_id=document.id, expired=True), now
    )
    shared = document.metadata.get(SHARED_KEY)
    shared_ids = cast(list[int], shared) if isinstance(shared, list) else []
    by_id = memories.by_ids(
        runtime.db, document.bank_id, list(dict.fromkeys([*own_ids, *shared_ids]))
    )
    return [
        one
        for one in by_id.values()
        if one.forgotten_at is None and document.id in fact_metadata_of(one).documents
    ]


def withdraw_document(
    runtime: Runtime, memory: Memory, document: Document, writer: RevisionWriter
) -> None:
    """Remove a document from a fact's proofs. A fact without any document left is forgotten."""
    remaining = tuple(
        document_id
        for document_id in fact_metadata_of(memory).documents
        if document_id != document.id
    )
    if remaining:
        changes = {
            "metadata": fact_metadata.update_fact_metadata(memory, documents=remaining),
            "document_id": remaining[0],
        }
        _revise(runtime, memory, writer, **changes)
        return
    version_id = banks.new_ids(runtime.db, writer.now)[0]
    after = next_version(memory, version_id, writer.now)
    metadata = fact_metadata.update_fact_metadata(memory, documents=())
    writer.write(replace(after, forgotten_at=after.updated_at, metadata=metadata), "forget")


def record_extraction(
    runtime: Runtime, document: Document, facts: Sequence[Memory], extraction: Extraction | None
) -> None:
    """Record in a document's metadata which of its facts belong to other documents, and which facts
    a model extracted from each chunk.
    """
    metadata = {
        name: value
        for name, value in document.metadata.items()
        if name not in (SHARED_KEY, fact_extraction.EXTRACTED_KEY)
    }
    if shared := [one.id for one in facts if one.document_id != document.id][:_SHARED_MAX]:
        metadata[SHARED_KEY] = shared
    if extraction and extraction.by_chunk and len(facts) <= _EXTRACTED_MAX:
        metadata[fact_extraction.EXTRACTED_KEY] = _ids_by_chunk(document, facts, extraction)
    if metadata != document.metadata:
        rows.update(runtime.db, replace(document, metadata=metadata))


def _ids_by_chunk(
    document: Document, facts: Sequence[Memory], extraction: Extraction
) -> dict[str, list[int]]:
    """The ids of the facts of each chunk, for the chunks of which every fact is stored."""
    id_by_key = {one.key: one.id for one in facts}
    ids_by_chunk: dict[str, list[int]] = {}
    for chunk, texts in extraction.by_chunk.items():
        keys = [fact_splitting.fact_digest(text, document.tags) for text in texts]
        if all(key in id_by_key for key in keys):
            ids_by_chunk[chunk] = [id_by_key[key] for key in keys]
    return ids_by_chunk
