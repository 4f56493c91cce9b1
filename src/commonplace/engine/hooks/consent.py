"""Where hooks are paused: everywhere, or in some folders. Kept in a small file beside the store, so
that a hook reads it without opening the store.
"""

import json
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from commonplace import filesystem
from commonplace.errors import Invalid

FILE = "hooks.json"
_FOLDERS_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Consent:
    """The pauses of a store."""

    everywhere: bool = False
    folders: tuple[str, ...] = ()

    def is_paused(self, folder: str) -> bool:
        """Whether hooks are paused in a folder or one above it."""
        if self.everywhere:
            return True
        if not self.folders or not folder:
            return False
        real = Path(os.path.realpath(folder))
        return any(real.is_relative_to(one) for one in self.folders)


def read(store: Path) -> Consent:
    """The pauses kept in a folder. A broken file pauses everything, because it may have named the
    folder.
    """
    try:
        found: Any = json.loads((store / FILE).read_bytes())
    except FileNotFoundError:
        return Consent()
    except (OSError, ValueError):
        return Consent(everywhere=True)
    if not isinstance(found, dict):
        return Consent(everywhere=True)
    values = cast("dict[str, Any]", found)
    folders: Any = values.get("folders")
    listed = cast("list[object]", folders) if isinstance(folders, list) else []
    return Consent(bool(values.get("paused")), tuple(str(one) for one in listed))


def pause(store: Path, folder: str = "") -> Consent:
    """Pause hooks in a folder, or everywhere."""
    before = read(store)
    if not folder:
        return _write(store, replace(before, everywhere=True))
    if len(before.folders) >= _FOLDERS_MAX:
        raise Invalid("Too many folders are paused.", hint="Pause a folder above them.")
    folders = tuple(sorted({*before.folders, os.path.realpath(folder)}))
    return _write(store, replace(before, folders=folders))


def resume(store: Path, folder: str = "") -> Consent:
    """Resume hooks in a folder and below it, or wherever the pause of everything held."""
    before = read(store)
    if not folder:
        return _write(store, replace(before, everywhere=False))
    real = os.path.realpath(folder)
    kept = tuple(one for one in before.folders if not Path(one).is_relative_to(real))
    return _write(store, replace(before, folders=kept))


def _write(store: Path, consent: Consent) -> Consent:
    target = store / FILE
    text = json.dumps({"paused": consent.everywhere, "folders": list(consent.folders)}, indent=2)
    with filesystem.translate_os_errors(target):
        store.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{FILE}-", dir=store)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text + "\n")
            os.replace(name, target)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(name)
    return consent
