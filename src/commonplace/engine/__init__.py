"""The verbs, one module per noun. A module is imported on first use: `engine.recall.recall`."""

from typing import TYPE_CHECKING

from commonplace import lazy

if TYPE_CHECKING:
    from commonplace.engine import (
        add_messages as add_messages,
        banks as banks,
        dedupe as dedupe,
        documents as documents,
        draft_validation as draft_validation,
        erasure as erasure,
        facts as facts,
        history as history,
        history_search as history_search,
        hooks as hooks,
        idempotency as idempotency,
        keypaths as keypaths,
        links as links,
        memories as memories,
        operations as operations,
        passages as passages,
        recall as recall,
        reflect as reflect,
        revisions as revisions,
        runtime as runtime,
        sessions as sessions,
        short_ids as short_ids,
        token_budget as token_budget,
    )

__getattr__ = lazy.submodules(__name__)
