"""Which dialect is for whom: one table for the command line, the README and the page about
connecting.
"""

from dataclasses import dataclass

from commonplace.dialects import registry
from commonplace.dialects.dialect import Deed, Dialect

FOR_WHOM = {
    "hindsight": (
        "an assistant that takes notes of conversations, recalls facts with dates and reflects on"
        " them"
    ),
    "memories": "a coding agent: rules for files, context for a task, sessions, reminders",
    "memstate": (
        "an agent that keeps the state of a project under keypaths and looks at earlier states"
    ),
    "powermem": "a program that sends the messages of many users; few tools",
    "vault": "a person with a folder of markdown notes, in Obsidian for instance",
}
HEADS = ("Dialect", "For", "Corrects with", "Forgets with", "Tools")
# Where no tool corrects a memory.
_BY_HAND = "an editor"


@dataclass(frozen=True, slots=True)
class Choice:
    """One row of the table. A tool corrects or forgets exactly one memory."""

    name: str
    for_whom: str
    corrects: str
    forgets: str
    tools: int

    @property
    def cells(self) -> tuple[str, str, str, str, str]:
        """The row under the heads."""
        return (self.name, self.for_whom, self.corrects or _BY_HAND, self.forgets, str(self.tools))


def choices() -> list[Choice]:
    """Every dialect, the default first."""
    return [_choice(registry.find(name)) for name in FOR_WHOM]


def _choice(dialect: Dialect) -> Choice:
    return Choice(
        dialect.name,
        FOR_WHOM[dialect.name],
        _tool(dialect, "revise"),
        _tool(dialect, "forget"),
        sum(tool.listed for tool in dialect.tools.values()),
    )


def _tool(dialect: Dialect, deed: Deed) -> str:
    return next(
        (
            tool.name
            for tool in dialect.tools.values()
            if any(one.deed == deed for one in tool.roles)
        ),
        "",
    )
