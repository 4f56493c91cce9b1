"""Documents: the sources memories come from, kept word for word under a name of the caller's."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from commonplace import validation
from commonplace.engine.banks import known
from commonplace.engine.erasure import for_good, purge_where
from commonplace.engine.erasure_ledger import Ledger
from commonplace.engine.memories import bounded
from commonplace.engine.runtime import Parts
from commonplace.errors import NotFound
from commonplace.limits import COUNT_MAX, LIST_MAX, QUERY_CHARS_MAX, TITLE_CHARS_MAX
from commonplace.records.memory import Origin, Unset
from commonplace.records.query import Filter
from commonplace.records.work import Document, DocumentChange, DocumentDraft, Page
from commonplace.storage import banks, documents


def put_document(
    parts: Parts, bank: str, draft: DocumentDraft, *, append: bool = False
) -> tuple[Document, DocumentChange]:
    """The document after the call, and whether its text was added, replaced or unchanged.

    Appending puts the text on a new line at the end of what is there. Memories made from an older
    text stay as they are: whoever extracts decides what becomes of them.
    """
    checked, name = _checked(draft), validation.name(bank, what="bank")
    with parts.db.transaction():
        now = parts.clock.now()
        bank_id = banks.ensure(parts.db, name, now).id
        before = documents.find(parts.db, bank_id, checked.name)
        if before is None:
            added = _labelled(
                _blank(bank_id, banks.new_ids(parts.db, now)[0], checked.name, now), checked
            )
            documents.add(parts.db, _with_text(added, checked.text))
            return _found(parts, bank, checked.name), "added"
        text = (
            validation.body(f"{before.text}\n{checked.text}", what="document")
            if append
            else checked.text
        )
        after = _with_text(_labelled(before, checked), text)
        if after != before:
            documents.update(parts.db, replace(after, updated_at=max(now, before.updated_at)))
        change: DocumentChange = "unchanged" if after.sha256 == before.sha256 else "replaced"
        return _found(parts, bank, checked.name), change


def get_document(parts: Parts, bank: str, name: str) -> Document:
    """A document with its text."""
    return _found(parts, bank, name)


def list_documents(
    parts: Parts,
    bank: str,
    words: str = "",
    *,
    limit: int = 100,
    offset: int = 0,
    user: str | None = None,
) -> Page[Document]:
    """Documents whose name, title or text contains the words, last changed first, without their
    texts.

    With a user, only what was told for that user; "" is the owner.
    """
    validation.count(limit, what="limit", most=LIST_MAX)
    validation.count(offset, what="offset", most=COUNT_MAX)
    wanted = validation.passage(words, what="query", bytes_max=QUERY_CHARS_MAX).strip() or None
    with parts.db.snapshot():
        found = banks.find(parts.db, validation.name(bank, what="bank"))
        if found is None:
            return Page()
        items = documents.listed(parts.db, found.id, wanted, limit=limit, offset=offset, user=user)
        return Page(tuple(items), documents.count(parts.db, found.id, wanted, user))


def user_of(document: Document) -> str:
    """For whom a document was told; "" is the owner."""
    return str(document.metadata.get("user", ""))


def document_names(parts: Parts, bank: str, document_ids: Sequence[int]) -> dict[int, str]:
    """The names of documents by the ids that memories carry; unknown ids are left out."""
    found = banks.find(parts.db, validation.name(bank, what="bank"))
    return documents.names(parts.db, found.id, bounded(document_ids)) if found else {}


def delete_document(
    parts: Parts, bank: str, name: str, origin: Origin = Origin(), ledger: Ledger | None = None
) -> tuple[int, ...]:
    """Erase a document for good, and every memory made from it; the ids of those memories."""
    document = _found(parts, bank, name)
    made = Filter(document_id=document.id, status="any", expired=True)
    gone = purge_where(parts, bank, made, origin, ledger)
    with for_good(parts):
        # Whatever was made from it meanwhile.
        gone += purge_where(parts, bank, made, origin, ledger)
        documents.delete(parts.db, document.id)
    return gone


def _checked(draft: DocumentDraft) -> DocumentDraft:
    validation.body(draft.text, what="document")
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


def _blank(bank_id: int, number: int, name: str, now: int) -> Document:
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


def _labelled(document: Document, draft: DocumentDraft) -> Document:
    return replace(
        document,
        title=document.title if isinstance(draft.title, Unset) else draft.title,
        tags=document.tags if isinstance(draft.tags, Unset) else draft.tags,
        metadata=document.metadata if isinstance(draft.metadata, Unset) else draft.metadata,
    )


def _with_text(document: Document, text: str) -> Document:
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    return replace(document, text=text, text_chars=len(text), sha256=sha256)


def _found(parts: Parts, bank: str, name: str) -> Document:
    wanted = validation.name(name, what="document name")
    found = documents.find(parts.db, known(parts, bank).id, wanted)
    if found is None:
        raise NotFound(
            f"There is no document {wanted!r} in bank {bank!r}.",
            hint="List the documents; names are case-sensitive.",
        )
    return found
