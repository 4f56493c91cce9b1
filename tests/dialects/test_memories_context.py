"""get_context of memories.sh: rules, layers, links, conflicts and compaction, through the MCP
layer.
"""

from pathlib import Path
from typing import Any

import pytest

import commonplace
from commonplace.clock import iso
from commonplace.engine.engine import Engine
from commonplace.engine.sessions.compaction import CompactionHints, compaction_cause, token_count
from tests.conftest import StoppedClock
from tests.dialects.memories_client import Memories
from tests.dialects.requirements import requirement

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS


def contents(listed: list[dict[str, Any]]) -> list[str]:
    return [one["content"] for one in listed]


def rules(memories: Memories, **given: Any) -> list[str]:
    return contents(memories("get_context", **given)["rules"])


def shown(memories: Memories, **given: Any) -> list[str]:
    return contents(memories("get_context", **given)["memories"])


@requirement(
    "memories:get_context:primary", "memories:get_context:rules-first", "memories:get_context:query"
)
def test_rules_come_first_with_paths_and_category_then_what_is_relevant(memories: Memories) -> None:
    naming = memories.add("Use RESTful naming", type="rule", paths=["src/api/**"], category="api")
    tea = memories.add("Tea is at four", type="fact", tags=["break"])
    memories.add("The port is 8080", type="fact")

    data, text = memories.data_and_text("get_context", query="tea")
    assert (data["rules"][0]["paths"], data["rules"][0]["category"]) == (["src/api/**"], "api")
    assert contents(data["memories"]) == ["Tea is at four"]
    assert text == (
        f"## Active Rules\n- {naming}: Use RESTful naming (paths: src/api/**) {{api}}\n\n"
        f'## Relevant to: "tea"\n📋 FACT (G) {tea}: Tea is at four [break]'
    )


def test_an_empty_store_says_what_to_do(memories: Memories) -> None:
    data, text = memories.data_and_text("get_context", query="anything")
    assert text == "No context found. Use add_memory to store rules and knowledge."
    assert data == {"rules": [], "memories": []}


@requirement("memories:rules:order")
def test_the_most_special_rule_comes_first(memories: Memories) -> None:
    memories.add("global", type="rule")
    memories.add("project", type="rule", project_id="p")
    memories.add("path", type="rule", paths=["src/**"])
    memories.add("project path", type="rule", project_id="p", paths=["src/**"])
    assert rules(memories, project_id="p") == ["project path", "path", "project", "global"]


@requirement("memories:rules:paths")
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, ["api", "docs", "all"]),
        ({"query": "fix src/api/users.ts please"}, ["api", "all"]),
        ({"query": "fix ./src/api/deep/users.ts:42"}, ["api", "all"]),
        ({"query": "/home/me/work/repo/src/api/users.ts"}, ["api", "all"]),
        ({"query": "update docs/start.md and src/api/a.ts"}, ["api", "docs", "all"]),
        ({"query": "edit lib/other.py"}, ["all"]),
        # A name that may be a file leaves nothing out, but what is for it comes first.
        ({"query": "README.md"}, ["docs", "api", "all"]),
        (
            {"query": "Node.js and read/write and https://x.org/src/api/x.ts"},
            ["api", "docs", "all"],
        ),
        ({"metadata": {"file": "src/api/users.ts"}}, ["api", "all"]),
        ({"metadata": {"files": ["docs/start.md", "x/y.c"]}}, ["docs", "all"]),
    ],
)
def test_a_named_file_selects_the_rules_for_it(
    memories: Memories, given: dict[str, Any], expected: list[str]
) -> None:
    memories.add("all", type="rule")
    memories.add("api", type="rule", paths=["src/api/**"])
    memories.add("docs", type="rule", paths=["*.md"])
    assert rules(memories, **given) == expected


@requirement("memories:rules:paths")
def test_the_files_of_a_session_select_rules(memories: Memories) -> None:
    memories.add("api", type="rule", paths=["src/api/**"])
    memories.add("docs", type="rule", paths=["*.md"])
    session = memories("start_session", metadata={"files": ["src/api/users.ts"]})["id"]
    data = memories("get_context", session_id=session, include_trace=True)
    assert contents(data["rules"]) == ["api"]
    assert data["trace"]["rulesForOtherFiles"] == 1


@requirement("memories:rules:limit")
def test_all_rules_come_whatever_the_limit(memories: Memories) -> None:
    for number in range(60):
        memories.add(f"Rule {number}", type="rule")
    assert len(rules(memories, limit=1)) == 60


@requirement("memories:context:no-query", "memories:context:no-match")
def test_without_a_query_the_recent_ones_come_and_with_one_only_what_matches(
    memories: Memories, clock: StoppedClock
) -> None:
    memories.add("Be kind.", type="rule")
    for number in range(8):
        clock.advance(1)
        memories.add(f"Tea {number}")
    assert shown(memories) == ["Tea 7", "Tea 6", "Tea 5", "Tea 4", "Tea 3"]
    assert "## Recent Memories" in memories.text("get_context")
    assert rules(memories, query="zebra quantum") == ["Be kind."]
    assert shown(memories, query="zebra quantum") == []


@requirement("memories:layer:working", "memories:get_context:mode")
def test_working_memories_come_first_and_are_gone_after_a_day(
    memories: Memories, clock: StoppedClock
) -> None:
    memories.add("Be kind.", type="rule")
    memories.add("Tea long")
    data = memories("add_memory", content="Tea in hand", layer="working")
    assert (data["memory"]["layer"], data["memory"]["expiresAt"]) == (
        "working",
        iso(clock.now() + 24 * HOUR_MS),
    )
    clock.advance(1)
    memories.add("Tea newest")

    for query in ({}, {"query": "tea"}):
        got = memories("get_context", **query)
        first, *others = got["memories"]
        assert (first["content"], first["layer"]) == ("Tea in hand", "working")
        assert set(contents(others)) == {"Tea long", "Tea newest"}
        assert not any("layer" in one for one in others)
        assert shown(memories, mode="working", **query) == ["Tea in hand"]
        assert set(shown(memories, mode="long_term", **query)) == {"Tea long", "Tea newest"}
        assert shown(memories, mode="rules_only", **query) == []
        assert len(shown(memories, limit=2, **query)) == 2
    assert rules(memories, mode="rules_only") == ["Be kind."]
    assert (
        memories.contents(layer="working")
        == memories.found("tea", layer="working")
        == ["Tea in hand"]
    )
    assert memories.contents(layer="rule") == ["Be kind."]

    clock.advance(24 * HOUR_MS)
    assert "Tea in hand" not in shown(memories, limit=50)
    assert shown(memories, mode="working") == []


def test_a_memory_can_be_moved_between_layers(memories: Memories) -> None:
    number = memories.add("Tea", layer="working")
    memories("edit_memory", id=number, layer="long_term")
    assert (shown(memories, mode="working"), shown(memories, mode="long_term")) == ([], ["Tea"])
    memories("edit_memory", id=number, layer="working")
    assert shown(memories, mode="working") == ["Tea"]


@requirement("memories:get_context:conflicts", "memories:get_context:trace", "memories:links:made")
def test_memories_at_odds_are_named_with_confidence_explanation_and_suggestion(
    memories: Memories,
) -> None:
    first = memories.add("I prefer tea in the afternoon.")
    second = memories.add("I avoid tea after lunch.")

    data, text = memories.data_and_text("get_context", query="tea")
    (conflict,) = data["conflicts"]
    assert set(conflict) == {
        "memoryAId",
        "memoryBId",
        "edgeType",
        "confidence",
        "explanation",
        "suggestion",
    }
    assert (conflict["memoryAId"], conflict["memoryBId"]) == tuple(sorted((first, second)))
    assert conflict["edgeType"] == "contradicts"
    assert 0 < conflict["confidence"] <= 1
    assert '"tea"' in conflict["explanation"]
    assert "clarify" in conflict["suggestion"]
    assert data["trace"] == {"strategy": "baseline", "conflictCount": 1}
    assert "## Conflicts" in text
    # Both ends must be in the answer.
    assert "conflicts" not in memories("get_context", query="tea", limit=1)


@requirement("memories:trace:dropped")
@pytest.mark.parametrize("tool", ["get_context", "search_memories"])
def test_a_trace_tells_what_found_each_memory_and_why_others_were_left_out(
    memories: Memories, tool: str
) -> None:
    for number in range(4):
        memories.add(f"Green tea number {number} is brewed at 70 degrees.")
    apart = memories.add("The tram to the harbour leaves at nine.")

    data = memories(tool, query="green tea", limit=2, include_trace=True)
    trace, kept = data["trace"], [one["id"] for one in data["memories"]]
    assert [one["id"] for one in trace["results"]] == kept
    assert {"keyword", "vector"} <= set(trace["results"][0]["channels"])
    assert (trace["lexicalCandidates"], trace["semanticCandidates"]) == (2, 2)
    reasons = {one["id"]: one["reason"] for one in trace["dropped"]}
    assert sorted(reasons.values()).count("beyond the limit") == 2
    assert reasons[apart] in ("not close enough to the question", "not surely an answer")
    assert trace["droppedCount"] == len(reasons) == 3
    assert not set(kept) & set(reasons)


@requirement("memories:trace:dropped")
def test_what_comes_in_over_a_link_is_not_told_as_left_out(memories: Memories) -> None:
    for number in range(30):
        memories.add(f"Green tea number {number} is brewed at 70 degrees.")
    wide: dict[str, Any] = {
        "retrieval_strategy": "hybrid_graph",
        "graph_limit": 5,
        "include_trace": True,
    }
    data = memories("get_context", query="green tea", limit=1, **wide)
    shown = {one["id"] for one in data["memories"]}
    assert len(shown) > 1
    assert not shown & {one["id"] for one in data["trace"]["dropped"]}
    assert data["trace"]["droppedCount"] > len(data["trace"]["dropped"]) == 10
    assert memories("get_context", include_trace=True)["trace"]["dropped"] == []


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Port: 8080", "Port: 9090"),
        ("The primary database is PostgreSQL.", "The primary database is MySQL."),
        ("Commit straight to main", "Do not commit straight to main"),
        ("Staging listens on port 8080.", "Staging listens on port 9090."),
    ],
)
def test_rules_and_memories_that_contradict_are_conflicts(
    memories: Memories, older: str, newer: str
) -> None:
    memories.add(older, type="rule")
    memories.add(newer)
    assert len(memories("get_context")["conflicts"]) == 1


def test_a_corrected_memory_is_no_conflict_any_more(
    memories: Memories, clock: StoppedClock
) -> None:
    memories.add("Port: 8080")
    second = memories.add("Port: 9090")
    assert len(memories("get_context")["conflicts"]) == 1
    clock.advance(1)
    memories("edit_memory", id=second, content="Lunch: noon")
    assert "conflicts" not in memories("get_context")


@requirement(
    "memories:get_context:strategy",
    "memories:get_context:similar",
    "memories:get_context:edges",
    "memories:get_context:graph-depth",
    "memories:get_context:graph-limit",
)
def test_a_graph_search_follows_links_as_far_as_it_is_told(memories: Memories) -> None:
    first = memories.add("Vitest runs the unit suite of the web shop")
    second = memories.add("Jest runs the unit suite of the web shop")
    third = memories.add("Jest runs the whole unit suite of the web shop at night")

    def graph(**more: Any) -> list[dict[str, Any]]:
        data = memories(
            "get_context", query="vitest", limit=1, retrieval_strategy="hybrid_graph", **more
        )
        return [one for one in data["memories"] if "graph" in one]

    assert shown(memories, query="vitest", limit=1) == [
        "Vitest runs the unit suite of the web shop"
    ]
    near = graph()
    assert near[0]["id"] == second
    assert near[0]["graph"]["edgeType"] == "similar_to"
    assert (near[0]["graph"]["hopCount"], near[0]["graph"]["seedMemoryId"]) == (1, first)
    assert near[0]["graph"]["whyIncluded"] == "graph_expansion"
    assert {one["id"] for one in graph(graph_depth=2)} == {second, third}
    assert len(graph(graph_depth=2, graph_limit=1)) == 1
    assert graph(graph_depth=0) == []
    assert "trace" not in memories("get_context", query="vitest")
    assert memories("get_context", retrieval_strategy="hybrid")["trace"] == {
        "strategy": "hybrid_graph",
        "conflictCount": 0,
    }
    trace = memories("get_context", retrieval_strategy="hybrid", graph_depth=0, include_trace=True)[
        "trace"
    ]
    assert (trace["requestedStrategy"], trace["strategy"], trace["fallbackTriggered"]) == (
        "hybrid_graph",
        "baseline",
        True,
    )


def test_links_stay_inside_what_the_caller_may_see(memories: Memories) -> None:
    memories.add("Vitest runs the unit suite of the web shop")
    memories.add("Jest runs the unit suite of the web shop", user_id="ada")
    memories.add("Mocha runs the unit suite of the web shop", project_id="p")
    data = memories(
        "get_context", query="vitest", limit=1, retrieval_strategy="hybrid_graph", graph_depth=2
    )
    assert len(data["memories"]) == 1


TOKENS = 24 + 12 + 1  # One memory of one to four characters, and nothing else.


@requirement(
    "memories:get_context:budget",
    "memories:get_context:turns",
    "memories:get_context:inactivity",
    "memories:get_context:task-completed",
)
@pytest.mark.parametrize(
    ("hints", "trigger", "reason"),
    [
        ({}, None, ""),
        ({"budget_tokens": TOKENS}, None, ""),
        (
            {"budget_tokens": TOKENS - 1},
            "count",
            f"Estimated context tokens {TOKENS} exceed budget {TOKENS - 1}.",
        ),
        ({"turn_budget": 10, "turn_count": 10}, None, ""),
        ({"turn_budget": 10, "turn_count": 11}, "count", "Turn count 11 exceeds budget 10."),
        ({"turn_count": 11}, None, ""),
        ({"turn_budget": 10}, None, ""),
        ({"idle_minutes": 30, "idle_ms": 30 * MINUTE_MS - 1}, None, ""),
        (
            {"idle_minutes": 30, "idle_ms": 30 * MINUTE_MS},
            "time",
            "Session inactive beyond 30 minute threshold.",
        ),
        ({"idle_ms": HOUR_MS}, None, ""),
        ({"idle_minutes": 30}, None, ""),
        ({"idle_minutes": 30, "active_at": "yesterday"}, None, ""),
        ({"task_completed": True}, "semantic", "Caller signaled task completion."),
        ({"task_completed": False}, None, ""),
        # The most pressing of several.
        (
            {"task_completed": True, "turn_budget": 1, "turn_count": 2},
            "count",
            "Turn count 2 exceeds budget 1.",
        ),
        (
            {"task_completed": True, "idle_minutes": 1, "idle_ms": HOUR_MS},
            "time",
            "Session inactive beyond 1 minute",
        ),
        (
            {"budget_tokens": 1, "turn_budget": 1, "turn_count": 2},
            "count",
            "Estimated context tokens",
        ),
    ],
)
def test_the_thresholds_of_compaction(
    memories: Memories, clock: StoppedClock, hints: dict[str, Any], trigger: str | None, reason: str
) -> None:
    memories.add("tea")
    given = dict(hints)
    if "idle_ms" in given:
        given["last_activity_at"] = iso(clock.now() - given.pop("idle_ms"))
    if "active_at" in given:
        given["last_activity_at"] = given.pop("active_at")
    if "idle_minutes" in given:
        given["inactivity_threshold_minutes"] = given.pop("idle_minutes")
    session = memories("start_session")["id"]

    data, text = memories.data_and_text("get_context", session_id=session, **given)
    assert data.get("compaction", {}).get("trigger") == trigger
    assert ("## Compaction" in text) == (trigger is not None)
    if trigger:
        assert data["compaction"]["reason"].startswith(reason)
        assert f"Trigger: {trigger}\nReason: {reason}" in text
    # Without a session there is nothing to write to, and no section.
    assert "compaction" not in memories("get_context", **given)


@requirement(
    "memories:get_context:session",
    "memories:get_context:write-ahead",
    "memories:compaction:on-disk",
)
def test_the_checkpoint_is_on_disk_before_the_answer(memories: Memories, home: Path) -> None:
    memories.add("Be kind.", type="rule")
    memories.add("Tea is at four")
    session = memories("start_session")["id"]
    data, text = memories.data_and_text(
        "get_context", query="tea", session_id=session, task_completed=True, turn_count=7
    )
    checkpoint, event = data["compaction"]["checkpointId"], data["compaction"]["compactionEventId"]
    assert f"Write-ahead checkpoint: {checkpoint}\nCompaction event: {event}" in text

    # Another process on the same file sees it, while the first one is still open.
    other = commonplace.open(home)
    saved, noted = other.list_events("default", session)
    other.db.close()
    assert (saved.role, saved.kind, saved.meaningful, saved.turn_index) == (
        "assistant",
        "checkpoint",
        True,
        7,
    )
    assert "Be kind." in saved.text
    assert "Tea is at four" in saved.text
    assert "Query: tea" in saved.text
    assert (noted.kind, noted.meaningful) == ("event", False)
    assert checkpoint in noted.text


@requirement("memories:compaction:session")
def test_an_unknown_or_closed_session_still_gets_its_context(memories: Memories) -> None:
    memories.add("Be kind.", type="rule")
    closed = memories("start_session")["id"]
    memories("end_session", session_id=closed)
    for session in ("sess_123", "m00000000001", closed):
        data, text = memories.data_and_text("get_context", session_id=session, task_completed=True)
        assert contents(data["rules"]) == ["Be kind."]
        assert "checkpointId" not in data["compaction"]
        assert "Write-ahead checkpoint failed: " in text


@requirement("memories:get_context:include-summary")
def test_the_reserved_flag_is_accepted(memories: Memories) -> None:
    assert memories("get_context", include_session_summary=True)["memories"] == []


def test_tokens_are_a_quarter_of_the_characters(engine: Engine, memories: Memories) -> None:
    memories.add("12345678", type="rule", tags=["abcd"])
    memories.add("12345", category="cat")
    (rule,) = engine.list_rules("default")
    (memory,) = (one for one in engine.list("default") if one.kind != "rule")
    assert token_count((), ()) == 24
    assert token_count((rule,), (memory,)) == 24 + (8 + 2 + 1) + (12 + 2 + 1)
    assert compaction_cause(CompactionHints(), 10**9, 0) is None
