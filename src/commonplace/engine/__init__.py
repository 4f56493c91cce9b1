"""The verbs, one module per noun. A module is imported on first use: `engine.recall.recall`."""

from typing import TYPE_CHECKING

from commonplace import lazy

if TYPE_CHECKING:
    from commonplace.engine import (
        add_messages as add_messages,
        banks as banks,
        catch_up as catch_up,
        dedupe as dedupe,
        derivations as derivations,
        documents as documents,
        draft_validation as draft_validation,
        erasure as erasure,
        facets as facets,
        facts as facts,
        history as history,
        hooks as hooks,
        idempotency as idempotency,
        keypaths as keypaths,
        link_derivation as link_derivation,
        links as links,
        memories as memories,
        move as move,
        operations as operations,
        recall as recall,
        reflect as reflect,
        revisions as revisions,
        runtime as runtime,
        sessions as sessions,
        short_ids as short_ids,
        undo as undo,
    )

__getattr__ = lazy.submodules(__name__)
