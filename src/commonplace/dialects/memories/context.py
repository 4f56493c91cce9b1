"""The tool of memories.sh that assembles the context of a task."""

from typing import Annotated, Any, Literal

from commonplace import engine, validation
from commonplace.dialects.dialect import Call, Reply, ToolRole, tool
from commonplace.dialects.memories import markdown, responses, traces
from commonplace.dialects.memories.scope import (
    IncludeTrace,
    ProjectId,
    TenantId,
    UserId,
    limit_of,
    resolve_target,
)
from commonplace.dialects.parameters import About

QueryText = Annotated[str | None, About("Search query to find relevant memories.", 0, 10_000)]
Limit = Annotated[float, About("Max memories to return; at most 50.")]
Strategy = Annotated[str, About("baseline, or hybrid_graph to follow links between memories.")]
GraphDepth = Annotated[int, About("Graph traversal depth: 0, 1 or 2.", 0, 2)]
GraphLimit = Annotated[float, About("Max graph-expanded memories; at most 50.")]
Mode = Annotated[
    Literal["all", "working", "long_term", "rules_only"], About("Which layers to return.")
]
ContextSession = Annotated[str | None, About("Session for lifecycle-aware retrieval.", 0, 200)]
BudgetTokens = Annotated[int | None, About("Context token budget hint.", 1)]
TurnCount = Annotated[int | None, About("Current turn count.", 0)]
TurnBudget = Annotated[int | None, About("Turn-count budget.", 1)]
LastActivity = Annotated[str | None, About("ISO timestamp for inactivity-trigger checks.", 0, 100)]
InactivityThreshold = Annotated[int | None, About("Inactivity threshold in minutes.", 1)]
TaskCompleted = Annotated[bool, About("The task is done: checkpoint before compacting.")]
OpenFiles = Annotated[
    dict[str, Any] | None, About('The files at hand, such as {"file": "src/api/users.ts"}.')
]


@tool("reads", ToolRole("find", text="query"), title="Get context", always_loaded=True)
def get_context(
    call: Call,
    query: QueryText = None,
    project_id: ProjectId = None,
    user_id: UserId = None,
    tenant_id: TenantId = None,
    limit: Limit = 5,
    retrieval_strategy: Strategy = "baseline",
    graph_depth: GraphDepth = 1,
    graph_limit: GraphLimit = 8,
    mode: Mode = "all",
    session_id: ContextSession = None,
    budget_tokens: BudgetTokens = None,
    turn_count: TurnCount = None,
    turn_budget: TurnBudget = None,
    last_activity_at: LastActivity = None,
    inactivity_threshold_minutes: InactivityThreshold = None,
    task_completed: TaskCompleted = False,
    include_session_summary: Annotated[bool, About("Reserved.")] = False,
    metadata: OpenFiles = None,
    include_trace: IncludeTrace = False,
) -> Reply:
    """Get rules and relevant context. Call this FIRST, at the start of every task.

    Returns all active rules, those for certain files first, then memories relevant to the query, or
    the recent ones. Name the file you work on and rules for other files stay away. conflicts[]
    lists memories that contradict each other; `unsure` is there when none of the memories is surely
    an answer. With session_id and budget hints, a checkpoint is written when it is time to compact.
    """
    target = resolve_target(call, tenant_id, user_id, project_id)
    strategy = _strategy(retrieval_strategy)
    linked_max = limit_of(graph_limit, 8, 50)
    hints = engine.sessions.compaction.CompactionHints(
        budget_tokens,
        turn_count,
        turn_budget,
        last_activity_at or "",
        inactivity_threshold_minutes,
        task_completed,
    )
    wanted = engine.sessions.context.ContextQuery(
        text=query or "",
        scope=target.scope,
        limit=limit_of(limit, 5, 50),
        mode=mode,
        depth=graph_depth if strategy == "hybrid_graph" else 0,
        linked_max=linked_max,
        caller=engine.sessions.context.CallerState(session_id or "", metadata or {}, hints),
    )
    found = call.engine.context(target.bank, wanted)
    data = responses.context(found)
    if include_trace:
        data["trace"] = traces.trace(found, strategy, graph_depth, linked_max)
    elif found.conflicts or strategy != "baseline":
        data["trace"] = traces.brief_trace(found, strategy, graph_depth, linked_max)
    return responses.reply(target, data, markdown.context_text(found, query or ""))


def _strategy(name: str) -> str:
    strategy = "hybrid_graph" if name.strip() == "hybrid" else name.strip()
    validation.choice(strategy, ("baseline", "hybrid_graph"), what="retrieval_strategy")
    return strategy
