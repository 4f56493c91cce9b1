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
    scanner = _ListScanner()
    for chunk in _text_chunks(file):
        yield from scanner.scan(chunk)
        if scanner.is_finished:
            return
        scanner.drop_scanned()
    if scanner.depth > 0:
        yield ("the file ends in the middle of it",)


class _ListScanner:
    """Finds the elements of a list whose text arrives in chunks. No part is scanned twice."""

    def __init__(self) -> None:
        self.depth = 0
        self.is_finished = False
        self._buffer = ""
        self._at: int = 0
        # Where the current element starts; -1 between two elements.
        self._start = -1
        self._in_string = False
        self._is_too_long = False

    def scan(self, chunk: str) -> Iterator[str | tuple[str]]:
        """The elements that end in this chunk."""
        self._buffer += chunk
        while not self.is_finished and (token := self._next_token()) is not None:
            if token[0] == '"':
                self._in_string = True
            elif token[0] in "[{":
                self.depth += 1
                if self.depth == 2:
                    self._start = token.start()
            else:
                self.depth -= 1
                self.is_finished = self.depth <= 0
                if self.depth == 1:
                    yield self._take_element()

    def drop_scanned(self) -> None:
        """Keep only the current element in memory, and nothing of one that is too long."""
        if self._start >= 0 and len(self._buffer) - self._start > IMPORT_ITEM_CHARS_MAX:
            self._start, self._is_too_long = self._at, True
        keep = min(self._start, self._at) if self._start >= 0 else self._at
        self._buffer, self._at = self._buffer[keep:], self._at - keep
        if self._start >= 0:
            self._start -= keep

    def _next_token(self) -> re.Match[str] | None:
        """The next quote or bracket outside strings; None if the rest is not there yet."""
        if self._in_string and not self._skip_string():
            return None
        token = _TOKEN.search(self._buffer, self._at)
        self._at = token.end() if token else len(self._buffer)
        return token

    def _skip_string(self) -> bool:
        """Move behind the closing quote; False if it is not there yet."""
        inside = _INSIDE.match(self._buffer, self._at)
        self._at = inside.end() if inside else self._at
        if self._buffer[self._at : self._at + 1] != '"':
            return False
        self._in_string, self._at = False, self._at + 1
        return True

    def _take_element(self) -> str | tuple[str]:
        text = self._buffer[self._start : self._at]
        taken = (_TOO_LONG,) if self._is_too_long else text
        self._start, self._is_too_long = -1, False
        return taken


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
