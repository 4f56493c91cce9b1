"""Facts of documents: retained, observed and corrected. Each module is imported when it is first
used.
"""

from typing import TYPE_CHECKING

from commonplace import lazy

if TYPE_CHECKING:
    from commonplace.engine.facts import (
        corrections as corrections,
    )
    from commonplace.engine.facts import (
        fact_erasure as fact_erasure,
    )
    from commonplace.engine.facts import (
        fact_extraction as fact_extraction,
    )
    from commonplace.engine.facts import (
        fact_listing as fact_listing,
    )
    from commonplace.engine.facts import (
        fact_metadata as fact_metadata,
    )
    from commonplace.engine.facts import (
        fact_search as fact_search,
    )
    from commonplace.engine.facts import (
        graph as graph,
    )
    from commonplace.engine.facts import (
        observation_writer as observation_writer,
    )
    from commonplace.engine.facts import (
        observations as observations,
    )
    from commonplace.engine.facts import (
        propagation as propagation,
    )
    from commonplace.engine.facts import (
        provenance as provenance,
    )
    from commonplace.engine.facts import (
        retain as retain,
    )
    from commonplace.engine.facts import (
        retain_request as retain_request,
    )
    from commonplace.engine.facts import (
        stats as stats,
    )

__getattr__ = lazy.submodules(__name__)
