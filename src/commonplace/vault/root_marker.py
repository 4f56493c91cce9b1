"""Which folder is the folder of a bank's notes: the one that carries its mark.

A folder whose disk is away leaves an empty one in its place, or none. Neither is taken for the
folder, or every note would seem to be removed.
"""

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Literal, TypeAlias

from commonplace.errors import CommonplaceError
from commonplace.storage import note_files as rows
from commonplace.storage.note_files import Expected, Root
from commonplace.vault import folder
from commonplace.vault.folder import MARK_NAME
from commonplace.vault.frontmatter import carried
from commonplace.vault.vault import Vault, sha256

# new: nothing was kept there yet; here: it is the folder; away: it is not there; other: another is
# in its place.
Standing: TypeAlias = Literal["new", "here", "away", "other"]

_MARK_CHARS_MAX = 100
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


def standing(vault: Vault) -> Standing:
    """Whether the folder of a vault is the one that its notes were kept in. Changes nothing."""
    known = rows.root(vault.engine.db, vault.bank)
    there = vault.root.is_dir()
    if known is not None and there and known.mark == mark_in(vault.root):
        return "here"
    if not there:
        return "away" if known or _expected(vault) else "new"
    if known is not None and known.place != _place(vault.root):
        return "here"  # Somebody chose another folder.
    expected = _expected(vault)
    # A folder that was never marked, because nobody may write to it, is known by names alone.
    marked = known is not None and known.mark != ""
    if any(_lies(vault, one) if marked else folder.seen(vault.root, one.path) for one in expected):
        return "here"
    return "other" if any(one.present for one in expected) else "new"


def is_usable(vault: Vault) -> bool:
    """Whether files may be read, written and removed there."""
    return standing(vault) in ("new", "here")


def claim(vault: Vault, *, make: bool = False) -> None:
    """Mark the folder as the one of the vault's notes; with `make`, it is made where it never was.

    Notes that are not in a folder that was not theirs before are written into it, never taken for
    removed.
    """
    known = rows.root(vault.engine.db, vault.bank)
    place = _place(vault.root)
    found = mark_in(vault.root)
    if known is not None and (known.mark, known.place) == (found or "", place):
        return
    if make:
        folder.make_root(vault.root)
    mark = found or _marked(vault.root)
    with vault.engine.db.transaction():
        if known is not None and known.mark != mark and (bank_id := vault.bank_id) is not None:
            held = (
                folder.listed(vault.root).every
                if any(_lies(vault, one) for one in _expected(vault))
                else ()
            )
            rows.rehome(vault.engine.db, bank_id, held, vault.engine.clock.now())
        rows.put_root(vault.engine.db, vault.bank, Root(mark, place))


def trust(vault: Vault) -> None:
    """Take the folder that is there now for the vault's, because a person says so."""
    if not vault.root.is_dir():
        folder.make_root(vault.root)
    if rows.root(vault.engine.db, vault.bank) is None and standing(vault) == "other":
        # It was never marked; any mark that is not the folder's own has the notes written into it.
        rows.put_root(vault.engine.db, vault.bank, Root("none", ""))
    claim(vault)


def mark_in(root: Path) -> str | None:
    """What the mark of a folder says, if it has one."""
    try:
        lines = folder.contents(root, MARK_NAME).decode().splitlines()
    except (CommonplaceError, UnicodeDecodeError):
        return None
    found = next((line.strip() for line in lines if line.strip() and not line.startswith("#")), "")
    return found[:_MARK_CHARS_MAX] or None


def release(vault: Vault) -> None:
    """Let go of the folder of a bank that is erased, if nothing but the mark is left in it."""
    with suppress(OSError):
        if os.listdir(vault.root) == [MARK_NAME]:
            (vault.root / MARK_NAME).unlink()
            vault.root.rmdir()
    if not vault.root.exists():
        with vault.engine.db.transaction():
            rows.drop_root(vault.engine.db, vault.bank)


def _marked(root: Path) -> str:
    """What the new mark of a folder says; nothing where nobody may write to it."""
    mark = f"vault_{secrets.token_hex(8)}"
    try:
        part = folder.stage(root, f"{_TEXT}{mark}\n".encode())
        try:
            # Another process may mark the folder at the same moment; the first one's mark stays.
            return mark if folder.publish(part, root, MARK_NAME) else mark_in(root) or ""
        finally:
            part.unlink(missing_ok=True)
    except (CommonplaceError, OSError):
        return ""


def _expected(vault: Vault) -> list[Expected]:
    return rows.expected(vault.engine.db, vault.bank, _EXPECTED_MAX)


def _lies(vault: Vault, one: Expected) -> bool:
    """Whether a file that should be in the folder is there."""
    with suppress(CommonplaceError):
        if folder.seen(vault.root, one.path) is not None:
            data = folder.contents(vault.root, one.path)
            return sha256(data) == one.sha256 or carried(data, one.path) == one.memory_id
    return False


def _place(root: Path) -> str:
    return sha256(os.fsencode(root.absolute()))[:16]
