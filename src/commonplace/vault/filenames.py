"""File names that Linux, macOS and Windows all take, from any title; and names that are not a
person's own notes.
"""

import re
import unicodedata
from collections.abc import Callable

_BYTES_MAX = 200  # of 255, which leaves room for a number and the ending
# What some system refuses, what wiki links cannot say, and what nobody can see.
_FORBIDDEN = re.compile(
    r'[<>:"/\\|?*#^\[\]\x00-\x1f\x7f-\x9f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]'
)
_RESERVED = re.compile(
    r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\..*)?", re.IGNORECASE
)
_CONFLICTS = (
    re.compile(r"^[^(]*+\((?>.*?conflicted copy).*\)", re.IGNORECASE),
    re.compile(r"^[^(]*+\((?>.*?case conflict).*\)", re.IGNORECASE),
    re.compile(r"^(?>.*?\[conflict).*\]", re.IGNORECASE),
    re.compile(r"\.sync-conflict-"),
    re.compile(r"^copy of ", re.IGNORECASE),
    re.compile(r"[-_ ]conflict[-_ ]?\d", re.IGNORECASE),
    re.compile(r"\.conflict$", re.IGNORECASE),
)
# Names that only sync programs give: Dropbox, Nextcloud and Obsidian; Syncthing; ownCloud; Seafile;
# Synology.
_CERTAIN = re.compile(
    r"\((?>[^()]*?(?:conflicted copy|case"
    r" conflict))[^()]*+\)|\.sync-conflict-\d{8}-\d{6}|_conflict-\d{8}-\d{6}"
    r"|\(SFConflict [^()]*+\)|_[A-Z][a-z]{2}-\d\d-\d{4}-\d{4}_(?:Case)?Conflict$",
    re.IGNORECASE,
)
# Those of Google Drive and Resilio, which a person's own note may have as well where no original
# lies beside it.
_CONFLICT_BESIDE = re.compile(r"^(.*?)(?: ?\[conflict(?:ed)?\]|\.conflict)$", re.IGNORECASE)
# Names that are a copy's only where the original lies beside it: Google Drive's number, OneDrive's
# machine.
_BESIDE = (
    re.compile(r"^(.+) \(\d+\)"),
    re.compile(r"^(.+)-(?:DESKTOP|LAPTOP|WIN|PC)-\w{4,}(?:-\d+)?"),
)
_TEMPORARY = re.compile(
    r"~\$|.*~$|.*\.(tmp|temp|swp|swx|part|crdownload|partial|bak)$|\.#", re.IGNORECASE
)


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
    if _CERTAIN.search(name):
        # A note of that name would be taken for a conflict copy.
        name = " ".join(re.split(r"[()._-]+| +", name)).strip() or "note"
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


def is_conflict_copy(stem: str, is_beside: Callable[[str], bool]) -> bool:
    """Whether a file's stem is one that only sync programs give to the other of two versions of a
    file.
    """
    if "conflict" not in stem.lower():
        return False
    found = _CONFLICT_BESIDE.search(stem)
    return _CERTAIN.search(stem) is not None or (found is not None and is_beside(found[1]))


def original_of(stem: str) -> str:
    """The stem of the note that a file of this stem is a numbered copy of, if it says the same id;
    "" if none.
    """
    return next((found[1] for shape in _BESIDE if (found := shape.fullmatch(stem))), "")


def temporary(name: str) -> bool:
    """Whether a file name is one that editors and sync clients use on the way."""
    return name.startswith(".") or bool(_TEMPORARY.match(name))


def conflict(name: str, is_there: Callable[[str], bool] = lambda _name: False) -> bool:
    """Whether a file's stem is one that sync clients give to the other of two versions."""
    if any(shape.search(name) for shape in _CONFLICTS):
        return True
    return any(is_there(found[1]) for shape in _BESIDE if (found := shape.fullmatch(name)))
