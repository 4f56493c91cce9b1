"""The difference of two texts, by words."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, TypeAlias

Change: TypeAlias = Literal["same", "removed", "added"]
_WORDS_MAX = 4_000  # Longer texts are compared by lines.
_LINES_MAX = 4_000
# Chinese and Japanese have no spaces between words.
_WORD = re.compile(r"\s+|[⺀-鿿぀-ヿ]|(?:(?![⺀-鿿぀-ヿ])\w)+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the difference."""

    change: Change
    text: str


def word_diff(before: str, after: str) -> list[Piece]:
    """What was removed from a text and what was added to it, in the order of reading."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    if len(old) > _WORDS_MAX or len(new) > _WORDS_MAX:
        old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    if len(old) > _LINES_MAX or len(new) > _LINES_MAX:
        return [Piece("removed", before), Piece("added", after)]
    pieces: list[Piece] = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            pieces.append(Piece("same", "".join(old[a:b])))
            continue
        if b > a:
            pieces.append(Piece("removed", "".join(old[a:b])))
        if d > c:
            pieces.append(Piece("added", "".join(new[c:d])))
    return pieces
