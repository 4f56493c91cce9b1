"""Retains a text: stores it as a document and extracts its facts.

A fact is the same one when its text and its tags are the same; stated again, it has one more proof.
It belongs to the document that stated it first and lists the others, so that deleting a document
removes only the facts that no other document states.

Facts are extracted before the transaction begins, so that other writes do not wait for a long text.
With a language model, the model extracts the facts. Chunks at which it fails are split by rules,
and a warning says why.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeVar

from commonplace import ids, validation
from commonplace.engine import documents
from commonplace.engine.banks import require_bank
from commonplace.engine.draft_validation import validate_draft, validate_origin
from commonplace.engine.facts import fact_extraction, fact_metadata, observations, provenance
from commonplace.engine.facts.fact_extraction import Extraction
from commonplace.engine.facts.fact_listing import find_document
from commonplace.engine.facts.fact_metadata import FactMetadata
from commonplace.engine.facts.retain_request import RetainRequest, document_metadata, request_of
from commonplace.engine.operations.jobs import enqueue
from commonplace.engine.operations.worker import JobContext, run_or_defer
from commonplace.engine.reflect import mental_models
from commonplace.engine.runtime import Runtime
from commonplace.engine.versions.revisions import RevisionWriter
from commonplace.errors import Conflict, ModelFailed
from commonplace.extract import fact_splitting
from commonplace.extract.llm_statements import Model
from commonplace.limits import NAME_CHARS_MAX
from commonplace.records.memory import Bank, Draft, Memory, Metadata, Origin
from commonplace.records.work import Document, DocumentDraft, Job
from commonplace.storage.rows import banks, jobs
from commonplace.storage.rows import documents as rows

_Stored = TypeVar("_Stored")
_ATTEMPTS_MAX = 2
JOB = "retain"


@dataclass(frozen=True, slots=True)
class RetainResult:
    """The document after the call, and the ids of the facts that are new or stated again."""

    document: Document | None
    memory_ids: tuple[int, ...]
    # Why a configured model did not extract the facts.
    warning: str = ""
    changed: bool = True


class _DocumentChanged(Exception):
    """The document was changed by another writer while facts were extracted. Triggers a retry."""


def retain(
    runtime: Runtime, bank: str, request: RetainRequest, origin: Origin = Origin()
) -> RetainResult:
    """Store a text and its facts in one transaction. The same text under the same name changes
    nothing.
    """
    name, author = _validate(bank, request), validate_origin(origin)
    model, reason = _model_or_reason(runtime)

    def store(extraction: Extraction | None) -> RetainResult:
        return _store(
            runtime,
            name,
            request,
            author,
            replace(extraction, warning=extraction.warning or reason) if extraction else None,
        )

    return _store_first_current(_extractions(runtime, name, request, model), store)


def retain_as_job(
    runtime: Runtime, bank: str, request: RetainRequest, origin: Origin = Origin()
) -> Job:
    """Retain a text now, and record it as a job.

    Without a model the job is finished in the same transaction. With a model, the transaction
    stores the facts found by rules, and the job extracts facts with the model: in this process's
    worker, or at once if there is no worker.
    """
    name, author = _validate(bank, request), validate_origin(origin)
    model, reason = _model_or_reason(runtime)

    def store(extraction: Extraction | None) -> tuple[Job, bool]:
        with runtime.db.transaction():
            done = replace(_store(runtime, name, request, author, extraction), warning=reason)
            job = enqueue(
                runtime, name, JOB, {"document": done.document.name if done.document else ""}
            )
            is_waiting = done.document is not None and done.changed and model is not None
            if not is_waiting:
                jobs.complete_pending(
                    runtime.db,
                    job.id,
                    json.dumps(_job_result(done), ensure_ascii=False),
                    runtime.clock.now(),
                )
        return job, is_waiting

    job, is_waiting = _store_first_current(_extractions(runtime, name, request, None), store)
    if not runtime.db.in_transaction:
        mental_models.refresh_after_writing(runtime, name)
    return run_or_defer(runtime, job, extract_with_model, slow=True) if is_waiting else job


def extract_with_model(context: JobContext) -> object:
    """Run the job: replace the facts found by rules with those that the model extracts."""
    runtime, name = context.runtime, str(context.payload["document"])
    for is_last_attempt in (False, True):
        document = find_document(runtime, context.bank, name)
        if document is None:
            return {"document": "", "memories": []}
        request = request_of(document)
        context.progress(stage="reading")
        model, _ = _model_or_reason(runtime)
        extraction = _extract(runtime, require_bank(runtime, context.bank), request, model)
        with runtime.db.transaction():
            context.progress(stage="writing")
            current = find_document(runtime, context.bank, name)
            if current is None or (current.sha256, current.tags) != (
                document.sha256,
                document.tags,
            ):
                if is_last_attempt:
                    break  # Each later write of the document has its own job.
                continue
            # The request that stored the document has corrected its existing facts already.
            # Appending only adds what the model found.
            added = replace(request, append=True)
            written = _write_facts(
                runtime,
                require_bank(runtime, context.bank),
                current,
                added,
                extraction,
                Origin(who="retain"),
            )
            return _job_result(
                RetainResult(
                    current,
                    tuple(one.id for one in written),
                    extraction.warning if extraction else "",
                )
            )
    return {"document": name, "memories": []}


def _job_result(result: RetainResult) -> dict[str, object]:
    payload: dict[str, object] = {
        "document": result.document.name if result.document else "",
        "memories": [ids.uuid_form(number) for number in result.memory_ids],
    }
    return payload | ({"note": result.warning} if result.warning else {})


def _validate(bank: str, request: RetainRequest) -> str:
    validation.any_text(request.text, what="content")
    validation.moment(request.mentioned_at, what="timestamp")
    return validation.name(bank, what="bank")


def _model_or_reason(runtime: Runtime) -> tuple[Model | None, str]:
    """The model, or None and the reason why a configured model is not available."""
    try:
        return runtime.llm(), ""
    except ModelFailed as error:
        return None, f"Made without the model: {error.message}"


def _extractions(
    runtime: Runtime, bank: str, request: RetainRequest, model: Model | None
) -> Iterator[Extraction | None]:
    """Up to two extractions made outside the transaction, then None: extract inside it.

    Another writer may change the document while facts are extracted; the next attempt then sees the
    new text.
    """
    for _ in range(_ATTEMPTS_MAX):
        yield _extract_beforehand(runtime, bank, request, model)
    yield None


def _store_first_current(
    extractions: Iterable[Extraction | None], store: Callable[[Extraction | None], _Stored]
) -> _Stored:
    """Store the first extraction whose document has not changed since, and return the result."""
    for extraction in extractions:
        with suppress(_DocumentChanged):
            return store(extraction)
    raise RuntimeError("An extraction inside the transaction cannot be outdated.")


def _extract_beforehand(
    runtime: Runtime, bank: str, request: RetainRequest, model: Model | None
) -> Extraction | None:
    """Extract facts outside the transaction. None if already inside one, or if nothing changed."""
    if runtime.db.in_transaction or not request.text.strip():
        return None
    bank_record = banks.find(runtime.db, bank)
    before = _find_document(runtime, bank_record, request.name)
    text = f"{before.text}\n{request.text}" if before and request.append else request.text
    if before and _is_unchanged(before, request, text):
        return None
    return _extract(runtime, bank_record, replace(request, text=text), model, before)


def _find_document(runtime: Runtime, bank_record: Bank | None, name: str) -> Document | None:
    return rows.find(runtime.db, bank_record.id, name) if bank_record and name else None


def _is_unchanged(before: Document, request: RetainRequest, text: str) -> bool:
    return (
        before.text == text
        and request.tags in (None, before.tags)
        and document_metadata(request, before) == before.metadata
    )


def _extract(
    runtime: Runtime,
    bank_record: Bank | None,
    request: RetainRequest,
    model: Model | None,
    before: Document | None = None,
) -> Extraction:
    """Extract the facts of a text, and resolve their causes against the bank."""
    config: Metadata = bank_record.config if bank_record else {}
    spoken_at = (
        runtime.clock.now() if request.mentioned_at is None else request.mentioned_at
    ) + request.zone_ms
    if model is None:
        extraction = fact_extraction.extract_by_rules(request.text, spoken_at, config)
    else:
        known_facts = fact_extraction.load_extracted_facts(runtime, before) if before else {}
        extraction = fact_extraction.extract_by_model(
            model, request.text, spoken_at, config, known_facts, request.context
        )
    with runtime.db.snapshot():
        return (
            fact_extraction.resolve_causes(runtime, bank_record.id, extraction)
            if bank_record
            else replace(extraction, known_causes={})
        )


def _store(
    runtime: Runtime,
    name: str,
    request: RetainRequest,
    author: Origin,
    extraction: Extraction | None,
) -> RetainResult:
    """Store the document and its facts in one transaction. Raises _DocumentChanged if outdated."""
    with runtime.db.transaction():
        bank_record = banks.ensure(runtime.db, name, runtime.clock.now())
        if not request.text.strip():
            return RetainResult(None, (), changed=False)
        before, document = _put_document(runtime, bank_record, request)
        if before and (before.sha256, before.tags, before.metadata) == (
            document.sha256,
            document.tags,
            document.metadata,
        ):
            return RetainResult(document, (), changed=False)
        if extraction and extraction.text != document.text:
            raise _DocumentChanged
        changed = _write_facts(runtime, bank_record, document, request, extraction, author)
    if not runtime.db.in_transaction:
        mental_models.refresh_after_writing(runtime, name)
    return RetainResult(
        document, tuple(memory.id for memory in changed), extraction.warning if extraction else ""
    )


def _write_facts(
    runtime: Runtime,
    bank_record: Bank,
    document: Document,
    request: RetainRequest,
    extraction: Extraction | None,
    author: Origin,
) -> list[Memory]:
    """Bring the stored facts of a document up to date. Returns the new and the restated ones."""
    writer = RevisionWriter(runtime, bank_record.id, "retain", author)
    recorded = _record_facts(runtime, bank_record, document, request, writer, extraction)
    keys = {memory.key for memory, _ in recorded}
    withdrawn = [
        one for one in provenance.facts_of_document(runtime, document) if one.key not in keys
    ]
    for memory in withdrawn:
        provenance.withdraw_document(runtime, memory, document, writer)
    changed = [memory for memory, new in recorded if new]
    provenance.record_extraction(runtime, document, [memory for memory, _ in recorded], extraction)
    if bank_record.config.get("enable_observations") is not False:
        observations.consolidate(runtime, [*changed, *withdrawn], writer)
    return changed


def _put_document(
    runtime: Runtime, bank_record: Bank, request: RetainRequest
) -> tuple[Document | None, Document]:
    """Store the document. Returns it as it was before and as it is now."""
    now = runtime.clock.now()
    name = request.name or ids.uuid_form(banks.new_ids(runtime.db, now)[0])
    before = rows.find(runtime.db, bank_record.id, validation.name(name, what="document name"))
    if before and documents.user_of(before):
        raise Conflict("The document belongs to another user.", hint="Use another document id.")
    draft = DocumentDraft(name, request.text, metadata=document_metadata(request, before))
    if request.tags is not None:
        draft = replace(draft, tags=request.tags)
    document, _ = documents.put_document(runtime, bank_record.name, draft, append=request.append)
    return before, document


def _record_facts(
    runtime: Runtime,
    bank_record: Bank,
    document: Document,
    request: RetainRequest,
    writer: RevisionWriter,
    extraction: Extraction | None,
) -> list[tuple[Memory, bool]]:
    """Store the facts of a document. Returns each with whether it is new or stated again."""
    mentioned_at = writer.now if request.mentioned_at is None else request.mentioned_at
    extracted = extraction or fact_extraction.extract_by_rules(
        document.text, mentioned_at + request.zone_ms, bank_record.config
    )
    if extracted.known_causes is None:
        extracted = fact_extraction.resolve_causes(runtime, bank_record.id, extracted)
    known_causes = extracted.known_causes or {}
    recorded: list[tuple[Memory, bool]] = []
    for fact in extracted.facts:
        cause_keys = tuple(fact_splitting.fact_digest(text, document.tags) for text in fact.causes)
        causes = cause_keys or known_causes.get(fact.stated_cause, ())
        metadata = FactMetadata(
            request.context, mentioned_at, fact.entities, (document.id,), fact.chunk, causes=causes
        )
        draft = Draft(
            text=fact.text,
            kind="experience" if fact.is_experience else "world",
            key=fact_splitting.fact_digest(fact.text, document.tags),
            tags=document.tags,
            metadata=fact_metadata.with_fact_metadata(request.metadata, metadata),
            category=" ".join(request.context.split())[:NAME_CHARS_MAX],
            happened_at=fact.happened_at,
            happened_until=fact.happened_until,
            document_id=document.id,
        )
        options = {"corrects": not request.append, "dated": request.mentioned_at is not None}
        recorded.append(provenance.record_fact(runtime, validate_draft(draft), writer, **options))
    return recorded
