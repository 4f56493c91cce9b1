"""Answers, mental models, directives and knowledge pages. Each module is imported when it is first
used.
"""

from typing import TYPE_CHECKING

from commonplace import lazy

if TYPE_CHECKING:
    from commonplace.engine.reflect import (
        directives as directives,
    )
    from commonplace.engine.reflect import (
        extractive_answer as extractive_answer,
    )
    from commonplace.engine.reflect import (
        knowledge as knowledge,
    )
    from commonplace.engine.reflect import (
        knowledge_search as knowledge_search,
    )
    from commonplace.engine.reflect import (
        mental_model_rows as mental_model_rows,
    )
    from commonplace.engine.reflect import (
        mental_models as mental_models,
    )
    from commonplace.engine.reflect import (
        reflect as reflect,
    )
    from commonplace.engine.reflect import (
        reflect_agent as reflect_agent,
    )
    from commonplace.engine.reflect import (
        refresh_policy as refresh_policy,
    )
    from commonplace.engine.reflect import (
        structured_output as structured_output,
    )

__getattr__ = lazy.submodules(__name__)
