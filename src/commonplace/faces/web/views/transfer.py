"""Bring and take: import a file, export, make a backup, and connect assistants."""

import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from commonplace import clock
from commonplace.dialects import registry
from commonplace.errors import CommonplaceError, Invalid
from commonplace.faces.cli.commands.connect import launch_command
from commonplace.faces.connect import edits
from commonplace.faces.connect.clients import CLIENTS, Client, Machine
from commonplace.faces.connect.edits import ServerSpec
from commonplace.faces.connect.keys import ANY_VARIABLE, Key
from commonplace.faces.web.visit import Answer, File, Page, Visit
from commonplace.importers import detection
from commonplace.importers.base import ImportContext
from commonplace.importers.runner import ImportOptions, ImportReport, import_source
from commonplace.records.memory import Origin

_BROKEN_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Connection:
    """An assistant, and the change that `commonplace connect` would make for it."""

    client: Client
    path: str
    is_installed: bool
    is_connected: bool
    diff: str
    command: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What an import did, or would do, as rows of a name, a count and a reason."""

    file: str
    source: str
    bank: str
    dry_run: bool
    rows: Sequence[tuple[str, int, str]]
    broken: Sequence[tuple[str, str]] = ()
    samples: Sequence[str] = ()


def transfer_page(visit: Visit) -> Answer:
    """The page, with nothing done yet."""
    return _page(visit)


def take_in(visit: Visit) -> Answer:
    """Import a file, or show what an import would do."""
    if not visit.files:
        return _page(visit, error=Invalid("No file is chosen.", hint="Choose a file to import."))
    name, content = next(iter(visit.files.items()))
    plain = PurePosixPath(name.replace("\\", "/")).name or "file"
    dry_run = visit.posted("action") != "import"
    try:
        with tempfile.TemporaryDirectory(prefix="commonplace-") as folder:
            file = Path(folder) / plain
            file.write_bytes(content)
            return _page(visit, result=_import(visit, file, dry_run=dry_run))
    except CommonplaceError as error:
        return _page(visit, error=error)


def export(visit: Visit) -> Answer:
    """The bank, or the whole store, as a file of JSON lines."""
    lines: list[str] = []
    bank = None if visit.get("all") else visit.bank
    visit.engine.export(lines.append, bank=bank)
    day = clock.iso(visit.engine.clock.now())[:10]
    return File("".join(lines).encode(), "application/jsonl", f"commonplace-{day}.jsonl")


def backup(visit: Visit) -> Answer:
    """A copy of the store in the folder `backups` of the home."""
    home = Path(str(visit.facts()["home"]))
    moment = clock.iso(visit.engine.clock.now())[:19].replace(":", "")
    folder = home / "backups"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    report = visit.engine.backup(folder / f"commonplace-{moment}.db")
    text = f"Made the backup {report.name} in the folder backups of your home."
    return _page(visit, done={"text": text, "steps": ""})


def _page(
    visit: Visit,
    result: ImportResult | None = None,
    error: CommonplaceError | None = None,
    done: dict[str, object] | None = None,
) -> Page:
    connections = [_connection(visit, one) for one in CLIENTS]
    data = {
        "sources": [(source.name, source.title) for source in detection.SOURCES],
        "result": result,
        "error": error,
        "done": done,
        "connections": connections,
        "values": {name: visit.posted(name) for name in ("source", "project", "owner")},
    }
    twin = {
        "clients": [
            {"name": one.client.name, "connected": one.is_connected, "change": one.diff}
            for one in connections
        ]
    }
    return Page("transfer.html", data, twin, error.status if error else 200)


def _import(visit: Visit, file: Path, *, dry_run: bool) -> ImportResult:
    name = visit.posted("source") or detection.detect_source(file)
    if name == detection.ARCHIVE:
        done = visit.engine.import_from(file, dry_run=dry_run)
        counts = [("added", done.added), ("continued", done.continued), ("skipped", done.skipped)]
        rows = [(word, sum(count.values()), "") for word, count in counts]
        return ImportResult(file.name, "a Commonplace archive", "its own banks", dry_run, rows)
    source = detection.source_by_name(name)
    owner = visit.posted("owner").strip()
    options = ImportOptions(
        visit.bank, visit.posted("project").strip(), (owner,) if owner else (), dry_run
    )
    reason = f"from {source.title}"
    origin = Origin(who=visit.origin.who, dialect="import", reason=reason)
    context = ImportContext(file, visit.engine.clock.now(), _no_progress)
    report = import_source(visit.engine, source, context, options, origin)
    return ImportResult(
        file.name,
        source.title,
        visit.bank,
        dry_run,
        _rows(report),
        [(one.location, one.reason) for one in report.broken[:_BROKEN_SHOWN]],
        [one.external.draft.text for one in report.samples],
    )


def _no_progress(*_counts: object) -> None:
    """A page is sent when the import is complete."""


def _rows(report: ImportReport) -> list[tuple[str, int, str]]:
    rows = [
        ("added", report.added, ""),
        ("revised", report.revised, "changed in the source since the last import"),
        ("moved", report.moved, "to another user or project; the old copy is forgotten"),
        ("unchanged", report.unchanged, "already in the store"),
        ("documents", report.documents, "with the facts extracted from them"),
        ("instructions", report.bank_items, "directives, and the queries of mental models"),
        ("reminders", report.reminders, "with their schedules"),
        *(("skipped", count, why) for why, count in report.skipped.most_common()),
        ("not readable", report.broken_count, "see below"),
    ]
    return [row for row in rows if row[1]] or rows[:1]


def _connection(visit: Visit, client: Client) -> Connection:
    machine = Machine(Path.home(), sys.platform, os.environ)
    path = client.path(machine)
    shown = str(path).replace(str(Path.home()), "~", 1)
    if client.remote is None:
        wanted = ServerSpec(registry.DEFAULT, program=launch_command())
        command = f"commonplace connect {client.name} --write"
    else:
        url = f"{visit.facts().get('address', '')}/mcp"
        key = Key(ANY_VARIABLE) if visit.has_login else None
        wanted = ServerSpec(registry.DEFAULT, url=url, key=key)
        command = f"commonplace connect {client.name} --http {url} --write"
    try:
        plan = edits.plan(client, wanted, machine)
    except CommonplaceError as error:
        problem = f"{error.message} {error.hint}"
        return Connection(client, shown, path.exists(), False, "", command, problem)
    connected = edits.DEFAULT_NAME in (plan.before or "")
    diff = plan.diff.replace(str(path), shown)
    return Connection(client, shown, path.exists(), connected, diff, command)
