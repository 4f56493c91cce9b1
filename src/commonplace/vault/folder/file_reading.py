"""Reads files of a folder as notes. Nothing is written here."""

from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from commonplace.errors import CommonplaceError, NotFound, TooLarge
from commonplace.vault.file_matching import ChangedFile
from commonplace.vault.folder import folder
from commonplace.vault.folder.folder import FileStat, Listing
from commonplace.vault.note_format import frontmatter
from commonplace.vault.report import SyncReport
from commonplace.vault.vault import sha256

DRAWING = "It is a drawing."
_HEAD_BYTES = 4_000

# Time and size of each known file.
Stamps: TypeAlias = Mapping[str, tuple[int, int]]


def read_changed(
    root: Path, listing: Listing, stamps: Stamps | None, report: SyncReport
) -> list[ChangedFile]:
    """Read the files whose time or size changed, or all without `stamps`."""
    found: list[ChangedFile] = []
    for path, seen in sorted(listing.files.items() - (stamps or {}).items()):
        try:
            if _is_drawing(root / path, seen):
                listing.set_aside(path, DRAWING, ignored=True)
                continue
            data = _read_file(root, path, seen)
            note = frontmatter.parse_note(frontmatter.split_file(data), PurePosixPath(path).stem)
            if note.fault:
                report.faults[path] = note.fault
            found.append(ChangedFile(path, seen, sha256(data), note))
        except NotFound:
            continue  # Removed after the listing; the next sync handles it.
        except CommonplaceError as error:
            report.broken[path] = f"{error.message} {error.hint}".strip()
    return found


@lru_cache(maxsize=10_000)
def _is_drawing(file: Path, _seen: FileStat) -> bool:
    """Whether a file is a drawing of the plug-in Excalidraw. Cached, because drawings are large."""
    with suppress(OSError, CommonplaceError):
        lines = (
            folder.read_bytes(file.parent, file.name, _HEAD_BYTES)
            .decode(errors="replace")
            .split("\n---", 1)[0]
        )
        return any(line.startswith("excalidraw-plugin:") for line in lines.split("\n"))
    return False


def _read_file(root: Path, path: str, seen: FileStat) -> bytes:
    if seen.size > folder.FILE_BYTES_MAX:
        raise TooLarge("It is too large for a note.", hint="Split it into parts.")
    return folder.read_bytes(root, path)
