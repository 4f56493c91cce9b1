"""Reads zip files of any program."""

import lzma
import stat
import struct
import time
import zipfile
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from commonplace.errors import Invalid
from commonplace.filesystem import check_regular_file
from commonplace.limits import IMPORT_FILES_MAX

# The errors of `zipfile` for damaged files. OSError: an offset outside of the file.
DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, OSError, UnicodeDecodeError, NotImplementedError),
)
_UTF8_NAME = 0x800
# Folders that programs add.
_SKIPPED_FOLDERS = ("__MACOSX", "node_modules")


@dataclass(frozen=True, slots=True)
class ZipMember:
    """A file in a zip, with its decoded name."""

    name: str
    info: zipfile.ZipInfo

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link."""
        return stat.S_ISLNK(self.info.external_attr >> 16)

    @property
    def changed_at(self) -> int | None:
        """When it was last changed, in local time, because zips have no zone; None if unknown."""
        try:
            return (
                round(time.mktime((*self.info.date_time, 0, 0, -1)) * 1000)
                if self.info.date_time[0] > 1980
                else None
            )
        except (ValueError, OverflowError):
            return None


def is_zip(path: Path) -> bool:
    """Whether a file is a zip, by its content."""
    return path.is_file() and zipfile.is_zipfile(path)


@contextmanager
def open_archive(path: Path) -> Generator[zipfile.ZipFile]:
    """Open a zip for reading."""
    check_regular_file(path)
    if not is_zip(path):
        raise Invalid(
            f"{path.name!r} is not a zip file.", hint="Give the file as it was downloaded."
        )
    try:
        with zipfile.ZipFile(path) as found:
            yield found
    except (*DAMAGED, zipfile.LargeZipFile, RuntimeError) as error:
        raise Invalid(
            "The zip is damaged or locked with a password.", hint="Download it again."
        ) from error


def list_members(found: zipfile.ZipFile) -> list[ZipMember]:
    """The files in a zip, sorted by name, without hidden ones."""
    named = (
        info for info in found.infolist()[:IMPORT_FILES_MAX] if info.filename and not info.is_dir()
    )
    files = (ZipMember(_member_name(info), info) for info in named)
    return sorted((one for one in files if not _is_hidden(one.name)), key=lambda one: one.name)


def _member_name(info: zipfile.ZipInfo) -> str:
    if info.flag_bits & _UTF8_NAME:
        return info.filename
    # Macs write UTF-8 without its flag, and Python decodes it as cp437.
    try:
        return info.filename.encode("cp437").decode()
    except UnicodeError:
        return info.filename


def _is_hidden(name: str) -> bool:
    return any(
        part.startswith(".") or part in _SKIPPED_FOLDERS for part in PurePosixPath(name).parts
    )
