"""The commands `export` and `backup`, the import of archives, and `restore --backup`."""

import io
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path

import click

from commonplace.app import open_engine
from commonplace.engine.operations.archive import LINE_CHARS_MAX
from commonplace.errors import Invalid, Unsupported
from commonplace.faces.cli import completers, terminal
from commonplace.faces.cli.command import CommandCall, with_call
from commonplace.records.receipt import Portion
from commonplace.settings import Settings

_STREAM = Path("-")


@click.command()
@click.argument("file", type=click.Path(path_type=Path), default=_STREAM, metavar="[FILE|-]")
@click.option(
    "--bank",
    metavar="NAME",
    help="Export only this bank; by default all banks.",
    shell_complete=completers.BANKS,
)
@click.option("--user", metavar="NAME", help="Export only what belongs to this user.")
@click.option(
    "--project",
    metavar="NAME",
    help="Export only what belongs to this project.",
    shell_complete=completers.PROJECTS,
)
@click.option(
    "--document", metavar="NAME", help="Export only this document and what was made from it."
)
@with_call(bank=False)
def export(
    call: CommandCall,
    file: Path,
    bank: str | None,
    user: str | None,
    project: str | None,
    document: str | None,
) -> None:
    """Export the store to a new file of JSON lines.

    The file contains every version and forgotten memories too; the options below select a part of
    it. Without FILE, or with -, the command writes to standard output. Importing the file into an
    empty home restores the store.

    \b
    Examples:
      commonplace export memories.jsonl
      commonplace export --bank work | gzip > work.jsonl.gz
      commonplace export --user ana ana.jsonl
    """
    portion = Portion(user, project, document)
    with terminal.progress("Exporting") as progress:
        if file == _STREAM:
            report = call.engine.export(
                _stdout_writer(), bank=bank, portion=portion, progress=progress
            )
        else:
            report = call.engine.export_to(file, bank=bank, portion=portion, progress=progress)
    if call.as_json:
        # Without a file, the data goes to standard output.
        say = terminal.print_json_note if file == _STREAM else terminal.print_json
        say({"file": str(file), "counts": dict(report.counts)})
    else:
        terminal.print_note(
            f"Exported {_format_counts(report.counts)}{'' if file == _STREAM else f' to {file}'}."
        )


def import_archive(call: CommandCall, file: Path, *, dry_run: bool) -> None:
    """Import an archive from a file or a pipe. It is imported completely, or the error names the
    invalid line.
    """
    with terminal.progress("Importing") as progress:
        if file == _STREAM:
            report = call.engine.import_archive(_stdin_lines(), dry_run=dry_run, progress=progress)
        else:
            report = call.engine.import_from(file, dry_run=dry_run, progress=progress)
    if call.as_json:
        counts = {"added": report.added, "continued": report.continued, "skipped": report.skipped}
        terminal.print_json(
            {
                "file": str(file),
                "dry_run": dry_run,
                **{name: dict(value) for name, value in counts.items()},
            }
        )
        return
    done = "Would import" if dry_run else "Imported"
    terminal.print_note(f"{done} {_format_counts(report.added)}.")
    if report.continued:
        terminal.print_note(
            f"{'Would update' if dry_run else 'Updated'}: {_format_counts(report.continued)}."
        )
    if report.skipped:
        terminal.print_note(f"Already in the store: {_format_counts(report.skipped)}.")


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@with_call(bank=False)
def backup(call: CommandCall, file: Path) -> None:
    """Back up the whole store to a new file, even while it is in use.

    The copy is a consistent snapshot and is checked before it gets its name. `commonplace restore
    --backup FILE` restores it.

    \b
    Example:
      commonplace backup before-move.db
    """
    with terminal.progress("Copying") as progress:
        report = call.engine.backup(file, progress=progress)
    if call.as_json:
        terminal.print_json({"file": str(file), "size_bytes": report.size_bytes})
    else:
        terminal.print_note(f"Backed up to {file} ({report.size_bytes:,} bytes).")


def restore_backup(call: CommandCall, file: Path, *, yes: bool) -> None:
    """Replace the store with a backup, after confirmation."""
    if not yes:
        terminal.confirm(f"Replace everything in {call.settings.database_path} with {file}?")
    with terminal.progress("Copying") as progress:
        try:
            kept = call.engine.restore_backup(file, progress=progress).kept
        except Unsupported:
            if call.is_open:  # The store is sound; the backup is invalid.
                raise
            kept = _replace_damaged(call.settings, file, progress)
    if call.as_json:
        terminal.print_json({"change": "restored", "file": str(file), "kept": kept})
    else:
        terminal.print_note(
            f"Restored the store from {file}. The previous store is kept in {kept}."
        )


def _replace_damaged(settings: Settings, file: Path, progress: terminal.Progress) -> str:
    """Replace a store that cannot be opened with a backup; returns the new name of that store.

    The backup is checked and unpacked first, so an invalid one changes nothing.
    """
    path = settings.database_path
    with tempfile.TemporaryDirectory(prefix=".restore-", dir=path.parent) as folder:
        draft = Path(folder) / path.name
        engine = open_engine(replace(settings, database=f"sqlite:{draft}"))
        try:
            engine.restore_backup(file, progress=progress)
        finally:
            engine.db.close()
        names = (path.with_name(f"{path.name}.damaged-{number}.bak") for number in count(1))
        kept = next(name for name in names if not name.exists())
        for ending in ("", "-wal", "-shm"):
            part = path.with_name(path.name + ending)
            if part.exists():
                part.rename(kept.with_name(kept.name + ending))
        draft.rename(path)
    return kept.name


def _stdout_writer() -> Callable[[str], object]:
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]
        raise Invalid("There is no standard output to write to.", hint="Give a file name.")
    stream = sys.stdout.buffer
    # Always UTF-8, regardless of the terminal's encoding, because it is data.
    return lambda line: stream.write(line.encode())


def _stdin_lines() -> Iterable[str]:
    if sys.stdin is None or sys.stdin.closed:  # pyright: ignore[reportUnnecessaryComparison]
        raise Invalid(
            "There is no standard input to read.", hint="Give a file name, or pipe a file in."
        )
    return _read_lines(io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig", newline="\n"))


def _read_lines(stream: io.TextIOWrapper) -> Iterator[str]:
    try:
        yield from iter(lambda: stream.readline(LINE_CHARS_MAX), "")
    except UnicodeDecodeError as error:
        raise Invalid(
            "Standard input is not UTF-8 text.", hint="Pipe in the output of `commonplace export`."
        ) from error


def _format_counts(counts: Mapping[str, int]) -> str:
    named = [terminal.pluralize(number, name) for name, number in counts.items() if number]
    return ", ".join(named) or "nothing"
