"""The commands of `vault`: status, sync, adopt and trust."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import click

from commonplace.engine.engine import Engine
from commonplace.engine.operations.doctor import Finding
from commonplace.faces.cli import terminal
from commonplace.faces.cli.command import CommandCall, with_call
from commonplace.faces.cli.groups import Group
from commonplace.faces.cli.terminal import Column
from commonplace.storage.rows import note_files
from commonplace.vault.folder.root_marker import AWAY, BRING_BACK, OTHER, TRUST, is_usable, trust
from commonplace.vault.folder.tombstones import TRASH
from commonplace.vault.inspection import inspect_folder, inspect_vault
from commonplace.vault.memory_to_file import catch_up_files, write_ids
from commonplace.vault.report import SyncReport
from commonplace.vault.sync import sync
from commonplace.vault.vault import DEFAULT_BANK, Vault, list_vaults, vault_of

_SHOWN_MAX = 3
_IGNORED_SHOWN_MAX = 5
_COPY = "It has the id of another file, or the name of a copy. It is a note of its own."
_MISSING = (
    "The file is gone. Its note is forgotten 90 seconds after that, unless the file comes back."
)
_CONFLICT = (
    "It is another version of a note. Copy what is missing from it into the note, then delete it."
)
_STATE_STYLES = {
    "broken": "bold red",
    **dict.fromkeys(("unclear", "conflict", "copy", "missing"), "yellow"),
}
_REPORT_COLUMNS = (
    Column("File", share=1),
    Column("State", styles=_STATE_STYLES),
    Column("Why", fold=True, share=1),
)
# By state, why the folder is not read, and how to correct it.
_UNREADABLE_STATES = {"away": (AWAY, BRING_BACK), "other": (OTHER, TRUST)}


@click.group(cls=Group)
def vault() -> None:
    """Manage the notes that are kept as markdown files in a folder.

    Each of the commands below answers programs with --json.

    \b
    Examples:
      commonplace vault status
      commonplace vault sync
    """


@vault.command()
@with_call()
def status(call: CommandCall) -> None:
    """Show the folder of notes and what is wrong with any of its files.

    Reads every file and changes nothing, neither in the folder nor in the store. Ends with exit
    code 1 when a file cannot be read.

    \b
    Example:
      commonplace vault status
    """
    call.is_read_only = True
    if not call.settings.database_path.exists():
        # Opening the store would make it.
        _print_report(
            call,
            call.settings.vault_path,
            0,
            inspect_folder(call.settings.vault_path),
            whole=True,
        )
        return
    _print_status(call, inspect_vault(vault_of(call.engine, call.bank)), whole=True)


@vault.command("sync")
@with_call()
def synchronise(call: CommandCall) -> None:
    """Synchronize the folder with the memories now.

    A server does this by itself every few seconds. What was changed in the folder becomes a version
    of its note, and what was changed elsewhere is written into its file.

    \b
    Example:
      commonplace vault sync
    """
    _print_status(call, _sync_now(call), whole=False)


@vault.command()
@with_call()
def adopt(call: CommandCall) -> None:
    """Write ids into the files of notes that have none.

    Notes made by hand are recognized without an id. With one in the file, a note stays the same
    note wherever the file is moved, even if the store is lost. Everything else in the files stays
    as it is.

    \b
    Example:
      commonplace vault adopt
    """
    sync(place := vault_of(call.engine, call.bank), full=True)
    bank_id = place.bank_id
    known = note_files.list_files(call.engine.db, bank_id) if bank_id is not None else []
    count = write_ids(place, [one.memory_id for one in known])
    if call.as_json:
        terminal.print_json({"adopted_count": count})
    else:
        terminal.print_note(f"Wrote ids into {terminal.pluralize(count, 'file')}.")


@vault.command("trust")
@click.option("--yes", is_flag=True, help="Do not ask.")
@with_call()
def trust_folder(call: CommandCall, yes: bool) -> None:
    """Keep the notes in the folder that is there now.

    Commonplace knows its folder of notes by a mark in it, so that an empty folder is not taken for
    it while a disk is away. This marks the folder that is there now, and makes it where there is
    none. Notes whose files are not in it are written into it; files that are in it become notes.
    Nothing is forgotten.

    \b
    Example:
      commonplace vault trust
    """
    place = vault_of(call.engine, call.bank)
    if is_usable(place) and place.root.is_dir():
        terminal.print_note("The folder of notes is there, so there was nothing to do.")
        return
    if not yes:
        terminal.confirm(f"Keep the notes in {place.root} from now on?")
    trust(place)
    _print_status(call, _sync_now(call), whole=False)


def clear_erased_files(engine: Engine, purged: Collection[int]) -> None:
    """Clear the folders of what a person just erased, and say what became of the files that a
    person made.
    """
    cleared = catch_up_files(engine, trash=purged)
    if cleared.removed:
        terminal.print_note(
            f"Removed {terminal.pluralize(cleared.removed, 'file')} from the folder of notes."
        )
    if cleared.trashed:
        files = terminal.pluralize(cleared.trashed, "file")
        terminal.print_note(
            f"Moved {files} that you made to {TRASH} in the same folder; remove them there"
            " yourself."
        )
    if cleared.left:
        files = terminal.pluralize(cleared.left, "file")
        terminal.print_note(
            f"Left {files} that you made in place; the notes are gone, and the files are no longer"
            " read."
        )


def vault_findings(engine: Engine) -> tuple[Finding, ...]:
    """What doctor has to say about the folders of notes, one for each bank."""
    busy = note_files.banks_with_notes(engine.db)
    places = (
        [place for place in list_vaults(engine) if place.root.is_dir() or place.bank in busy]
        if engine.vault
        else []
    )
    found = [finding for place in places for finding in _vault_findings(place)]
    if not places or found:
        return tuple(found)
    folders = "the folder" if len(places) == 1 else f"the {len(places)} folders"
    return (Finding("vault", "ok", f"Every file in {folders} of notes can be read."),)


def _vault_findings(place: Vault) -> Iterator[Finding]:
    report = inspect_vault(place)
    is_default = place.bank == DEFAULT_BANK
    whose = "" if is_default else f" of bank {place.bank!r}"
    named = f"`commonplace vault status --bank {place.bank}`"
    command = "`commonplace vault status`" if is_default else named
    if report.standing in _UNREADABLE_STATES:
        text, hint = _UNREADABLE_STATES[report.standing]
        yield Finding("vault", "warning", f"{text[:-1]}{whose}." if whose else text, hint)
    if report.broken:
        files = terminal.pluralize(len(report.broken), "file")
        text = f"{files}{whose} cannot be read: {_first_reasons(report.broken)}"
        yield Finding("vault", "warning", text, f"{command} lists all of them.")
    if report.faults:
        notes = terminal.pluralize(len(report.faults), "note")
        listed = _first_reasons(report.faults)
        text = f"The frontmatter of {notes}{whose} is partly unreadable: {listed}"
        yield Finding("vault", "warning", text, f"Correct the lines; {command} lists all of them.")
    if report.conflicts:
        count = terminal.pluralize(len(report.conflicts), "conflict copy", "conflict copies")
        text = f"{count}{whose}: {_first_paths(report.conflicts)}."
        hint = "Copy what is missing from each into its note, then delete the copy"
        yield Finding("vault", "warning", text, f"{hint}; {command} lists all of them.")
    if report.copies:
        copies = terminal.pluralize(len(report.copies), "file", "files")
        text = f"{copies}{whose} with the id of another file, or with the name of a copy."
        yield Finding("vault", "warning", text, f"{command} lists them.")


def _first_reasons(reasons: Mapping[str, str]) -> str:
    return "; ".join(f"{path}: {why}" for path, why in list(reasons.items())[:_SHOWN_MAX])


def _first_paths(paths: Sequence[str]) -> str:
    more = ", …" if len(paths) > _SHOWN_MAX else ""
    return ", ".join(paths[:_SHOWN_MAX]) + more


def _sync_now(call: CommandCall) -> SyncReport:
    return sync(vault_of(call.engine, call.bank), full=True)


def _print_status(call: CommandCall, report: SyncReport, *, whole: bool) -> None:
    place = vault_of(call.engine, call.bank)
    known = (
        note_files.list_files(call.engine.db, place.bank_id) if place.bank_id is not None else []
    )
    _print_report(
        call, place.root, sum(one.missing_at is None for one in known), report, whole=whole
    )


def _print_report(
    call: CommandCall, root: Path, count: int, report: SyncReport, *, whole: bool
) -> None:
    if call.as_json:
        terminal.print_json({"folder": str(root), "note_count": count} | asdict(report))
    else:
        terminal.print_note(f"{terminal.pluralize(count, 'note')} in {root}")
        if report.standing in _UNREADABLE_STATES:
            terminal.print_note(" ".join(_UNREADABLE_STATES[report.standing]))
        elif not root.is_dir():
            terminal.print_note("The folder does not exist yet. The first note creates it.")
        if report.standing not in _UNREADABLE_STATES:
            _print_counts(report, whole=whole)
        if lines := _report_rows(report, whole=whole):
            terminal.print_table(_REPORT_COLUMNS, lines)
    if report.broken or report.standing in _UNREADABLE_STATES:
        click.get_current_context().exit(1)


def _report_rows(report: SyncReport, *, whole: bool) -> list[tuple[str, str, str]]:
    """A row for each file that needs attention; with `whole`, also for ignored files."""
    return [
        *((path, "broken", why) for path, why in report.broken.items()),
        *((path, "unclear", why) for path, why in report.faults.items()),
        *((path, "conflict", _CONFLICT) for path in report.conflicts),
        *((path, "copy", _COPY) for path in report.copies),
        *((path, "missing", _MISSING) for path in report.missing),
        *(_ignored_rows(report.passed) if whole else ()),
    ]


def _print_counts(report: SyncReport, *, whole: bool) -> None:
    counts = {
        name: getattr(report, name)
        for name in ("added", "changed", "forgotten", "restored", "written")
    }
    done = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
    terminal.print_note(
        _pending_text(counts) if whole else f"Synchronized: {done or 'nothing has changed'}."
    )


def _pending_text(counts: Mapping[str, int]) -> str:
    """What a look found that the next `sync` will do."""
    told = {
        "added": "file to read as a new note",
        "changed": "changed file to read",
        "written": "file to write",
    }
    plural = {"added": "files to read as new notes", "changed": "changed files to read"}
    found = [
        terminal.pluralize(counts[name], one, plural.get(name, ""))
        for name, one in told.items()
        if counts[name]
    ]
    if not found:
        return "The folder and the memories agree."
    return f"Not synchronized yet: {', '.join(found)}; `commonplace vault sync` does it now."


def _ignored_rows(passed: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """The ignored files, a few for each reason: a folder of notes may have hundreds of pictures."""
    for why in dict.fromkeys(passed.values()):
        paths = [path for path in passed if passed[path] == why]
        yield from ((path, "ignored", why) for path in paths[:_IGNORED_SHOWN_MAX])
        if more := len(paths[_IGNORED_SHOWN_MAX:]):
            yield (f"… and {more:,} more", "ignored", why)
