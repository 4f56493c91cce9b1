"""Retaining: a text kept as a document and cut into facts; the same statement said again is one fact with more proof.

A fact is told again when its words and its tags are the same. It belongs to the document that said it first and knows
the others, so that deleting one document takes away only what no other says.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from commonplace import checks, ids
from commonplace.activities import Document, DocumentDraft, Job
from commonplace.engine import documents, marks, mental_models, observations
from commonplace.engine.banks import known
from commonplace.engine.drafts import checked_draft, checked_origin
from commonplace.engine.forgetting import purge_where, scrub
from commonplace.engine.jobs import enqueue
from commonplace.engine.marks import Mark, mark_of
from commonplace.engine.memories import count, list_memories, newborn, next_version
from commonplace.engine.parts import Parts
from commonplace.engine.revising import Revising
from commonplace.errors import Conflict
from commonplace.extract import facts
from commonplace.limits import LIST_MAX, NAME_CHARS_MAX
from commonplace.records import AllOf, AnyOf, Bank, Draft, Filter, Match, Memory, Metadata, Origin, Scope
from commonplace.storage import banks, jobs, memories
from commonplace.storage import documents as rows

# Facts that other documents said first are noted with a document, up to so many.
_SHARED_MAX = 2_000
_SHARED = "shared"
_UNCUT = ("verbatim", "chunks")


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to be retained. Without a name it becomes a document of its own; tags of None stay as they were."""

    text: str
    name: str = ""
    context: str = ""
    said_at: int | None = None
    tags: tuple[str, ...] | None = None
    metadata: Metadata = field(default_factory=dict[str, object])
    append: bool = False


@dataclass(frozen=True, slots=True)
class Retained:
    """The document after the call, and the facts that are new or were said again."""

    document: Document | None
    memory_ids: tuple[int, ...]


def retain(parts: Parts, bank: str, passage: Passage, origin: Origin = Origin()) -> Retained:
    """Keep a text and its facts in one transaction. The same text under the same name changes nothing."""
    name, author = checks.name(bank, what="bank"), checked_origin(origin)
    checks.passage(passage.text, what="content")
    checks.moment(passage.said_at, what="timestamp")
    with parts.db.transaction():
        place = banks.ensure(parts.db, name, parts.clock.now())
        if not passage.text.strip():
            return Retained(None, ())
        before, document = _put(parts, place, passage)
        if before and (before.sha256, before.tags, before.metadata) == (
            document.sha256,
            document.tags,
            document.metadata,
        ):
            return Retained(document, ())
        revising = Revising(parts, place.id, "retain", author)
        told = _told(parts, place, document, passage, revising)
        kept = {memory.key for memory, _ in told}
        gone = [one for one in _said_by(parts, document) if one.key not in kept]
        for memory in gone:
            _unsay(parts, memory, document, revising)
        changed = [memory for memory, new in told if new]
        _note_shared(parts, document, [memory for memory, _ in told])
        if place.config.get("enable_observations") is not False:
            observations.consolidate(parts, [*changed, *gone], revising)
    if not parts.db.in_transaction:
        mental_models.refresh_after_writing(parts, bank)
    return Retained(document, tuple(memory.id for memory in changed))


def retain_as_job(parts: Parts, bank: str, passage: Passage, origin: Origin = Origin()) -> Job:
    """Retain a text now and keep a record of it as a finished job, in one transaction."""
    with parts.db.transaction():
        job = enqueue(parts, bank, "retain", {"document": passage.name})
        done = retain(parts, bank, passage, origin)
        result = {
            "document": done.document.name if done.document else "",
            "memories": [ids.uuid_form(number) for number in done.memory_ids],
        }
        jobs.conclude(parts.db, job.id, json.dumps(result, ensure_ascii=False), parts.clock.now())
    mental_models.refresh_after_writing(parts, bank)
    return job


def erase_document(parts: Parts, bank: str, name: str, origin: Origin = Origin()) -> tuple[int, ...]:
    """Erase a document for good with its facts and all that was made of them; the ids of the facts that went.

    A fact that another document says as well stays, with less proof.
    """
    author = checked_origin(origin)
    with parts.db.transaction():
        document = documents.get_document(parts, bank, name)
        revising = Revising(parts, document.bank_id, "purge", author)
        said = _said_by(parts, document)
        for memory in said:
            if len(mark_of(memory).documents) > 1:
                _unsay(parts, memory, document, revising)
        # What it no longer says may still stand in the history of an observation.
        every = Filter(document_id=document.id, status="any", expired=True)
        ever = memories.select_ids(parts.db, document.bank_id, every, revising.now)
        once = memories.by_ids(parts.db, document.bank_id, ever).values()
        observations.erase_about(parts, bank, [*said, *once])
        gone = documents.delete_document(parts, bank, name, author)
        if known(parts, bank).config.get("enable_observations") is not False:
            observations.consolidate(parts, said, revising)
        mental_models.release(parts, bank, ever)
    scrub(parts)
    return gone


def find_document(parts: Parts, bank: str, name: str) -> Document | None:
    """A document of the owner's with its text; None where there is none of that name, or no such bank."""
    place = banks.find(parts.db, bank)
    found = rows.find(parts.db, place.id, name.strip()) if place else None
    return found if found and not documents.user_of(found) else None


def browse(
    parts: Parts, bank: str, chosen: Filter, words: str = "", *, limit: int = 100, offset: int = 0
) -> tuple[tuple[Memory, ...], int]:
    """A page of the memories a filter means that have some words in their text or context, and how many there are."""
    if words.strip():
        wanted = "%" + "".join(f"\\{one}" if one in "%_\\" else one for one in words) + "%"
        said = AnyOf(tuple(Match((name,), "ilike", wanted, own=True) for name in ("text", "category")))
        chosen = replace(chosen, where=AllOf((said, chosen.where)) if chosen.where else said)
    found = list_memories(parts, bank, chosen, limit=limit, offset=offset)
    return found, count(parts, bank, chosen)


def chunk_chars(config: Metadata) -> int:
    """How long a chunk of a text is in a bank of some configuration."""
    size = config.get("retain_chunk_size")
    return size if isinstance(size, int) and size > 0 else facts.CHUNK_CHARS


def _put(parts: Parts, place: Bank, passage: Passage) -> tuple[Document | None, Document]:
    """A document as it was before and as it is now."""
    now = parts.clock.now()
    name = passage.name or ids.uuid_form(banks.new_ids(parts.db, now)[0])
    before = rows.find(parts.db, place.id, checks.name(name, what="document name"))
    if before and documents.user_of(before):
        raise Conflict("The document belongs to another user.", hint="Use another document id.")
    noted: dict[str, object] = {"context": passage.context, "metadata": dict(passage.metadata)}
    if passage.said_at is not None:
        noted["said_at"] = passage.said_at
    if before and _SHARED in before.metadata:
        noted[_SHARED] = before.metadata[_SHARED]
    draft = DocumentDraft(name, passage.text, metadata=noted)
    if passage.tags is not None:
        draft = replace(draft, tags=passage.tags)
    document, _ = documents.put_document(parts, place.name, draft, append=passage.append)
    return before, document


def _told(
    parts: Parts, place: Bank, document: Document, passage: Passage, revising: Revising
) -> list[tuple[Memory, bool]]:
    """The facts a document says, as memories, and whether each is new or was said again."""
    said_at = revising.now if passage.said_at is None else passage.said_at
    uncut = place.config.get("retain_extraction_mode") in _UNCUT
    size = chunk_chars(place.config)
    out: list[tuple[Memory, bool]] = []
    for fact in facts.find(document.text, said_at, chunk_chars=size, whole_chunks=uncut):
        mark = Mark(passage.context, said_at, fact.entities, (document.id,), fact.chunk)
        draft = Draft(
            text=fact.text,
            kind="experience" if fact.experience else "world",
            key=facts.identity(fact.text, document.tags),
            tags=document.tags,
            metadata=marks.marked(passage.metadata, mark),
            category=" ".join(passage.context.split())[:NAME_CHARS_MAX],
            happened_at=fact.happened_at,
            happened_until=fact.happened_until,
            document_id=document.id,
        )
        out.append(_remember(parts, checked_draft(draft), revising))
    return out


def _remember(parts: Parts, draft: Draft, revising: Revising) -> tuple[Memory, bool]:
    before = memories.find_by_key(parts.db, revising.bank_id, Scope(), draft.key)
    if before is None:
        first, second = banks.new_ids(parts.db, revising.now, 2)
        memory = newborn(draft, (first, second), revising)
        revising.write(memory, "remember")
        return memory, True
    mark = mark_of(before)
    number = cast(int, draft.document_id)
    if before.forgotten_at is None and number in mark.documents:
        return before, False
    if before.forgotten_at is None:
        told = (*mark.documents, number)
        return _revised(parts, before, revising, metadata=marks.remarked(before, documents=told)), True
    given = {name: getattr(draft, name) for name in ("kind", "metadata", "category", "happened_at", "happened_until")}
    return _revised(parts, before, revising, forgotten_at=None, document_id=number, **given), True


def _revised(parts: Parts, memory: Memory, revising: Revising, **changes: Any) -> Memory:
    number = banks.new_ids(parts.db, revising.now)[0]
    after = replace(next_version(memory, number, revising.now), **changes)
    revising.write(after, "remember" if "forgotten_at" in changes and after.forgotten_at is None else "revise")
    return after


def _said_by(parts: Parts, document: Document) -> list[Memory]:
    """The live facts that a document says, its own and those that others said first."""
    now = parts.clock.now()
    found = memories.select_ids(parts.db, document.bank_id, Filter(document_id=document.id, expired=True), now)
    shared = document.metadata.get(_SHARED)
    also = cast(list[int], shared) if isinstance(shared, list) else []
    by_id = memories.by_ids(parts.db, document.bank_id, list(dict.fromkeys([*found, *also])))
    return [one for one in by_id.values() if one.forgotten_at is None and document.id in mark_of(one).documents]


def _unsay(parts: Parts, memory: Memory, document: Document, revising: Revising) -> None:
    """Take one document's word for a fact away; a fact that nobody says any more is forgotten."""
    left = tuple(number for number in mark_of(memory).documents if number != document.id)
    if left:
        changes = {"metadata": marks.remarked(memory, documents=left), "document_id": left[0]}
        _revised(parts, memory, revising, **changes)
        return
    number = banks.new_ids(parts.db, revising.now)[0]
    after = next_version(memory, number, revising.now)
    revising.write(replace(after, forgotten_at=after.updated_at), "forget")


def _note_shared(parts: Parts, document: Document, said: Sequence[Memory]) -> None:
    """Note with a document which of its facts another one said first."""
    shared = [one.id for one in said if one.document_id != document.id][:_SHARED_MAX]
    noted = {name: value for name, value in document.metadata.items() if name != _SHARED}
    if shared:
        noted[_SHARED] = shared
    if noted != document.metadata:
        rows.update(parts.db, replace(document, metadata=noted))


def clear_facts(parts: Parts, bank: str, kinds: Sequence[str] | None = None, origin: Origin = Origin()) -> int:
    """Erase the facts of a bank for good, all of them with their documents or those of some kinds; how many."""
    author = checked_origin(origin)
    with parts.db.transaction():
        place = banks.find(parts.db, checks.name(bank, what="bank"))
        if place is None:
            return 0
        chosen = of_kinds(kinds, Filter(users=("",), status="any", expired=True))
        if kinds and observations.KIND not in kinds:
            doomed = memories.select_ids(parts.db, place.id, chosen, parts.clock.now())
            observations.erase_about(parts, bank, list(memories.by_ids(parts.db, place.id, doomed).values()))
        gone = purge_where(parts, bank, chosen, author)
        while not kinds and (page := documents.list_documents(parts, bank, limit=LIST_MAX, user="")).items:
            for document in page.items:
                documents.delete_document(parts, bank, document.name, author)
        mental_models.release(parts, bank, gone)
    scrub(parts)
    return len(gone)


def of_kinds(kinds: Sequence[str] | None, chosen: Filter = Filter()) -> Filter:
    """A filter for facts of some kinds. What other dialects remember is about the world."""
    if not kinds:
        return chosen
    if "world" not in kinds:
        return replace(chosen, kinds=tuple(kinds))
    return replace(chosen, kinds_not=tuple(one for one in ("experience", observations.KIND) if one not in kinds))
