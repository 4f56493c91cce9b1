"""The log of hooks: one JSON line for each, with counts and ids and without any text of a
memory.
"""

import json
import os
import tempfile
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from commonplace import filesystem

FILE = "hooks.log"
_FILES = (f"{FILE}.1", FILE)
_BYTES_MAX = 1_000_000
_MESSAGE_CHARS_MAX = 300
_NAME_CHARS_MAX = 100  # Callers name events and clients.

Outcome: TypeAlias = Literal["shown", "kept", "nothing", "paused", "left alone", "failed"]


@dataclass(frozen=True, slots=True)
class LogLine:
    """What one hook did. `message` is the reason of a failure or of being left alone."""

    at: str
    event: str
    client: str
    outcome: Outcome
    project: str = ""
    tokens: int = 0
    shown: tuple[int, ...] = ()
    kept: tuple[int, ...] = ()
    skipped: int = 0
    ms: int = 0
    message: str = ""
    # Empty in lines that are older than this field.
    bank: str = ""


def append(store: Path, line: LogLine) -> bool:
    """Append a line; whether that was possible. Lines of several processes never mix."""
    data = _encoded(line)
    file = store / FILE
    try:
        _rotate(file)
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(handle, data)
        finally:
            os.close(handle)
    except OSError:
        return False
    return True


def read(store: Path, limit: int) -> list[LogLine]:
    """The last lines, newest first."""
    last: deque[LogLine] = deque(maxlen=limit)
    for name in _FILES:
        with suppress(OSError):
            last.extend(_lines(store / name))
    return list(reversed(last))


def erase(store: Path, bank: str, project: str | None = None) -> None:
    """Remove the lines of a bank, or of a project in it. One without a bank may be of any."""
    for file in (store / name for name in _FILES):
        with filesystem.translate_os_errors(file):
            if file.is_file():
                kept = [
                    line
                    for line in _lines(file)
                    if line.bank not in ("", bank) or project not in (None, line.project)
                ]
                _replace(file, b"".join(_encoded(line) for line in kept))


def _replace(file: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{FILE}-", dir=file.parent)
    try:
        with os.fdopen(handle, "wb") as part:
            part.write(data)
        # What another process appends meanwhile may be lost, which a log can bear.
        os.replace(name, file)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)


def _encoded(line: LogLine) -> bytes:
    values = {name: value for name, value in asdict(line).items() if value not in ("", 0, ())}
    values["message"] = line.message[:_MESSAGE_CHARS_MAX]
    values["event"], values["client"] = line.event[:_NAME_CHARS_MAX], line.client[:_NAME_CHARS_MAX]
    return json.dumps(values, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _rotate(file: Path) -> None:
    with suppress(FileNotFoundError):
        if file.stat().st_size > _BYTES_MAX:
            os.replace(file, file.with_name(f"{FILE}.1"))


def _lines(file: Path) -> Iterator[LogLine]:
    for line in file.read_bytes().splitlines():
        # A line that was cut by a full disk is passed over.
        with suppress(ValueError, TypeError):
            values: Any = json.loads(line)
            found = cast("dict[str, Any]", values)
            for name in ("shown", "kept"):
                found[name] = tuple(found.get(name, ()))
            yield LogLine(**found)
