"""The commands `history`, `forget` and `restore`."""

import difflib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import click

from commonplace.errors import Invalid
from commonplace.faces.cli import terminal
from commonplace.faces.cli.command import CommandCall, with_call, with_filter
from commonplace.faces.cli.commands.archive import restore_backup
from commonplace.faces.cli.commands.memories import print_outcomes
from commonplace.faces.cli.output import memory_out, version_out
from commonplace.limits import LIST_MAX
from commonplace.records.memory import Version
from commonplace.records.query import Filter

_FIELDS = ("title", "kind", "key", "tags", "category", "paths", "metadata")
_MOMENTS = ("happened_at", "happened_until", "expires_at")


@click.command()
@click.argument("memory_id", metavar="ID")
@with_call()
def history(call: CommandCall, memory_id: str) -> None:
    """Show every version of a memory and what it changed.

    The oldest comes first. Each version shows who made it, when, through which dialect and why.
    --json prints one object per line, with the whole text.

    \b
    Example:
      commonplace history m0vc3sn6jr00
    """
    before: Version | None = None
    for version in call.engine.history(call.read_bank, memory_id):
        if call.as_json:
            terminal.print_json(version_out(version))
        else:
            _print_version(version, before)
        before = version


@click.command()
@click.argument("memory_ids", metavar="[ID]...", nargs=-1)
@with_filter()
@click.option("--dry-run", is_flag=True, help="Only show what would be forgotten.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@with_call(reason=True)
def forget(
    call: CommandCall, memory_ids: tuple[str, ...], chosen: Filter, dry_run: bool, yes: bool
) -> None:
    """Forget memories; `commonplace restore` brings them back.

    Give ids, or select memories with options and confirm. A forgotten memory is no longer found or
    listed, but its history is kept until it is purged.

    \b
    Examples:
      commonplace forget m0vc3sn6jr00 --reason "out of date"
      commonplace forget --project old-site --dry-run
    """
    _require_one_selection(
        bool(memory_ids), chosen != Filter(), "Give ids, or options such as --project."
    )
    if dry_run:
        _preview(call, memory_ids, chosen)
    elif memory_ids:
        print_outcomes(call, *call.engine.forget(call.bank, memory_ids, call.origin))
    else:
        count = call.engine.count(call.read_bank, chosen)
        if count and not yes:
            terminal.confirm(f"Forget {terminal.pluralize(count, 'memory')}?")
        print_outcomes(call, *call.engine.forget_where(call.bank, chosen, call.origin))
        if not count:
            terminal.print_note("No memory matches, so nothing was forgotten.")


@click.command()
@click.argument("memory_ids", metavar="[ID]...", nargs=-1)
@click.option("--version", "number", type=int, metavar="N", help="Restore version N of one memory.")
@click.option(
    "--backup",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Restore the whole store from a backup.",
)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@with_call(reason=True)
def restore(
    call: CommandCall,
    memory_ids: tuple[str, ...],
    number: int | None,
    backup: Path | None,
    yes: bool,
) -> None:
    """Restore forgotten memories, an older version, or a whole store.

    A memory comes back as it was, as a new version. --version N brings back the text and fields of
    that version; the versions in between stay in the history, which `commonplace history` shows.
    --backup replaces the whole store with a backup; the command asks first, and keeps the previous
    store in a file beside it.

    \b
    Examples:
      commonplace restore m0vc3sn6jr00
      commonplace restore m0vc3sn6jr00 --version 2
      commonplace restore --backup before-move.db
    """
    _require_one_selection(bool(memory_ids), backup is not None, "Give ids, or --backup FILE.")
    if number is not None:
        if len(memory_ids) != 1:
            raise Invalid(
                "--version goes with one id.", hint="Give the id of the memory to restore."
            )
        print_outcomes(
            call, call.engine.restore_version(call.bank, memory_ids[0], number, call.origin)
        )
    elif backup is not None:
        restore_backup(call, backup, yes=yes)
    else:
        print_outcomes(call, *call.engine.restore(call.bank, memory_ids, call.origin))


def _require_one_selection(first: bool, second: bool, hint: str) -> None:
    if first == second:
        raise Invalid(
            "Ids and options cannot be combined." if first else "Nothing was selected.", hint=hint
        )


def _preview(call: CommandCall, memory_ids: tuple[str, ...], chosen: Filter) -> None:
    bank = call.read_bank
    if memory_ids:
        found = tuple(call.engine.get(bank, memory_id) for memory_id in memory_ids)
        count = len(found)
    else:
        found = call.engine.list(bank, chosen, limit=LIST_MAX)
        count = call.engine.count(bank, chosen)
    names = call.short_ids([memory.id for memory in found])
    for memory in found:
        if call.as_json:
            terminal.print_json(memory_out(memory, bank))
        else:
            text = terminal.shorten(memory.text, terminal.width() - 14)
            terminal.print_line(
                terminal.style(names[memory.id], fg="cyan"), "  ", terminal.style(text)
            )
    more = f", of which the first {LIST_MAX:,} are shown" if count > len(found) else ""
    terminal.print_note(
        f"Would forget {terminal.pluralize(count, 'memory')}{more}. Nothing was changed."
    )


def _print_version(version: Version, before: Version | None) -> None:
    origin = version.origin
    at = terminal.format_time(version.at)
    head = f"version {version.number} · {_ACTIONS[version.action]} · {at}"
    by = f" · by {origin.who}" if origin.who else ""
    through = f" · through {origin.dialect}" if origin.dialect else ""
    terminal.print_line(terminal.style(head, bold=True), terminal.style(by + through, dim=True))
    if origin.reason:
        terminal.print_line(
            terminal.style(terminal.wrap(f"because: {origin.reason}", "  "), dim=True)
        )
    for sign, text in _text_changes(version, before):
        colour = {"+": "green", "-": "red"}.get(sign)
        body = terminal.wrap(text, "    ").removeprefix("    ")
        terminal.print_line(
            "  ", terminal.style(f"{sign} {body}", **({"fg": colour} if colour else {"dim": True}))
        )
    for change in _field_changes(version, before):
        terminal.print_line("  ", terminal.style(change))


_ACTIONS = {
    "remember": "remembered",
    "revise": "revised",
    "forget": "forgotten",
    "restore": "restored",
}


def _text_changes(version: Version, before: Version | None) -> Iterator[tuple[str, str]]:
    """The added and removed lines with one line of context; empty if the text is unchanged."""
    old = before.text.splitlines() if before else []
    difference = difflib.unified_diff(old, version.text.splitlines(), lineterm="", n=1)
    for changed in islice(difference, 2, None):  # The first two lines would name the files.
        if not changed.startswith("@@"):
            yield changed[:1], changed[1:]


def _field_changes(version: Version, before: Version | None) -> Iterator[str]:
    for name in (*_FIELDS, *_MOMENTS):
        new, old = _format_field(version, name), _format_field(before, name) if before else ""
        if new != old and (before or name != "kind"):
            label = name.removesuffix("_at").replace("_", " ")
            yield f"{label}: {old or 'none'} → {new or 'none'}" if before else f"{label}: {new}"


def _format_field(version: Version, name: str) -> str:
    value: Any = getattr(version, name)
    if name in _MOMENTS:
        return terminal.format_time(value)
    if name == "metadata":
        return ", ".join(f"{field}={content}" for field, content in value.items())
    return value if isinstance(value, str) else ", ".join(value)
