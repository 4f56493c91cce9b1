"""The commands, as a table. The module of a command is imported when the command is used, and not
before.
"""

from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass

import click

from commonplace import lazy


@dataclass(frozen=True, slots=True)
class Row:
    """A command: where it is defined, as `module:attribute`, and the first sentence of its help."""

    defined: str
    help: str


ROWS: dict[str, Row] = {
    "add": Row("commonplace.faces.cli.memories:add", "Remember a statement."),
    "recall": Row(
        "commonplace.faces.cli.recall:recall",
        "Find the memories that answer a question, best first.",
    ),
    "list": Row("commonplace.faces.cli.memories:list_memories", "List memories, newest first."),
    "show": Row("commonplace.faces.cli.memories:show", "Show one memory with all its fields."),
    "revise": Row(
        "commonplace.faces.cli.memories:revise",
        "Change a memory; the older versions are kept.",
    ),
    "history": Row(
        "commonplace.faces.cli.history:history",
        "Show every version of a memory and what it changed.",
    ),
    "forget": Row(
        "commonplace.faces.cli.history:forget",
        "Forget memories; `commonplace restore` brings them back.",
    ),
    "restore": Row(
        "commonplace.faces.cli.history:restore",
        "Restore forgotten memories, an older version, or a whole store.",
    ),
    "purge": Row(
        "commonplace.faces.cli.purge:purge",
        "Erase memories for good, or all that a user or a bank has.",
    ),
    "tags": Row(
        "commonplace.faces.cli.memories:tags",
        "List the tags and how many memories have each.",
    ),
    "projects": Row(
        "commonplace.faces.cli.maintenance:projects",
        "List the projects of a bank, the most recently changed first.",
    ),
    # purging adds `banks delete` to the group that care defines.
    "banks": Row(
        "commonplace.faces.cli.purge:banks",
        "List, limit or delete banks, which keep memories apart.",
    ),
    "doctor": Row(
        "commonplace.faces.cli.maintenance:doctor",
        "Check the store and explain what is wrong with it.",
    ),
    "rebuild": Row(
        "commonplace.faces.cli.maintenance:rebuild",
        "Rebuild the text index and the vectors from the memories.",
    ),
    "eval": Row(
        "commonplace.faces.cli.evaluate:evaluate",
        "Measure how well the memories answer your own questions.",
    ),
    "export": Row(
        "commonplace.faces.cli.archive:export",
        "Export the store to a new file of JSON lines.",
    ),
    "import": Row(
        "commonplace.faces.cli.import_:import_memories",
        "Import the memories of another product, or an archive.",
    ),
    "backup": Row(
        "commonplace.faces.cli.archive:backup",
        "Back up the whole store to a new file, even while it is in use.",
    ),
    "settings": Row(
        "commonplace.faces.cli.maintenance:settings",
        "Show every setting, its value and where the value comes from.",
    ),
    "connect": Row(
        "commonplace.faces.cli.connect:connect",
        "Connect an assistant to this memory.",
    ),
    "disconnect": Row(
        "commonplace.faces.cli.connect:disconnect",
        "Disconnect an assistant from this memory.",
    ),
    "rules": Row(
        "commonplace.faces.cli.rules:rules",
        "Write the rules and skills of a project as files for an assistant.",
    ),
    "vault": Row(
        "commonplace.faces.cli.vault:vault",
        "Manage the notes that are kept as markdown files in a folder.",
    ),
    "serve": Row("commonplace.faces.cli.serve:serve", "Serve the memory over HTTP."),
    "mcp": Row(
        "commonplace.faces.cli.serve:mcp",
        "Serve the memory to one client on standard input and output.",
    ),
    "token": Row(
        "commonplace.faces.cli.serve:token",
        "Show the token that clients of the vault dialect need.",
    ),
    "help": Row(
        "commonplace.faces.cli.groups:show_help",
        "Show the help of the program or of a command.",
    ),
    "completion": Row(
        "commonplace.faces.cli.completions:completion",
        "Print the script that lets a shell complete commands.",
    ),
}


class Commands(MutableMapping[str, click.Command]):
    """The commands by name, each imported when it is first looked up."""

    def __init__(self) -> None:
        self._known: dict[str, click.Command | None] = dict.fromkeys(ROWS)

    def __getitem__(self, name: str) -> click.Command:
        command = self._known[name]
        if command is None:
            command = self._known[name] = lazy.load(ROWS[name].defined)
            assert isinstance(command, click.Command)
        return command

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._known[name] = command

    def __delitem__(self, name: str) -> None:
        del self._known[name]

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def short_help(self, name: str) -> str:
        """The first sentence of a command's help, without importing the command."""
        return ROWS[name].help if name in ROWS else self[name].get_short_help_str(66)
