"""Answers, mental models, directives and knowledge pages. Each module is imported when it is first
used.
"""

from typing import TYPE_CHECKING

from commonplace import lazy

if TYPE_CHECKING:
    from commonplace.engine.reflect import (
        directives as directives,
        extractive_answer as extractive_answer,
        knowledge as knowledge,
        knowledge_search as knowledge_search,
        mental_model_rows as mental_model_rows,
        mental_models as mental_models,
        reflect as reflect,
        reflect_agent as reflect_agent,
        refresh_policy as refresh_policy,
        structured_output as structured_output,
    )

__getattr__ = lazy.submodules(__name__)
