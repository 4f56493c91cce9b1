"""Tags such as `#garden` and links such as `[[Plan|the plan]]` in Obsidian's markdown.

Fenced blocks and code between backticks are ignored.
"""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from commonplace.vault.folder import filenames

LINKS_MAX = 500
TAG_CHARS_MAX = 80
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_CODE = re.compile(r"`+")
# After white space only: fragments of URLs and anchors of links are no tags.
_TAG = re.compile(r"(?<!\S)#([\w/-]+)")
_LINK = re.compile(r"\[\[([^\[\]\n]+)\]\]")


def text_tags(text: str) -> tuple[str, ...]:
    """The tags in a text, without `#`, each once in its first spelling."""
    found: dict[str, str] = {}
    for line in _lines(text) if "#" in text else ():
        if "#" not in line or _HEADING.match(line):
            continue
        for match in _TAG.finditer(line):
            tag = match[1].strip("/")
            # As in Obsidian, digits only are no tag, because `#12` numbers things.
            if tag and len(tag) <= TAG_CHARS_MAX and not tag.isdigit():
                found.setdefault(tag.casefold(), tag)
    return tuple(found.values())


def link_names(text: str) -> tuple[str, ...]:
    """The names in the links of a text, folded, each once."""
    found: dict[str, None] = {}
    for line in _lines(text) if "[[" in text else ():
        for match in _LINK.finditer(line) if "[[" in line else ():
            if name := _link_name(match[1]):
                found[name] = None
                if len(found) == LINKS_MAX:
                    return tuple(found)
    return tuple(found)


def linkable_names(path: str, title: str, aliases: tuple[str, ...]) -> tuple[str, ...]:
    """The names that links to a note may have: file name with any folders, aliases and title."""
    parts = path.removesuffix(".md").split("/")
    suffixes = ("/".join(parts[start:]) for start in range(len(parts)))
    return tuple(
        dict.fromkeys(
            filenames.fold_path(name.strip())
            for name in (*suffixes, *aliases, title)
            if name.strip()
        )
    )


def _link_name(inside: str) -> str:
    target = inside.split("|", 1)[0].split("#", 1)[0].strip().removesuffix(".md").strip("/")
    # A relative path: its last part is the file name.
    target = PurePosixPath(target).name if target.startswith(".") else target
    return filenames.fold_path(target)


def _lines(text: str) -> Iterator[str]:
    """The lines of a text without code."""
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
        elif mark:
            fence = mark[1]
        else:
            yield _without_code(line) if "`" in line else line


def _without_code(line: str) -> str:
    """A line without code spans; a span begins and ends with the same number of backticks."""
    marks = list(_CODE.finditer(line))
    # The next run of the same length for each run, found backwards in linear time.
    following: dict[int, int] = {}
    closing: list[int | None] = [None] * len(marks)
    for number in range(len(marks) - 1, -1, -1):
        length = len(marks[number][0])
        closing[number] = following.get(length)
        following[length] = number
    kept: list[str] = []
    at = number = 0
    while number < len(marks):
        end = closing[number]
        if end is None:
            number += 1
            continue
        kept.append(line[at : marks[number].start()])
        at, number = marks[end].end(), end + 1
    return "`".join([*kept, line[at:]])
