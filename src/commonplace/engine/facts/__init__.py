"""Facts that are extracted from documents, and observations about them. A module is imported on
first use.
"""

from typing import TYPE_CHECKING

from commonplace import lazy

if TYPE_CHECKING:
    from commonplace.engine.facts import (
        corrections as corrections,
        fact_erasure as fact_erasure,
        fact_extraction as fact_extraction,
        fact_listing as fact_listing,
        fact_metadata as fact_metadata,
        fact_query as fact_query,
        fact_ranking as fact_ranking,
        fact_search as fact_search,
        graph as graph,
        observation_writer as observation_writer,
        observations as observations,
        propagation as propagation,
        provenance as provenance,
        retain as retain,
        retain_request as retain_request,
        stats as stats,
        token_budget as token_budget,
    )

__getattr__ = lazy.submodules(__name__)
