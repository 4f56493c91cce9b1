"""Two-way sync: edits in the folder become versions, and files follow their memories.

Where both changed, they are merged; where both changed the same lines, the note keeps the file's.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from commonplace import ids
from commonplace.errors import CommonplaceError
from commonplace.filesystem import translate_os_errors
from commonplace.storage.rows import note_files as rows
from commonplace.storage.rows.note_files import NoteFile
from commonplace.vault.file_matching import (
    ChangedFile,
    MatchedFile,
    match_files,
    without_numbered_copies,
)
from commonplace.vault.file_to_memory import ORIGIN, adopt_files, apply_file
from commonplace.vault.folder import folder
from commonplace.vault.folder.file_reading import Stamps, read_changed
from commonplace.vault.folder.folder import Listing
from commonplace.vault.folder.missing_files import forget_missing
from commonplace.vault.folder.root_marker import claim, root_state
from commonplace.vault.folder.tombstones import (
    ERASED_NOTE,
    Tombstones,
    clear_and_load,
    drop_unseen,
    update_location,
)
from commonplace.vault.memory_to_file import write_note
from commonplace.vault.note_format.markdown import link_names
from commonplace.vault.report import SyncReport
from commonplace.vault.vault import Vault

_BATCH = 200


def sync(vault: Vault, *, full: bool = False, settle: bool = True) -> SyncReport:
    """Synchronize folder and memories.

    `full` reads every file, also those with unchanged time and size. Without `settle`, nothing is
    written for files whose content did not change, not even their new time.
    """
    report = SyncReport()
    with translate_os_errors(vault.root):
        report.standing = root_state(vault)
        if report.standing in ("away", "other"):
            return report
        erased = clear_and_load(vault)
        listing = folder.list_folder(vault.root)
        report.passed, report.conflicts = listing.skipped, listing.conflicts
        if listing.files:
            claim(vault)
        erased.skip_listed(listing)
        bank_id = vault.bank_id
        stamps = rows.file_stamps(vault.engine.db, bank_id) if bank_id is not None else {}
        # Most of the time nothing in the folder changed.
        if full or listing.files != stamps:
            run = _Run(vault, listing, erased, report, None if full else stamps, settle)
            run.apply_changes()
        _write_outdated(vault, report, full=full)
    return report


def _write_outdated(vault: Vault, report: SyncReport, *, full: bool) -> None:
    """Write the memories into their files that are newer than these."""
    bank_id = vault.bank_id
    if bank_id is None:
        return
    outdated = rows.outdated_notes(vault.engine.db, bank_id)
    outdated += rows.notes_without_file(vault.engine.db, bank_id) if full else []
    for number in dict.fromkeys(outdated):
        _record_errors(report, ids.note_form(number), partial(_write, vault, number, report))


def _write(vault: Vault, number: int, report: SyncReport) -> None:
    report.written += write_note(vault, number, ORIGIN)


@dataclass(frozen=True, slots=True)
class _Run:
    """One sync of a folder whose files changed."""

    vault: Vault
    listing: Listing
    erased: Tombstones
    report: SyncReport
    # None: every file is read.
    stamps: Stamps | None
    settle: bool

    def apply_changes(self) -> None:
        """Make versions of what changed in the folder."""
        files = read_changed(self.vault.root, self.listing, self.stamps, self.report)
        known = self._affected_notes(files)
        files = without_numbered_copies(files, known, self.listing)
        files = self._without_erased(files, {row.path for row in known})
        if self.stamps is None and self.listing.is_complete:
            drop_unseen(self.vault, self.erased)
        matched = list(match_files(self.vault, files, known, self.listing))
        self.report.copies = [file.path for file, _, is_copy in matched if is_copy]
        by_id = {row.memory_id: row for row in known}
        if self.stamps is None:
            self._rebuild_wikilinks(matched, by_id)
        self._apply_in_batches(matched, by_id)
        forget_missing(self.vault, self.listing, known, self.report)

    def _apply_in_batches(self, matched: list[MatchedFile], by_id: Mapping[int, NoteFile]) -> None:
        """Apply the changed files; one write to the disk serves many of them."""
        changed = [each for each in matched if not self._is_unchanged(each, by_id)]
        for start in range(0, len(changed), _BATCH):
            with self.vault.engine.db.transaction():
                self._apply_batch(changed[start : start + _BATCH], by_id)

    def _affected_notes(self, files: list[ChangedFile]) -> list[NoteFile]:
        """The known files of all notes, or of those that changed, came or went.

        Only those, because a file that always counts as changed, such as a broken one, must not
        make every sync slow.
        """
        bank_id, db = self.vault.bank_id, self.vault.engine.db
        if bank_id is None:
            return []
        if self.stamps is None:
            return rows.list_files(db, bank_id)
        paths = {file.path for file in files} | (self.stamps.keys() - self.listing.files.keys())
        note_ids = {file.note.id for file in files if file.note.id is not None}
        return rows.files_at(db, bank_id, paths, note_ids)

    def _without_erased(self, files: list[ChangedFile], known_paths: set[str]) -> list[ChangedFile]:
        """The files without those with the content of an erased note; known paths come first."""
        kept = [file for file in files if file.path in known_paths]
        for file in files:
            if file.path in known_paths:
                continue
            tombstone = self.erased.contents.get(file.sha256)
            if tombstone is None:
                kept.append(file)
                continue
            self.report.passed[file.path] = ERASED_NOTE
            del self.listing.files[file.path]
            update_location(self.vault, tombstone, file.path, file.stat, self.erased)
        return kept

    def _rebuild_wikilinks(self, matched: list[MatchedFile], by_id: Mapping[int, NoteFile]) -> None:
        """Derive the wikilinks of known notes from their files again."""
        if (bank_id := self.vault.bank_id) is not None:
            links = {
                number: link_names(file.note.body) for file, number, _ in matched if number in by_id
            }
            rows.put_wikilinks(self.vault.engine.db, bank_id, links)

    def _is_unchanged(self, matched: MatchedFile, by_id: Mapping[int, NoteFile]) -> bool:
        """Whether a file is as it was; with `settle`, a new time alone is a change."""
        file, row = matched.file, by_id.get(matched.memory_id)
        if row is None or row.missing_at is not None or row.mtime_ns in (0, rows.READ_AGAIN_NS):
            return False
        if (row.path, row.sha256) != (file.path, file.sha256):
            return False
        return not self.settle or row.mtime_ns == file.stat.stable_mtime_ns

    def _apply_batch(self, matched: list[MatchedFile], by_id: Mapping[int, NoteFile]) -> None:
        """Store new notes together, and all others one by one, because each may fail by itself."""
        used = rows.ids_in_use(self.vault.engine.db, [number for _, number, _ in matched])
        new = [each for each in matched if each.memory_id not in used | by_id.keys()]
        adopted = bool(new) and adopt_files(self.vault, new, self.report)
        done = {each.memory_id for each in new} if adopted else set[int]()
        for file, number, is_copy in matched:
            if number not in done:
                work = partial(apply_file, self.vault, file, number, is_copy, self.report)
                _record_errors(self.report, file.path, work)


def _record_errors(report: SyncReport, path: str, work: Callable[[], None]) -> None:
    """Do the work on one file; an error is reported and the other files go on."""
    try:
        work()
    except CommonplaceError as error:
        report.broken[path] = f"{error.message} {error.hint}".strip()
