"""Compares a folder of notes with its memories: reads every file, and changes nothing."""

from collections.abc import Iterable
from pathlib import Path

from commonplace.filesystem import translate_os_errors
from commonplace.storage.rows import note_files as rows
from commonplace.storage.rows.note_files import NoteFile
from commonplace.vault.file_matching import ChangedFile, match_files, without_numbered_copies
from commonplace.vault.folder import folder
from commonplace.vault.folder.file_reading import read_changed
from commonplace.vault.folder.folder import Listing
from commonplace.vault.folder.missing_files import display_path, is_in_cloud, is_set_aside
from commonplace.vault.folder.root_marker import root_state
from commonplace.vault.folder.tombstones import load_tombstones
from commonplace.vault.report import SyncReport
from commonplace.vault.vault import Vault


def inspect_vault(vault: Vault) -> SyncReport:
    """A report of what the next `sync` would do, as far as it can be predicted."""
    report = SyncReport()
    with translate_os_errors(vault.root), vault.engine.db.snapshot():
        report.standing = root_state(vault)
        if report.standing in ("away", "other"):
            return report
        listing = folder.list_folder(vault.root, sweep=False)
        report.passed, report.conflicts = listing.skipped, listing.conflicts
        load_tombstones(vault).skip_listed(listing)
        bank_id = vault.bank_id
        known = rows.list_files(vault.engine.db, bank_id) if bank_id is not None else []
        files = without_numbered_copies(
            read_changed(vault.root, listing, None, report), known, listing
        )
        _compare(vault, files, known, listing, report)
        if bank_id is not None:
            outdated = {
                *rows.outdated_notes(vault.engine.db, bank_id),
                *rows.notes_without_file(vault.engine.db, bank_id),
            }
            report.written = len(outdated)
    return report


def inspect_folder(root: Path) -> SyncReport:
    """A report of what the first `sync` would find in a folder, without a store."""
    report = SyncReport(standing="new")
    with translate_os_errors(root):
        listing = folder.list_folder(root, sweep=False)
        report.passed, report.conflicts = listing.skipped, listing.conflicts
        report.added = len(
            without_numbered_copies(read_changed(root, listing, None, report), [], listing)
        )
    return report


def _compare(
    vault: Vault,
    files: list[ChangedFile],
    known: list[NoteFile],
    listing: Listing,
    report: SyncReport,
) -> None:
    by_id = {row.memory_id: row for row in known}
    for file, number, is_copy in match_files(vault, files, known, listing):
        row = by_id.get(number)
        if is_copy:
            report.copies.append(file.path)
        if row is None:
            report.added += 1
        elif (row.path, row.sha256) != (file.path, file.sha256) or row.missing_at is not None:
            report.changed += 1
        by_id.pop(number, None)
    report.missing += _missing_paths(vault, by_id.values(), listing)


def _missing_paths(vault: Vault, unmatched: Iterable[NoteFile], listing: Listing) -> list[str]:
    """The paths of notes whose file is missing, without forgotten notes."""
    bank_id = vault.bank_id
    forgotten = (
        rows.forgotten_without_file(vault.engine.db, bank_id) if bank_id is not None else set[int]()
    )
    missing = (row for row in unmatched if row.memory_id not in forgotten)
    return [display_path(row) for row in missing if _is_missing(row, listing)]


def _is_missing(row: NoteFile, listing: Listing) -> bool:
    """Whether a file that was written is gone, and not only set aside or in the cloud."""
    if not listing.is_complete or not row.mtime_ns or row.path in listing.files:
        return False
    return not is_set_aside(row, listing) and not is_in_cloud(row, listing)
