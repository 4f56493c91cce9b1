"""Hindsight's traces: the scores of every result by stage, and the reasons why others were left
out."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from commonplace import engine, ids
from commonplace.records.query import Dropped

if TYPE_CHECKING:
    from commonplace.engine.facts.fact_query import Question
    from commonplace.engine.facts.fact_ranking import Finding
    from commonplace.engine.facts.fact_search import FactSearchResult
    from commonplace.engine.reflect.reflect import Reflection
    from commonplace.engine.reflect.reflect_agent import Step

Json = dict[str, Any]
# Traces of hundreds of ids made some answers of the original too large for their clients.
_DROPPED_MAX = 50
_COVERED_BY_OBSERVATION = "an observation in the answer is based on it"
_NO_ROOM = "no room left within max_tokens"
_WORDS, _MEANING = ("keyword", "coverage", "passage"), ("vector", "tokens", "passage tokens")


def recall_trace(
    question: "Question",
    result: "FactSearchResult",
    hits: Sequence["Finding"],
    kept: Sequence["Finding"],
) -> Json:
    """The trace of a recall: `hits` passed the filters, and `kept` fit into the limit."""
    stages = Counter(_stage(hit) for hit in result.found)
    dropped = [
        *engine.facts.fact_ranking.left_out(result.found, hits, _COVERED_BY_OBSERVATION),
        *engine.facts.fact_ranking.left_out(hits, kept, _NO_ROOM),
        *result.dropped,
    ]
    return {
        "query": question.text,
        "budget": question.depth,
        "stages": {name: stages[name] for name in ("direct", "temporal", "graph")},
        "returned": len(kept),
        "results": [_result(hit) for hit in kept],
        **_dropped_fields(dropped),
    }


def reflect_trace(done: "Reflection", depth: str) -> Json:
    """The searches and model calls of a reflection."""
    return {
        "tool_trace": [search_trace(one, depth) for one in done.steps if one.tool == "recall"],
        "llm_trace": [
            {"scope": "reflect", "duration_ms": one.ms, "iteration": one.round}
            for one in done.steps
            if one.tool == "model"
        ],
    }


def search_trace(one: "Step", depth: str) -> Json:
    """The trace of a search during a reflection: what was found and what was left out."""
    return {
        "tool": one.tool,
        "reason": "asked by the caller" if one.round == 0 else "asked for by the model",
        "input": {"query": one.text, "budget": depth},
        "output": [ids.uuid_form(number) for number in one.memory_ids],
        "duration_ms": one.ms,
        "iteration": one.round,
        **_dropped_fields(one.dropped),
    }


def _result(hit: "Finding") -> Json:
    """The scores of a result by stage; null for stages without it."""
    return {
        "id": ids.uuid_form(hit.memory.id),
        "stage": _stage(hit),
        "why": _why(hit),
        "keyword": hit.keyword,
        "semantic": hit.semantic,
        "temporal": hit.temporal,
        "graph": hit.graph,
        "links": list(hit.link_types),
        "reranker": hit.relevance,
        "final": round(hit.final, 4),
        "channels": dict(hit.channels),
    }


def _dropped_fields(dropped: Sequence[Dropped]) -> Json:
    shown = [
        {"id": ids.uuid_form(one.memory_id), "score": one.score, "why": one.why}
        for one in dropped[:_DROPPED_MAX]
    ]
    return {"dropped_count": len(dropped), "dropped": shown}


def _stage(hit: "Finding") -> str:
    return (
        "graph" if hit.graph is not None else "direct" if hit.relevance is not None else "temporal"
    )


def _why(hit: "Finding") -> str:
    """The reason for a result, as text."""
    if hit.graph is not None:
        return f"linked to what was found directly ({', '.join(hit.link_types)})"
    if hit.relevance is None:
        return "from the time asked about"
    ways = {"its words": _WORDS, "its meaning": _MEANING}
    by = [
        way for way, names in ways.items() if any(hit.channels.get(name, 0) > 0 for name in names)
    ]
    return f"found by {' and '.join(by)}" + (
        ", and from the time asked about" if hit.temporal else ""
    )
