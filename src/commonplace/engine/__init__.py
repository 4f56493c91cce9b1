"""The verbs, one module per noun. A module is imported on first use: `engine.recall.recall`."""

from typing import TYPE_CHECKING

from commonplace import lazy

if TYPE_CHECKING:
    from commonplace.engine import (
        add_messages as add_messages,
        banks as banks,
        dedupe as dedupe,
        deletion as deletion,
        disk_reserve as disk_reserve,
        document_redaction as document_redaction,
        documents as documents,
        draft_validation as draft_validation,
        erasure as erasure,
        erasure_ledger as erasure_ledger,
        facts as facts,
        history as history,
        history_search as history_search,
        idempotency as idempotency,
        keypaths as keypaths,
        links as links,
        memories as memories,
        note_import as note_import,
        operations as operations,
        passages as passages,
        recall as recall,
        reflect as reflect,
        revisions as revisions,
        runtime as runtime,
        scoped_erasure as scoped_erasure,
        session_redaction as session_redaction,
        sessions as sessions,
        short_ids as short_ids,
    )

__getattr__ = lazy.submodules(__name__)
