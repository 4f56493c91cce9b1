"""Edits one table of a TOML text and preserves all other lines. It knows nothing of clients and
files.
"""

import json
import re
import tomllib
from collections.abc import Iterable
from typing import Any, cast

from commonplace.errors import Invalid
from commonplace.faces.connect.json_text import lookup

_HEADER = re.compile(r"\ufeff?[ \t]*\[{1,2}[^\[\]]+\]{1,2}[ \t]*(#.*)?\r?$")
_HINT = "Correct the file in an editor, or move it away, and try again; nothing was changed."


def parse(text: str) -> dict[str, Any]:
    """Parse a whole text."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise Invalid(f"The file is not TOML: {error}.", hint=_HINT) from error


def value_at(text: str, keys: tuple[str, ...]) -> Any:
    """The value at a path of keys, or None."""
    return lookup(parse(text), keys)


def with_value(
    text: str, keys: tuple[str, ...], value: dict[str, Any], fields: Iterable[str]
) -> str:
    """The text with a table set at a path of keys. A present table keeps its position, its
    subtables and every line except those of `fields`.
    """
    carriage = "\r" if "\r\n" in text else ""
    ours = [f"{name} = {_format_value(one)}{carriage}" for name, one in value.items()]
    lines = _lines(text)
    start = _find_header(lines, keys, exact=True)
    if start is None:
        # One empty line, which is removed again with the table.
        gap = [carriage] if text.strip() else []
        return _join_lines([*lines, *gap, f"[{_dotted_name(keys)}]{carriage}", *ours])
    end = _table_end(lines, start)
    kept = _without_fields(lines[start + 1 : end], set(fields) | set(value))
    return _join_lines([*lines[: start + 1], *ours, *kept, *lines[end:]])


def without(text: str, keys: tuple[str, ...]) -> str:
    """The text without a table and the tables below it."""
    lines = _lines(text)
    while (start := _find_header(lines, keys, exact=False)) is not None:
        end = _table_end(lines, start)
        last = end == len(lines)
        del lines[start:end]
        if start and not lines[start - 1].strip() and (last or not lines[start].strip()):
            del lines[start - 1]
    return _join_lines(lines)


def _lines(text: str) -> list[str]:
    # Not splitlines, which also splits at characters that are valid in a TOML text.
    return text.removesuffix("\n").split("\n") if text else []


def _join_lines(lines: list[str]) -> str:
    return "\n".join(lines) + "\n" if lines else ""


def _find_header(lines: list[str], keys: tuple[str, ...], *, exact: bool) -> int | None:
    """The index of a table's header or, unless `exact`, of the first table below it."""
    for place, line in enumerate(lines):
        if not _HEADER.match(line):
            continue
        try:
            value = lookup(tomllib.loads(line.strip("\ufeff\r")), keys)
        except tomllib.TOMLDecodeError:
            continue
        if value == {} or (value and not exact):
            return place
    return None


def _table_end(lines: list[str], start: int) -> int:
    """The line after the last one of a table; comments right above the next table are the next
    table's.
    """
    end = next(
        (place for place in range(start + 1, len(lines)) if _HEADER.match(lines[place])), len(lines)
    )
    while end > start + 1 and (
        not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")
    ):
        end -= 1
    return end


def _without_fields(lines: list[str], fields: set[str]) -> list[str]:
    kept: list[str] = []
    place = 0
    while place < len(lines):
        found = re.match(r"\s*\"?([\w-]+)\"?\s*=", lines[place])
        if found is None or found[1] not in fields:
            kept.append(lines[place])
            place += 1
        else:
            place += _value_length(lines[place:])
    return kept


def _value_length(lines: list[str]) -> int:
    """The number of lines of the value that begins on the first one."""
    for count in range(1, len(lines) + 1):
        try:
            tomllib.loads("\n".join(line.rstrip("\r") for line in lines[:count]))
        except tomllib.TOMLDecodeError:
            continue
        return count
    return 1


def _dotted_name(keys: tuple[str, ...]) -> str:
    return ".".join(
        key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key) for key in keys
    )


def _format_value(value: Any) -> str:
    if isinstance(value, dict):
        members = cast("dict[str, object]", value).items()
        pairs = [f"{_dotted_name((name,))} = {_format_value(one)}" for name, one in members]
        return f"{{ {', '.join(pairs)} }}"
    # Strings, lists of strings and booleans have the same form in TOML and JSON, except for the
    # character DEL.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
