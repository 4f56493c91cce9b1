"""`commonplace hook` and `commonplace hooks`."""

import sys
from pathlib import Path

import click

from commonplace import ids
from commonplace.engine.hooks import consent, hook_log
from commonplace.engine.hooks.hook_clients import CLIENTS, EVENTS
from commonplace.engine.hooks.hook_log import LogLine
from commonplace.errors import CommonplaceError
from commonplace.faces.cli import terminal
from commonplace.faces.cli.command import CommandCall, with_call
from commonplace.faces.cli.commands import connect
from commonplace.faces.cli.groups import Group
from commonplace.faces.cli.terminal import Column
from commonplace.faces.connect import hook_files
from commonplace.faces.connect.hook_files import HOOK_FILES, HookFile
from commonplace.faces.hooks import command
from commonplace.limits import LIST_MAX
from commonplace.records.query import Filter

_NAMES = [one.client.name for one in HOOK_FILES]
_LOG_LINES_MAX = 10_000
_FAILURES_SHOWN = 3


@click.command()
@click.argument("event", type=click.Choice(EVENTS))
@with_call()
@click.option(
    "--client",
    default="generic",
    type=click.Choice([one.name for one in CLIENTS]),
    help="The client whose form of JSON is read and written.",
)
def hook(call: CommandCall, event: str, client: str) -> None:
    """Run a hook for an assistant.

    Reads the client's JSON on standard input and writes the answer in its form. The exit code is
    always 0; `commonplace hooks status` shows what failed.

    \b
    Examples:
      commonplace hook session-start --client claude-code < payload.json
    """
    sys.stdout.flush()
    home = ["--home", call.home] if call.home else []
    command.main([event, "--client", client, "--bank", call.bank, *home])


@click.group(cls=Group)
def hooks() -> None:
    """Let assistants remember and recall by themselves.

    Installs hooks in a client, shows what they did, and pauses them. Each of the commands below
    answers programs with --json.

    \b
    Examples:
      commonplace hooks install claude-code --write
      commonplace hooks pause --here
      commonplace hooks log
    """


@hooks.command()
@click.argument("client", type=click.Choice(_NAMES))
@with_call(bank=False)
@click.option("--write", is_flag=True, help="Write the change; without this it is only shown.")
def install(call: CommandCall, client: str, write: bool) -> None:
    """Install the hooks in a client's configuration.

    Shows the change; --write makes it. Other hooks in the file stay as they are, and a copy of the
    file is kept beside it.

    \b
    Examples:
      commonplace hooks install codex
      commonplace hooks install codex --write
    """
    install_hooks(call, hook_files.hook_file(client), write)


@hooks.command()
@click.argument("client", type=click.Choice(_NAMES))
@with_call(bank=False)
@click.option("--write", is_flag=True, help="Write the change; without this it is only shown.")
def remove(call: CommandCall, client: str, write: bool) -> None:
    """Remove the hooks from a client's configuration.

    Removes what `install` added and nothing else. The memories stay.

    \b
    Examples:
      commonplace hooks remove codex --write
    """
    row = hook_files.hook_file(client)
    connect.apply_or_show(
        call,
        hook_files.plan_removal(row, connect.machine()),
        write,
        done="The memories stay.",
        nothing=f"{row.client.title} has no hooks of Commonplace.",
    )


@hooks.command()
@click.argument("client", required=False, type=click.Choice(_NAMES))
@with_call(bank=False)
def status(call: CommandCall, client: str | None) -> None:
    """Show the hooks of the clients, their last events and the last failures.

    \b
    Examples:
      commonplace hooks status
    """
    store = call.settings.database_path.parent
    lines = hook_log.read(store, _LOG_LINES_MAX)
    rows = [one for one in HOOK_FILES if client in (None, one.client.name)]
    shown = [(row, *_state(row), _last_events(row, lines)) for row in rows]
    failures = [one for one in lines if one.outcome == "failed"][:_FAILURES_SHOWN]
    if call.as_json:
        for row, state, file, last in shown:
            values = {"client": row.client.name, "state": state, "file": file, "last": last}
            terminal.print_json(values)
        return
    terminal.print_table(
        (Column("Client", style="cyan"), Column("Hooks"), Column("Last events", share=1)),
        [
            (row.client.name, state, "; ".join(f"{e} {at}" for e, at in last.items()) or "none")
            for row, state, _, last in shown
        ],
    )
    _print_pauses(call)
    for one in failures:
        terminal.print_note(f"Failed at {one.at[:19]}: {one.event} of {one.client}: {one.message}.")


def _print_pauses(call: CommandCall) -> None:
    paused = consent.read(call.settings.database_path.parent)
    if call.settings.hooks == "off" or paused.everywhere:
        terminal.print_note("Hooks are paused everywhere. `commonplace hooks resume` resumes them.")
    for folder in paused.folders:
        terminal.print_note(f"Hooks are paused in {folder}.")


@hooks.command()
@with_call()
@click.option("--limit", default=20, type=click.IntRange(1, 1000), help="How many events to show.")
def log(call: CommandCall, limit: int) -> None:
    """Show what the hooks added to conversations and what they kept, newest first.

    \b
    Examples:
      commonplace hooks log --limit 50
    """
    lines = hook_log.read(call.settings.database_path.parent, limit)
    texts = _texts(call, lines)
    for one in lines:
        if call.as_json:
            values = {"at": one.at, "event": one.event, "client": one.client}
            values |= {"outcome": one.outcome, "project": one.project, "ms": one.ms}
            numbers = {"tokens": one.tokens, "skipped": one.skipped, "message": one.message}
            lists = {
                "shown": [ids.short_form(number) for number in one.shown],
                "kept": [ids.short_form(number) for number in one.kept],
            }
            terminal.print_json(values | numbers | lists)
            continue
        terminal.print_line(_summary(one))
        for number in one.kept:
            terminal.print_line(f"    + {texts.get(number, '(erased)')}")
    if not lines and not call.as_json:
        terminal.print_note("No hook has run yet. `commonplace hooks install` sets them up.")


@hooks.command()
@with_call(bank=False)
@click.option("--here", is_flag=True, help="Only in this folder and below it.")
def pause(call: CommandCall, here: bool) -> None:
    """Pause the hooks: nothing is kept and nothing is added.

    \b
    Examples:
      commonplace hooks pause --here
    """
    folder = str(Path.cwd()) if here else ""
    consent.pause(call.settings.database_path.parent, folder)
    terminal.print_note(f"Hooks are paused {f'in {folder}' if here else 'everywhere'}.")


@hooks.command()
@with_call(bank=False)
@click.option("--here", is_flag=True, help="Only in this folder and below it.")
def resume(call: CommandCall, here: bool) -> None:
    """Resume the hooks after a pause.

    \b
    Examples:
      commonplace hooks resume --here
    """
    folder = str(Path.cwd()) if here else ""
    left = consent.resume(call.settings.database_path.parent, folder)
    still = left.is_paused(folder or str(Path.cwd()))
    where = "elsewhere, but a folder above this one is paused" if still else "on"
    terminal.print_note(f"Hooks are {where}.")


def install_hooks(call: CommandCall, row: HookFile, write: bool) -> None:
    """Show or make the change that installs the hooks of a client."""
    program = connect.launch_command(call.home or connect.home_variable())
    connect.apply_or_show(
        call,
        hook_files.plan(row, program, connect.machine()),
        write,
        done=row.next_step,
        nothing=f"{row.client.title} has the hooks already.",
    )


def _state(row: HookFile) -> tuple[str, str]:
    """The state of a client's hooks, and its file."""
    machine = connect.machine()
    path = str(row.path(machine))
    try:
        events = hook_files.installed_events(row, machine)
    except CommonplaceError:
        return "file is broken", path
    if not events:
        return "not installed", path
    missing = len(row.client.events) - len(events)
    state = f"{missing} missing" if missing else "installed"
    trusted = hook_files.trusted_count(row, machine)
    if trusted is not None and trusted < len(events):
        state += f", {trusted} of {len(events)} trusted"
    return state, path


def _last_events(row: HookFile, lines: list[LogLine]) -> dict[str, str]:
    """The time and the result of the last run of each hook of a client."""
    found: dict[str, str] = {}
    for one in lines:
        if one.client == row.client.name and one.event not in found:
            found[one.event] = f"{one.at[:19]} {one.outcome}"
    return found


def _summary(one: LogLine) -> str:
    parts = [one.at[:19], one.client, one.event]
    if one.shown:
        parts.append(f"added {len(one.shown)} memories ({one.tokens} tokens)")
    if one.kept:
        parts.append(f"kept {len(one.kept)} memories (0 model tokens)")
    if not one.shown and not one.kept:
        parts.append(one.outcome)
    if one.skipped:
        parts.append(f"left out {one.skipped}")
    return "  ".join([*parts, *([one.message] if one.message else [])])


def _texts(call: CommandCall, lines: list[LogLine]) -> dict[int, str]:
    """The texts of the memories that were kept, as they are now."""
    wanted = [number for one in lines for number in one.kept]
    if not wanted:
        return {}
    chosen = Filter(ids=tuple(dict.fromkeys(wanted))[:LIST_MAX], status="any")
    return {one.id: one.text for one in call.engine.list(call.bank, chosen, limit=LIST_MAX)}
