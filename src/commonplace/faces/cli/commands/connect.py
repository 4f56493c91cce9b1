"""`commonplace connect` and `commonplace disconnect`."""

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from commonplace import lazy
from commonplace.dialects import catalog, registry
from commonplace.errors import CommonplaceError, Conflict, Invalid
from commonplace.faces.cli import completers, terminal
from commonplace.faces.cli.command import Command, CommandCall, with_call
from commonplace.faces.cli.terminal import Column
from commonplace.faces.connect import edits, hook_files, keys
from commonplace.faces.connect.clients import CLIENTS, Client, Machine, client_named
from commonplace.faces.connect.edits import DEFAULT_NAME, EditPlan, ServerSpec

PROGRAM = "commonplace"


def with_server_options(command: Command) -> Command:
    """Passes `wanted` to a command: the server that its options describe."""

    @wraps(command)
    def run(call: CommandCall, **options: Any) -> None:
        dialect, url = options.pop("dialect"), options.pop("http") or ""
        registry.find(dialect)
        variable, written = options.pop("key_variable"), options.pop("write_key")
        wanted = ServerSpec(
            dialect=dialect,
            program=launch_command(call.home or home_variable()),
            name=options.pop("entry_name"),
            bank=options.pop("bank") or "",
            url=url,
            key=_key_from_options(call, url, dialect, variable, written),
        )
        command(call, wanted=wanted, **options)

    decorated: Command = run
    for option in reversed(_SERVER_OPTIONS):
        decorated = option(decorated)
    return decorated


_SERVER_OPTIONS: tuple[Callable[[Command], Command], ...] = (
    click.option(
        "--dialect",
        metavar="NAME",
        default=registry.DEFAULT,
        help="The tools the client gets.",
        shell_complete=completers.DIALECTS,
    ),
    click.option(
        "--bank",
        metavar="NAME",
        help="The only bank the client sees.",
        shell_complete=completers.BANKS,
    ),
    click.option(
        "--http", metavar="URL", help="Use the running server at this URL instead of starting one."
    ),
    click.option(
        "--key-variable",
        metavar="NAME",
        help="Environment variable from which the client takes that server's key; '' for none.",
    ),
    click.option(
        "--write-key",
        is_flag=True,
        help="Write the key into the file, which only you can read then.",
    ),
    click.option(
        "--name", "entry_name", metavar="NAME", default=DEFAULT_NAME, help="Name of the entry."
    ),
)


@click.command()
@click.argument("client", required=False, metavar="[CLIENT]", shell_complete=completers.CLIENTS)
@with_call(bank=False)
@with_server_options
@click.option("--hooks", is_flag=True, help="Install the hooks of the client too.")
@click.option("--write", is_flag=True, help="Write the change; without this it is only shown.")
def connect(
    call: CommandCall, client: str | None, wanted: ServerSpec, hooks: bool, write: bool
) -> None:
    """Connect an assistant to this memory.

    Shows the change to the configuration file of claude-code, claude-desktop, cursor, vscode,
    codex, gemini, windsurf or opencode; --write makes it. A copy of the file is kept beside it, and
    everything else in the file stays as it is. Without a client, the command lists the clients,
    their files and which of them are connected, and the dialects and what each is for.

    \b
    Examples:
      commonplace connect
      commonplace connect claude-code --dialect memstate
      commonplace connect claude-code --dialect memstate --write
      commonplace connect claude-code --hooks --write
    """
    if client is None:
        return _print_overview(call, wanted.name)
    chosen = client_named(client)
    # Resolved first, so that an error about hooks comes before anything is written.
    row = hook_files.hook_file(client) if hooks else None
    planned = edits.plan(chosen, wanted, machine())
    apply_or_show(
        call, planned, write, done=chosen.next_step, nothing=f"{chosen.title} is connected already."
    )
    if row is not None:
        lazy.load("commonplace.faces.cli.commands.hooks:install_hooks")(call, row, write)
    if not call.as_json:
        _print_next_steps(chosen, wanted)


@click.command()
@click.argument("client", metavar="CLIENT", shell_complete=completers.CLIENTS)
@with_call(bank=False)
@click.option(
    "--name", "entry_name", metavar="NAME", default=DEFAULT_NAME, help="Name of the entry."
)
@click.option("--write", is_flag=True, help="Write the change; without this it is only shown.")
def disconnect(call: CommandCall, client: str, entry_name: str, write: bool) -> None:
    """Disconnect an assistant from this memory.

    Removes the entry that `connect` made and nothing else. The memories stay.

    \b
    Examples:
      commonplace disconnect cursor
      commonplace disconnect cursor --write
    """
    chosen = client_named(client)
    planned = edits.plan_removal(chosen, entry_name, machine())
    apply_or_show(
        call, planned, write, done="The memories stay.", nothing=f"{chosen.title} is not connected."
    )


def _print_next_steps(client: Client, wanted: ServerSpec) -> None:
    """Print what remains to be done in the client, and which other dialects there are."""
    if wanted.key and not wanted.key.value:
        token = wanted.key.variable == keys.TOKEN_VARIABLE
        value = f'"$({PROGRAM} token)"' if token else "KEY"
        terminal.print_note(
            f"{client.title} takes the key from a variable: export {wanted.key.variable}={value}"
        )
        terminal.print_note(
            "Where it is started without that variable, --write-key writes the key into the file."
        )
    if click.get_current_context().get_parameter_source("dialect") is ParameterSource.DEFAULT:
        spoken = keys.dialect_at(wanted.url, wanted.dialect)
        terminal.print_note(
            f"It gets the tools of {spoken}. `{PROGRAM} connect` shows what each dialect is for."
        )


def _key_from_options(
    call: CommandCall, url: str, dialect: str, variable: str | None, written: bool
) -> keys.Key | None:
    """The key for the server at a URL, in the form that the options request."""
    if not url:
        return keys.Key(variable or "") if variable or written else None
    if variable is None:
        variable = keys.required_variable(url, dialect, call.settings)
    if not written:
        return keys.Key(variable) if variable else None
    return keys.read_key(variable or keys.ANY_VARIABLE, call.settings, os.environ.get(variable, ""))


def launch_command(home: str = "") -> tuple[str, ...]:
    """The command that starts this installation with its present store from any folder."""
    # A client started from a desktop has neither the shell's PATH nor its variables.
    store = ("--home", str(Path(home).expanduser().absolute())) if home else ()
    beside = Path(sys.executable).with_name(Path(sys.argv[0]).name)
    for found in (
        shutil.which(sys.argv[0]),
        shutil.which(beside),
        shutil.which(Path(sys.executable).with_name(PROGRAM)),
    ):
        # Not resolved: a link in ~/.local/bin still points to the program after an upgrade.
        if found and Path(found).stem == PROGRAM:
            return (str(Path(found).absolute()), *store)
    return (sys.executable, "-m", PROGRAM, *store)


def home_variable() -> str:
    """COMMONPLACE_HOME of this environment, which a client does not pass on."""
    return os.environ.get("COMMONPLACE_HOME", "")


def machine() -> Machine:
    """The machine as the clients see it."""
    # These variables are the clients' own, so they are not our settings.
    return Machine(Path.home(), sys.platform, os.environ)


def apply_or_show(
    call: CommandCall, planned: EditPlan, write: bool, *, done: str, nothing: str
) -> None:
    """Make a planned change or show it."""
    backup = edits.apply(planned) if write else None
    if call.as_json:
        shape = {
            "client": planned.client.name,
            "file": str(planned.path),
            "changes": planned.changes,
        }
        written = {"written": write and planned.changes, "backup": str(backup) if backup else None}
        return terminal.print_json(
            {**shape, **written, "entry": planned.shown_entry, "diff": planned.diff}
        )
    if not planned.changes:
        return terminal.print_note(f"{nothing} Nothing to change in {planned.path}.")
    for line in planned.diff.splitlines():
        terminal.print_line(_colour_diff_line(line))
    if not write:
        return terminal.print_note("Nothing was written. Repeat with --write to make this change.")
    terminal.print_note(
        f"Written to {planned.path}."
        + (f" The previous version is kept beside it as {backup.name}." if backup else "")
    )
    return terminal.print_note(done)


def _colour_diff_line(line: str) -> str:
    colour = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1])
    return terminal.style(line, fg=colour) if colour else terminal.clean(line)


_ERROR_STATES: dict[type[CommonplaceError], str] = {
    Conflict: "name is in use",
    Invalid: "file is broken",
}


_DIALECT_COLUMNS = (
    Column("", style="cyan"),
    Column("", share=1, fold=True),
    Column("", fold=True),
    Column("", fold=True),
    Column("", right=True),
)


def _print_overview(call: CommandCall, name: str) -> None:
    here = machine()
    rows: list[tuple[str, str, str]] = []
    for client in CLIENTS:
        path = client.path(here)
        try:
            state = (
                "connected" if edits.plan_removal(client, name, here).changes else "not connected"
            )
        except CommonplaceError as error:
            state = _ERROR_STATES.get(type(error), "cannot be read")
        if not path.exists():
            state = "no file yet" if path.parent.exists() else "not found"
        rows.append((client.name, state, str(path)))
        if call.as_json:
            terminal.print_json({"client": client.name, "state": state, "file": str(path)})
    if call.as_json:
        return
    terminal.print_table(
        (Column("Client", style="cyan"), Column("State"), Column("File", share=1, fold=True)), rows
    )
    terminal.print_answer()
    heads = dict(zip(catalog.COLUMNS, _DIALECT_COLUMNS, strict=True))
    terminal.print_table(
        [replace(column, name=head) for head, column in heads.items()],
        [c.cells for c in catalog.choices()],
    )
    terminal.print_note(
        f"--dialect chooses one; the default is {registry.DEFAULT}. All of them share one memory."
    )
