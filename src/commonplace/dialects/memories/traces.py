"""Traces of memories.sh: which channel found each result, and what was left out."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from commonplace import ids
from commonplace.records.query import Dropped, Hit, Recall

if TYPE_CHECKING:
    from commonplace.engine.sessions.context import Context

_DROPPED_MAX = 10  # A trace lists only the best of the memories that were left out.


def search_trace(found: Recall) -> dict[str, Any]:
    """The trace of a search."""
    return {
        "requestedStrategy": "hybrid",
        "appliedStrategy": "hybrid",
        "fallbackTriggered": False,
        "fallbackReason": None,
        **_channel_trace(found.hits, found.dropped),
    }


def _channel_trace(hits: Sequence[Hit], dropped: Sequence[Dropped]) -> dict[str, Any]:
    """The scores of the results by channel, and the best of the memories that were left out, with
    reasons.
    """
    return {
        "lexicalCandidates": sum(hit.channels.get("keyword", 0) > 0 for hit in hits),
        "semanticCandidates": sum(hit.channels.get("vector", 0) > 0 for hit in hits),
        "results": [
            {
                "id": ids.short_form(hit.memory.id),
                "score": hit.score,
                "channels": dict(hit.channels),
            }
            for hit in hits
        ],
        "droppedCount": len(dropped),
        "dropped": [
            {"id": ids.short_form(one.memory_id), "score": one.score, "reason": one.why}
            for one in dropped[:_DROPPED_MAX]
        ],
    }


def trace(found: "Context", requested: str, depth: int, most: int) -> dict[str, Any]:
    """The trace of a context."""
    applied = "hybrid_graph" if requested == "hybrid_graph" and depth > 0 else "baseline"
    # What a search left out may have come in over a link.
    kept = {one.id for one in found.memories}
    return {
        "requestedStrategy": requested,
        "strategy": applied,
        "graphDepth": depth,
        "graphLimit": most,
        "baselineCandidates": len(found.working) + len(found.lasting),
        "graphCandidates": len(found.linked),
        "graphExpandedCount": len(found.linked),
        "conflictCount": len(found.conflicts),
        "rulesForOtherFiles": found.excluded_rule_count,
        "fallbackTriggered": applied != requested,
        "fallbackReason": "graph_depth_0" if applied != requested else None,
        "totalCandidates": len(found.memories),
        **_channel_trace(found.hits, [one for one in found.dropped if one.memory_id not in kept]),
    }


def brief_trace(found: "Context", requested: str, depth: int, most: int) -> dict[str, Any]:
    """The parts of a trace that the contract requires with conflicts or a named strategy."""
    whole = trace(found, requested, depth, most)
    return {name: whole[name] for name in ("strategy", "conflictCount")}
