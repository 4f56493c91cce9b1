"""Hindsight's traces: what each stage made of every result, and what was found and left out, with
the reason.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from commonplace import ids
from commonplace.engine.facts.fact_ranking import Finding, left_out
from commonplace.engine.facts.fact_search import FactSearchResult, Question
from commonplace.engine.reflect.reflect_agent import Step
from commonplace.records.query import Dropped

Json = dict[str, Any]
# Traces of hundreds of ids made some answers of the original too large for their clients.
_DROPPED_MAX = 50
_COVERED_BY_OBSERVATION = "an observation in the answer is based on it"
_NO_ROOM = "no room left within max_tokens"
_WORDS, _MEANING = ("keyword", "coverage", "passage"), ("vector", "tokens", "passage tokens")


def recall_trace(
    question: Question, result: FactSearchResult, hits: Sequence[Finding], kept: Sequence[Finding]
) -> Json:
    """How the results of recall came about: what was found, of which `hits` were let stand and
    `kept` had room.
    """
    stages = Counter(_stage(hit) for hit in result.found)
    dropped = [
        *left_out(result.found, hits, _COVERED_BY_OBSERVATION),
        *left_out(hits, kept, _NO_ROOM),
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


def search_trace(one: Step, depth: str) -> Json:
    """A search that reflect made, what it found, and what it left out."""
    return {
        "tool": one.tool,
        "reason": "asked by the caller" if one.round == 0 else "asked for by the model",
        "input": {"query": one.text, "budget": depth},
        "output": [ids.uuid_form(number) for number in one.memory_ids],
        "duration_ms": one.ms,
        "iteration": one.round,
        **_dropped_fields(one.dropped),
    }


def _result(hit: Finding) -> Json:
    """What each stage made of a result; null where it had no part in it."""
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


def _stage(hit: Finding) -> str:
    return (
        "graph" if hit.graph is not None else "direct" if hit.relevance is not None else "temporal"
    )


def _why(hit: Finding) -> str:
    """Why a result is one, in words."""
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
