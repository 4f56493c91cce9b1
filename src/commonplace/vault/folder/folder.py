"""The folder of notes: listings, reads, and atomic writes that are on disk when they return."""

import os
import secrets
import stat
import time
import zlib
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from platform import node
from typing import NamedTuple

from commonplace.errors import Busy, Conflict, Invalid
from commonplace.filesystem import NO_SPACE, PART_PREFIX, PART_SUFFIX, translate_os_errors
from commonplace.limits import TEXT_BYTES_MAX
from commonplace.vault.folder import filenames
from commonplace.vault.folder.ignore_rules import IGNORE_NAME, OPEN_FLAGS, IgnoreRules, ignore_rules

# The limit of a text, plus frontmatter.
FILE_BYTES_MAX = TEXT_BYTES_MAX + 100_000
# The file that identifies a folder of notes.
MARKER_NAME = ".commonplace.vault"
_HOST = f"{zlib.crc32(node().encode()):08x}"
_LEFTOVER_S = 3_600
# Two writes within one tick of the system's clock leave the same time.
_TICK_NS = 50_000_000
_DEPTH_MAX = 40


class FileStat(NamedTuple):
    """Time and size of a file. A tuple, because a large folder has many."""

    mtime_ns: int
    size: int

    @property
    def stable_mtime_ns(self) -> int:
        """The time to store; one nanosecond less while a new write could get the same time."""
        young = abs(time.time_ns() - self.mtime_ns) < _TICK_NS
        return self.mtime_ns - 1 if young else self.mtime_ns


@dataclass(slots=True)
class Listing:
    """The content of a folder: notes by path, and skipped paths with reasons."""

    files: dict[str, FileStat] = field(default_factory=dict[str, FileStat])
    skipped: dict[str, str] = field(default_factory=dict[str, str])
    # The skipped files and folders that a rule ignores.
    ignored: set[str] = field(default_factory=set[str])
    # Conflict copies, of sync programs and ours; they are not notes.
    conflicts: list[str] = field(default_factory=list[str])
    # Whether all folders could be read; if not, no file counts as missing.
    is_complete: bool = True

    def set_aside(self, path: str, reason: str = "", *, ignored: bool = False) -> None:
        """Take out a file that is no note: a conflict copy, or skipped for a reason."""
        self.files.pop(path, None)
        if not reason:
            self.conflicts.append(path)
            return
        self.skipped[path] = reason
        if ignored:
            self.ignored.add(path)

    def is_ignored(self, path: str) -> bool:
        """Whether a rule ignores a file, or a folder that it is in."""
        parts = path.split("/")
        return any("/".join(parts[:count]) in self.ignored for count in range(1, len(parts) + 1))

    @property
    def all_paths(self) -> set[str]:
        """All paths, also of files that are not notes."""
        return {*self.files, *self.skipped, *self.conflicts}


def list_folder(root: Path, *, sweep: bool = True) -> Listing:
    """List a folder, without following links and without hidden files.

    With `sweep`, temporary files of killed processes are removed.
    """
    found = Listing()
    if root.is_dir():
        reader = _FolderReader(root, ignore_rules(root), found)
        reader.list("")
        for entry in reader.left if sweep else ():
            _sweep(entry)
    else:
        found.is_complete = False
    return found


def read_bytes(root: Path, path: str, limit: int = FILE_BYTES_MAX + 1) -> bytes:
    """The first bytes of a file. Raises Invalid for a pipe or another special file."""
    file = root / path
    with translate_os_errors(file), open(os.open(file, OPEN_FLAGS), "rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise Invalid("It is not a regular file.", hint="Put a markdown file in its place.")
        return stream.read(limit)


def stat_file(root: Path, path: str) -> FileStat | None:
    """Time and size of a file; None if it does not exist or is behind a link."""
    if is_behind_link(root, path):
        return None
    try:
        found = (root / path).lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return FileStat(found.st_mtime_ns, found.st_size)


def is_behind_link(root: Path, path: str) -> bool:
    """Whether a folder in a path is a link, which may lead out of the root."""
    parents = path.split("/")[:-1]
    return any(
        (root / "/".join(parents[: depth + 1])).is_symlink() for depth in range(len(parents))
    )


def make_root(root: Path) -> None:
    """Create the folder of notes."""
    with translate_os_errors(root), _explain_unwritable():
        root.mkdir(mode=0o700, parents=True, exist_ok=True)


def stage(root: Path, data: bytes) -> Path:
    """Write bytes to a temporary file in the folder, for `publish`."""
    with translate_os_errors(root), _explain_unwritable():
        part = root / f"{PART_PREFIX}{_HOST}-{os.getpid()}-{secrets.token_hex(4)}{PART_SUFFIX}"
        handle = os.open(
            part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600
        )
        try:
            with open(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
        except OSError:
            part.unlink(missing_ok=True)
            raise
    return part


@contextmanager
def _explain_unwritable() -> Generator[None]:
    """Raise Busy with a hint for a folder that is not writable; a full disk has its own error."""
    try:
        yield
    except OSError as error:
        if error.errno in NO_SPACE:
            raise
        why = error.strerror or "the system refused"
        hint = (
            "Check COMMONPLACE_VAULT, its disk and its permissions; `commonplace vault status`"
            " shows the folder."
        )
        raise Busy(f"The folder of notes cannot be written to: {why}.", hint=hint) from error


def publish(part: Path, root: Path, path: str) -> bool:
    """Give a staged file its name; False if that is taken. The root is not created."""
    target = root / path
    with translate_os_errors(target):
        for parent in reversed(target.parents[: path.count("/")]):
            parent.mkdir(mode=0o700, exist_ok=True)
        try:
            # Unlike a rename, a hard link fails if the name is taken.
            os.link(part, target)
        except FileExistsError:
            return False
        except OSError:
            if os.path.lexists(target):
                return False
            os.rename(part, target)  # The file system has no hard links.
        part.unlink(missing_ok=True)
        _sync_directory(target.parent)
    return True


def replace(root: Path, path: str, data: bytes, before: FileStat) -> None:
    """Replace the bytes of a file. Raises Conflict if it changed since `before`."""
    target = root / path
    with translate_os_errors(target):
        mode = target.lstat().st_mode & 0o777
        part = stage(target.parent, data)
        try:
            part.chmod(mode)
            if stat_file(root, path) != before:
                raise Conflict(f"{target.name!r} was changed meanwhile.", hint="Try again.")
            os.replace(part, target)
        finally:
            part.unlink(missing_ok=True)
        _sync_directory(target.parent)


@dataclass(slots=True)
class _FolderReader:
    """Reads a folder into a listing."""

    root: Path
    rules: IgnoreRules
    found: Listing
    # Temporary files.
    left: "list[os.DirEntry[str]]" = field(default_factory=list["os.DirEntry[str]"])

    def list(self, under: str) -> None:
        """List a folder below the root, recursively."""
        found = self.found
        try:
            entries = sorted(os.scandir(self.root / under), key=lambda entry: entry.name)
        except OSError:
            found.is_complete = False
            found.skipped[under] = "The folder cannot be read."
            return
        for entry in entries:
            path = f"{under}/{entry.name}" if under else entry.name
            if entry.name in (MARKER_NAME, IGNORE_NAME):
                continue
            if _is_note_name(entry.name) and entry.is_file(follow_symlinks=False):
                self._add_file(entry, path, entries)
            elif entry.name.startswith(PART_PREFIX):
                self.left.append(entry)
            elif reason := _skip_reason(entry, path.count("/")):
                found.skipped[path.encode(errors="replace").decode()] = reason
            elif reason := self.rules.folder_reason(path, entry.name):
                found.set_aside(path, reason, ignored=True)
            else:
                self.list(path)

    def _add_file(
        self, entry: "os.DirEntry[str]", path: str, entries: "list[os.DirEntry[str]]"
    ) -> None:
        if reason := self.rules.file_reason(path, entry.name):
            self.found.set_aside(path, reason, ignored=True)
        elif filenames.is_conflict_copy(
            entry.name[:-3], lambda stem: any(one.name == f"{stem}.md" for one in entries)
        ):
            self.found.set_aside(path)
        else:
            with suppress(FileNotFoundError):  # Removed after the listing.
                status = entry.stat(follow_symlinks=False)
                self.found.files[path] = FileStat(status.st_mtime_ns, status.st_size)


def _is_note_name(name: str) -> bool:
    """Whether a file name is one of a note."""
    # Cheap checks first: temporary names with this ending begin with `.` or `~`.
    return (
        name[-3:].lower() == ".md"
        and not (name[0] in ".~" and filenames.is_temporary(name))
        and _is_text(name)
    )


def _is_text(name: str) -> bool:
    """Whether a name on disk is UTF-8; other names contain surrogates."""
    return name.isprintable() or name == name.encode(errors="replace").decode()


def _skip_reason(entry: "os.DirEntry[str]", depth: int) -> str:
    """Why an entry is skipped; "" for a folder to list."""
    if entry.name.startswith("."):
        return "Its name begins with a dot."
    if not _is_text(entry.name):
        return "Its name is not UTF-8."
    if entry.is_symlink():
        return "It is a link; links are not followed."
    if entry.is_dir(follow_symlinks=False):
        return "It is nested too deeply." if depth >= _DEPTH_MAX else ""
    if filenames.is_temporary(entry.name):
        return "It is a temporary file."
    if not entry.is_file(follow_symlinks=False):
        return "It is not a file."
    return "It is not a markdown file."


def _sweep(entry: "os.DirEntry[str]") -> None:
    """Remove a temporary file of a killed process."""
    host, _, rest = entry.name.removeprefix(PART_PREFIX).partition("-")
    number = rest.partition("-")[0]
    with suppress(OSError):
        left = host == _HOST and number.isdecimal() and not _is_process_alive(int(number))
        if left or time.time() - entry.stat(follow_symlinks=False).st_mtime > _LEFTOVER_S:
            os.unlink(entry.path)


def _is_process_alive(number: int) -> bool:
    if os.name != "posix":
        return True
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _sync_directory(path: Path) -> None:
    if os.name == "posix":
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
