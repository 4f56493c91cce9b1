"""Files of erased notes.

A file that Commonplace made is removed; a person's file never is. It stays in its place, unread,
with a tombstone in the store, or moves to a `.trash` beside it if a person erased the note.
"""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path, PurePosixPath

from commonplace.errors import CommonplaceError
from commonplace.filesystem import translate_os_errors
from commonplace.storage import secure_delete
from commonplace.storage.rows import note_files as rows
from commonplace.storage.rows.note_files import ErasedNoteFile
from commonplace.vault.conflicts import remove_conflict_files
from commonplace.vault.folder import folder
from commonplace.vault.folder.folder import FileStat, Listing
from commonplace.vault.folder.root_marker import is_usable, release
from commonplace.vault.note_format.frontmatter import note_id_of
from commonplace.vault.vault import DEFAULT_BANK, Vault, sha256

TRASH = ".trash"
ERASED_NOTE = (
    "Its note was erased for good; the file is yours, and is read again when you change it."
)


@dataclass(slots=True)
class Cleared:
    """Counts of files of erased notes, by what was done with them."""

    removed: int = 0
    # Files that a person made.
    left: int = 0
    trashed: int = 0


@dataclass(slots=True)
class Tombstones:
    """The files of erased notes that stay in a vault, by path and by content hash."""

    paths: dict[str, ErasedNoteFile] = field(default_factory=dict[str, ErasedNoteFile])
    contents: dict[str, ErasedNoteFile] = field(default_factory=dict[str, ErasedNoteFile])
    # The ids of those that are in the folder.
    seen_ids: set[int] = field(default_factory=set[int])

    def covers(self, path: str, seen: FileStat | None) -> bool:
        """Whether a file has the time and size of a tombstone of its path."""
        found = self.paths.get(path)
        if found is None or (found.mtime_ns, found.size) != seen:
            return False
        self.seen_ids.add(found.memory_id)
        return True

    def skip_listed(self, listing: Listing) -> None:
        """Take the files with unchanged time and size out of a listing."""
        for path in [path for path in self.paths if self.covers(path, listing.files.get(path))]:
            del listing.files[path]
            listing.skipped[path] = ERASED_NOTE


def clear_and_load(vault: Vault) -> Tombstones:
    """The tombstones of a vault, after removing the files that can be removed."""
    clear_erased_files(vault, Cleared())
    return load_tombstones(vault)


def load_tombstones(vault: Vault) -> Tombstones:
    """The tombstones of a vault."""
    kept = rows.erased_files(vault.engine.db, vault.bank)
    return Tombstones({one.path: one for one in kept}, {one.sha256: one for one in kept})


def _files_to_clear(vault: Vault, trash: Collection[int]) -> list[ErasedNoteFile]:
    erased = rows.erased_files(vault.engine.db, vault.bank)
    return [one for one in erased if not one.stays or one.memory_id in trash]


def clear_erased_files(vault: Vault, cleared: Cleared, trash: Collection[int] = ()) -> None:
    """Remove our files of erased notes. A person's stay, or move away for the notes in `trash`."""
    waiting = _files_to_clear(vault, trash)
    if not waiting and not rows.erased_conflict_files(vault.engine.db, vault.bank):
        return
    if not vault.root.is_dir() or not is_usable(vault):
        return
    with vault.engine.db.transaction():
        # File names contain words of notes, so they are scrubbed too.
        secure_delete.require_scrub(vault.engine.db)
        for one in waiting:
            # A file in a read-only folder is tried again later, and stays unread.
            with suppress(CommonplaceError):
                _clear_file(vault, one, cleared, one.memory_id in trash)
        remove_conflict_files(vault)
    secure_delete.scrub(vault.engine.db)
    if vault.bank != DEFAULT_BANK and vault.bank_id is None:
        _remove_empty_folders(vault)


def is_erased(vault: Vault, number: int, content: str) -> bool:
    """Whether a file has the content of an erased note, also of one erased since it was read."""
    found = rows.find_erased(vault.engine.db, number)
    return found is not None and (found.bank, found.sha256) == (vault.bank, content)


def update_location(
    vault: Vault, one: ErasedNoteFile, path: str, seen: FileStat, buried: Tombstones
) -> None:
    """Record the path, time and size of a file of an erased note."""
    buried.seen_ids.add(one.memory_id)
    with vault.engine.db.transaction():
        rows.put_erased(
            vault.engine.db, replace(one, path=path, mtime_ns=seen.stable_mtime_ns, size=seen.size)
        )


def drop_unseen(vault: Vault, buried: Tombstones) -> None:
    """Drop the tombstones of files that are not in the folder any more."""
    for one in buried.paths.values():
        if one.memory_id not in buried.seen_ids:
            _drop(vault, one)


def _drop(vault: Vault, one: ErasedNoteFile) -> None:
    """Drop a tombstone: its file is gone, or was changed and is read again."""
    with vault.engine.db.transaction():
        rows.drop_erased(vault.engine.db, one.memory_id)


def _clear_file(vault: Vault, one: ErasedNoteFile, cleared: Cleared, trash: bool) -> None:
    """Remove an unchanged file that we made; else move it to the trash, or keep a tombstone."""
    seen = folder.stat_file(vault.root, one.path)
    data = folder.read_bytes(vault.root, one.path) if seen else b""
    if seen is None or sha256(data) != one.sha256:
        _drop(vault, one)
    elif one.made_here and note_id_of(data, one.path) == one.memory_id:
        target = vault.root / one.path
        with translate_os_errors(target):
            target.unlink(missing_ok=True)
        _drop(vault, one)
        cleared.removed += 1
    elif trash:
        _move_to_trash(vault.root, one.path)
        _drop(vault, one)
        cleared.trashed += 1
    else:
        rows.put_erased(
            vault.engine.db, replace(one, stays=1, mtime_ns=seen.stable_mtime_ns, size=seen.size)
        )
        cleared.left += 1


def _move_to_trash(root: Path, path: str) -> None:
    """Move a file to a `.trash` beside it, under a free name."""
    file = PurePosixPath(path)
    names = (f"{file.stem}-{number}{file.suffix}" if number else file.name for number in count())
    while not folder.publish(root / path, root, str(file.parent / TRASH / next(names))):
        pass


def _remove_empty_folders(vault: Vault) -> None:
    """Remove the empty folders of an erased bank."""
    with suppress(OSError):
        for inner in sorted(
            (path for path in vault.root.rglob("*") if path.is_dir()), reverse=True
        ):
            with suppress(OSError):
                inner.rmdir()
    release(vault)
