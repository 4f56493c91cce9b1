"""Patterns with wildcards: for file paths (`src/**/*.py`), for tags (`project:*`) and for text.

Patterns come from callers, so none may take long: each star is matched once, leftmost, and never
tried again; and where text and pattern are long, the text is read character by character, once.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

_BRACES = re.compile(r"\{([^{}]*)\}")
_ALTERNATIVES_MAX = 100
_REGEX_STEPS_MAX = 500_000  # A regular expression may take as many steps as text times pattern.


def path_matches(patterns: tuple[str, ...], path: str) -> bool:
    """Whether a file is one of those the patterns mean.

    `*` and `?` stay inside a folder, `**` crosses folders, `{a,b}` is either, and a final slash
    means everything below. A pattern without a slash matches the file name in any folder, as people
    expect of `*.py`.
    """
    parts = tuple(path.strip().replace("\\", "/").removeprefix("./").strip("/").split("/"))
    return any(
        _parts_match(folders, parts) for pattern in patterns for folders in _path_pattern(pattern)
    )


def text_matches(pattern: str, text: str) -> bool:
    """Whether the whole text fits: `*` is anything, `?` is one character, the rest is itself; case
    does not matter.
    """
    return _wild(pattern).fits(text)


def text_contains(pattern: str, text: str) -> bool:
    """Whether any part of the text fits."""
    return text_matches(f"*{pattern}*", text)


def like(pattern: str, text: str) -> bool:
    """SQL's LIKE, with case: `%` is anything, `_` is one character, a backslash takes the next one
    as it is.
    """
    return _like(pattern).fits(text)


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
    """Folder by folder; reached holds how many parts of the path the pattern so far may have used
    up.
    """
    reached: set[int] = {0}
    for folder in folders:
        if folder == "**":
            reached = set(range(min(reached, default=len(parts) + 1), len(parts) + 1))
        else:
            glob = _wild(folder)
            reached = {at + 1 for at in reached if at < len(parts) and glob.fits(parts[at])}
    return len(parts) in reached


# A piece is what stands between two stars: characters, and "" for any one of them.
_Piece = tuple[str, ...]


class _Wild:
    """A pattern, taken apart. The time it takes grows with the text alone, however the pattern
    repeats itself.
    """

    def __init__(self, pieces: Sequence[_Piece], *, cased: bool) -> None:
        self._pieces, self._cased = pieces, cased
        self._size = sum(map(len, pieces)) + 1
        self._regex = _joined(pieces, re.NOFLAG if cased else re.IGNORECASE)

    def fits(self, text: str) -> bool:
        """Whether the whole text fits."""
        if self._size * len(text) <= _REGEX_STEPS_MAX:
            return self._regex.fullmatch(text) is not None
        return self._fits_long(text if self._cased else _lowered(text))

    def _fits_long(self, text: str) -> bool:
        first, *middle, last = self._pieces if len(self._pieces) > 1 else (*self._pieces, ())
        end = len(text) - len(last)
        if len(self._pieces) == 1 and len(first) != len(text):
            return False
        if end < len(first) or not (_stands(first, text, 0) and _stands(last, text, end)):
            return False
        at = len(first)
        for piece in middle:
            found = _found(piece, text, at, end)
            if found < 0:
                return False
            at = found + len(piece)
        return True


def _stands(piece: _Piece, text: str, at: int) -> bool:
    return all(
        sign in ("", other) for sign, other in zip(piece, text[at : at + len(piece)], strict=True)
    )


def _found(piece: _Piece, text: str, start: int, end: int) -> int:
    """Where a piece first stands between two places; -1 where it does not."""
    if "" not in piece:
        return text.find("".join(piece), start, end)
    # Each bit tells whether so much of the piece ends at this character, so that each character is
    # read once.
    anywhere = sum(1 << place for place, sign in enumerate(piece) if not sign)
    takes = {
        one: anywhere | sum(1 << place for place, sign in enumerate(piece) if sign == one)
        for one in set(piece) - {""}
    }
    state, whole = 0, 1 << (len(piece) - 1)
    for at in range(start, end):
        state = ((state << 1) | 1) & takes.get(text[at], anywhere)
        if state & whole:
            return at - len(piece) + 1
    return -1


def _lowered(text: str) -> str:
    """A text in small letters, each character in its own place."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(one.lower()[:1] for one in text)


@lru_cache(maxsize=2048)
def _wild(pattern: str) -> _Wild:
    pieces = re.sub(r"\*+", "*", pattern).split("*")
    return _Wild(
        [tuple("" if c == "?" else c for c in _lowered(piece)) for piece in pieces], cased=False
    )


@lru_cache(maxsize=2048)
def _like(pattern: str) -> _Wild:
    pieces: list[list[str]] = [[]]
    for token in re.findall(r"\\.|.", pattern, re.DOTALL):
        if token == "%":
            pieces.append([])
        else:
            pieces[-1].append("" if token == "_" else token[-1])
    # Between two stars that stand side by side there is nothing to look for.
    kept = [one for place, one in enumerate(pieces) if one or place in (0, len(pieces) - 1)]
    return _Wild([tuple(one) for one in kept], cased=True)


def _joined(pieces: Sequence[_Piece], flags: re.RegexFlag) -> re.Pattern[str]:
    """The pieces with anything between them. The atomic groups keep a long text from being tried
    again and again.
    """
    texts = ["".join(re.escape(one) or "." for one in piece) for piece in pieces]
    if len(texts) == 1:
        return re.compile(texts[0], flags | re.DOTALL)
    middle = "".join(f"(?>.*?{piece})" for piece in texts[1:-1])
    return re.compile(f"{texts[0]}{middle}.*{texts[-1]}", flags | re.DOTALL)
