"""The verbs, one module per noun. A module is imported on first use: `engine.recall.recall`."""

from typing import TYPE_CHECKING

from commonplace import lazy

if TYPE_CHECKING:
    from commonplace.engine import (
        add_messages as add_messages,
        banks as banks,
        catch_up as catch_up,
        derivations as derivations,
        documents as documents,
        draft_validation as draft_validation,
        erasure as erasure,
        facets as facets,
        facts as facts,
        hooks as hooks,
        idempotency as idempotency,
        keypaths as keypaths,
        links as links,
        memories as memories,
        operations as operations,
        recall as recall,
        reflect as reflect,
        runtime as runtime,
        sessions as sessions,
        short_ids as short_ids,
        versions as versions,
    )

__getattr__ = lazy.submodules(__name__)
