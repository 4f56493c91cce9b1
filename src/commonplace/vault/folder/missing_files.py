"""Forgets notes whose files stay away from the folder.

A file that is gone is recorded as missing. Its note is forgotten after `GRACE_MS`, because sync
clients replace a file by removing it first.
"""

from collections.abc import Iterator
from dataclasses import replace

from commonplace import ids
from commonplace.records.memory import Origin
from commonplace.storage.rows import note_files as rows
from commonplace.storage.rows.note_files import NoteFile
from commonplace.vault.folder import filenames, folder
from commonplace.vault.folder.folder import Listing
from commonplace.vault.memory_to_file import GRACE_MS
from commonplace.vault.report import SyncReport
from commonplace.vault.vault import Vault

_REMOVED_ORIGIN = Origin(dialect="vault", reason="the file was removed")
_IGNORED_ORIGIN = Origin(dialect="vault", reason="the file is ignored")


def forget_missing(
    vault: Vault, listing: Listing, known: list[NoteFile], report: SyncReport
) -> None:
    """Record which files are missing or set aside, and forget notes whose files stay away."""
    for row in _unlisted(vault, listing, known):
        if is_set_aside(row, listing):
            # The text of an agent stays, wherever its file is.
            if not row.made_here:
                _forget_after_grace(vault, row, _IGNORED_ORIGIN, report)
        elif not _is_present(vault, row, listing):
            report.missing.append(display_path(row))
            _forget_after_grace(vault, row, _REMOVED_ORIGIN, report)


def is_set_aside(row: NoteFile, listing: Listing) -> bool:
    """Whether a file is in the folder but no note: a conflict copy, or ignored."""
    return row.path in listing.conflicts or listing.is_ignored(row.path)


def is_in_cloud(row: NoteFile, listing: Listing) -> bool:
    """Whether iCloud keeps the file in the cloud, with a placeholder in the folder."""
    return filenames.icloud_placeholder(row.path) in listing.skipped


def display_path(row: NoteFile) -> str:
    """The path of a note for a report; its id, if another file has taken its path."""
    return ids.note_form(row.memory_id) if row.path.startswith(rows.DISPLACED_PREFIX) else row.path


def _unlisted(vault: Vault, listing: Listing, known: list[NoteFile]) -> Iterator[NoteFile]:
    """The notes to decide on: written to a file before, and not in the folder now."""
    bank_id = vault.bank_id
    unlisted = [row for row in known if row.path not in listing.files]
    if not listing.is_complete or not unlisted or bank_id is None:
        return
    forgotten = rows.forgotten_without_file(vault.engine.db, bank_id)
    for before in unlisted:
        if before.memory_id not in forgotten:
            # Read again: the note may just have been matched with a file at another path.
            row = rows.find(vault.engine.db, before.memory_id)
            if row is not None and _is_unlisted(row, listing):
                yield row


def _is_unlisted(row: NoteFile, listing: Listing) -> bool:
    return bool(row.mtime_ns) and row.path not in listing.files


def _is_present(vault: Vault, row: NoteFile, listing: Listing) -> bool:
    return folder.stat_file(vault.root, row.path) is not None or is_in_cloud(row, listing)


def _forget_after_grace(vault: Vault, row: NoteFile, origin: Origin, report: SyncReport) -> None:
    now = vault.engine.clock.now()
    with vault.engine.db.transaction():
        if row.missing_at is None:
            rows.put(vault.engine.db, replace(row, missing_at=now))
            return
        memory = vault.memory(row.memory_id)
        if now - row.missing_at < GRACE_MS or memory is None or memory.forgotten_at is not None:
            return
        # A memory that was revised since gets a new file instead.
        if memory.version == row.version:
            after = vault.engine.forget(vault.bank, [memory.id], origin)[0].memory
            rows.put(vault.engine.db, replace(row, version=after.version))
            report.forgotten += 1
