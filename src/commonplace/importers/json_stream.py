"""JSON that may be larger than memory: lists element by element, lines one by one, in files and in
zips.

A broken element is handed out as such and the next one is read. Bytes that are not UTF-8 become
half characters, which no memory may have, so only the element that has them is refused.
"""

import io
import json
import re
import zipfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from commonplace.errors import Invalid, TooLarge
from commonplace.filesystem import check_plain, explained
from commonplace.importers.base import Progress, Skipped, broken
from commonplace.limits import IMPORT_ITEM_CHARS_MAX, IMPORT_JSON_BYTES_MAX

_CHUNK = 1 << 20
# Where a string begins or something nests, and what a string has before it ends.
_TOKEN = re.compile(r'["\[\]{}]')
_INSIDE = re.compile(r'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)
_BOM = b"\xef\xbb\xbf"
_NOT_JSON = "it is not JSON"
_TOO_LONG = f"it is longer than {IMPORT_ITEM_CHARS_MAX:,} characters"


@dataclass(frozen=True, slots=True)
class Element:
    """One element of a list, or one line."""

    where: str
    value: Any


@contextmanager
def opened(path: Path, progress: Progress = lambda done, total: None) -> Generator[IO[bytes]]:
    """A file to read, which tells how many percent of it were read."""
    check_plain(path)
    with explained(path):
        raw, size = path.open("rb", buffering=0), path.stat().st_size
    with io.BufferedReader(_Measured(raw, size, progress), _CHUNK) as file:
        yield file


@contextmanager
def member(
    found: zipfile.ZipFile, name: str, progress: Progress = lambda done, total: None
) -> Generator[IO[bytes]]:
    """A file in a zip to read, which tells how many percent of it were read."""
    with io.BufferedReader(
        _Measured(found.open(name), found.getinfo(name).file_size, progress), _CHUNK
    ) as file:
        yield file


class _Measured(io.RawIOBase):
    """A file that tells how much of it was read."""

    def __init__(self, file: IO[bytes], size: int, progress: Progress) -> None:
        self._file, self._size, self._progress = file, size, progress

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def readinto(self, buffer: Any, /) -> int:
        data = self._file.read(len(buffer)) or b""
        buffer[: len(data)] = data
        self._progress(min(100, self._file.tell() * 100 // max(1, self._size)), 100)
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()


def values(file: IO[bytes]) -> Iterator[Element | Skipped]:
    """What is in a file, whichever way it is written: a list, a value on each line, or one
    value.
    """
    head = _head(file)
    file.seek(0)
    if head.startswith(b"["):
        return elements(file)
    # The first line may be the broken one, so any of the first few will do.
    if any(
        line.startswith(b"{") and isinstance(_parsed("", _decoded(line)), Element)
        for line in head.split(b"\n")[:3]
    ):
        return lines(file)
    return iter([Element("the file", whole(file))])


def _head(file: IO[bytes]) -> bytes:
    """A file's beginning: its first line at least, or as much of it as one element may have."""
    found = b""
    while len(found) < IMPORT_ITEM_CHARS_MAX and (chunk := file.read(_CHUNK)):
        found = (found + chunk).removeprefix(_BOM).lstrip()
        if b"\n" in found:
            break
    return found


def elements(file: IO[bytes]) -> Iterator[Element | Skipped]:
    """The objects and lists in the list that a file is."""
    for number, piece in enumerate(_pieces(file), start=1):
        where = f"item {number}"
        yield broken(where, piece[0]) if isinstance(piece, tuple) else _parsed(where, piece)


def lines(file: IO[bytes]) -> Iterator[Element | Skipped]:
    """The values of a file that has one on each line."""
    number, long = 0, False
    while line := file.readline(IMPORT_ITEM_CHARS_MAX):
        if long or (not line.endswith(b"\n") and len(line) == IMPORT_ITEM_CHARS_MAX):
            if not long:
                number += 1
                yield broken(f"line {number}", _TOO_LONG)
            long = not line.endswith(b"\n")
            continue
        number += 1
        text = _decoded(line.removeprefix(_BOM) if number == 1 else line)
        if text.strip():
            yield _parsed(f"line {number}", text)


def whole(file: IO[bytes]) -> Any:
    """The one value that a file is."""
    data = file.read(IMPORT_JSON_BYTES_MAX + 1)
    if len(data) > IMPORT_JSON_BYTES_MAX:
        raise TooLarge(
            f"The JSON is larger than {IMPORT_JSON_BYTES_MAX:,} bytes.", hint="Export it in parts."
        )
    try:
        return json.loads(_decoded(data.removeprefix(_BOM)))
    except (ValueError, RecursionError) as error:
        raise Invalid(
            "The file is not JSON.", hint="It was cut off or edited; export it again."
        ) from error


def _parsed(where: str, text: str) -> Element | Skipped:
    try:
        return Element(where, json.loads(text))
    except (ValueError, RecursionError):
        return broken(where, _NOT_JSON)


def _decoded(data: bytes) -> str:
    return data.decode(errors="surrogateescape")


def _pieces(file: IO[bytes]) -> Iterator[str | tuple[str]]:
    """The texts of the elements, or why one has none."""
    buffer, at, depth, start, quoted, long = "", 0, 0, -1, False, False
    for chunk in _chunks(file):
        buffer += chunk
        while at < len(buffer):
            if quoted:
                # A string may go on for many chunks; what was looked at is not looked at again.
                inside = _INSIDE.match(buffer, at)
                at = inside.end() if inside else at
                if buffer[at : at + 1] != '"':
                    break
                quoted, at = False, at + 1
            token = _TOKEN.search(buffer, at)
            if token is None:
                at = len(buffer)
                break
            at = token.end()
            if token[0] == '"':
                quoted = True
            elif token[0] in "[{":
                depth += 1
                start = token.start() if depth == 2 else start
            else:
                depth -= 1
                if depth == 1:
                    yield (_TOO_LONG,) if long else buffer[start:at]
                    start, long = -1, False
                elif depth <= 0:
                    return
        if start >= 0 and len(buffer) - start > IMPORT_ITEM_CHARS_MAX:
            start, long = at, True
        keep = min(start, at) if start >= 0 else at
        buffer, at, start = buffer[keep:], at - keep, start - keep if start >= 0 else -1
    if depth > 0:
        yield ("the file ends in the middle of it",)


def _chunks(file: IO[bytes]) -> Iterator[str]:
    """A file's text in pieces. A character may lie across two of them in the file."""
    rest = b""
    while data := file.read(_CHUNK):
        data = rest + data
        cut = _boundary(data)
        rest = data[cut:]
        if cut:
            yield _decoded(data[:cut])
    if rest:
        yield _decoded(rest)


def _boundary(data: bytes) -> int:
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte < 0x80:
            break
        if byte >= 0xC0:
            return len(data) - back
    return len(data)
