"""The token of the vault dialect, kept in a file that only its owner can read."""

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

from commonplace.errors import Forbidden

NAME = "vault-token"
_FILE_MODE = 0o600


def vault_token(home: Path) -> str:
    """The token in a home folder, created if missing. Concurrent processes get the same one."""
    file = home / NAME
    try:
        return _read(file) or _create(file)
    except OSError as error:
        raise Forbidden(
            "The vault token cannot be read or created.",
            hint="Check the permissions of the folder in COMMONPLACE_HOME.",
        ) from error


def _read(file: Path) -> str:
    try:
        token = file.read_text("utf-8").strip()
    except FileNotFoundError:
        return ""
    if file.stat().st_mode & 0o077:
        file.chmod(_FILE_MODE)
    return token


def _create(file: Path) -> str:
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    number, name = tempfile.mkstemp(prefix=f".{NAME}-", dir=file.parent)
    try:
        with open(number, "w", encoding="utf-8") as draft:
            draft.write(secrets.token_urlsafe(32) + "\n")
        if file.exists():
            # The user emptied the file to get a new token.
            os.replace(name, file)
        else:
            # Unlike a rename, a link never replaces a token that another process has just created.
            with suppress(FileExistsError):
                os.link(name, file)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)
    return _read(file)
