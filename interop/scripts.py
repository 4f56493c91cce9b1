"""What a model does with each dialect in the trials: the tools it asks for, and what it must be
shown for it.
"""

from dataclasses import dataclass

from interop.model import Step


@dataclass(frozen=True, slots=True)
class Script:
    """Calls in order: something written, a mistake, and what was written read back."""

    steps: tuple[Step, ...]
    # The tools that a client which fetches tools on demand must have at hand from the start.
    at_hand: tuple[str, ...]


SCRIPTS = {
    "memstate": Script(
        steps=(
            Step(
                "memstate_remember",
                {"project_id": "app", "content": "## Database\n- port: 5432\n- host: db.local"},
                ("job_id",),
            ),
            Step(
                "memstate_get",
                {"project_id": "app", "memory_id": "mem_1"},
                ("cannot be combined", "Give memory_id alone"),
                wrong=True,
            ),
            Step(
                "memstate_get",
                {"project_id": "app", "include_content": True},
                ("5432", "db.local", "project.app.database"),
            ),
        ),
        at_hand=("memstate_get", "memstate_search", "memstate_remember"),
    ),
    "memories": Script(
        steps=(
            Step("add_memory", {"content": "Use tabs in Makefiles", "type": "rule"}, ("Stored",)),
            Step("add_memory", {"content": "  "}, ("content cannot be empty",), wrong=True),
            Step("get_context", {"query": "makefiles"}, ("Use tabs in Makefiles",)),
        ),
        at_hand=("get_context", "add_memory", "search_memories"),
    ),
    "powermem": Script(
        steps=(
            Step(
                "add_memory",
                {"messages": "Ada prefers coffee in the morning"},
                ("memory_id", "success"),
            ),
            Step(
                "search_memories",
                {"query": "x", "filters": {"a": {"bogus": 1}}},
                ("Unknown operator",),
                wrong=True,
            ),
            Step("search_memories", {"query": "what does Ada drink?"}, ("Ada prefers coffee",)),
        ),
        at_hand=("add_memory", "search_memories"),
    ),
    "hindsight": Script(
        steps=(
            Step("retain", {"content": "Ada moved to Lisbon in March 2025."}, ("operation_id",)),
            Step("recall", {"query": "x", "types": ["bogus"]}, ("bogus",)),
            Step("recall", {"query": "where does Ada live?"}, ("Lisbon",)),
        ),
        at_hand=("retain", "recall"),
    ),
}
