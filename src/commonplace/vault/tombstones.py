"""Files of notes that were erased for good: those we made are removed, and what a person made is
never removed.

A person's file stays where it is and is not read, or is moved to a `.trash` beside it where a
person asked for the erasing.
"""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path, PurePosixPath

from commonplace.errors import CommonplaceError
from commonplace.filesystem import explained
from commonplace.storage import note_files as rows
from commonplace.storage import secure_delete
from commonplace.storage.note_files import Erased
from commonplace.vault import folder
from commonplace.vault.conflicts import remove_conflicts
from commonplace.vault.folder import Seen
from commonplace.vault.frontmatter import carried
from commonplace.vault.root_marker import is_usable, release
from commonplace.vault.vault import DEFAULT_BANK, Vault, sha256

TRASH = ".trash"
STAYS = "Its note was erased for good; the file is yours, and is read again when you change it."


@dataclass(slots=True)
class Cleared:
    """What became of the files of erased notes."""

    removed: int = 0
    # Files that a person made.
    left: int = 0
    trashed: int = 0


@dataclass(slots=True)
class Graves:
    """The files of a vault that stay although their notes were erased, by path and by what is in
    them.
    """

    paths: dict[str, Erased] = field(default_factory=dict[str, Erased])
    contents: dict[str, Erased] = field(default_factory=dict[str, Erased])
    # Those that were met in the folder.
    met: set[int] = field(default_factory=set[int])

    def holds(self, path: str, seen: Seen | None) -> bool:
        """Whether a file is one of them, as far as its time and size tell."""
        found = self.paths.get(path)
        if found is None or (found.mtime_ns, found.size) != seen:
            return False
        self.met.add(found.memory_id)
        return True


def graves(vault: Vault) -> Graves:
    """Which files stay unread. What is still to be removed is removed first."""
    clear_up(vault, Cleared())
    return known_graves(vault)


def known_graves(vault: Vault) -> Graves:
    """Which files are known to be what erased notes left."""
    kept = rows.erased(vault.engine.db, vault.bank)
    return Graves({one.path: one for one in kept}, {one.sha256: one for one in kept})


def clear_up(vault: Vault, cleared: Cleared, trash: Collection[int] = ()) -> None:
    """Remove the files of erased notes that we made. A person's stay, or, of the notes in `trash`,
    are moved away.
    """
    waiting = [
        one
        for one in rows.erased(vault.engine.db, vault.bank)
        if not one.stays or one.memory_id in trash
    ]
    if (
        not (waiting or rows.erased_conflict_files(vault.engine.db, vault.bank))
        or not vault.root.is_dir()
        or not is_usable(vault)
    ):
        return
    with vault.engine.db.transaction():
        # The names of files are made of words as well.
        secure_delete.owe(vault.engine.db)
        for one in waiting:
            # A file in a folder that nobody may write to is tried again, and unread till then.
            with suppress(CommonplaceError):
                _settle(vault, one, cleared, one.memory_id in trash)
        remove_conflicts(vault)
    secure_delete.scrub(vault.engine.db)
    if vault.bank != DEFAULT_BANK and vault.bank_id is None:
        _remove_empty(vault)


def is_erased(vault: Vault, number: int, content: str) -> bool:
    """Whether a file is what an erased note left, also where it was read before the note was
    erased.
    """
    found = rows.find_erased(vault.engine.db, number)
    return found is not None and (found.bank, found.sha256) == (vault.bank, content)


def lies(vault: Vault, one: Erased, path: str, seen: Seen, buried: Graves) -> None:
    """Note where a file lies that stays, and its time, by which it is known the next time."""
    buried.met.add(one.memory_id)
    with vault.engine.db.transaction():
        rows.put_erased(
            vault.engine.db, replace(one, path=path, mtime_ns=seen.settled_ns, size=seen.size)
        )


def clear(vault: Vault, buried: Graves) -> None:
    """Let go of what is known of files that were not met again."""
    for one in buried.paths.values():
        if one.memory_id not in buried.met:
            _rise(vault, one)


def _rise(vault: Vault, one: Erased) -> None:
    """A file that stayed is gone or was changed, and is a file like any other again."""
    with vault.engine.db.transaction():
        rows.drop_erased(vault.engine.db, one.memory_id)


def _settle(vault: Vault, one: Erased, cleared: Cleared, trash: bool) -> None:
    """Remove a file if we made it and it is what it was; else move it away, or note that it
    stays.
    """
    seen = folder.seen(vault.root, one.path)
    data = folder.contents(vault.root, one.path) if seen else b""
    if seen is None or sha256(data) != one.sha256:
        _rise(vault, one)
    elif one.made_here and carried(data, one.path) == one.memory_id:
        target = vault.root / one.path
        with explained(target):
            target.unlink(missing_ok=True)
        _rise(vault, one)
        cleared.removed += 1
    elif trash:
        _put_away(vault.root, one.path)
        _rise(vault, one)
        cleared.trashed += 1
    else:
        rows.put_erased(
            vault.engine.db, replace(one, stays=1, mtime_ns=seen.settled_ns, size=seen.size)
        )
        cleared.left += 1


def _put_away(root: Path, path: str) -> None:
    """Move a file to a `.trash` beside it, where nothing is read, under a name that nobody has."""
    place = PurePosixPath(path)
    names = (f"{place.stem}-{number}{place.suffix}" if number else place.name for number in count())
    while not folder.publish(root / path, root, str(place.parent / TRASH / next(names))):
        pass


def _remove_empty(vault: Vault) -> None:
    """Let go of the folders of a bank in which nothing is left."""
    with suppress(OSError):
        for inner in sorted(
            (path for path in vault.root.rglob("*") if path.is_dir()), reverse=True
        ):
            with suppress(OSError):
                inner.rmdir()
    release(vault)
