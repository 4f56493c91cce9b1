"""The folder of notes: what lies in it, and writes that are whole or not there at all, and on disk
when they return.
"""

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
from commonplace.filesystem import NO_SPACE, PART_PREFIX, PART_SUFFIX, explained
from commonplace.limits import TEXT_BYTES_MAX
from commonplace.vault import filenames
from commonplace.vault.ignore_rules import IGNORE_NAME, READING, IgnoreRules, ignore_rules

# Frontmatter comes on top of a text at its own limit.
FILE_BYTES_MAX = TEXT_BYTES_MAX + 100_000
# The file that tells a folder of notes from another one in its place.
MARK_NAME = ".commonplace.vault"
_HOST = f"{zlib.crc32(node().encode()):08x}"
_LEFT_S = 3_600
_TICK_NS = 50_000_000  # Two writes within one turn of the system's clock leave the same time.
_DEPTH_MAX = 40


class Seen(NamedTuple):
    """A file as its folder lists it. A tuple, because a look at a large folder makes one for every
    file.
    """

    mtime_ns: int
    size: int

    @property
    def settled_ns(self) -> int:
        """The time by which to know the file again; a wrong one while it is so young that it may
        yet change unseen.
        """
        young = abs(time.time_ns() - self.mtime_ns) < _TICK_NS
        return self.mtime_ns - 1 if young else self.mtime_ns


@dataclass(slots=True)
class Listing:
    """What lies in a folder: notes by their path, and what was passed over, with the reason."""

    files: dict[str, Seen] = field(default_factory=dict[str, Seen])
    passed: dict[str, str] = field(default_factory=dict[str, str])
    # Of those, the files and folders that a rule ignores.
    ignored: set[str] = field(default_factory=set[str])
    # Conflict copies of sync programs and ours, which are not notes.
    conflicts: list[str] = field(default_factory=list[str])
    # Whether the whole folder could be read; if not, nothing can be said to be missing.
    whole: bool = True

    def set_aside(self, path: str, reason: str = "", *, ignored: bool = False) -> None:
        """Do not take a file for a note: it is a conflict copy, or passed over for a reason."""
        self.files.pop(path, None)
        if not reason:
            self.conflicts.append(path)
            return
        self.passed[path] = reason
        if ignored:
            self.ignored.add(path)

    def is_ignored(self, path: str) -> bool:
        """Whether a rule ignores a file, or a folder that it is in."""
        parts = path.split("/")
        return any("/".join(parts[:count]) in self.ignored for count in range(1, len(parts) + 1))

    @property
    def every(self) -> set[str]:
        """The paths of everything that was found, also of what is not a note."""
        return {*self.files, *self.passed, *self.conflicts}


def listed(root: Path, *, sweep: bool = True) -> Listing:
    """What lies in a folder. Links are not followed, and names that begin with a dot are nobody's
    notes.

    With `sweep`, what a process of ours left when it was killed is removed on the way.
    """
    found = Listing()
    if root.is_dir():
        reader = _Reader(root, ignore_rules(root), found)
        reader.list("")
        for entry in reader.left if sweep else ():
            _sweep(entry)
    else:
        found.whole = False
    return found


def contents(root: Path, path: str, limit: int = FILE_BYTES_MAX + 1) -> bytes:
    """The first bytes of a file. What is no plain file, such as a pipe or a link, is refused and
    never waited for.
    """
    file = root / path
    with explained(file), open(os.open(file, READING), "rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise Invalid("It is not a regular file.", hint="Put a markdown file in its place.")
        return stream.read(limit)


def seen(root: Path, path: str) -> Seen | None:
    """A file as it is now, or None where there is none, or only behind a link."""
    if behind_link(root, path):
        return None
    try:
        found = (root / path).lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return Seen(found.st_mtime_ns, found.st_size)


def behind_link(root: Path, path: str) -> bool:
    """Whether a folder on the way to a file is a link, which may lead out of ours."""
    parents = path.split("/")[:-1]
    return any(
        (root / "/".join(parents[: depth + 1])).is_symlink() for depth in range(len(parents))
    )


def make_root(root: Path) -> None:
    """Make the folder of notes where there was none."""
    with explained(root), _usable():
        root.mkdir(mode=0o700, parents=True, exist_ok=True)


def stage(root: Path, data: bytes) -> Path:
    """The bytes on disk under a name that is nobody's note, to be given its own name later."""
    with explained(root), _usable():
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
def _usable() -> Generator[None]:
    """Say of a folder that cannot be written to whose matter that is; a full disk is told of as
    everywhere.
    """
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
    """Give staged bytes their name; False where somebody has it. Nothing is overwritten, and the
    root is not made.
    """
    target = root / path
    with explained(target):
        for parent in reversed(target.parents[: path.count("/")]):
            parent.mkdir(mode=0o700, exist_ok=True)
        try:
            # A link, unlike a rename, fails when the name is taken.
            os.link(part, target)
        except FileExistsError:
            return False
        except OSError:
            if os.path.lexists(target):
                return False
            os.rename(part, target)  # A file system without links.
        part.unlink(missing_ok=True)
        _flush(target.parent)
    return True


def replace(root: Path, path: str, data: bytes, before: Seen) -> None:
    """Other bytes for a file, unless somebody has changed it since it was looked at."""
    target = root / path
    with explained(target):
        mode = target.lstat().st_mode & 0o777
        part = stage(target.parent, data)
        try:
            part.chmod(mode)
            if seen(root, path) != before:
                raise Conflict(f"{target.name!r} was changed meanwhile.", hint="Try again.")
            os.replace(part, target)
        finally:
            part.unlink(missing_ok=True)
        _flush(target.parent)


@dataclass(slots=True)
class _Reader:
    """Reads what lies in a folder into a listing."""

    root: Path
    rules: IgnoreRules
    found: Listing
    # What processes of ours left behind when they were killed.
    left: "list[os.DirEntry[str]]" = field(default_factory=list["os.DirEntry[str]"])

    def list(self, under: str) -> None:
        """List a folder below the root, and all in it."""
        found = self.found
        try:
            entries = sorted(os.scandir(self.root / under), key=lambda entry: entry.name)
        except OSError:
            found.whole = False
            found.passed[under] = "The folder cannot be read."
            return
        for entry in entries:
            path = f"{under}/{entry.name}" if under else entry.name
            if entry.name in (MARK_NAME, IGNORE_NAME):
                continue
            if _plain(entry.name) and entry.is_file(follow_symlinks=False):
                self._file(entry, path, entries)
            elif entry.name.startswith(PART_PREFIX):
                self.left.append(entry)
            elif reason := _reason(entry, path.count("/")):
                found.passed[path.encode(errors="replace").decode()] = reason
            elif reason := self.rules.of_folder(path, entry.name):
                found.set_aside(path, reason, ignored=True)
            else:
                self.list(path)

    def _file(
        self, entry: "os.DirEntry[str]", path: str, entries: "list[os.DirEntry[str]]"
    ) -> None:
        if reason := self.rules.of_file(path, entry.name):
            self.found.set_aside(path, reason, ignored=True)
        elif filenames.is_conflict_copy(
            entry.name[:-3], lambda stem: any(one.name == f"{stem}.md" for one in entries)
        ):
            self.found.set_aside(path)
        else:
            with suppress(FileNotFoundError):  # Gone between the list and the look.
                status = entry.stat(follow_symlinks=False)
                self.found.files[path] = Seen(status.st_mtime_ns, status.st_size)


def _plain(name: str) -> bool:
    """Whether a file of this name is a note."""
    # Of the names that end so, only those that begin so can be temporary; most of a large folder's
    # do not.
    return (
        name[-3:].lower() == ".md"
        and not (name[0] in ".~" and filenames.temporary(name))
        and _is_text(name)
    )


def _is_text(name: str) -> bool:
    """Whether a name on disk is UTF-8; what is not comes with half characters in it."""
    return name.isprintable() or name == name.encode(errors="replace").decode()


def _reason(entry: "os.DirEntry[str]", depth: int) -> str:
    """Why something that is no note is passed over, or nothing where it is a folder of notes."""
    if entry.name.startswith("."):
        return "Its name begins with a dot."
    if not _is_text(entry.name):
        return "Its name is not UTF-8."
    if entry.is_symlink():
        return "It is a link; links are not followed."
    if entry.is_dir(follow_symlinks=False):
        return "It is nested too deeply." if depth >= _DEPTH_MAX else ""
    if filenames.temporary(entry.name):
        return "It is a temporary file."
    if not entry.is_file(follow_symlinks=False):
        return "It is not a file."
    return "It is not a markdown file."


def _sweep(entry: "os.DirEntry[str]") -> None:
    """Remove what a process of ours left behind when it was killed."""
    host, _, rest = entry.name.removeprefix(PART_PREFIX).partition("-")
    number = rest.partition("-")[0]
    with suppress(OSError):
        left = host == _HOST and number.isdecimal() and not _alive(int(number))
        if left or time.time() - entry.stat(follow_symlinks=False).st_mtime > _LEFT_S:
            os.unlink(entry.path)


def _alive(number: int) -> bool:
    if os.name != "posix":
        return True
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _flush(path: Path) -> None:
    if os.name == "posix":
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
