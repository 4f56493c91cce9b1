"""Reads the YAML of notes and exports: mappings, lists and strings.

Every scalar is a string or None: numbers and dates keep the letters they are written with. Aliases,
anchors and tags are refused, because an alias can make a small file a huge value.
"""

import re
from collections.abc import Iterator
from typing import Any

import yaml

from commonplace.errors import Invalid

_NESTING_MAX = 50
_NULLS = ("", "~", "null")
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# The parser of libyaml, which all wheels of PyYAML have on the platforms of this project.
_LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def read(text: str) -> Any:
    """The value of a YAML document. Raises Invalid."""
    text = _UNPRINTABLE.sub("\ufffd", text)
    try:
        reader = _Reader(text)
        first = next(reader.events)
        return None if isinstance(first, yaml.StreamEndEvent) else reader.document()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line if error.problem_mark else 0
        raise _invalid(line, error.problem or "it is not YAML") from error


class _Reader:
    """The events of a parsed text, as values."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.events: Iterator[Any] = iter(yaml.parse(text, Loader=_LOADER))
        next(self.events)

    def document(self) -> Any:
        value = self.value(next(self.events), 0)
        next(self.events)
        if not isinstance(after := next(self.events), yaml.StreamEndEvent):
            raise _invalid(after.start_mark.line, "a second document begins")
        return value

    def value(self, event: Any, depth: int) -> Any:
        """The value that begins with an event."""
        line = event.start_mark.line
        if depth > _NESTING_MAX:
            raise _invalid(line, "it is nested too deeply")
        if isinstance(event, yaml.AliasEvent) or event.anchor or event.tag:
            raise _invalid(line, "it has an alias, an anchor or a tag")
        if isinstance(event, yaml.MappingStartEvent):
            return self.mapping(depth)
        if isinstance(event, yaml.SequenceStartEvent):
            return self.sequence(event, depth)
        return None if not event.style and event.value in _NULLS else event.value

    def mapping(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not isinstance(key := next(self.events), yaml.MappingEndEvent):
            if not isinstance(key, yaml.ScalarEvent):
                raise _invalid(key.start_mark.line, "a key is not a string")
            found[key.value] = self.value(next(self.events), depth + 1)
        return found

    def sequence(self, start: Any, depth: int) -> Any:
        found: list[Any] = []
        event: Any
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            found.append(self.value(event, depth + 1))
        # Obsidian's links, [[Note]], are lists in a list to YAML.
        end: Any = event.end_mark
        source = self.text[start.start_mark.index : end.index]
        return (
            source
            if source.startswith("[[") and source.endswith("]]") and len(found) == 1
            else found
        )


def _invalid(line: int, problem: str) -> Invalid:
    return Invalid(f"Line {line + 1} cannot be read as YAML: {problem}.", hint="Correct that line.")
