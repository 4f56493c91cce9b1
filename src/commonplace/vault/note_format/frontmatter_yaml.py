"""The YAML of a note's own keys: scalars and lists of strings, parsed leniently."""

import json
import re

from commonplace.errors import Invalid

_PLAIN = re.compile(r"[^\W\d_][\w ()/.,'’+&=-]*", re.ASCII)
_WORD = re.compile(r"\w[\w-]*", re.ASCII)
_RESERVED_WORDS = {"true", "false", "yes", "no", "on", "off", "null", "y", "n", "nan", "inf"}
# Line ends in YAML, or invalid unescaped.
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_DOUBLE = re.compile(r'^"((?:[^"\\]|\\.)*)"\s*(#.*)?', re.DOTALL)
_SINGLE = re.compile(r"^'((?:[^']|'')*)'\s*(#.*)?", re.DOTALL)
_LIST = re.compile(r"^\[(.*)\]\s*(#.*)?", re.DOTALL)
# No two parts match the same white space; otherwise matching would take exponential time.
_ITEM = re.compile(
    r"""\s*((?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')\s*|[^,\[\]{}"'\s][^,\[\]{}]*|)(?:,|$)""", re.DOTALL
)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "f": "\f",
    "v": "\v",
} | {
    "N": "\x85",
    "_": "\xa0",
    "L": "\u2028",
    "P": "\u2029",
}


def dump_scalar(text: str) -> str:
    """A text as a YAML scalar on one line."""
    if _PLAIN.fullmatch(text) and text.lower() not in _RESERVED_WORDS and not text.endswith(" "):
        return text
    return dump_quoted(text)


def dump_list(listed: tuple[str, ...]) -> str:
    """Texts as a YAML list on one line."""
    return (
        "["
        + ", ".join(
            one if _WORD.fullmatch(one) and _is_plain_word(one) else dump_quoted(one)
            for one in listed
        )
        + "]"
    )


def dump_quoted(text: str) -> str:
    """A text as a YAML scalar in quotes."""
    return _UNSAFE.sub(
        lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False)
    )


def parse_scalar(lines: list[str]) -> str | None:
    """The text of a value, from the rest of its key's line and the lines below; None for null."""
    first, rest = lines[0].strip(), [line.strip() for line in lines[1:]]
    if first[:1] in ("|", ">"):
        return (" " if first[0] == ">" else "\n").join(rest).strip() or None
    whole = " ".join(filter(None, [first, *rest])).strip()
    if whole[:1] in ('"', "'"):
        return _parse_quoted(whole)
    if whole[:1] and whole[0] in "[{&*!%@`":
        raise Invalid("A value in the frontmatter is not a plain string.", hint="Put it in quotes.")
    plain = re.split(r"(?:^|\s)#", whole, maxsplit=1)[0].strip()
    return None if plain in ("", "~", "null") else plain


def parse_list(lines: list[str]) -> tuple[str, ...]:
    """The items of a list in either form; a scalar is split at commas."""
    first, *rest = map(str.strip, lines)
    if first.startswith("["):
        return _parse_inline_list(" ".join([first, *rest]))
    items = [line for line in rest if line and not line.startswith("#")]
    if items and re.fullmatch(r"(#.*)?", first):
        return _parse_block_list(items)
    parts = (parse_scalar(lines) or "").split(",")
    return tuple(part.strip() for part in parts if part.strip())


def trailing_comment(line: str) -> str:
    """The comment at the end of a key's line, with the space before it."""
    value = line.strip()
    for shape in (_DOUBLE, _SINGLE, _LIST):
        if found := shape.fullmatch(value):
            return f" {found[2]}" if found[2] else ""
    found = re.search(r"(?:^|\s)(#.*)$", value)
    return f" {found[1]}" if found and value[:1] not in ("|", ">") else ""


def _is_plain_word(text: str) -> bool:
    # A number or a boolean would be read back as another type.
    return text.lower() not in _RESERVED_WORDS and not text[0].isdigit()


def _parse_block_list(lines: list[str]) -> tuple[str, ...]:
    """The items of a list with one item a line."""
    if not all(line == "-" or line.startswith("- ") for line in lines):
        raise Invalid(
            "A list in the frontmatter has a line that is not an item.",
            hint="Begin each item with a dash.",
        )
    found = [parse_scalar([line[1:]]) for line in lines]
    return tuple(one for one in found if one)


def _parse_inline_list(whole: str) -> tuple[str, ...]:
    found = _LIST.fullmatch(whole)
    if found is None:
        raise Invalid("A list in the frontmatter is not closed.", hint="Close it with ].")
    inside, at, items = found[1].strip(), 0, list[str]()
    while at < len(inside):
        item = _ITEM.match(inside, at)
        if item is None or item.end() == at:
            raise Invalid(
                "A list in the frontmatter cannot be read.", hint="Put its items in quotes."
            )
        if value := parse_scalar([item[1]]):
            items.append(value)
        at = item.end()
    return tuple(items)


def _parse_quoted(whole: str) -> str:
    if found := _DOUBLE.fullmatch(whole):
        return _ESCAPE.sub(_unescape, found[1])
    if found := _SINGLE.fullmatch(whole):
        return found[1].replace("''", "'")
    raise Invalid(
        "A quoted string in the frontmatter is not closed.", hint="Close it on the same line."
    )


def _unescape(found: re.Match[str]) -> str:
    code = found[1]
    if len(code) == 1:
        return _ESCAPES.get(code, code)
    number = int(code[1:], 16)
    if number > 0x10FFFF:
        raise Invalid("The frontmatter has an invalid escape sequence.", hint="Correct it.")
    return chr(number)
