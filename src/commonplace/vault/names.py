"""File names that Linux, macOS and Windows all take, from any title; and names that are not a person's own notes."""

import re
import unicodedata
from collections.abc import Callable

_BYTES_MAX = 200  # of 255, which leaves room for a number and the ending
# What some system refuses, what wiki links cannot say, and what nobody can see.
_FORBIDDEN = re.compile(
    r'[<>:"/\\|?*#^\[\]\x00-\x1f\x7f-\x9f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]'
)
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\..*)?", re.IGNORECASE)
_CONFLICTS = (
    re.compile(r"^[^(]*+\((?>.*?conflicted copy).*\)", re.IGNORECASE),
    re.compile(r"^[^(]*+\((?>.*?case conflict).*\)", re.IGNORECASE),
    re.compile(r"^(?>.*?\[conflict).*\]", re.IGNORECASE),
    re.compile(r"\.sync-conflict-"),
    re.compile(r"^copy of ", re.IGNORECASE),
    re.compile(r"[-_ ]conflict[-_ ]?\d", re.IGNORECASE),
    re.compile(r"\.conflict$", re.IGNORECASE),
)
# Names that are a copy's only where the original lies beside it: Google Drive's number, OneDrive's machine.
_BESIDE = (re.compile(r"^(.+) \(\d+\)"), re.compile(r"^(.+)-(?:DESKTOP|LAPTOP|WIN|PC)-\w{4,}(?:-\d+)?"))
_TEMPORARY = re.compile(r"~\$|.*~$|.*\.(tmp|temp|swp|swx|part|crdownload|partial|bak)$|\.#", re.IGNORECASE)


def stem(title: str) -> str:
    """A file name for a title, without its ending."""
    plain = unicodedata.normalize("NFC", _FORBIDDEN.sub(" ", title))
    plain = re.sub(r"\s+", " ", plain).strip(" .~$")
    # Cut between characters, and not before a mark that belongs to the one before it.
    encoded = plain.encode()[:_BYTES_MAX].decode(errors="ignore")
    if len(encoded) < len(plain):
        while encoded and unicodedata.combining(plain[len(encoded)]):
            encoded = encoded[:-1]
        encoded = encoded.rstrip(" .~$\u200d")
    name = encoded or "note"
    return f"note {name}" if _RESERVED.fullmatch(name) else name


def free(title: str, taken: Callable[[str], bool]) -> str:
    """A file name for a title that nobody has: with a number after it where it is taken."""
    first = stem(title)
    name, number = first, 1
    while taken(folded(f"{name}.md")):
        number += 1
        name = f"{first}-{number}"
    return f"{name}.md"


def folded(path: str) -> str:
    """A path in the form in which two that some system holds for one are equal."""
    if path.isascii():
        return path.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def placeholder(path: str) -> str:
    """What iCloud leaves in the place of a file that it keeps only in the cloud for now."""
    folder, _, name = path.rpartition("/")
    return f"{folder}/.{name}.icloud".removeprefix("/")


def temporary(name: str) -> bool:
    """Whether a file name is one that editors and sync clients use on the way."""
    return name.startswith(".") or bool(_TEMPORARY.match(name))


def conflict(name: str, is_there: Callable[[str], bool] = lambda _name: False) -> bool:
    """Whether a file's stem is one that sync clients give to the other of two versions."""
    if any(shape.search(name) for shape in _CONFLICTS):
        return True
    return any(is_there(found[1]) for shape in _BESIDE if (found := shape.fullmatch(name)))
