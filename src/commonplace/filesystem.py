"""Creates files atomically, and turns errors of the operating system into our own.

Messages contain only the last part of a path, so that a face never prints the location of files.
"""

import errno
import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from commonplace.errors import Busy, Conflict, Forbidden, Invalid, NotFound

PART_PREFIX, PART_SUFFIX = ".commonplace-", ".part"
NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NO_PERMISSION = (errno.EACCES, errno.EPERM, errno.EROFS)
_BAD_NAME = (errno.EISDIR, errno.ENOTDIR, errno.ENAMETOOLONG, errno.EINVAL, errno.ELOOP)


@contextmanager
def translate_os_errors(path: Path) -> Generator[None]:
    """Turn an OSError about a file into one of our errors, with the cause attached."""
    try:
        yield
    except OSError as error:
        name, why = (
            path.name or "that path",
            error.strerror or "the operating system reports an error",
        )
        if error.errno in NO_SPACE:
            raise Busy(
                "The disk is full; nothing was changed.", hint="Free some space and try again."
            ) from error
        if error.errno in _NO_PERMISSION:
            raise Forbidden(
                f"{name!r} cannot be used: {why}.",
                hint="Choose a file and folder that you can read and write.",
            ) from error
        if error.errno == errno.ENOENT:
            raise NotFound(
                f"There is no file or folder {name!r}.", hint="Check the spelling of the path."
            ) from error
        if error.errno in _BAD_NAME:
            raise Invalid(
                f"{name!r} cannot be used: {why}.", hint="Give the path of a regular file."
            ) from error
        raise Busy(
            f"{name!r} cannot be used now: {why}.", hint="Check the disk and try again."
        ) from error


@contextmanager
def new_file(target: Path) -> Generator[Path]:
    """A private file to be written. It gets the name of the target only after success, and never
    replaces a file.
    """
    with translate_os_errors(target):
        _check_free(target)
        # Readable by the owner only (0600), and in the same folder, so that the last step is a
        # rename.
        handle, name = tempfile.mkstemp(prefix=PART_PREFIX, suffix=PART_SUFFIX, dir=target.parent)
        os.close(handle)
        part = Path(name)
        try:
            yield part
            _publish(part, target)
        finally:
            for ending in ("", "-journal", "-wal", "-shm"):
                part.with_name(part.name + ending).unlink(missing_ok=True)


def check_regular_file(source: Path) -> None:
    """Raise unless the path is a readable regular file."""
    check_name(source)
    with translate_os_errors(source):
        if source.exists() and not source.is_file():
            raise Invalid(
                f"{source.name!r} is not a file.",
                hint="Give the path of a file, not of a folder or device.",
            )
        source.open("rb").close()


def check_name(path: Path) -> None:
    """Raise for a path that no operating system allows."""
    if "\0" in str(path):
        raise Invalid("The path contains a NUL character.", hint="Remove it.")


def _check_free(target: Path) -> None:
    check_name(target)
    if target.is_dir():
        raise Invalid(f"{target.name!r} is a folder.", hint="Give the path of a new file in it.")
    if os.path.lexists(target):
        raise _already_exists(target)
    if not target.parent.is_dir():
        raise NotFound(
            f"There is no folder {target.parent.name!r}.", hint="Create the folder first."
        )


def _publish(part: Path, target: Path) -> None:
    _flush(part)
    try:
        # A link, unlike a rename, fails when the name was taken in the meantime.
        os.link(part, target)
    except FileExistsError as error:
        raise _already_exists(target) from error
    except OSError:
        # Some file systems have no links; there the check and the rename are two steps.
        _check_free(target)
        part.rename(target)
    if os.name == "posix":
        _flush(target.parent)


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _already_exists(target: Path) -> Conflict:
    return Conflict(
        f"There is already a file {target.name!r}.",
        hint="Choose another name; nothing is overwritten.",
    )
