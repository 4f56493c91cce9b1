"""Patterns with wildcards: for file paths (`src/**/*.py`), for tags (`project:*`) and for text.

Patterns come from callers, so none may take long: each star is matched once, leftmost, and never tried again.
"""

import re
from functools import lru_cache

_BRACES = re.compile(r"\{([^{}]*)\}")
_ALTERNATIVES_MAX = 100


def path_matches(patterns: tuple[str, ...], path: str) -> bool:
    """Whether a file is one of those the patterns mean.

    `*` and `?` stay inside a folder, `**` crosses folders, `{a,b}` is either, and a final slash means everything below.
    A pattern without a slash matches the file name in any folder, as people expect of `*.py`.
    """
    parts = tuple(path.strip().replace("\\", "/").removeprefix("./").strip("/").split("/"))
    return any(_parts_match(folders, parts) for pattern in patterns for folders in _path_pattern(pattern))


def text_matches(pattern: str, text: str) -> bool:
    """Whether the whole text fits: `*` is anything, `?` is one character, the rest is itself; case does not matter."""
    return _wild(pattern, "*", "?").fullmatch(text) is not None


def text_contains(pattern: str, text: str) -> bool:
    """Whether any part of the text fits."""
    return text_matches(f"*{pattern}*", text)


def like(pattern: str, text: str) -> bool:
    """SQL's LIKE, with case: `%` is anything, `_` is one character, a backslash takes the next one as it is."""
    return _like(pattern).fullmatch(text) is not None


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
            waiting += [text[: braces.start()] + word + text[braces.end() :] for word in braces[1].split(",")]
        else:
            done.append(text)
    return done


def _parts_match(folders: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """Folder by folder; reached holds how many parts of the path the pattern so far may have used up."""
    reached: set[int] = {0}
    for folder in folders:
        if folder == "**":
            reached = set(range(min(reached, default=len(parts) + 1), len(parts) + 1))
        else:
            glob = _wild(folder, "*", "?")
            reached = {at + 1 for at in reached if at < len(parts) and glob.fullmatch(parts[at])}
    return len(parts) in reached


@lru_cache(maxsize=2048)
def _wild(pattern: str, star: str, one: str) -> re.Pattern[str]:
    pieces = re.sub(re.escape(star) + "+", star, pattern).split(star)
    return _joined(["".join("." if c == one else re.escape(c) for c in piece) for piece in pieces], re.IGNORECASE)


@lru_cache(maxsize=2048)
def _like(pattern: str) -> re.Pattern[str]:
    pieces = [""]
    for token in re.findall(r"\\.|.", pattern, re.DOTALL):
        if token == "%":
            pieces.append("")
        else:
            pieces[-1] += "." if token == "_" else re.escape(token[-1])
    return _joined(pieces, re.NOFLAG)


def _joined(pieces: list[str], flags: re.RegexFlag) -> re.Pattern[str]:
    """The pieces with anything between them. The atomic groups keep a long text from being tried again and again."""
    if len(pieces) == 1:
        return re.compile(pieces[0], flags | re.DOTALL)
    middle = "".join(f"(?>.*?{piece})" for piece in pieces[1:-1])
    return re.compile(f"{pieces[0]}{middle}.*{pieces[-1]}", flags | re.DOTALL)
