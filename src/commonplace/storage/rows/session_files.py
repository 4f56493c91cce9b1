"""Markdown files of session snapshots, beside the store."""

import shutil
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from commonplace import filesystem, ids
from commonplace.records.work import Snapshot

FOLDER = "snapshots"


def write(home: Path, bank: str, snapshot: Snapshot) -> str:
    """Write a snapshot to a file. Returns its path below the home folder."""
    path = _path(bank, snapshot)
    target = home / path
    with filesystem.translate_os_errors(target):
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with filesystem.new_file(target) as part:
        part.write_text(snapshot.text, encoding="utf-8")
    return path.as_posix()


def remove(home: Path, bank: str, snapshot: Snapshot) -> bool:
    """Remove the file of a snapshot. Returns whether there was one."""
    target = home / _path(bank, snapshot)
    with filesystem.translate_os_errors(target):
        if not target.is_file():
            return False
        target.unlink()
        with suppress(OSError):  # Deletes the folder of the day if it is empty.
            target.parent.rmdir()
    return True


def erase(home: Path, bank: str) -> None:
    """Remove the snapshot files of a bank."""
    folder = home / FOLDER / _folder(bank)
    with filesystem.translate_os_errors(folder):
        if folder.is_dir():
            shutil.rmtree(folder)


def _path(bank: str, snapshot: Snapshot) -> Path:
    day = f"{datetime.fromtimestamp(snapshot.at // 1000, UTC):%Y-%m-%d}"
    # With the id, because two snapshots may have the same slug.
    return Path(FOLDER) / _folder(bank) / day / f"{snapshot.slug}-{ids.short_form(snapshot.id)}.md"


def _folder(bank: str) -> str:
    """A bank's name as a folder name. Dots are escaped too, because `..` is the parent folder."""
    return quote(bank, safe="").replace(".", "%2E")
