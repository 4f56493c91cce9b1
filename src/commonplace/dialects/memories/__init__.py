"""memories.sh: rules, context, sessions, reminders, streams, consolidation. Twenty-four tools and
three resources.
"""

from collections.abc import Iterator

from commonplace.dialects.dialect import Call, Dialect, Resource, rows
from commonplace.dialects.memories import markdown
from commonplace.dialects.memories.context import get_context
from commonplace.dialects.memories.deletion import (
    bulk_forget_memories,
    forget_memory,
    vacuum_memories,
)
from commonplace.dialects.memories.failures import failure
from commonplace.dialects.memories.reminders import (
    add_reminder,
    append_memory_chunk,
    cancel_memory_stream,
    delete_reminder,
    disable_reminder,
    enable_reminder,
    finalize_memory_stream,
    list_reminders,
    run_due_reminders,
    start_memory_stream,
)
from commonplace.dialects.memories.scope import resolve_target
from commonplace.dialects.memories.sessions import (
    checkpoint_session,
    consolidate_memories,
    end_session,
    snapshot_session,
    start_session,
)
from commonplace.dialects.memories.tools import (
    add_memory,
    edit_memory,
    get_rules,
    list_memories,
    search_memories,
)
from commonplace.records.query import Filter

RECENT_MAX = 20
PROJECT_MAX = 50
MARKDOWN = "text/markdown"


def read_rules(call: Call) -> str:
    """The active rules as markdown."""
    target = resolve_target(call)
    return (
        markdown.rule_sections(call.engine.list_rules(target.bank, target.visible_filter))
        or "No rules defined."
    )


def read_recent(call: Call) -> str:
    """The newest memories as markdown, newest first."""
    target = resolve_target(call)
    found = call.engine.list(target.bank, target.visible_filter, limit=RECENT_MAX)
    return (
        "\n".join(["## Recent Memories", "", *map(markdown.line, found)])
        if found
        else "No memories found."
    )


def read_project(call: Call, id: str) -> str:
    """The newest memories of one project as markdown."""
    target = resolve_target(call, project_id=id)
    found = call.engine.list(
        target.bank, Filter(projects=(target.project,), users=("",)), limit=PROJECT_MAX
    )
    lines = "\n".join([f"## Memories for {target.project}", "", *map(markdown.line, found)])
    return lines if found else f"No memories found for project {target.project}."


def _projects(call: Call, typed: str) -> Iterator[str]:
    """The owner's projects with some letters in their names."""
    return (one.name for one in call.engine.list_projects(call.bank, user="") if typed in one.name)


DIALECT = Dialect(
    name="memories",
    title="memories.sh",
    instructions=(
        "Shared memory for coding agents. At the start of a task call get_context with what you are"
        " about to do and the file you work on; follow the rules it returns. Store what should be"
        " known next time with add_memory: rules, decisions, facts, notes, skills. Correct with"
        " edit_memory rather than adding a second version."
    ),
    tools=rows(
        get_context,
        start_session,
        checkpoint_session,
        end_session,
        snapshot_session,
        consolidate_memories,
        add_memory,
        search_memories,
        get_rules,
        list_memories,
        edit_memory,
        forget_memory,
        bulk_forget_memories,
        vacuum_memories,
        add_reminder,
        list_reminders,
        run_due_reminders,
        enable_reminder,
        disable_reminder,
        delete_reminder,
        start_memory_stream,
        append_memory_chunk,
        finalize_memory_stream,
        cancel_memory_stream,
    ),
    resources=(
        Resource("memories://rules", "rules", "All active rules.", MARKDOWN, read_rules),
        Resource("memories://recent", "recent", "The newest memories.", MARKDOWN, read_recent),
        Resource(
            "memories://project/{id}",
            "project-memories",
            "The memories of one project.",
            MARKDOWN,
            read_project,
            deep=True,
        ),
    ),
    bank="tenant_id",
    failure=failure,
    completions={
        "project_id": _projects,
        "id": _projects,
    },
)
