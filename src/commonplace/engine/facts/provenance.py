"""Which document says which fact. A fact belongs to the one that said it first, and knows the
others.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from commonplace.engine.facts import fact_extraction, fact_metadata
from commonplace.engine.facts.fact_extraction import Reading
from commonplace.engine.facts.fact_metadata import Mark, mark_of
from commonplace.engine.memories import newborn, next_version
from commonplace.engine.revisions import Revising
from commonplace.engine.runtime import Parts
from commonplace.extract import fact_splitting
from commonplace.language.statement import folded
from commonplace.records.memory import Draft, Memory, Scope
from commonplace.records.query import Filter
from commonplace.records.work import Document
from commonplace.reserved_metadata import FACT
from commonplace.storage import banks, memories
from commonplace.storage import documents as rows

# Facts that other documents said first are noted with a document, up to so many.
_SHARED_MAX = 2_000
SHARED = "shared"
_READ_MAX = 1_500


def say(
    parts: Parts, draft: Draft, revising: Revising, *, corrects: bool, dated: bool
) -> tuple[Memory, bool]:
    """A fact that a document says, as a memory, and whether it is new, was said again or was
    corrected.

    A document that corrects says when and in which context it was meant, and its own facts follow;
    when, only if it was told.
    """
    draft, before = _place(parts, draft, revising)
    if before is None:
        first, second = banks.new_ids(parts.db, revising.now, 2)
        memory = newborn(draft, (first, second), revising)
        revising.write(memory, "remember")
        return memory, True
    mark = mark_of(before)
    number = cast(int, draft.document_id)
    if number in mark.documents:
        # What was forgotten since this document said it stays forgotten, until somebody else says
        # it.
        if before.forgotten_at is not None or before.document_id != number:
            return before, False
        changes = _changes(before, draft, corrects=corrects, dated=dated)
        return (
            (_revised(parts, before, revising, **changes), corrects) if changes else (before, False)
        )
    if before.forgotten_at is None:
        told = (*mark.documents, number)
        return _revised(
            parts, before, revising, metadata=fact_metadata.remarked(before, documents=told)
        ), True
    given = {
        name: getattr(draft, name)
        for name in ("kind", "metadata", "category", "happened_at", "happened_until")
    }
    return _revised(parts, before, revising, forgotten_at=None, document_id=number, **given), True


def _changes(before: Memory, draft: Draft, *, corrects: bool, dated: bool) -> dict[str, Any]:
    """What a document now says otherwise of a fact of its own, besides its words."""
    told, mark = fact_metadata.mark_in(draft.metadata) or Mark(), mark_of(before)
    after = replace(mark, chunk=told.chunk)
    changes: dict[str, Any] = {}
    # What another tongue has edited is that tongue's.
    if corrects and folded(before.text) == folded(draft.text):
        after = replace(after, context=told.context)
        changes = {"category": draft.category}
        if dated:
            after = replace(after, mentioned_at=told.mentioned_at)
            changes |= {"happened_at": draft.happened_at, "happened_until": draft.happened_until}
    own = {name: value for name, value in draft.metadata.items() if name != FACT}
    changes["metadata"] = fact_metadata.marked(
        own if corrects and own else fact_metadata.own(before), after
    )
    return {name: value for name, value in changes.items() if getattr(before, name) != value}


def _place(parts: Parts, draft: Draft, revising: Revising) -> tuple[Draft, Memory | None]:
    """A fact with its key, and the memory that has it.

    One that another tongue has edited since says something else now: it still answers to the
    documents it came from, and to nobody else.
    """
    own, turn = draft, 0
    while found := memories.find_by_key(parts.db, revising.bank_id, Scope(), own.key):
        if (
            draft.document_id in mark_of(found).documents
            or fact_splitting.identity(found.text, found.tags) == draft.key
        ):
            break
        turn += 1
        own = replace(draft, key=f"{draft.key}.{turn}")
    return own, found


def _revised(parts: Parts, memory: Memory, revising: Revising, **changes: Any) -> Memory:
    number = banks.new_ids(parts.db, revising.now)[0]
    after = replace(next_version(memory, number, revising.now), **changes)
    revising.write(
        after, "remember" if "forgotten_at" in changes and after.forgotten_at is None else "revise"
    )
    return after


def said_by(parts: Parts, document: Document) -> list[Memory]:
    """The live facts that a document says, its own and those that others said first."""
    now = parts.clock.now()
    found = memories.select_ids(
        parts.db, document.bank_id, Filter(document_id=document.id, expired=True), now
    )
    shared = document.metadata.get(SHARED)
    also = cast(list[int], shared) if isinstance(shared, list) else []
    by_id = memories.by_ids(parts.db, document.bank_id, list(dict.fromkeys([*found, *also])))
    return [
        one
        for one in by_id.values()
        if one.forgotten_at is None and document.id in mark_of(one).documents
    ]


def unsay(parts: Parts, memory: Memory, document: Document, revising: Revising) -> None:
    """Take one document's word for a fact away; a fact that nobody says any more is forgotten."""
    left = tuple(number for number in mark_of(memory).documents if number != document.id)
    if left:
        changes = {
            "metadata": fact_metadata.remarked(memory, documents=left),
            "document_id": left[0],
        }
        _revised(parts, memory, revising, **changes)
        return
    number = banks.new_ids(parts.db, revising.now)[0]
    after = next_version(memory, number, revising.now)
    unsaid = fact_metadata.remarked(memory, documents=())
    revising.write(replace(after, forgotten_at=after.updated_at, metadata=unsaid), "forget")


def note(parts: Parts, document: Document, said: Sequence[Memory], read: Reading | None) -> None:
    """Note with a document which of its facts another one said first, and which a model read from
    which chunk.
    """
    noted = {
        name: value
        for name, value in document.metadata.items()
        if name not in (SHARED, fact_extraction.NOTED)
    }
    if shared := [one.id for one in said if one.document_id != document.id][:_SHARED_MAX]:
        noted[SHARED] = shared
    if read and read.read and len(said) <= _READ_MAX:
        by_key = {one.key: one.id for one in said}
        named = {
            chunk: [by_key.get(fact_splitting.identity(text, document.tags), 0) for text in texts]
            for chunk, texts in read.read.items()
        }
        noted[fact_extraction.NOTED] = {
            chunk: numbers for chunk, numbers in named.items() if all(numbers)
        }
    if noted != document.metadata:
        rows.update(parts.db, replace(document, metadata=noted))
