"""The request of a fact search: a question, its filter and its depth."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from commonplace.records.query import Filter

# Importing it compiles many patterns, which callers that only build a request do not need.
if TYPE_CHECKING:
    from commonplace.language.temporal_expressions import Span

# The number of candidates, and whether links are followed.
DEPTHS: Mapping[str, tuple[int, bool]] = {
    "low": (30, False),
    "mid": (60, True),
    "high": (100, True),
}


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its filter and depth."""

    text: str
    filter: Filter = Filter()
    depth: str = "high"
    # The moment that relative times such as "last week" refer to.
    now: int | None = None
    # The time span to search, instead of one that the text names.
    window: "Span | None" = None
    # The minimum score of a stage, by its name.
    min_scores: Mapping[str, float] = field(default_factory=dict[str, float])
    # The offset of the caller's time zone from UTC.
    zone_ms: int = 0
