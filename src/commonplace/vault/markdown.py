"""What the text of a note says in Obsidian's markdown: tags such as `#garden` and links such as
`[[Plan|the plan]]`.

Nothing in code counts: neither in fenced blocks nor between backticks.
"""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from commonplace.vault import filenames

LINKS_MAX = 500
TAG_CHARS_MAX = 80
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_CODE = re.compile(r"`+")
# After a blank only, so that neither the fragment of a URL nor the anchor of a link is a tag.
_TAG = re.compile(r"(?<!\S)#([\w/-]+)")
_LINK = re.compile(r"\[\[([^\[\]\n]+)\]\]")


def text_tags(text: str) -> tuple[str, ...]:
    """The tags in a text, without their sign, each once in the spelling that comes first."""
    found: dict[str, str] = {}
    for line in _lines(text) if "#" in text else ():
        if "#" not in line or _HEADING.match(line):
            continue
        for match in _TAG.finditer(line):
            tag = match[1].strip("/")
            # Obsidian has no tags of digits only, because `#12` numbers things.
            if tag and len(tag) <= TAG_CHARS_MAX and not tag.isdigit():
                found.setdefault(tag.casefold(), tag)
    return tuple(found.values())


def link_names(text: str) -> tuple[str, ...]:
    """The names of the notes to which a text links, in the form in which names are compared; each
    once.
    """
    found: dict[str, None] = {}
    for line in _lines(text) if "[[" in text else ():
        for match in _LINK.finditer(line) if "[[" in line else ():
            if name := _link_name(match[1]):
                found[name] = None
                if len(found) == LINKS_MAX:
                    return tuple(found)
    return tuple(found)


def names_of(path: str, title: str, aliases: tuple[str, ...]) -> tuple[str, ...]:
    """The names by which links mean a note: its file's, with any of its folders before it, its
    aliases, its title.
    """
    parts = path.removesuffix(".md").split("/")
    suffixes = ("/".join(parts[start:]) for start in range(len(parts)))
    return tuple(
        dict.fromkeys(
            filenames.folded(name.strip()) for name in (*suffixes, *aliases, title) if name.strip()
        )
    )


def _link_name(inside: str) -> str:
    target = inside.split("|", 1)[0].split("#", 1)[0].strip().removesuffix(".md").strip("/")
    # A path from the note on: its last part is the file's name.
    target = PurePosixPath(target).name if target.startswith(".") else target
    return filenames.folded(target)


def _lines(text: str) -> Iterator[str]:
    """The lines of a text that are not code, without what stands between backticks."""
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
    """A line without its spans of code, each of which ends at as many backticks as it began
    with.
    """
    marks = list(_CODE.finditer(line))
    # Where the next run of the same length is, found from the end on, so that no run is looked for
    # twice.
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
