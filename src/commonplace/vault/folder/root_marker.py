"""Identifies the folder of a bank's notes by a marker file.

If its disk is not mounted, an empty folder or none is in its place. Neither is used, because every
note would seem to be removed.
"""

import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal, TypeAlias

from commonplace.errors import CommonplaceError
from commonplace.storage.rows import note_files as rows
from commonplace.storage.rows.note_files import ExpectedFile, VaultRoot
from commonplace.vault.folder import folder
from commonplace.vault.folder.folder import MARKER_NAME
from commonplace.vault.note_format.frontmatter import note_id_of
from commonplace.vault.vault import Vault, sha256

# new: no notes yet; here: the right folder; away: no folder; other: another folder in its place.
RootState: TypeAlias = Literal["new", "here", "away", "other"]

_MARKER_CHARS_MAX = 100
_EXPECTED_MAX = 1_000
_TEXT = (
    "# Commonplace keeps notes in this folder and knows it by the next line. Leave this file where"
    " it is.\n"
)

AWAY = "The folder of notes is not there, so nothing is read from it or written to it."
OTHER = (
    "Another folder has taken the place of the folder of notes, so nothing is read from it or"
    " written to it."
)
BRING_BACK = "Connect its disk again, or set COMMONPLACE_VAULT to where it is now."
TRUST = (
    "Connect the disk of the right folder again, or run `commonplace vault trust` to keep the notes"
    " in this one."
)


def root_state(vault: Vault) -> RootState:
    """Whether the folder of a vault is the one with its notes. Changes nothing."""
    known = rows.find_root(vault.engine.db, vault.bank)
    if not vault.root.is_dir():
        return "away" if known or _expected_files(vault) else "new"
    if known is not None and _is_known_root(vault, known):
        return "here"
    expected = _expected_files(vault)
    # A read-only folder has no marker and is identified by file names.
    is_marked = known is not None and known.mark != ""
    if _has_any_file(vault, expected, by_content=is_marked):
        return "here"
    return "other" if any(one.present for one in expected) else "new"


def _is_known_root(vault: Vault, known: VaultRoot) -> bool:
    """Whether the marker is the known one, or the setting names another folder than before."""
    return known.mark == read_marker(vault.root) or known.place != _path_hash(vault.root)


def _has_any_file(vault: Vault, expected: Sequence[ExpectedFile], *, by_content: bool) -> bool:
    """Whether one of the files is there, by its content or by its name alone."""
    if by_content:
        return any(_is_present(vault, one) for one in expected)
    return any(folder.stat_file(vault.root, one.path) for one in expected)


def is_usable(vault: Vault) -> bool:
    """Whether files may be read, written and removed there."""
    return root_state(vault) in ("new", "here")


def claim(vault: Vault, *, make: bool = False) -> None:
    """Mark the folder as the one of the vault's notes; with `make`, create it.

    In a newly marked folder, notes without a file are written, not forgotten.
    """
    known = rows.find_root(vault.engine.db, vault.bank)
    place = _path_hash(vault.root)
    found = read_marker(vault.root)
    if known is not None and (known.mark, known.place) == (found or "", place):
        return
    if make:
        folder.make_root(vault.root)
    mark = found or _write_marker(vault.root)
    with vault.engine.db.transaction():
        if known is not None and known.mark != mark and (bank_id := vault.bank_id) is not None:
            has_notes = _has_any_file(vault, _expected_files(vault), by_content=True)
            held = folder.list_folder(vault.root).all_paths if has_notes else ()
            rows.move_to_folder(vault.engine.db, bank_id, held, vault.engine.clock.now())
        rows.put_root(vault.engine.db, vault.bank, VaultRoot(mark, place))


def trust(vault: Vault) -> None:
    """Mark the current folder as the vault's, on a person's command."""
    if not vault.root.is_dir():
        folder.make_root(vault.root)
    if rows.find_root(vault.engine.db, vault.bank) is None and root_state(vault) == "other":
        # There is no marker yet; one that differs from the folder's has the notes written into it.
        rows.put_root(vault.engine.db, vault.bank, VaultRoot("none", ""))
    claim(vault)


def read_marker(root: Path) -> str | None:
    """The text of a folder's marker file, if there is one."""
    try:
        lines = folder.read_bytes(root, MARKER_NAME).decode().splitlines()
    except (CommonplaceError, UnicodeDecodeError):
        return None
    found = next((line.strip() for line in lines if line.strip() and not line.startswith("#")), "")
    return found[:_MARKER_CHARS_MAX] or None


def release(vault: Vault) -> None:
    """Remove the folder of an erased bank, if only the marker is left in it."""
    with suppress(OSError):
        if os.listdir(vault.root) == [MARKER_NAME]:
            (vault.root / MARKER_NAME).unlink()
            vault.root.rmdir()
    if not vault.root.exists():
        with vault.engine.db.transaction():
            rows.drop_root(vault.engine.db, vault.bank)


def _write_marker(root: Path) -> str:
    """Write a marker file and return its text; "" if the folder is read-only."""
    mark = f"vault_{secrets.token_hex(8)}"
    try:
        part = folder.stage(root, f"{_TEXT}{mark}\n".encode())
        try:
            # If another process marks the folder at the same time, the first marker stays.
            return mark if folder.publish(part, root, MARKER_NAME) else read_marker(root) or ""
        finally:
            part.unlink(missing_ok=True)
    except (CommonplaceError, OSError):
        return ""


def _expected_files(vault: Vault) -> list[ExpectedFile]:
    return rows.expected_files(vault.engine.db, vault.bank, _EXPECTED_MAX)


def _is_present(vault: Vault, one: ExpectedFile) -> bool:
    """Whether an expected file is in the folder, by content or id."""
    with suppress(CommonplaceError):
        if folder.stat_file(vault.root, one.path) is not None:
            data = folder.read_bytes(vault.root, one.path)
            return sha256(data) == one.sha256 or note_id_of(data, one.path) == one.memory_id
    return False


def _path_hash(root: Path) -> str:
    return sha256(os.fsencode(root.absolute()))[:16]
