"""The five tools of the commonplace dialect."""

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from commonplace import clock, engine, ids, lazy, validation
from commonplace.dialects.dialect import OTHER, Call, Reply, ToolRole, drop_empty, tool
from commonplace.dialects.expected_version import ExpectedVersion, version_field
from commonplace.dialects.parameters import About
from commonplace.dialects.unsure import NONE_SURE, unsure_field
from commonplace.errors import NotFound
from commonplace.limits import BRIEF_TOKENS_DEFAULT, BRIEF_TOKENS_MAX, RECALL_MAX
from commonplace.records.memory import Draft, Edit, Memory, Scope
from commonplace.records.query import Filter, Query

if TYPE_CHECKING:
    from commonplace.extract import statement_splitting
else:
    statement_splitting = lazy.module("commonplace.extract.statement_splitting")

Kind: TypeAlias = Literal["fact", "decision", "preference", "rule", "note"]

ProjectId = Annotated[
    str | None, About("Only if it is another project than that of the working folder.", 0, 200)
]
MemoryId = Annotated[str, About("The id of the memory.", 1, 200)]


@tool("reads", ToolRole("find", text="query"), title="Recall", always_loaded=True)
def recall(
    call: Call,
    query: Annotated[str, About("What you want to know, as a question.", 1, 10_000)],
    limit: Annotated[int, About("Most memories to return.", 1, RECALL_MAX)] = 8,
    project_id: ProjectId = None,
) -> Reply:
    """Find what is known about a question, best first. Empty means that nothing is known."""
    asked = Query(query, _visible(_project(call, project_id)), limit=limit)
    found = call.engine.recall(call.bank, asked)
    doubted = unsure_field(unsure=found.unsure, found=found.hits)
    lines = [_line(hit.memory) for hit in found.hits] or ["Nothing is known about this."]
    return Reply(
        {**doubted, "memories": [_shown(hit.memory) for hit in found.hits]},
        "\n".join([*([NONE_SURE] if doubted else []), *lines]),
    )


@tool("writes", ToolRole("write", text="text"), title="Remember", always_loaded=True)
def remember(
    call: Call,
    text: Annotated[str, About("One statement that makes sense on its own.", 1)],
    kind: Annotated[Kind, About("rule only if the person asked for a standing rule.")] = "fact",
    project_id: ProjectId = None,
) -> Reply:
    """Keep a statement for later sessions. A newer value replaces the older one."""
    scope = Scope(project=_project(call, project_id))
    origin = call.origin("commonplace")
    validation.nonempty_text(text)
    if kind == engine.sessions.rules.RULE:
        outcome = call.engine.remember(call.bank, Draft(text, kind=kind, scope=scope), origin)
    else:
        batch = engine.add_messages.MessageBatch(
            (statement_splitting.Message("user", text),), scope, kind=kind
        )
        outcome = call.engine.merge_statements(call.bank, batch, origin)[0]
    memory, change = outcome.memory, outcome.change
    return Reply({"change": change, "memory": _shown(memory)}, f"{change}: {_line(memory)}")


@tool("writes", ToolRole("revise", id="id", text="text"), title="Revise", always_loaded=True)
def revise(
    call: Call,
    id: MemoryId,
    text: Annotated[str, About("The whole new text.", 1)],
    expected_version: ExpectedVersion = None,
) -> Reply:
    """Correct a memory. The older version is kept."""
    memory = _live(call, id)
    after = call.engine.revise(
        call.bank, memory.id, Edit(text), call.origin("commonplace"), expected=expected_version
    )
    shown = _shown(after.memory)
    return Reply({"change": after.change, "memory": shown}, f"revised: {_line(after.memory)}")


@tool("destroys", ToolRole("forget", id="id"), title="Forget", always_loaded=True)
def forget(call: Call, id: MemoryId) -> Reply:
    """Forget a memory. It can be restored by the person."""
    memory = _live(call, id)
    call.engine.forget(call.bank, [memory.id], call.origin("commonplace"))
    name = ids.short_form(memory.id)
    return Reply({"forgotten": name}, f"forgotten: {name}")


@tool("reads", OTHER, title="Brief", always_loaded=True)
def brief(
    call: Call,
    tokens: Annotated[
        int, About("Most tokens of the brief.", 100, BRIEF_TOKENS_MAX)
    ] = BRIEF_TOKENS_DEFAULT,
    project_id: ProjectId = None,
) -> Reply:
    """What to know before work: rules, reminders, recent changes, current facts."""
    query = engine.hooks.brief.BriefQuery(project=_project(call, project_id), tokens_max=tokens)
    found = call.engine.brief(call.bank, query)
    text = found.text or "Nothing is known about this project yet."
    return Reply({"brief": text, "tokens": found.tokens}, text)


def _project(call: Call, given: str | None) -> str:
    named = validation.line(given or "", what="project_id")
    return named or engine.hooks.payloads.project_of(call.folder)


def _visible(project: str) -> Filter:
    """What a call sees: its project and what belongs to none; everything where no project is
    known.
    """
    if not project:
        return Filter(users=("",))
    return engine.sessions.rules.visible_to(Scope(project=project))


def _live(call: Call, memory_id: str) -> Memory:
    memory = call.engine.get(call.bank, memory_id)
    if memory.scope.user:
        # It belongs to another user of a shared bank.
        raise NotFound(f"There is no memory {memory_id}.", hint="Recall to find its id.")
    if memory.forgotten_at is not None:
        raise NotFound(
            f"The memory {ids.short_form(memory.id)} is forgotten.", hint="Recall for current ones."
        )
    return memory


def _shown(memory: Memory) -> dict[str, Any]:
    values: dict[str, Any] = {
        "id": ids.short_form(memory.id),
        "text": memory.text,
        "kind": memory.kind,
        "key": memory.key or memory.title,
        "project_id": memory.scope.project,
        "date": clock.iso(memory.updated_at)[:10],
    }
    return drop_empty(values) | version_field(memory)


def _line(memory: Memory) -> str:
    name = memory.key or memory.title
    text = f"{name}: {memory.text}" if name and name not in memory.text else memory.text
    day = clock.iso(memory.updated_at)[:10]
    return f"- [{ids.short_form(memory.id)}] {text} ({memory.kind}, {day})"
