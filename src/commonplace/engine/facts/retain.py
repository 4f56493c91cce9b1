"""Retaining: a text kept as a document and cut into facts; the same statement said again is one
fact with more proof.

A fact is told again when its words and its tags are the same. It belongs to the document that said
it first and knows the others, so that deleting one document takes away only what no other says.

A text is cut into facts before the transaction begins: no other write waits for it, however long
the text. With a language model the model finds the facts. What it fails at is cut by rules, and a
note says so.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TypeVar, cast

from commonplace import ids, validation
from commonplace.engine import documents
from commonplace.engine.banks import known
from commonplace.engine.draft_validation import checked_draft, checked_origin
from commonplace.engine.erasure import erase_memories, for_good, purge_where
from commonplace.engine.erasure_ledger import Ledger
from commonplace.engine.facts import fact_extraction, fact_metadata, observations, provenance
from commonplace.engine.facts.fact_extraction import Reading
from commonplace.engine.facts.fact_metadata import Mark, mark_of
from commonplace.engine.memories import count, list_memories
from commonplace.engine.operations.jobs import enqueue
from commonplace.engine.operations.worker import JobContext, do_or_leave
from commonplace.engine.reflect import mental_models
from commonplace.engine.revisions import Revising
from commonplace.engine.runtime import Parts
from commonplace.errors import Conflict, ModelFailed
from commonplace.extract import fact_splitting
from commonplace.extract.llm_statements import Model
from commonplace.limits import NAME_CHARS_MAX
from commonplace.records.memory import Bank, Draft, Memory, Metadata, Origin
from commonplace.records.query import AllOf, AnyOf, Filter, Match
from commonplace.records.work import Document, DocumentDraft, Job
from commonplace.storage import banks, jobs, memories
from commonplace.storage import documents as rows

_Kept = TypeVar("_Kept")
_READINGS_MAX = 2
_AT_ONCE = 50
JOB = "retain"


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to be retained. Without a name it becomes a document of its own; tags of None stay as
    they were.
    """

    text: str
    name: str = ""
    context: str = ""
    said_at: int | None = None
    tags: tuple[str, ...] | None = None
    metadata: Metadata = field(default_factory=dict[str, object])
    append: bool = False
    # By how much the clock of whoever said it is ahead of UTC: "yesterday" is the day before that
    # one's today.
    zone_ms: int = 0


@dataclass(frozen=True, slots=True)
class Retained:
    """The document after the call, and the facts that are new or were said again."""

    document: Document | None
    memory_ids: tuple[int, ...]
    # Why the model that should have found the facts did not.
    note: str = ""
    changed: bool = True


class _Moved(Exception):
    """Not an error: while a text was read, somebody changed the document."""


def retain(parts: Parts, bank: str, passage: Passage, origin: Origin = Origin()) -> Retained:
    """Keep a text and its facts in one transaction. The same text under the same name changes
    nothing.
    """
    name, author = _checked(bank, passage), checked_origin(origin)
    model, why = _model(parts)

    def keep(read: Reading | None) -> Retained:
        return _retained(
            parts, name, passage, author, replace(read, note=read.note or why) if read else None
        )

    return _with_a_current(_readings(parts, name, passage, model), keep)


def retain_as_job(parts: Parts, bank: str, passage: Passage, origin: Origin = Origin()) -> Job:
    """Retain a text now, and keep a record of it as a job that is finished in the same transaction.

    Where there is a model, that transaction keeps what the rules find, and the job is to have the
    model read the text: by the worker of this process, or at once where there is none.
    """
    name, author = _checked(bank, passage), checked_origin(origin)
    model, why = _model(parts)

    def keep(read: Reading | None) -> tuple[Job, bool]:
        with parts.db.transaction():
            done = replace(_retained(parts, name, passage, author, read), note=why)
            job = enqueue(
                parts, name, JOB, {"document": done.document.name if done.document else ""}
            )
            waits = done.document is not None and done.changed and model is not None
            if not waits:
                jobs.conclude(
                    parts.db,
                    job.id,
                    json.dumps(_result(done), ensure_ascii=False),
                    parts.clock.now(),
                )
        return job, waits

    job, waits = _with_a_current(_readings(parts, name, passage, None), keep)
    if not parts.db.in_transaction:
        mental_models.refresh_after_writing(parts, name)
    return do_or_leave(parts, job, read_again, slow=True) if waits else job


def read_again(context: JobContext) -> object:
    """The task of such a job: the model's facts of a document in the place of those that rules
    found.
    """
    parts, name = context.parts, str(context.payload["document"])
    for last in (False, True):
        document = find_document(parts, context.bank, name)
        if document is None:
            return {"document": "", "memories": []}
        passage = _passage(document)
        context.progress(stage="reading")
        model, _ = _model(parts)
        read = _cut(parts, known(parts, context.bank), passage, model)
        with parts.db.transaction():
            context.progress(stage="writing")
            current = find_document(parts, context.bank, name)
            if current is None or (current.sha256, current.tags) != (
                document.sha256,
                document.tags,
            ):
                if last:
                    break  # Somebody keeps writing to it, and each of those writes has a job of its own.
                continue
            # Whoever told the document has corrected what stands already; this only adds what the
            # model found.
            added = replace(passage, append=True)
            written = _write(
                parts, known(parts, context.bank), current, added, read, Origin(who="retain")
            )
            return _result(
                Retained(current, tuple(one.id for one in written), read.note if read else "")
            )
    return {"document": name, "memories": []}


def _result(done: Retained) -> dict[str, object]:
    found: dict[str, object] = {
        "document": done.document.name if done.document else "",
        "memories": [ids.uuid_form(number) for number in done.memory_ids],
    }
    return found | ({"note": done.note} if done.note else {})


def _checked(bank: str, passage: Passage) -> str:
    validation.passage(passage.text, what="content")
    validation.moment(passage.said_at, what="timestamp")
    return validation.name(bank, what="bank")


def _model(parts: Parts) -> tuple[Model | None, str]:
    """The model, if there is one; or a note why the one that should be there is not."""
    try:
        return parts.llm(), ""
    except ModelFailed as error:
        return None, f"Made without the model: {error.message}"


def _readings(
    parts: Parts, bank: str, passage: Passage, model: Model | None
) -> Iterator[Reading | None]:
    """Readings of a text, for as long as others change its document; at last None, to cut it in the
    transaction.
    """
    for _ in range(_READINGS_MAX):
        yield _reading(parts, bank, passage, model)
    yield None


def _with_a_current(
    readings: Iterable[Reading | None], keep: Callable[[Reading | None], _Kept]
) -> _Kept:
    """What comes of the first reading of a document that nobody has changed since."""
    for read in readings:
        with suppress(_Moved):
            return keep(read)
    raise RuntimeError("What is cut in the transaction cannot have changed since.")


def _reading(parts: Parts, bank: str, passage: Passage, model: Model | None) -> Reading | None:
    """The facts of a text that is to be kept, by a model or by rules; None where there is nothing
    to do beforehand.
    """
    if parts.db.in_transaction or not passage.text.strip():
        return None
    place = banks.find(parts.db, bank)
    before = rows.find(parts.db, place.id, passage.name) if place and passage.name else None
    text = f"{before.text}\n{passage.text}" if before and passage.append else passage.text
    same = before and before.text == text and passage.tags in (None, before.tags)
    if before and same and _noted(passage, before) == before.metadata:
        return None
    return _cut(parts, place, replace(passage, text=text), model, before)


def _cut(
    parts: Parts,
    place: Bank | None,
    passage: Passage,
    model: Model | None,
    before: Document | None = None,
) -> Reading:
    """The facts of a text, with what the bank knows of their causes."""
    config: Metadata = place.config if place else {}
    at = (parts.clock.now() if passage.said_at is None else passage.said_at) + passage.zone_ms
    if model is None:
        read = fact_extraction.by_rules(passage.text, at, config)
    else:
        found = fact_extraction.known(parts, before) if before else {}
        read = fact_extraction.by_model(model, passage.text, at, config, found, passage.context)
    with parts.db.snapshot():
        return (
            fact_extraction.looked_up(parts, place.id, read)
            if place
            else replace(read, elsewhere={})
        )


def _passage(document: Document) -> Passage:
    """What was given when a document was retained last."""
    noted = document.metadata
    said, given, zone = noted.get("said_at"), noted.get("metadata"), noted.get("zone_ms")
    return Passage(
        document.text,
        document.name,
        str(noted.get("context", "")),
        said if isinstance(said, int) else document.updated_at,
        document.tags,
        cast(Metadata, given if isinstance(given, dict) else {}),
        zone_ms=zone if isinstance(zone, int) else 0,
    )


def _retained(
    parts: Parts, name: str, passage: Passage, author: Origin, read: Reading | None
) -> Retained:
    with parts.db.transaction():
        place = banks.ensure(parts.db, name, parts.clock.now())
        if not passage.text.strip():
            return Retained(None, (), changed=False)
        before, document = _put(parts, place, passage)
        if before and (before.sha256, before.tags, before.metadata) == (
            document.sha256,
            document.tags,
            document.metadata,
        ):
            return Retained(document, (), changed=False)
        if read and read.text != document.text:
            raise _Moved
        changed = _write(parts, place, document, passage, read, author)
    if not parts.db.in_transaction:
        mental_models.refresh_after_writing(parts, name)
    return Retained(document, tuple(memory.id for memory in changed), read.note if read else "")


def _write(
    parts: Parts,
    place: Bank,
    document: Document,
    passage: Passage,
    read: Reading | None,
    author: Origin,
) -> list[Memory]:
    """Bring the facts of a document up to what it says now; those that are new or were said
    again.
    """
    revising = Revising(parts, place.id, "retain", author)
    told = _told(parts, place, document, passage, revising, read)
    kept = {memory.key for memory, _ in told}
    gone = [one for one in provenance.said_by(parts, document) if one.key not in kept]
    for memory in gone:
        provenance.unsay(parts, memory, document, revising)
    changed = [memory for memory, new in told if new]
    provenance.note(parts, document, [memory for memory, _ in told], read)
    if place.config.get("enable_observations") is not False:
        observations.consolidate(parts, [*changed, *gone], revising)
    return changed


def erase_document(
    parts: Parts, bank: str, name: str, origin: Origin = Origin(), ledger: Ledger | None = None
) -> tuple[int, ...]:
    """Erase a document for good with its facts and all that was made of them; the ids of the facts
    that went.

    A fact that another document says as well stays, with less proof.
    """
    author = checked_origin(origin)
    document = documents.get_document(parts, bank, name)
    before = provenance.said_by(parts, document)
    gone = _erase_own(parts, bank, document, author, ledger)
    with for_good(parts):
        revising = Revising(parts, document.bank_id, "purge", author)
        said = provenance.said_by(parts, document)
        for memory in said:
            if len(mark_of(memory).documents) > 1:
                provenance.unsay(parts, memory, document, revising)
        # What it no longer says may still stand in the history of an observation.
        every = Filter(document_id=document.id, status="any", expired=True)
        ever = memories.select_ids(parts.db, document.bank_id, every, revising.now)
        once = memories.by_ids(parts.db, document.bank_id, ever).values()
        observations.erase_about(parts, bank, [*said, *once], ledger)
        if rows.by_id(parts.db, document.id):
            gone += documents.delete_document(parts, bank, name, author, ledger)
        if known(parts, bank).config.get("enable_observations") is not False:
            observations.consolidate(parts, before, revising)
        mental_models.release(parts, bank, ever)
    return gone


def _erase_own(
    parts: Parts, bank: str, document: Document, author: Origin, ledger: Ledger | None
) -> tuple[int, ...]:
    """Erase the facts that no other document says, with what was observed about them, before the
    document itself.
    """
    every = Filter(document_id=document.id, status="any", expired=True)
    made = memories.select_ids(parts.db, document.bank_id, every, parts.clock.now())
    found = memories.by_ids(parts.db, document.bank_id, made).values()
    own = [one for one in found if len(mark_of(one).documents) < 2]
    observations.erase_about(parts, bank, own, ledger)
    return erase_memories(parts, known(parts, bank), [one.id for one in own], author, ledger)


def find_document(parts: Parts, bank: str, name: str) -> Document | None:
    """A document of the owner's with its text; None where there is none of that name, or no such
    bank.
    """
    place = banks.find(parts.db, bank)
    found = rows.find(parts.db, place.id, name.strip()) if place else None
    return found if found and not documents.user_of(found) else None


def browse(
    parts: Parts, bank: str, chosen: Filter, words: str = "", *, limit: int = 100, offset: int = 0
) -> tuple[tuple[Memory, ...], int]:
    """A page of the memories a filter means that have some words in their text or context, and how
    many there are.
    """
    if words.strip():
        wanted = "%" + "".join(f"\\{one}" if one in "%_\\" else one for one in words) + "%"
        said = AnyOf(
            tuple(Match((name,), "ilike", wanted, own=True) for name in ("text", "category"))
        )
        chosen = replace(chosen, where=AllOf((said, chosen.where)) if chosen.where else said)
    found = list_memories(parts, bank, chosen, limit=limit, offset=offset)
    return found, count(parts, bank, chosen)


def _put(parts: Parts, place: Bank, passage: Passage) -> tuple[Document | None, Document]:
    """A document as it was before and as it is now."""
    now = parts.clock.now()
    name = passage.name or ids.uuid_form(banks.new_ids(parts.db, now)[0])
    before = rows.find(parts.db, place.id, validation.name(name, what="document name"))
    if before and documents.user_of(before):
        raise Conflict("The document belongs to another user.", hint="Use another document id.")
    draft = DocumentDraft(name, passage.text, metadata=_noted(passage, before))
    if passage.tags is not None:
        draft = replace(draft, tags=passage.tags)
    document, _ = documents.put_document(parts, place.name, draft, append=passage.append)
    return before, document


def _noted(passage: Passage, before: Document | None) -> dict[str, object]:
    """What is noted with a document: how it was given, and what was found out about it before."""
    noted: dict[str, object] = {"context": passage.context, "metadata": dict(passage.metadata)}
    if passage.said_at is not None:
        noted["said_at"] = passage.said_at
    if passage.zone_ms:
        noted["zone_ms"] = passage.zone_ms
    kept: Metadata = before.metadata if before else {}
    return noted | {
        name: kept[name] for name in (provenance.SHARED, fact_extraction.NOTED) if name in kept
    }


def _told(
    parts: Parts,
    place: Bank,
    document: Document,
    passage: Passage,
    revising: Revising,
    read: Reading | None,
) -> list[tuple[Memory, bool]]:
    """The facts a document says, as memories, and whether each is new or was said again."""
    said_at = revising.now if passage.said_at is None else passage.said_at
    found = read or fact_extraction.by_rules(document.text, said_at + passage.zone_ms, place.config)
    if found.elsewhere is None:
        found = fact_extraction.looked_up(parts, place.id, found)
    elsewhere = found.elsewhere or {}
    out: list[tuple[Memory, bool]] = []
    for fact in found.facts:
        named = tuple(fact_splitting.identity(text, document.tags) for text in fact.causes)
        grounds = named or elsewhere.get(fact.because, ())
        mark = Mark(
            passage.context, said_at, fact.entities, (document.id,), fact.chunk, causes=grounds
        )
        draft = Draft(
            text=fact.text,
            kind="experience" if fact.experience else "world",
            key=fact_splitting.identity(fact.text, document.tags),
            tags=document.tags,
            metadata=fact_metadata.marked(passage.metadata, mark),
            category=" ".join(passage.context.split())[:NAME_CHARS_MAX],
            happened_at=fact.happened_at,
            happened_until=fact.happened_until,
            document_id=document.id,
        )
        given = {"corrects": not passage.append, "dated": passage.said_at is not None}
        out.append(provenance.say(parts, checked_draft(draft), revising, **given))
    return out


def clear_facts(
    parts: Parts, bank: str, kinds: Sequence[str] | None = None, origin: Origin = Origin()
) -> int:
    """Erase the facts of a bank for good, all of them with their documents or those of some kinds;
    how many.
    """
    author = checked_origin(origin)
    place = banks.find(parts.db, validation.name(bank, what="bank"))
    if place is None:
        return 0
    chosen = of_kinds(kinds, Filter(users=("",), status="any", expired=True))
    if kinds and observations.KIND not in kinds:
        doomed = memories.select_ids(parts.db, place.id, chosen, parts.clock.now())
        observations.erase_about(
            parts, bank, list(memories.by_ids(parts.db, place.id, doomed).values())
        )
    gone = purge_where(parts, bank, chosen, author)
    while (
        not kinds and (page := documents.list_documents(parts, bank, limit=_AT_ONCE, user="")).items
    ):
        with for_good(parts):
            for document in page.items:
                gone += documents.delete_document(parts, bank, document.name, author)
    mental_models.release(parts, bank, gone)
    return len(gone)


def of_kinds(kinds: Sequence[str] | None, chosen: Filter = Filter()) -> Filter:
    """A filter for facts of some kinds. What other dialects remember is about the world."""
    if not kinds:
        return chosen
    if "world" not in kinds:
        return replace(chosen, kinds=tuple(kinds))
    return replace(
        chosen,
        kinds_not=tuple(one for one in ("experience", observations.KIND) if one not in kinds),
    )
