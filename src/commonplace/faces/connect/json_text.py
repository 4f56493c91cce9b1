"""Edits one member of a JSON text and preserves all other characters, comments and trailing commas
included.

The parser records positions along with values. It knows nothing of clients and files.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from commonplace.errors import Invalid

_TOKEN = re.compile(
    r"[ \t\r\n\ufeff]+|//[^\r\n]*|/\*.*?\*/|(?P<mark>[{}\[\]:,])"
    r'|(?P<text>"(?:[^"\\\x00-\x1f]|\\.)*")'
    r"|(?P<word>true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.]))",
    re.DOTALL,
)
_DEPTH_MAX = 100


def _reject_constant(word: str) -> Any:
    raise ValueError(f"{word} is not valid JSON")


_DECODER = json.JSONDecoder(parse_constant=_reject_constant)
_HINT = "Correct the file in an editor, or move it away, and try again; nothing was changed."


@dataclass(slots=True)
class Node:
    """A value with its position: text[start:end]. An object has its members in the order of the
    text.
    """

    value: Any
    start: int
    end: int = 0
    members: list["Member"] = field(default_factory=list["Member"])


@dataclass(slots=True)
class Member:
    """A name and its value. `comma` is the position of the comma after it, or None."""

    name: str
    start: int
    node: Node
    comma: int | None = None


def parse(text: str, keys: tuple[str, ...] = ()) -> Node:
    """Parse a whole text. Comments and trailing commas are allowed; an empty text is an empty
    object.

    Members have positions only along the path `keys`.
    """
    reader = _Reader(text, keys)
    if reader.kind == "end":
        return Node({}, len(text), len(text))
    root = reader.value(0, on_path=True)
    if reader.kind != "end":
        raise reader.error("the end of the file")
    return root


def value_at(text: str, keys: tuple[str, ...]) -> Any:
    """The value at a path of keys, or None."""
    return lookup(parse(text, keys).value, keys)


def lookup(value: Any, keys: tuple[str, ...]) -> Any:
    """The value at a path of keys inside a parsed value, or None."""
    for key in keys:
        value = cast("dict[str, Any]", value).get(key) if isinstance(value, dict) else None
    return value


def with_value(text: str, keys: tuple[str, ...], value: Any) -> str:
    """The text with a value set at a path of keys; missing objects on the path are created."""
    if not text.strip(" \t\r\n\ufeff"):
        text = text + "{}\n"
    holder, depth = parse(text, keys), 0
    while depth < len(keys) - 1 and (found := _find_member(holder, keys[depth])) is not None:
        holder, depth = found.node, depth + 1
    _require_object(holder, keys[:depth])
    for key in reversed(keys[depth + 1 :]):
        value = {key: value}
    style = _Style(text)
    found = _find_member(holder, keys[depth])
    if found is not None:
        indent = style.indent_of(found.start)
        return text[: found.node.start] + style.render(value, indent) + text[found.node.end :]
    return _insert_member(text, style, holder, f"{json.dumps(keys[depth])}: ", value)


def without(text: str, keys: tuple[str, ...]) -> str:
    """The text without the member at a path of keys. Its object stays, even if empty."""
    holder: Node = parse(text, keys)
    for key in keys[:-1]:
        found = _find_member(holder, key)
        if found is None:
            return text
        holder = found.node
    gone = _find_member(holder, keys[-1])
    return text if gone is None else _without_member(text, holder, gone)


def with_item(text: str, keys: tuple[str, ...], value: Any) -> str:
    """The text with a value at the end of the list under names from the top down."""
    holder = _list_at(text, keys)
    if holder is None:
        return with_value(text, keys, [value])
    return _insert_member(text, _Style(text), holder, "", value)


def without_item(text: str, keys: tuple[str, ...], index: int) -> str:
    """The text without an item of the list under names from the top down."""
    holder = _list_at(text, keys)
    return text if holder is None else _without_member(text, holder, holder.members[index])


def _list_at(text: str, keys: tuple[str, ...]) -> Node | None:
    """The list under names from the top down, or None."""
    holder: Node = parse(text, keys)
    for key in keys:
        found = _find_member(holder, key)
        if found is None:
            return None
        holder = found.node
    if not isinstance(holder.value, list):
        raise Invalid(f"{'.'.join(keys)!r} in the file is not a list.", hint=_HINT)
    return holder


def _without_member(text: str, holder: Node, gone: Member) -> str:
    index = holder.members.index(gone)
    before, after = (
        text[: gone.start],
        text[gone.node.end if gone.comma is None else gone.comma + 1 :],
    )
    if gone.comma is None and index:
        # The member before becomes the last one, and the last one had no comma.
        comma = holder.members[index - 1].comma or 0
        before = before[:comma] + before[comma + 1 :]
    return _join_around(before, after, alone=len(holder.members) == 1)


def _join_around(before: str, after: str, *, alone: bool) -> str:
    """The text before and after a removed member, without the line or the blanks that only it
    needed.
    """
    head, tail = before.rstrip(" \t"), after.lstrip(" \t")
    if alone and head.rstrip().endswith(("{", "[")) and tail.lstrip().startswith(("}", "]")):
        return head.rstrip() + tail.lstrip()
    if head.endswith("\n") and tail.startswith(("\n", "\r\n")):
        return head + tail.removeprefix("\r").removeprefix("\n")
    if head.endswith("\n"):
        return before + tail
    return head + after if tail.startswith(("}", "]", "\n", "\r")) else before + tail


def _insert_member(text: str, style: "_Style", holder: Node, name: str, value: Any) -> str:
    close = holder.end - 1
    inside = text[holder.start : holder.end]
    if holder.members and "\n" not in inside:
        last = holder.members[-1]
        member = name + json.dumps(value, ensure_ascii=False)
        if last.comma is not None:
            return text[: last.comma + 1] + f" {member}," + text[last.comma + 1 :]
        return text[: last.node.end] + f", {member}" + text[last.node.end :]
    outer = style.indent_of(holder.start)
    indent = style.indent_of(holder.members[0].start) if holder.members else outer + style.step
    member = style.newline + indent + name + style.render(value, indent)
    # After the last line before the brace, which may be a comment, so that all lines stay.
    end = len(text[:close].rstrip(" \t\r\n"))
    if holder.members and (last := holder.members[-1]).comma is not None:
        member += ","
    elif holder.members:
        last = holder.members[-1]
        text, end, close = text[: last.node.end] + "," + text[last.node.end :], end + 1, close + 1
    return text[:end] + member + style.newline + outer + text[close:]


class _Style:
    """The line ends and the indentation of a text, so that additions match it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"
        found = re.search(r'\n([ \t]+)["}/]', text)
        self.step = found[1] if found else "  "

    def indent_of(self, position: int) -> str:
        """The indentation of the line that contains a position."""
        line = self.text[self.text.rfind("\n", 0, position) + 1 : position].lstrip("\ufeff")
        return line[: len(line) - len(line.lstrip(" \t"))]

    def render(self, value: Any, indent: str) -> str:
        """A value on several lines, each after the first with this indentation."""
        made = json.dumps(value, indent=self.step, ensure_ascii=False)
        # Lists of short strings are written on one line, as in the documentation of clients.
        made = re.sub(
            r"\[\n[^\[\]{}]*\]",
            lambda found: json.dumps(json.loads(found[0]), ensure_ascii=False),
            made,
        )
        return made.replace("\n", self.newline + indent)


def _find_member(node: Node, name: str) -> Member | None:
    found = [one for one in node.members if one.name == name]
    if len(found) > 1:
        raise Invalid(
            f"The file has {name!r} twice in one object.",
            hint="Remove one of the two in an editor.",
        )
    return found[0] if found else None


def _require_object(node: Node, keys: tuple[str, ...]) -> None:
    if not isinstance(node.value, dict):
        where = f"{'.'.join(keys)!r} in the file" if keys else "The file"
        raise Invalid(f"{where} is not a JSON object.", hint=_HINT)


class _Reader:
    """Parses a JSON text token by token and records positions."""

    def __init__(self, text: str, keys: tuple[str, ...]) -> None:
        self._text = text
        self._keys = keys
        self._position = 0
        self._tokens = self._scan()
        self._advance()

    def error(self, wanted: str) -> Invalid:
        """The error for an unexpected token here."""
        line = self._text.count("\n", 0, self.start) + 1
        column = self.start - self._text.rfind("\n", 0, self.start)
        return Invalid(
            f"The file is not JSON: line {line}, column {column} expected {wanted}.", hint=_HINT
        )

    def value(self, depth: int, *, on_path: bool = False) -> Node:
        """Parse the value that begins here."""
        if depth > _DEPTH_MAX:
            raise Invalid(f"The file is nested more than {_DEPTH_MAX} levels deep.", hint=_HINT)
        if not on_path and self.kind == "mark" and (plain := self._plain_value()):
            return plain
        if self.kind in ("text", "word"):
            node = Node(self._decode_token(), self.start, self.end)
            self._advance()
            return node
        if self.token == "{":
            return self._object(depth)
        if self.token == "[":
            return self._list(depth)
        raise self.error("a value")

    def _object(self, depth: int) -> Node:
        node = Node({}, self.start)
        self._advance()
        while self.token != "}":
            if self.kind != "text":
                raise self.error('a name or "}"')
            name, start = str(self._decode_token()), self.start
            self._advance()
            self._expect(":", 'a ":"')
            on_path = depth < len(self._keys) and name == self._keys[depth]
            member = Member(name, start, self.value(depth + 1, on_path=on_path))
            node.members.append(member)
            node.value[name] = member.node.value
            if self.token == ",":
                member.comma = self.start
                self._advance()
            elif self.token != "}":
                raise self.error('"," or "}"')
        node.end = self.end
        self._advance()
        return node

    def _list(self, depth: int) -> Node:
        node = Node([], self.start)
        self._advance()
        while self.token != "]":
            item = Member("", self.start, self.value(depth + 1))
            node.members.append(item)
            node.value.append(item.node.value)
            if self.token == ",":
                item.comma = self.start
                self._advance()
            elif self.token != "]":
                raise self.error('"," or "]"')
        node.end = self.end
        self._advance()
        return node

    def _plain_value(self) -> Node | None:
        """The value that begins here if it is strict JSON, which is parsed thirty times faster."""
        try:
            value, end = _DECODER.raw_decode(self._text, self.start)
        except (ValueError, RecursionError):
            return None
        node = Node(value, self.start, end)
        self._position = end
        self._advance()
        return node

    def _decode_token(self) -> Any:
        try:
            return json.loads(self.token)
        except ValueError:
            raise self.error("a string without an invalid escape") from None

    def _expect(self, mark: str, wanted: str) -> None:
        if self.token != mark:
            raise self.error(wanted)
        self._advance()

    def _advance(self) -> None:
        self.kind, self.token, self.start, self.end = next(self._tokens)

    def _scan(self) -> Iterator[tuple[str, str, int, int]]:
        while self._position < len(self._text):
            found = _TOKEN.match(self._text, self._position)
            if found is None:
                yield "unknown", "", self._position, self._position
                return
            self._position = found.end()
            if found.lastgroup:
                yield found.lastgroup, found[0], found.start(), found.end()
        yield "end", "", self._position, self._position
