"""Documents: the source texts of memories, stored verbatim under a name that the caller chooses."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from commonplace import validation
from commonplace.engine.banks import require_bank
from commonplace.engine.erasure.erasure import erasing_transaction, purge_where
from commonplace.engine.erasure.ledger import Ledger
from commonplace.engine.memories import check_item_count
from commonplace.engine.runtime import Runtime
from commonplace.errors import NotFound
from commonplace.limits import COUNT_MAX, LIST_MAX, QUERY_CHARS_MAX, TITLE_CHARS_MAX
from commonplace.records.memory import Origin, Unset
from commonplace.records.query import Filter
from commonplace.records.work import Document, DocumentChange, DocumentDraft, ResultPage
from commonplace.storage.rows import banks, documents


def put_document(
    runtime: Runtime, bank: str, draft: DocumentDraft, *, append: bool = False
) -> tuple[Document, DocumentChange]:
    """The document after the call, and whether its text was added, replaced or unchanged.

    With `append` the text is added on a new line. Memories made from an older text stay as they
    are: the extractor decides about them.
    """
    checked, name = _validate(draft), validation.name(bank, what="bank")
    with runtime.db.transaction():
        now = runtime.clock.now()
        bank_id = banks.ensure(runtime.db, name, now).id
        before = documents.find(runtime.db, bank_id, checked.name)
        if before is None:
            added = _with_labels(
                _empty_document(bank_id, banks.new_ids(runtime.db, now)[0], checked.name, now),
                checked,
            )
            documents.add(runtime.db, _with_text(added, checked.text))
            return _require_document(runtime, bank, checked.name), "added"
        text = (
            validation.nonempty_text(f"{before.text}\n{checked.text}", what="document")
            if append
            else checked.text
        )
        after = _with_text(_with_labels(before, checked), text)
        if after != before:
            documents.update(runtime.db, replace(after, updated_at=max(now, before.updated_at)))
        change: DocumentChange = "unchanged" if after.sha256 == before.sha256 else "replaced"
        return _require_document(runtime, bank, checked.name), change


def get_document(runtime: Runtime, bank: str, name: str) -> Document:
    """A document with its text."""
    return _require_document(runtime, bank, name)


def list_documents(
    runtime: Runtime,
    bank: str,
    words: str = "",
    *,
    limit: int = 100,
    offset: int = 0,
    user: str | None = None,
) -> ResultPage[Document]:
    """Documents whose name, title or text contains the words, last changed first, without their
    texts.

    With a user, only documents of that user; "" is the owner.
    """
    validation.count(limit, what="limit", most=LIST_MAX)
    validation.count(offset, what="offset", most=COUNT_MAX)
    wanted = validation.any_text(words, what="query", bytes_max=QUERY_CHARS_MAX).strip() or None
    with runtime.db.snapshot():
        found = banks.find(runtime.db, validation.name(bank, what="bank"))
        if found is None:
            return ResultPage()
        items = documents.list_documents(
            runtime.db, found.id, wanted, limit=limit, offset=offset, user=user
        )
        return ResultPage(tuple(items), documents.count(runtime.db, found.id, wanted, user))


def user_of(document: Document) -> str:
    """The user of a document; "" is the owner."""
    return str(document.metadata.get("user", ""))


def document_names(runtime: Runtime, bank: str, document_ids: Sequence[int]) -> dict[int, str]:
    """The names of documents by the ids that memories carry; unknown ids are left out."""
    found = banks.find(runtime.db, validation.name(bank, what="bank"))
    return documents.names(runtime.db, found.id, check_item_count(document_ids)) if found else {}


def delete_document(
    runtime: Runtime, bank: str, name: str, origin: Origin = Origin(), ledger: Ledger | None = None
) -> tuple[int, ...]:
    """Erase a document and every memory made from it. Returns the ids of these memories."""
    document = _require_document(runtime, bank, name)
    made_from_document = Filter(document_id=document.id, status="any", expired=True)
    erased_ids = purge_where(runtime, bank, made_from_document, origin, ledger)
    with erasing_transaction(runtime):
        # Memories made from it since the first purge.
        erased_ids += purge_where(runtime, bank, made_from_document, origin, ledger)
        documents.delete(runtime.db, document.id)
    return erased_ids


def _validate(draft: DocumentDraft) -> DocumentDraft:
    validation.nonempty_text(draft.text, what="document")
    title, tags = draft.title, draft.tags
    if not isinstance(title, Unset):
        title = validation.line(title, what="title", chars_max=TITLE_CHARS_MAX)
    if not isinstance(tags, Unset):
        tags = validation.tags(tags)
    if not isinstance(draft.metadata, Unset):
        validation.metadata(draft.metadata)
    return replace(
        draft, name=validation.name(draft.name, what="document name"), title=title, tags=tags
    )


def _empty_document(bank_id: int, number: int, name: str, now: int) -> Document:
    return Document(
        id=number,
        bank_id=bank_id,
        name=name,
        title="",
        text="",
        text_chars=0,
        sha256="",
        tags=(),
        metadata={},
        memory_count=0,
        created_at=now,
        updated_at=now,
    )


def _with_labels(document: Document, draft: DocumentDraft) -> Document:
    return replace(
        document,
        title=document.title if isinstance(draft.title, Unset) else draft.title,
        tags=document.tags if isinstance(draft.tags, Unset) else draft.tags,
        metadata=document.metadata if isinstance(draft.metadata, Unset) else draft.metadata,
    )


def _with_text(document: Document, text: str) -> Document:
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    return replace(document, text=text, text_chars=len(text), sha256=sha256)


def _require_document(runtime: Runtime, bank: str, name: str) -> Document:
    wanted = validation.name(name, what="document name")
    found = documents.find(runtime.db, require_bank(runtime, bank).id, wanted)
    if found is None:
        raise NotFound(
            f"There is no document {wanted!r} in bank {bank!r}.",
            hint="List the documents; names are case-sensitive.",
        )
    return found
