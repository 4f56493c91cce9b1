"""The table of commands. The module of a command is imported when the command runs."""

from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass

import click

from commonplace import lazy


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """The object of a command as `module:attribute`, and the first sentence of its help."""

    reference: str
    help: str


COMMAND_TABLE: dict[str, CommandEntry] = {
    "add": CommandEntry("commonplace.faces.cli.commands.memories:add", "Remember a statement."),
    "recall": CommandEntry(
        "commonplace.faces.cli.commands.recall:recall",
        "Find the memories that answer a question, best first.",
    ),
    "list": CommandEntry(
        "commonplace.faces.cli.commands.memories:list_memories", "List memories, newest first."
    ),
    "show": CommandEntry(
        "commonplace.faces.cli.commands.memories:show", "Show one memory with all its fields."
    ),
    "revise": CommandEntry(
        "commonplace.faces.cli.commands.memories:revise",
        "Change a memory; the older versions are kept.",
    ),
    "history": CommandEntry(
        "commonplace.faces.cli.commands.history:history",
        "Show every version of a memory and what it changed.",
    ),
    "forget": CommandEntry(
        "commonplace.faces.cli.commands.history:forget",
        "Forget memories; `commonplace restore` brings them back.",
    ),
    "restore": CommandEntry(
        "commonplace.faces.cli.commands.history:restore",
        "Restore forgotten memories, an older version, or a whole store.",
    ),
    "purge": CommandEntry(
        "commonplace.faces.cli.commands.purge:purge",
        "Erase memories for good, or all that a user or a bank has.",
    ),
    "tags": CommandEntry(
        "commonplace.faces.cli.commands.memories:tags",
        "List the tags and how many memories have each.",
    ),
    "projects": CommandEntry(
        "commonplace.faces.cli.commands.maintenance:projects",
        "List the projects of a bank, the most recently changed first.",
    ),
    # purge.py adds `banks delete` to the group that maintenance.py defines.
    "banks": CommandEntry(
        "commonplace.faces.cli.commands.purge:banks",
        "List, limit or delete banks, which keep memories apart.",
    ),
    "doctor": CommandEntry(
        "commonplace.faces.cli.commands.maintenance:doctor",
        "Check the store and explain what is wrong with it.",
    ),
    "rebuild": CommandEntry(
        "commonplace.faces.cli.commands.maintenance:rebuild",
        "Rebuild the text index and the vectors from the memories.",
    ),
    "eval": CommandEntry(
        "commonplace.faces.cli.commands.evaluate:evaluate",
        "Measure how well the memories answer your own questions.",
    ),
    "export": CommandEntry(
        "commonplace.faces.cli.commands.archive:export",
        "Export the store to a new file of JSON lines.",
    ),
    "import": CommandEntry(
        "commonplace.faces.cli.commands.import_:import_memories",
        "Import the memories of another product, or an archive.",
    ),
    "backup": CommandEntry(
        "commonplace.faces.cli.commands.archive:backup",
        "Back up the whole store to a new file, even while it is in use.",
    ),
    "settings": CommandEntry(
        "commonplace.faces.cli.commands.maintenance:settings",
        "Show every setting, its value and where the value comes from.",
    ),
    "connect": CommandEntry(
        "commonplace.faces.cli.commands.connect:connect",
        "Connect an assistant to this memory.",
    ),
    "disconnect": CommandEntry(
        "commonplace.faces.cli.commands.connect:disconnect",
        "Disconnect an assistant from this memory.",
    ),
    "rules": CommandEntry(
        "commonplace.faces.cli.commands.rules:rules",
        "Write the rules and skills of a project as files for an assistant.",
    ),
    "vault": CommandEntry(
        "commonplace.faces.cli.commands.vault:vault",
        "Manage the notes that are kept as markdown files in a folder.",
    ),
    "serve": CommandEntry(
        "commonplace.faces.cli.commands.serve:serve", "Serve the memory over HTTP."
    ),
    "open": CommandEntry(
        "commonplace.faces.cli.commands.serve:open_pages",
        "Open the pages of the running server in the browser.",
    ),
    "mcp": CommandEntry(
        "commonplace.faces.cli.commands.serve:mcp",
        "Serve the memory to one client on standard input and output.",
    ),
    "hook": CommandEntry(
        "commonplace.faces.cli.commands.hooks:hook",
        "Run a hook for an assistant.",
    ),
    "hooks": CommandEntry(
        "commonplace.faces.cli.commands.hooks:hooks",
        "Let assistants remember and recall by themselves.",
    ),
    "token": CommandEntry(
        "commonplace.faces.cli.commands.serve:token",
        "Show the token that clients of the vault dialect need.",
    ),
    "help": CommandEntry(
        "commonplace.faces.cli.groups:show_help",
        "Show the help of the program or of a command.",
    ),
    "completion": CommandEntry(
        "commonplace.faces.cli.completions:completion",
        "Print the script that lets a shell complete commands.",
    ),
}


class Commands(MutableMapping[str, click.Command]):
    """The commands by name; each is imported on first access."""

    def __init__(self) -> None:
        self._commands: dict[str, click.Command | None] = dict.fromkeys(COMMAND_TABLE)

    def __getitem__(self, name: str) -> click.Command:
        command = self._commands[name]
        if command is None:
            command = self._commands[name] = lazy.load(COMMAND_TABLE[name].reference)
            assert isinstance(command, click.Command)
        return command

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._commands[name] = command

    def __delitem__(self, name: str) -> None:
        del self._commands[name]

    def __contains__(self, name: object) -> bool:
        return name in self._commands

    def __iter__(self) -> Iterator[str]:
        return iter(self._commands)

    def __len__(self) -> int:
        return len(self._commands)

    def short_help(self, name: str) -> str:
        """The first sentence of a command's help, without importing the command."""
        return (
            COMMAND_TABLE[name].help if name in COMMAND_TABLE else self[name].get_short_help_str(66)
        )
