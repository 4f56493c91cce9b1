"""Files of a folder read as notes. Nothing is written here."""

from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from commonplace.errors import CommonplaceError, NotFound, TooLarge
from commonplace.vault import folder, frontmatter
from commonplace.vault.file_matching import Found
from commonplace.vault.folder import Listing, Seen
from commonplace.vault.report import Report
from commonplace.vault.vault import sha256

DRAWING = "It is a drawing."
_HEAD_BYTES = 4_000

# The time and size of each file as it was.
Stamps: TypeAlias = Mapping[str, tuple[int, int]]


def changed(root: Path, listing: Listing, stamps: Stamps | None, report: Report) -> list[Found]:
    """The files that do not look as they did, or all, read."""
    found: list[Found] = []
    for path, seen in sorted(listing.files.items() - (stamps or {}).items()):
        try:
            if _is_drawing(root / path, seen):
                listing.set_aside(path, DRAWING, ignored=True)
                continue
            data = _read(root, path, seen)
            note = frontmatter.read(frontmatter.split(data), PurePosixPath(path).stem)
            if note.fault:
                report.faults[path] = note.fault
            found.append(Found(path, seen, sha256(data), note))
        except NotFound:
            continue  # Gone since it was listed; the next look knows more.
        except CommonplaceError as error:
            report.broken[path] = f"{error.message} {error.hint}".strip()
    return found


@lru_cache(maxsize=10_000)
def _is_drawing(file: Path, _seen: Seen) -> bool:
    """Whether a file is a drawing of the plug-in Excalidraw. Remembered, because drawings are large
    and never notes.
    """
    with suppress(OSError, CommonplaceError):
        lines = (
            folder.contents(file.parent, file.name, _HEAD_BYTES)
            .decode(errors="replace")
            .split("\n---", 1)[0]
        )
        return any(line.startswith("excalidraw-plugin:") for line in lines.split("\n"))
    return False


def _read(root: Path, path: str, seen: Seen) -> bytes:
    if seen.size > folder.FILE_BYTES_MAX:
        raise TooLarge("It is too large for a note.", hint="Split it into parts.")
    return folder.contents(root, path)
