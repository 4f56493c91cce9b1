"""Streams JSON files larger than memory: lists by element, JSON lines by line, also from zips.

A broken element is reported and reading goes on. Bytes that are not UTF-8 become surrogates, which
no memory may contain, so only their own element is rejected.
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
from commonplace.filesystem import check_regular_file, translate_os_errors
from commonplace.importers.base import Progress, Skipped, broken_item
from commonplace.limits import IMPORT_ITEM_CHARS_MAX, IMPORT_JSON_BYTES_MAX

_CHUNK = 1 << 20
# The start of a string or a nesting level; and the inside of a string.
_TOKEN = re.compile(r'["\[\]{}]')
_INSIDE = re.compile(r'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)
_BOM = b"\xef\xbb\xbf"
_NOT_JSON = "it is not JSON"
_TOO_LONG = f"it is longer than {IMPORT_ITEM_CHARS_MAX:,} characters"


@dataclass(frozen=True, slots=True)
class Element:
    """One element of a list, or the value of one line."""

    location: str
    value: Any


@contextmanager
def open_file(path: Path, progress: Progress = lambda done, total: None) -> Generator[IO[bytes]]:
    """Open a file that reports its progress in percent."""
    check_regular_file(path)
    with translate_os_errors(path):
        raw, size = path.open("rb", buffering=0), path.stat().st_size
    with io.BufferedReader(_ProgressReader(raw, size, progress), _CHUNK) as file:
        yield file


@contextmanager
def open_member(
    found: zipfile.ZipFile, name: str, progress: Progress = lambda done, total: None
) -> Generator[IO[bytes]]:
    """Open a member of a zip that reports its progress in percent."""
    with io.BufferedReader(
        _ProgressReader(found.open(name), found.getinfo(name).file_size, progress), _CHUNK
    ) as file:
        yield file


class _ProgressReader(io.RawIOBase):
    """A raw file that reports how much of it was read."""

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


def read_values(file: IO[bytes]) -> Iterator[Element | Skipped]:
    """The elements of a file that is a list, JSON lines or one value."""
    head = _read_head(file)
    file.seek(0)
    if head.startswith(b"["):
        return read_elements(file)
    # Any of the first lines decides, because one may be broken.
    if any(
        line.startswith(b"{") and isinstance(_parse_element("", _decode(line)), Element)
        for line in head.split(b"\n")[:3]
    ):
        return read_lines(file)
    return iter([Element("the file", read_whole(file))])


def _read_head(file: IO[bytes]) -> bytes:
    """The first line of a file at least, up to the maximal length of an element."""
    found = b""
    while len(found) < IMPORT_ITEM_CHARS_MAX and (chunk := file.read(_CHUNK)):
        found = (found + chunk).removeprefix(_BOM).lstrip()
        if b"\n" in found:
            break
    return found


def read_elements(file: IO[bytes]) -> Iterator[Element | Skipped]:
    """The objects and lists in a file that is a list."""
    for number, piece in enumerate(_element_texts(file), start=1):
        location = f"item {number}"
        yield (
            broken_item(location, piece[0])
            if isinstance(piece, tuple)
            else _parse_element(location, piece)
        )


def read_lines(file: IO[bytes]) -> Iterator[Element | Skipped]:
    """The values of a file in JSON lines."""
    number, long = 0, False
    while line := file.readline(IMPORT_ITEM_CHARS_MAX):
        if long or (not line.endswith(b"\n") and len(line) == IMPORT_ITEM_CHARS_MAX):
            if not long:
                number += 1
                yield broken_item(f"line {number}", _TOO_LONG)
            long = not line.endswith(b"\n")
            continue
        number += 1
        text = _decode(line.removeprefix(_BOM) if number == 1 else line)
        if text.strip():
            yield _parse_element(f"line {number}", text)


def read_whole(file: IO[bytes]) -> Any:
    """The value of a file that is one JSON document."""
    data = file.read(IMPORT_JSON_BYTES_MAX + 1)
    if len(data) > IMPORT_JSON_BYTES_MAX:
        raise TooLarge(
            f"The JSON is larger than {IMPORT_JSON_BYTES_MAX:,} bytes.", hint="Export it in parts."
        )
    try:
        return json.loads(_decode(data.removeprefix(_BOM)))
    except (ValueError, RecursionError) as error:
        raise Invalid(
            "The file is not JSON.", hint="It was cut off or edited; export it again."
        ) from error


def _parse_element(location: str, text: str) -> Element | Skipped:
    try:
        return Element(location, json.loads(text))
    except (ValueError, RecursionError):
        return broken_item(location, _NOT_JSON)


def _decode(data: bytes) -> str:
    return data.decode(errors="surrogateescape")


def _element_texts(file: IO[bytes]) -> Iterator[str | tuple[str]]:
    """The texts of the elements; for a broken one a tuple with the reason."""
    buffer, at, depth, start, quoted, long = "", 0, 0, -1, False, False
    for chunk in _text_chunks(file):
        buffer += chunk
        while at < len(buffer):
            if quoted:
                # A string may span many chunks; no part is scanned twice.
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


def _text_chunks(file: IO[bytes]) -> Iterator[str]:
    """The text of a file in chunks; a character may cross their boundary in the file."""
    rest = b""
    while data := file.read(_CHUNK):
        data = rest + data
        cut = _boundary(data)
        rest = data[cut:]
        if cut:
            yield _decode(data[:cut])
    if rest:
        yield _decode(rest)


def _boundary(data: bytes) -> int:
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte < 0x80:
            break
        if byte >= 0xC0:
            return len(data) - back
    return len(data)
