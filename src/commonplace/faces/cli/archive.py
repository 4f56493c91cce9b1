"""Commands that carry memories elsewhere and back: export, import, backup, and restore's --backup."""

import sys
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import click

from commonplace.errors import Forbidden, Invalid, NotFound
from commonplace.faces.cli import screen
from commonplace.faces.cli.call import Call, called

_STREAM = "-"


@click.command()
@click.argument("file", default=_STREAM)
@click.option("--bank", metavar="NAME", help="Only this bank; all of them otherwise.")
@called(bank=False)
def export(call: Call, file: str, bank: str | None) -> None:
    """Write everything to a file of JSON lines.

    Everything: every version, forgotten memories, scopes, documents. Without a file, or with -, it goes to standard output. Importing it into an empty home gives the same store again.

    \b
    commonplace export memories.jsonl
    commonplace export --bank work | gzip > work.jsonl.gz
    """
    with _writer(file) as write, screen.progress("Exporting") as progress:
        count = call.engine.export(write, bank=bank, progress=progress)
    say = screen.emit_note if file == _STREAM else screen.emit
    if call.as_json:
        say({"file": file, "lines": count})
    else:
        screen.note(f"Exported {screen.counted(count, 'line')}{_to(file)}.")


@click.command("import")
@click.argument("file")
@click.option("--dry-run", is_flag=True, help="Only check the file and count.")
@called(bank=False)
def import_archive(call: Call, file: str, dry_run: bool) -> None:
    """Read what `commonplace export` wrote; - is standard input.

    What is already here stays, and a line that is not understood refuses the whole file.

    \b
    commonplace import memories.jsonl --dry-run
    gunzip < work.jsonl.gz | commonplace import -
    """
    with _reader(file) as lines, screen.progress("Importing") as progress:
        count = call.engine.import_archive(lines, dry_run=dry_run, progress=progress)
    if call.as_json:
        screen.emit({"file": file, "dry_run": dry_run, "lines": count})
    else:
        screen.note(f"{'Would import' if dry_run else 'Imported'} {screen.counted(count, 'line')}.")


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@called(bank=False)
def backup(call: Call, file: Path) -> None:
    """Copy the whole store into a file, while others go on writing.

    The copy is one consistent moment. `commonplace restore --backup FILE` puts it back.

    \b
    commonplace backup before-move.db
    """
    with screen.progress("Copying") as progress:
        call.engine.backup(file, progress=progress)
    if call.as_json:
        screen.emit({"file": str(file), "bytes": file.stat().st_size})
    else:
        screen.note(f"Backed up to {file} ({file.stat().st_size:,} bytes).")


def restore_backup(call: Call, file: Path, *, yes: bool) -> None:
    """Put the whole store back from a backup, after asking."""
    if not yes:
        screen.confirm(f"Replace everything in {call.settings.home} by {file}?")
    with screen.progress("Copying") as progress:
        call.engine.restore_backup(file, progress=progress)
    if call.as_json:
        screen.emit({"change": "restored", "file": str(file)})
    else:
        screen.note(f"Restored the store from {file}.")


@contextmanager
def _writer(file: str) -> Generator[Callable[[str], object]]:
    """Writes to standard output, or to a file that takes its name only when it is complete."""
    if file == _STREAM:
        yield sys.stdout.write
        return
    target = Path(file)
    part = target.with_name(f"{target.name}.part")
    try:
        with part.open("w", encoding="utf-8", newline="\n") as stream:
            yield stream.write
        part.replace(target)
    except OSError as error:
        raise Forbidden(f"{file} cannot be written: {error.strerror}.", hint="Choose another file.") from error
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _reader(file: str) -> Generator[Iterable[str]]:
    try:
        with _opened(file) as stream:
            yield stream
    except (FileNotFoundError, IsADirectoryError) as error:
        raise NotFound(f"There is no file {file}.", hint="Check the name and the folder.") from error
    except PermissionError as error:
        raise Forbidden(f"{file} cannot be read: {error.strerror}.", hint="Check who owns the file.") from error
    except UnicodeDecodeError as error:
        raise Invalid(f"{file} is not UTF-8 text.", hint="Import a file that `commonplace export` wrote.") from error


@contextmanager
def _opened(file: str) -> Generator[TextIO]:
    if file != _STREAM:
        with Path(file).open(encoding="utf-8", newline="\n") as stream:
            yield stream
    elif sys.stdin is None or sys.stdin.closed:  # pyright: ignore[reportUnnecessaryComparison]
        raise Invalid("There is no standard input to read.", hint="Name a file, or pipe one in.")
    else:
        yield sys.stdin


def _to(file: str) -> str:
    return "" if file == _STREAM else f" to {file}"
