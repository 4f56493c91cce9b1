"""Files of notes that were erased for good: ours are removed, and what a person made by hand stays, unread."""

from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from commonplace.errors import CommonplaceError
from commonplace.storage import notes as rows
from commonplace.storage.files import explained
from commonplace.storage.notes import Erased
from commonplace.vault import folder, notes
from commonplace.vault.folder import Seen
from commonplace.vault.place import DEFAULT_BANK, Vault, sha256

STAYS = "Its note was erased for good; the file is yours, and is read again when you change it."


@dataclass(slots=True)
class Graves:
    """The files of a vault that stay although their notes were erased, by path and by what is in them."""

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
    found = rows.erased(vault.engine.db, vault.bank)
    if not found or not vault.root.is_dir():
        return Graves()
    kept = [one for one in found if one.stays]
    if len(kept) < len(found):
        with vault.engine.db.transaction():
            settled = [_tried(vault, one) for one in found if not one.stays]
        kept += [one for one in settled if one is not None]
    if vault.bank != DEFAULT_BANK and vault.bank_id is None:
        _remove_empty(vault.root)
    return Graves({one.path: one for one in kept}, {one.sha256: one for one in kept})


def is_erased(vault: Vault, number: int, content: str) -> bool:
    """Whether a file is what an erased note left, also where it was read before the note was erased."""
    found = rows.find_erased(vault.engine.db, number)
    return found is not None and (found.bank, found.sha256) == (vault.bank, content)


def lies(vault: Vault, one: Erased, path: str, seen: Seen, buried: Graves) -> None:
    """Note where a file lies that stays, and its time, by which it is known the next time."""
    buried.met.add(one.memory_id)
    with vault.engine.db.transaction():
        rows.put_erased(vault.engine.db, replace(one, path=path, mtime_ns=seen.settled_ns, size=seen.size))


def clear(vault: Vault, buried: Graves) -> None:
    """Let go of what is known of files that were not met again."""
    for one in buried.paths.values():
        if one.memory_id not in buried.met:
            _rise(vault, one)


def _rise(vault: Vault, one: Erased) -> None:
    """A file that stayed is gone or was changed, and is a file like any other again."""
    with vault.engine.db.transaction():
        rows.drop_erased(vault.engine.db, one.memory_id)


def _tried(vault: Vault, one: Erased) -> Erased | None:
    """Settle what can be settled; a file in a folder that nobody may write to is tried again, and unread till then."""
    try:
        return _settled(vault, one)
    except CommonplaceError:
        return one


def _settled(vault: Vault, one: Erased) -> Erased | None:
    """Remove a file if it is ours and what it was; else note that it stays, or is none of an erased note any more."""
    seen = folder.seen(vault.root, one.path)
    data = folder.contents(vault.root, one.path) if seen else b""
    if seen is None or sha256(data) != one.sha256:
        _rise(vault, one)
        return None
    if _carried(data, one.path) != one.memory_id:
        stays = replace(one, stays=1, mtime_ns=seen.settled_ns, size=seen.size)
        rows.put_erased(vault.engine.db, stays)
        return stays
    target = vault.root / one.path
    with explained(target):
        target.unlink(missing_ok=True)
    _rise(vault, one)
    return None


def _carried(data: bytes, path: str) -> int | None:
    try:
        return notes.read(notes.split(data), PurePosixPath(path).stem).id
    except CommonplaceError:
        return None


def _remove_empty(root: Path) -> None:
    """Let go of the folders of a bank in which nothing is left."""
    with suppress(OSError):
        for inner in sorted((path for path in root.rglob("*") if path.is_dir()), reverse=True):
            with suppress(OSError):
                inner.rmdir()
        root.rmdir()
