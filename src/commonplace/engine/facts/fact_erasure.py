"""Erases the facts of a bank for good: those of one document, or those of some kinds.

Observations about the facts are erased first, with their history.
"""

from collections.abc import Sequence

from commonplace import validation
from commonplace.engine import documents
from commonplace.engine.banks import require_bank
from commonplace.engine.draft_validation import validate_origin
from commonplace.engine.erasure.erasure import erase_memories, erasing_transaction, purge_where
from commonplace.engine.erasure.ledger import Ledger
from commonplace.engine.facts import observations, provenance
from commonplace.engine.facts.fact_listing import filter_kinds
from commonplace.engine.facts.fact_metadata import fact_metadata_of
from commonplace.engine.reflect import mental_models
from commonplace.engine.runtime import Runtime
from commonplace.engine.versions.revisions import RevisionWriter
from commonplace.records.memory import Origin
from commonplace.records.query import Filter
from commonplace.records.work import Document
from commonplace.storage.rows import banks, memories
from commonplace.storage.rows import documents as rows

_DELETE_BATCH = 50


def erase_document(
    runtime: Runtime, bank: str, name: str, origin: Origin = Origin(), ledger: Ledger | None = None
) -> tuple[int, ...]:
    """Erase a document for good with its facts and everything derived from them. Returns the ids of
    the erased facts.

    A fact that another document also states stays, with one proof less.
    """
    author = validate_origin(origin)
    document = documents.get_document(runtime, bank, name)
    before = provenance.facts_of_document(runtime, document)
    erased_ids = _erase_sole_facts(runtime, bank, document, author, ledger)
    with erasing_transaction(runtime):
        writer = RevisionWriter(runtime, document.bank_id, "purge", author)
        remaining = provenance.facts_of_document(runtime, document)
        for memory in remaining:
            if len(fact_metadata_of(memory).documents) > 1:
                provenance.withdraw_document(runtime, memory, document, writer)
        # Facts that the document no longer states may still be in the history of an observation.
        ever_from_document = Filter(document_id=document.id, status="any", expired=True)
        ever_ids = memories.select_ids(runtime.db, document.bank_id, ever_from_document, writer.now)
        former_facts = memories.by_ids(runtime.db, document.bank_id, ever_ids).values()
        observations.erase_observations(runtime, bank, [*remaining, *former_facts], ledger)
        if rows.by_id(runtime.db, document.id):
            erased_ids += documents.delete_document(runtime, bank, name, author, ledger)
        if require_bank(runtime, bank).config.get("enable_observations") is not False:
            observations.consolidate(runtime, before, writer)
        mental_models.release_sources(runtime, bank, ever_ids)
    return erased_ids


def _erase_sole_facts(
    runtime: Runtime, bank: str, document: Document, author: Origin, ledger: Ledger | None
) -> tuple[int, ...]:
    """Erase the facts that no other document states, with their observations. This happens before
    the document itself is erased.
    """
    ever_from_document = Filter(document_id=document.id, status="any", expired=True)
    ids = memories.select_ids(runtime.db, document.bank_id, ever_from_document, runtime.clock.now())
    found = memories.by_ids(runtime.db, document.bank_id, ids).values()
    sole = [one for one in found if len(fact_metadata_of(one).documents) < 2]
    observations.erase_observations(runtime, bank, sole, ledger)
    return erase_memories(
        runtime, require_bank(runtime, bank), [one.id for one in sole], author, ledger
    )


def clear_facts(
    runtime: Runtime, bank: str, kinds: Sequence[str] | None = None, origin: Origin = Origin()
) -> int:
    """Erase the facts of a bank for good. Without kinds, the documents are erased as well. Returns
    the number of erased facts.
    """
    author = validate_origin(origin)
    bank_record = banks.find(runtime.db, validation.name(bank, what="bank"))
    if bank_record is None:
        return 0
    filter_ = filter_kinds(kinds, Filter(users=("",), status="any", expired=True))
    if kinds and observations.KIND not in kinds:
        fact_ids = memories.select_ids(runtime.db, bank_record.id, filter_, runtime.clock.now())
        observations.erase_observations(
            runtime, bank, list(memories.by_ids(runtime.db, bank_record.id, fact_ids).values())
        )
    erased_ids = purge_where(runtime, bank, filter_, author)
    while (
        not kinds
        and (page := documents.list_documents(runtime, bank, limit=_DELETE_BATCH, user="")).items
    ):
        with erasing_transaction(runtime):
            for document in page.items:
                erased_ids += documents.delete_document(runtime, bank, document.name, author)
    mental_models.release_sources(runtime, bank, erased_ids)
    return len(erased_ids)
