"""The purpose of each dialect: one table for the command line, the README and the page about
connecting."""

from dataclasses import dataclass

from commonplace.dialects import registry
from commonplace.dialects.dialect import Dialect, MemoryAction

AUDIENCES = {
    "commonplace": "any assistant: five tools, and hooks that remember and recall by themselves",
    "hindsight": (
        "an assistant that takes notes of conversations, recalls facts with dates and reflects on"
        " them"
    ),
    "mem0": "what was written for mem0 or OpenMemory: users, agents, apps and runs",
    "memories": "a coding agent: rules for files, context for a task, sessions, reminders",
    "memstate": (
        "an agent that keeps the state of a project under keypaths and looks at earlier states"
    ),
    "powermem": "a program that sends the messages of many users; few tools",
    "vault": "a person with a folder of markdown notes, in Obsidian for instance",
}
COLUMNS = ("Dialect", "For", "Corrects with", "Forgets with", "Tools")
# Where no tool corrects a memory.
_NO_CORRECTING_TOOL = "an editor"


@dataclass(frozen=True, slots=True)
class Choice:
    """One row of the table. A tool corrects or forgets exactly one memory."""

    name: str
    audience: str
    correct_tool: str
    forget_tool: str
    tool_count: int

    @property
    def cells(self) -> tuple[str, str, str, str, str]:
        """The row under the heads."""
        return (
            self.name,
            self.audience,
            self.correct_tool or _NO_CORRECTING_TOOL,
            self.forget_tool,
            str(self.tool_count),
        )


def choices() -> list[Choice]:
    """Every dialect, the default first."""
    return [_choice(registry.find(name)) for name in AUDIENCES]


def _choice(dialect: Dialect) -> Choice:
    return Choice(
        dialect.name,
        AUDIENCES[dialect.name],
        _tool_name(dialect, "revise"),
        _tool_name(dialect, "forget"),
        sum(tool.listed for tool in dialect.tools.values()),
    )


def _tool_name(dialect: Dialect, action: MemoryAction) -> str:
    return next(
        (
            tool.name
            for tool in dialect.tools.values()
            if any(one.action == action for one in tool.roles)
        ),
        "",
    )
