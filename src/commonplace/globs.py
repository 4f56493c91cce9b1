"""Patterns with wildcards: for file paths (`src/**/*.py`), for tags (`project:*`) and for text.

Patterns come from callers, so matching must be fast for all of them: each star is matched once,
leftmost, without backtracking. Long texts with long patterns are scanned once, character by
character.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

_BRACES = re.compile(r"\{([^{}]*)\}")
_ALTERNATIVES_MAX = 100
_REGEX_STEPS_MAX = 500_000  # A regular expression takes up to text length times pattern length.


def path_matches(patterns: tuple[str, ...], path: str) -> bool:
    """Whether a path matches one of the patterns.

    `*` and `?` stay inside a folder, `**` crosses folders, `{a,b}` is either, and a final slash
    matches everything below. A pattern without a slash matches the file name in any folder, such
    as `*.py`.
    """
    parts = tuple(path.strip().replace("\\", "/").removeprefix("./").strip("/").split("/"))
    return any(
        _parts_match(folders, parts) for pattern in patterns for folders in _path_pattern(pattern)
    )


def text_matches(pattern: str, text: str) -> bool:
    """Whether the whole text matches: `*` is anything, `?` one character, and case is ignored."""
    return _compile_glob(pattern).matches(text)


def text_contains(pattern: str, text: str) -> bool:
    """Whether any part of the text matches."""
    return text_matches(f"*{pattern}*", text)


def sql_like(pattern: str, text: str) -> bool:
    """Case-sensitive LIKE of SQL: `%` is anything, `_` is one character, a backslash escapes."""
    return _compile_like(pattern).matches(text)


@lru_cache(maxsize=2048)
def _path_pattern(pattern: str) -> tuple[tuple[str, ...], ...]:
    plain = pattern.strip().removeprefix("./").lstrip("/")
    plain = plain + "**" if plain.endswith("/") else plain
    plain = plain if "/" in plain else f"**/{plain}"
    return tuple(tuple(one.split("/")) for one in _alternatives(plain))


def _alternatives(pattern: str) -> list[str]:
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        text = waiting.pop()
        braces = _BRACES.search(text)
        if braces and len(done) + len(waiting) < _ALTERNATIVES_MAX:
            waiting += [
                text[: braces.start()] + word + text[braces.end() :]
                for word in braces[1].split(",")
            ]
        else:
            done.append(text)
    return done


def _parts_match(folders: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """Match folder by folder; `reached` holds how many parts the pattern may have consumed."""
    reached: set[int] = {0}
    for folder in folders:
        if folder == "**":
            reached = set(range(min(reached, default=len(parts) + 1), len(parts) + 1))
        else:
            glob = _compile_glob(folder)
            reached = {at + 1 for at in reached if at < len(parts) and glob.matches(parts[at])}
    return len(parts) in reached


# A piece is the part between two stars: characters, with "" for any single character.
_Piece = tuple[str, ...]


class _Pattern:
    """A compiled pattern. The time of a match grows with the text only, whatever the pattern is."""

    def __init__(self, pieces: Sequence[_Piece], *, cased: bool) -> None:
        self._pieces, self._cased = pieces, cased
        self._size = sum(map(len, pieces)) + 1
        self._regex = _compile_regex(pieces, re.NOFLAG if cased else re.IGNORECASE)

    def matches(self, text: str) -> bool:
        """Whether the whole text matches."""
        if self._size * len(text) <= _REGEX_STEPS_MAX:
            return self._regex.fullmatch(text) is not None
        return self._matches_long(text if self._cased else _lower_same_length(text))

    def _matches_long(self, text: str) -> bool:
        first, *middle, last = self._pieces if len(self._pieces) > 1 else (*self._pieces, ())
        end = len(text) - len(last)
        if len(self._pieces) == 1 and len(first) != len(text):
            return False
        if end < len(first) or not (_matches_at(first, text, 0) and _matches_at(last, text, end)):
            return False
        at = len(first)
        for piece in middle:
            found = _find_piece(piece, text, at, end)
            if found < 0:
                return False
            at = found + len(piece)
        return True


def _matches_at(piece: _Piece, text: str, at: int) -> bool:
    return all(
        sign in ("", other) for sign, other in zip(piece, text[at : at + len(piece)], strict=True)
    )


def _find_piece(piece: _Piece, text: str, start: int, end: int) -> int:
    """The index of the first occurrence of a piece between two indexes, or -1."""
    if "" not in piece:
        return text.find("".join(piece), start, end)
    # Bit i means that the first i + 1 characters of the piece end at the current character, so
    # each character is read once (shift-and algorithm).
    anywhere = sum(1 << index for index, sign in enumerate(piece) if not sign)
    takes = {
        one: anywhere | sum(1 << index for index, sign in enumerate(piece) if sign == one)
        for one in set(piece) - {""}
    }
    state, whole = 0, 1 << (len(piece) - 1)
    for at in range(start, end):
        state = ((state << 1) | 1) & takes.get(text[at], anywhere)
        if state & whole:
            return at - len(piece) + 1
    return -1


def _lower_same_length(text: str) -> str:
    """A text in lower case with the same number of characters."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(one.lower()[:1] for one in text)


@lru_cache(maxsize=2048)
def _compile_glob(pattern: str) -> _Pattern:
    pieces = re.sub(r"\*+", "*", pattern).split("*")
    return _Pattern(
        [tuple("" if c == "?" else c for c in _lower_same_length(piece)) for piece in pieces],
        cased=False,
    )


@lru_cache(maxsize=2048)
def _compile_like(pattern: str) -> _Pattern:
    pieces: list[list[str]] = [[]]
    for token in re.findall(r"\\.|.", pattern, re.DOTALL):
        if token == "%":
            pieces.append([])
        else:
            pieces[-1].append("" if token == "_" else token[-1])
    # The piece between two adjacent stars is empty and is dropped.
    nonempty = [one for i, one in enumerate(pieces) if one or i in (0, len(pieces) - 1)]
    return _Pattern([tuple(one) for one in nonempty], cased=True)


def _compile_regex(pieces: Sequence[_Piece], flags: re.RegexFlag) -> re.Pattern[str]:
    """A regular expression of the pieces with anything between them. The atomic groups prevent
    backtracking.
    """
    texts = ["".join(re.escape(one) or "." for one in piece) for piece in pieces]
    if len(texts) == 1:
        return re.compile(texts[0], flags | re.DOTALL)
    middle = "".join(f"(?>.*?{piece})" for piece in texts[1:-1])
    return re.compile(f"{texts[0]}{middle}.*{texts[-1]}", flags | re.DOTALL)
