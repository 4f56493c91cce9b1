"""The tool of Memstate that searches memories."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from commonplace import validation
from commonplace.dialects.dialect import Call, ToolRole, tool
from commonplace.dialects.memstate import responses
from commonplace.dialects.memstate.scope import (
    search_filters,
    search_locations,
)
from commonplace.dialects.parameters import About
from commonplace.dialects.unsure import unsure_field
from commonplace.limits import RECALL_MAX
from commonplace.records.memory import Memory, Version
from commonplace.records.query import Filter, Query, Replacement


@dataclass(frozen=True, slots=True)
class _Found:
    """Current memories with their scores and what replaced them, and how many match."""

    memories: Sequence[tuple[Memory, float, Replacement | None]]
    total: int
    unsure: bool = False
    # How many memories pass the filters.
    candidate_count: int = 0


@tool("reads", ToolRole("find", text="query"), title="Search memories", always_loaded=True)
def memstate_search(
    call: Call,
    query: Annotated[str, About("Natural language question. Empty lists by keypath.", 0, 10_000)],
    project_id: Annotated[str | None, About("Only this project.", 0, 200)] = None,
    limit: Annotated[int, About("Maximum number of results.", 1, 100)] = 20,
    categories: Annotated[list[str] | None, About("Only these categories.", None, 100)] = None,
    keypath_prefix: Annotated[
        str | None, About("Only below this path: 'auth' finds 'auth.provider'.", 0, 800)
    ] = None,
    include_superseded: Annotated[bool, About("Search older versions too.")] = False,
) -> dict[str, Any]:
    """Find memories by meaning when you do not know the keypath.

    Returns ranked summaries; read one in full with memstate_get(memory_id=...). Nothing relevant
    gives no results; `unsure` is there when none of them is surely an answer.
    """
    prefix = validation.line(
        keypath_prefix or "", what="keypath prefix", chars_max=responses.KEYPATH_CHARS_MAX
    )
    project = validation.line(project_id or "", what="project id")
    locations = list(search_locations(call, project, prefix))
    filters = [one for each in locations for one in search_filters(*each, categories or ())]
    found = _search(call, query, filters, limit)
    superseded = _search_superseded(call, query, filters, found) if include_superseded else []
    hits = [responses.hit(*pair) for pair in found.memories]
    hits += [_superseded_hit(call, *pair) for pair in superseded[:limit]]
    data = {
        **unsure_field(unsure=found.unsure, found=found.memories),
        "results": hits[:limit],
        "total_found": found.total + len(superseded),
        "query": query,
    }
    resolved = _resolved_keypath(prefix, locations)
    return responses.envelope("memstate_search", call.arguments, data, resolved_keypath=resolved)


def _resolved_keypath(prefix: str, locations: Sequence[tuple[str, str]]) -> str | None:
    return responses.full_keypath(*locations[0]) if prefix and locations else None


def _search(call: Call, query: str, filters: Sequence[Filter], limit: int) -> _Found:
    """The memories that answer a query, best first; a blank query lists them by keypath."""
    count = sum(call.engine.count(call.bank, one) for one in filters)
    if not query.strip():
        listed = [call.engine.list(call.bank, one, order="key", limit=limit) for one in filters]
        return _Found([(memory, 1.0, None) for found in listed for memory in found], count)
    if not count:  # Without memories, the bank itself may not exist.
        return _Found([], 0)
    return _recall_all(call, query, filters, count)


def _recall_all(call: Call, query: str, filters: Sequence[Filter], count: int) -> _Found:
    """The hits of several filters in one ranking."""
    recalls = [
        call.engine.recall(call.bank, Query(query, one, limit=RECALL_MAX)) for one in filters
    ]
    hits = sorted((hit for one in recalls for hit in one.hits), key=lambda hit: -hit.score)
    memories = [(hit.memory, hit.score, hit.replacement) for hit in hits]
    return _Found(memories, len(memories), all(one.unsure for one in recalls), count)


def _search_superseded(
    call: Call, query: str, filters: Sequence[Filter], found: _Found
) -> list[tuple[Version, float]]:
    """The superseded versions that answer a query."""
    if query.strip() and not found.candidate_count:
        return []
    text = query if query.strip() else ""
    return [
        pair
        for one in filters
        for pair in call.engine.recall_superseded(call.bank, Query(text, one, limit=RECALL_MAX))
    ]


def _superseded_hit(call: Call, version: Version, score: float) -> dict[str, Any]:
    versions = call.engine.history(call.bank, version.memory_id)
    return responses.superseded_hit(
        version, score, versions, call.engine.get(call.bank, version.memory_id).scope.project
    )
