"""Imports a file or a folder and prints a report. Imported only by the command that needs it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from commonplace.errors import Invalid
from commonplace.faces.cli import terminal
from commonplace.faces.cli.command import DEFAULT_BANK, CommandCall
from commonplace.faces.cli.commands import archive
from commonplace.faces.cli.terminal import Column
from commonplace.importers import detection
from commonplace.importers.base import ImportContext
from commonplace.importers.runner import ImportOptions, ImportReport, import_source
from commonplace.records.memory import Draft, Origin

_STREAM = Path("-")
_BROKEN_SHOWN = 10
_USERS_SHOWN = 5


def import_file(call: CommandCall, file: Path, name: str, options: ImportOptions) -> None:
    """Import a file or folder from the named source; without a name, the source is detected."""
    name = name or (detection.ARCHIVE if file == _STREAM else detection.detect_source(file))
    if name == detection.ARCHIVE:
        _import_archive(call, file, options)
        return
    source = detection.source_by_name(name)
    bank = options.bank or (source.bank(file) if source.bank else "") or DEFAULT_BANK
    origin = Origin(who=call.origin.who, dialect="import", reason=f"from {source.title}")
    with terminal.progress(f"Reading {source.title}") as progress:
        vault = call.engine.vault if bank == DEFAULT_BANK else None
        context = ImportContext(file, call.engine.clock.now(), progress, vault)
        report = import_source(call.engine, source, context, replace(options, bank=bank), origin)
    if call.as_json:
        terminal.print_json(_report_out(file, report))
    else:
        _print_report(report)


def _import_archive(call: CommandCall, file: Path, options: ImportOptions) -> None:
    if options.bank or options.project or options.owners:
        raise Invalid(
            "An archive already names its banks, projects and users.",
            hint="Repeat without --bank, --project and --owner.",
        )
    archive.import_archive(call, file, dry_run=options.dry_run)


def _report_out(file: Path, report: ImportReport) -> dict[str, object]:
    return {
        "file": str(file),
        "from": report.source,
        "bank": report.bank,
        "dry_run": report.dry_run,
        "added": report.added,
        "revised": report.revised,
        "moved": report.moved,
        "unchanged": report.unchanged,
        "documents": report.documents,
        "standings": report.bank_items,
        "reminders": report.reminders,
        "left": dict(report.skipped),
        "broken": [{"where": one.location, "why": one.reason} for one in report.broken],
        "broken_count": report.broken_count,
        "users": dict(report.users),
        "first": [_draft_out(one.external.draft) for one in report.samples],
    }


def _draft_out(draft: Draft) -> dict[str, object]:
    return {name: getattr(draft, name) for name in ("text", "title", "kind", "key", "tags")}


def _print_report(report: ImportReport) -> None:
    title = detection.source_by_name(report.source).title
    terminal.print_note(f"From {title} into the bank {terminal.clean(report.bank)}:")
    if report.samples and report.dry_run:
        _print_first_drafts(report)
    rows = _report_rows(report)
    terminal.print_table(
        (Column("What"), Column("Count", right=True), Column("Why", fold=True, share=1)), rows
    )
    for one in report.broken[:_BROKEN_SHOWN]:
        terminal.print_note(
            terminal.style("  ! ", fg="yellow")
            + terminal.clean(f"{one.location}: {_as_sentence(one.reason)}")
        )
    if report.broken_count > _BROKEN_SHOWN:
        terminal.print_note(
            f"  … and {report.broken_count - _BROKEN_SHOWN:,} more; --json lists them."
        )
    if report.users:
        _print_users(report)
    if report.dry_run:
        terminal.print_note("Nothing was changed. Repeat without --dry-run to import.")


def _print_first_drafts(report: ImportReport) -> None:
    drafts = [one.external.draft for one in report.samples]
    columns = (
        Column("Kind", style="dim"),
        Column("Title"),
        Column("Text", share=1),
        Column("Tags", style="dim"),
    )
    terminal.print_table(
        columns,
        [
            [one.kind, terminal.shorten(one.title, 24), one.text[:300], _format_tags(one.tags)]
            for one in drafts
        ],
    )


def _format_tags(tags: Sequence[str]) -> str:
    return terminal.shorten(" ".join(tags), 20)


def _report_rows(report: ImportReport) -> list[list[str]]:
    would = "would be " if report.dry_run else ""
    rows = [
        [f"{would}added", report.added, ""],
        [f"{would}revised", report.revised, "changed in the source since the last import"],
        [f"{would}moved", report.moved, "to another user or project; the old copy is forgotten"],
        ["unchanged", report.unchanged, "already in the store"],
        [f"documents {would}added", report.documents, "with the facts extracted from them"],
        [
            f"instructions {would}added",
            report.bank_items,
            "directives, and the queries of mental models",
        ],
        [f"reminders {would}added", report.reminders, "with their schedules"],
        *(["skipped", count, why] for why, count in report.skipped.most_common()),
        ["not readable", report.broken_count, "see below"],
    ]
    told = [row for row in rows if row[1]] or rows[:1]
    return [[str(row[0]), f"{row[1]:,}", str(row[2])] for row in told]


def _print_users(report: ImportReport) -> None:
    listed = ", ".join(
        f"{user} ({count:,})" for user, count in report.users.most_common(_USERS_SHOWN)
    )
    others = len(report.users) - _USERS_SHOWN
    more = f" and {others:,} more" if others > 0 else ""
    terminal.print_note(f"Users in the source: {terminal.clean(listed)}{more}.")
    terminal.print_note(
        "If one of them is you, add --owner NAME, so that all your tools see those memories as"
        " yours."
    )


def _as_sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."
