"""The YAML that notes and exports are written in: mappings, lists and texts. Anything cleverer is refused.

Every value comes out as a text, a list or an object; a number or a date keeps the letters it was written with.
"""

import re
from typing import Any

from commonplace.errors import Invalid
from commonplace.vault import yaml_text

_KEY = re.compile(
    r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#\-\[\]{}"'&*!|>%@`,:][^:#]*?|-[^\s:#][^:#]*?)(?<!\s)\s*+:(?:\s+|$)"""
)
_BLOCK = re.compile(r"([|>])([+-]?)([1-9]?)([+-]?)\s*(?:#.*)?")
# An item of a list in brackets: in quotes, a link in brackets of its own, or plain.
_ITEM = re.compile(
    r"""(?:^|(?<=,))\s*+(?:("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|\[\[[^\]]*\]\])\s*+(?:,|$)|([^,]++)(?:,|$))"""
)
_NESTING_MAX = 50


def read(text: str) -> Any:
    """The value a text spells. Raises Invalid."""
    reader = _Reader([line.rstrip("\r") for line in text.split("\n")])
    value = reader.value(0, 0)
    reader.skip_blank()
    if reader.at < len(reader.lines):
        raise _wrong(reader.at)
    return value


class _Reader:
    """Lines, and which one is next."""

    def __init__(self, lines: list[str]) -> None:
        self.lines, self.at = lines, 0

    def skip_blank(self) -> None:
        while self.at < len(self.lines) and re.match(r"\s*(#|$)|(---|\.\.\.)\s*$", self.lines[self.at]):
            self.at += 1

    def indent(self) -> int:
        """How far the next line that says something is set in; -1 at the end."""
        self.skip_blank()
        if self.at >= len(self.lines):
            return -1
        line = self.lines[self.at]
        return len(line) - len(line.lstrip(" "))

    def value(self, least: int, depth: int) -> Any:
        """The value on the lines from here that are set in at least so far."""
        if depth > _NESTING_MAX:
            raise Invalid("It is nested too deeply.", hint="Simplify it.")
        indent = self.indent()
        if indent < least:
            return None
        line = self.lines[self.at][indent:]
        if line == "-" or line.startswith("- "):
            return self.sequence(indent, depth)
        if _KEY.match(line):
            return self.mapping(indent, depth)
        self.at += 1
        return self.scalar(line, indent - 1, depth)

    def sequence(self, indent: int, depth: int) -> list[Any]:
        found: list[Any] = []
        while self.indent() == indent and re.match(r"-( |$)", self.lines[self.at][indent:]):
            inside = self.lines[self.at][indent + 1 :]
            if not inside.strip() or inside.lstrip().startswith("#"):
                self.at += 1
                found.append(self.value(indent + 1, depth + 1))
            elif _KEY.match(inside.lstrip()) or re.match(r"- ", inside.lstrip()):
                # The dash stands in the place of two spaces, and what follows begins a mapping there.
                self.lines[self.at] = " " * (indent + 1) + inside
                found.append(self.value(indent + 1, depth + 1))
            else:
                self.at += 1
                found.append(self.scalar(inside.strip(), indent, depth))
        return found

    def mapping(self, indent: int, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while self.indent() == indent and (key := _KEY.match(self.lines[self.at][indent:])):
            rest = self.lines[self.at][indent + key.end() :].strip()
            self.at += 1
            name = yaml_text.scalar([key[1]]) or ""
            if rest and not rest.startswith("#"):
                found[name] = self.scalar(rest, indent, depth)
            elif self.indent() == indent and re.match(r"-( |$)", self.lines[self.at][indent:]):
                found[name] = self.sequence(indent, depth + 1)
            else:
                found[name] = self.value(indent + 1, depth + 1)
        if self.indent() > indent:
            raise _wrong(self.at)
        return found

    def scalar(self, first: str, indent: int, depth: int) -> Any:
        """A text, or a list in brackets, that begins like this and may go on below, further in than its key."""
        if block := _BLOCK.fullmatch(first):
            return self.block(block[1], block[2] or block[4], indent, int(block[3] or 0))
        if first[0] in "&*!%@`{?":
            if first.replace(" ", "") == "{}":
                return {}
            raise _wrong(self.at - 1)
        quote = first[0] if first[0] in "\"'[" else ""
        pieces = [first]
        while not _closed(pieces, quote) and self.at < len(self.lines):
            line = self.lines[self.at]
            if line.strip() and len(line) - len(line.lstrip(" ")) <= indent:
                break
            if not quote and line.lstrip().startswith("#"):
                break
            if not quote and _KEY.match(line.lstrip()):
                raise _wrong(self.at)
            pieces.append(line.strip())
            self.at += 1
        while pieces and not pieces[-1]:
            pieces.pop()
        if quote == "[":
            return _inline(" ".join(pieces))
        return yaml_text.scalar([_folded(pieces, slashes=quote == '"')])

    def block(self, style: str, chomp: str, indent: int, given: int) -> str:
        rows: list[str] = []
        inner = indent + given if given else 0
        while self.at < len(self.lines):
            line = self.lines[self.at]
            here = len(line) - len(line.lstrip(" "))
            if line.strip():
                inner = inner or here
                if here <= indent or here < inner:
                    break
            rows.append(line[inner:] if line.strip() else "")
            self.at += 1
        ended = len(rows)
        while ended and not rows[ended - 1]:
            ended -= 1
        text = "\n".join(rows[:ended]) if style == "|" else _folded_block(rows[:ended])
        if chomp == "-" or not text:
            return text
        return text + ("\n" * (len(rows) - ended + 1) if chomp == "+" else "\n")


def _closed(pieces: list[str], quote: str) -> bool:
    whole = "\n".join(pieces)
    match quote:
        case '"':
            return re.fullmatch(r'"(?:[^"\\]|\\.)*"\s*(#.*)?', whole, re.DOTALL) is not None
        case "'":
            return re.fullmatch(r"'(?:[^']|'')*'\s*(#.*)?", whole, re.DOTALL) is not None
        case "[":
            return whole.rstrip().endswith("]")
        case _:
            return False


def _folded(pieces: list[str], *, slashes: bool) -> str:
    """Lines of one text: a single break is a space, each further one a break."""
    out, breaks = pieces[0], 0
    for piece in pieces[1:]:
        if not piece:
            breaks += 1
            continue
        if slashes and not breaks and re.search(r"(?<!\\)(?:\\\\)*\\$", out):
            out = out[:-1] + piece.removeprefix("\\")
        else:
            out += ("\n" * breaks or " ") + piece
        breaks = 0
    return out


def _folded_block(rows: list[str]) -> str:
    out, breaks, before = "", 0, ""
    for place, row in enumerate(rows):
        if not row:
            breaks += 1
            continue
        # Lines that are set in further are kept as they are, with the breaks around them.
        kept = row[0] == " " or before[:1] == " "
        if place and out:
            out += "\n" * (breaks + 1) if kept else "\n" * breaks or " "
        else:
            out += "\n" * breaks
        out, breaks, before = out + row, 0, row
    return out


def _inline(text: str) -> list[Any]:
    inside = re.fullmatch(r"\[(.*)\]\s*(?:#.*)?", text, re.DOTALL)
    if inside is None or re.search(
        r"[\[\]{}]", re.sub(r"""(?<!\\)"(?:[^"\\]|\\.)*"|'[^']*'|\[\[[^\]]*\]\]""", "", inside[1])
    ):
        raise Invalid("A list in brackets cannot be read.", hint="Put each item on a line of its own.")
    items = [one[1] or one[2].strip() for one in _ITEM.finditer(inside[1])]
    # A link in brackets of its own is how notes name each other.
    found = (item if item.startswith("[[") else yaml_text.scalar([item]) for item in items)
    return [value for value in found if value is not None]


def _wrong(at: int) -> Invalid:
    return Invalid(f"Line {at + 1} is not plain YAML.", hint="Write it as lines of the form `name: value`.")
