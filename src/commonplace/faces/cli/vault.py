"""Commands about the folder of notes: how it stands, bring it together with the memories, write ids into its files."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict

import click

from commonplace.engine.doctor import Finding
from commonplace.engine.engine import Engine
from commonplace.faces.cli import screen
from commonplace.faces.cli.call import Call, called
from commonplace.faces.cli.columns import Column
from commonplace.storage import notes as rows
from commonplace.vault.place import DEFAULT_BANK, Vault, vault_of, vaults
from commonplace.vault.report import Report
from commonplace.vault.sync import sync
from commonplace.vault.writing import adopt_files

_SHOWN = 3
_PASSED_SHOWN = 5


@click.group()
def vault() -> None:
    """Look after the notes that lie as markdown files in a folder.

    Each of the commands below answers programs with --json.

    \b
    Examples:
      commonplace vault status
      commonplace vault sync
    """


@vault.command()
@called()
def status(call: Call) -> None:
    """Show where the notes lie and what is the matter with any of them.

    Reads every file, and brings folder and memories together on the way. Ends with exit code 1 when a file cannot be
    read.

    \b
    Example:
      commonplace vault status
    """
    _told(call, _synced(call), whole=True)


@vault.command("sync")
@called()
def synchronise(call: Call) -> None:
    """Bring folder and memories together now.

    A server does this by itself every few seconds. What was changed in the folder becomes a version of its note, and
    what was changed elsewhere is written into its file.

    \b
    Example:
      commonplace vault sync
    """
    _told(call, _synced(call), whole=False)


@vault.command()
@called()
def adopt(call: Call) -> None:
    """Write ids into the files of notes that have none.

    Notes that people make by hand are found without; an id in the file keeps them the same note wherever it is moved
    and whatever becomes of the store. Everything else in the files stays as it is.

    \b
    Example:
      commonplace vault adopt
    """
    sync(place := vault_of(call.engine, call.bank), full=True)
    bank_id = place.bank_id
    known = rows.listed(call.engine.db, bank_id) if bank_id is not None else []
    count = adopt_files(place, [one.memory_id for one in known])
    if call.as_json:
        screen.emit({"adopted_count": count})
    else:
        screen.note(f"Wrote ids into {screen.counted(count, 'file')}.")


def findings(engine: Engine) -> tuple[Finding, ...]:
    """What doctor has to say about the folders of notes, one for each bank."""
    busy = rows.banks_with_notes(engine.db)
    places = [place for place in vaults(engine) if place.root.is_dir() or place.bank in busy] if engine.vault else []
    found = [finding for place in places for finding in _findings(place)]
    if not places or found:
        return tuple(found)
    folders = "the folder" if len(places) == 1 else f"the {len(places)} folders"
    return (Finding("vault", "ok", f"Every file in {folders} of notes can be read."),)


def _findings(place: Vault) -> Iterator[Finding]:
    report = sync(place, full=True)
    whose = "" if place.bank == DEFAULT_BANK else f" of bank {place.bank!r}"
    command = "`commonplace vault status`" if not whose else f"`commonplace vault status --bank {place.bank}`"
    if not place.root.is_dir():
        text = f"The folder of the notes{whose} is not there, so nothing is read from it or written to it."
        yield Finding("vault", "warning", text, "Bring its disk back, or set COMMONPLACE_VAULT to where it is.")
    if report.broken:
        listed = "; ".join(f"{path}: {why}" for path, why in list(report.broken.items())[:_SHOWN])
        text = f"{screen.counted(len(report.broken), 'file')}{whose} cannot be read: {listed}"
        yield Finding("vault", "warning", text, f"{command} lists all of them.")
    if report.copies:
        copies = screen.counted(len(report.copies), "file", "files")
        text = f"{copies}{whose} with the name of a sync client's copy, or the id of another file."
        yield Finding("vault", "warning", text, f"{command} lists them.")


def _synced(call: Call) -> Report:
    return sync(vault_of(call.engine, call.bank), full=True)


def _told(call: Call, report: Report, *, whole: bool) -> None:
    place = vault_of(call.engine, call.bank)
    known = rows.listed(call.engine.db, place.bank_id) if place.bank_id is not None else []
    count = sum(one.missing_at is None for one in known)
    if call.as_json:
        screen.emit({"folder": str(place.root), "note_count": count} | asdict(report))
    else:
        screen.note(f"{screen.counted(count, 'note')} in {place.root}")
        if not place.root.is_dir():
            after = "Bring its disk back, or check COMMONPLACE_VAULT." if known else "The first note makes it."
            screen.note(f"The folder is not there. {after}")
        counts = {name: getattr(report, name) for name in ("added", "changed", "forgotten", "restored", "written")}
        done = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
        screen.note(f"Brought together: {done or 'nothing had changed'}.")
        lines = [
            *((path, "broken", why) for path, why in report.broken.items()),
            *((path, "copy", "It has the id of another file, or the name of a conflict.") for path in report.copies),
            *((path, "missing", "It was there before.") for path in report.missing),
            *(_passed(report.passed) if whole else ()),
        ]
        if lines:
            styles = {"broken": "bold red", "copy": "yellow", "missing": "yellow"}
            screen.table((Column("File", share=1), Column("State", styles=styles), Column("Why", share=1)), lines)
    if report.broken:
        click.get_current_context().exit(1)


def _passed(passed: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """What was passed over, a few for each reason: people keep pictures by the hundred beside their notes."""
    for why in dict.fromkeys(passed.values()):
        paths = [path for path in passed if passed[path] == why]
        yield from ((path, "passed over", why) for path in paths[:_PASSED_SHOWN])
        if more := len(paths[_PASSED_SHOWN:]):
            yield (f"… and {more:,} more", "passed over", why)
