"""Zips as people download or make them: which files are in one, whatever program packed it."""

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
from commonplace.filesystem import check_plain
from commonplace.limits import IMPORT_FILES_MAX

# What Python makes of a zip that is not as it should be; an OSError is a place that no file has.
DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, OSError, UnicodeDecodeError, NotImplementedError),
)
_UTF8_NAME = 0x800
# What programs leave beside the files that are meant.
_PASSED_OVER = ("__MACOSX", "node_modules")


@dataclass(frozen=True, slots=True)
class Packed:
    """A file in a zip, under the name its owner knows it by."""

    name: str
    info: zipfile.ZipInfo

    @property
    def is_link(self) -> bool:
        """Whether it only says where another file lies."""
        return stat.S_ISLNK(self.info.external_attr >> 16)

    @property
    def changed_at(self) -> int | None:
        """When it was last changed, by the clock of this place; zips name no zone, and some no
        time.
        """
        try:
            return (
                round(time.mktime((*self.info.date_time, 0, 0, -1)) * 1000)
                if self.info.date_time[0] > 1980
                else None
            )
        except (ValueError, OverflowError):
            return None


def is_zip(path: Path) -> bool:
    """Whether a file is a zip, whatever it is called."""
    return path.is_file() and zipfile.is_zipfile(path)


@contextmanager
def archive(path: Path) -> Generator[zipfile.ZipFile]:
    """A zip to read."""
    check_plain(path)
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


def packed(found: zipfile.ZipFile) -> list[Packed]:
    """The files in a zip in the order of their names, without hidden ones."""
    named = (
        info for info in found.infolist()[:IMPORT_FILES_MAX] if info.filename and not info.is_dir()
    )
    files = (Packed(_name(info), info) for info in named)
    return sorted((one for one in files if not _is_hidden(one.name)), key=lambda one: one.name)


def _name(info: zipfile.ZipInfo) -> str:
    if info.flag_bits & _UTF8_NAME:
        return info.filename
    # Macs write UTF-8 without saying so, and then it is read as letters of an old PC.
    try:
        return info.filename.encode("cp437").decode()
    except UnicodeError:
        return info.filename


def _is_hidden(name: str) -> bool:
    return any(part.startswith(".") or part in _PASSED_OVER for part in PurePosixPath(name).parts)
