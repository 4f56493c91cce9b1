"""File names that are valid on Linux, macOS and Windows; and names of conflict copies."""

import re
import unicodedata
from collections.abc import Callable

_BYTES_MAX = 200  # of 255, which leaves room for a number and the ending
# Invalid on some system, invalid in wikilinks, or invisible.
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
# Names that only sync programs make: Dropbox, Nextcloud, Obsidian; Syncthing; ownCloud; Seafile;
# Synology.
_SYNC_CONFLICT = re.compile(
    r"\((?>[^()]*?(?:conflicted copy|case"
    r" conflict))[^()]*+\)|\.sync-conflict-\d{8}-\d{6}|_conflict-\d{8}-\d{6}"
    r"|\(SFConflict [^()]*+\)|_[A-Z][a-z]{2}-\d\d-\d{4}-\d{4}_(?:Case)?Conflict$",
    re.IGNORECASE,
)
# Names of Google Drive and Resilio. Without an original beside it, it is a person's own note.
_CONFLICT_BESIDE = re.compile(r"^(.*?)(?: ?\[conflict(?:ed)?\]|\.conflict)$", re.IGNORECASE)
# Copies only if the original is beside them: the number of Google Drive, the machine of OneDrive.
_NUMBERED_COPY = (
    re.compile(r"^(.+) \(\d+\)"),
    re.compile(r"^(.+)-(?:DESKTOP|LAPTOP|WIN|PC)-\w{4,}(?:-\d+)?"),
)
_TEMPORARY = re.compile(
    r"~\$|.*~$|.*\.(tmp|temp|swp|swx|part|crdownload|partial|bak)$|\.#", re.IGNORECASE
)


def safe_stem(title: str) -> str:
    """A valid file name for a title, without its ending."""
    plain = unicodedata.normalize("NFC", _FORBIDDEN.sub(" ", title))
    plain = re.sub(r"\s+", " ", plain).strip(" .~$")
    # Cut between characters, and not before a combining character.
    encoded = plain.encode()[:_BYTES_MAX].decode(errors="ignore")
    if len(encoded) < len(plain):
        while encoded and unicodedata.combining(plain[len(encoded)]):
            encoded = encoded[:-1]
        encoded = encoded.rstrip(" .~$\u200d")
    name = encoded or "note"
    if _SYNC_CONFLICT.search(name):
        # Such a name would look like a conflict copy.
        name = " ".join(re.split(r"[()._-]+| +", name)).strip() or "note"
    return f"note {name}" if _RESERVED.fullmatch(name) else name


def free_name(title: str, taken: Callable[[str], bool]) -> str:
    """A free file name for a title, with a number if the name is taken."""
    first = safe_stem(title)
    name, number = first, 1
    while taken(fold_path(f"{name}.md")):
        number += 1
        name = f"{first}-{number}"
    return f"{name}.md"


def fold_path(path: str) -> str:
    """A path folded so that paths that are equal on some system are equal."""
    if path.isascii():
        return path.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def icloud_placeholder(path: str) -> str:
    """The path of the file that iCloud puts in the place of one that is only in the cloud."""
    folder, _, name = path.rpartition("/")
    return f"{folder}/.{name}.icloud".removeprefix("/")


def is_conflict_copy(stem: str, is_beside: Callable[[str], bool]) -> bool:
    """Whether a stem is one that only sync programs make for a conflicting version of a file."""
    if "conflict" not in stem.lower():
        return False
    found = _CONFLICT_BESIDE.search(stem)
    return _SYNC_CONFLICT.search(stem) is not None or (found is not None and is_beside(found[1]))


def original_of(stem: str) -> str:
    """The stem of the note that a file may be a numbered copy of; "" if the stem has no number."""
    return next((found[1] for shape in _NUMBERED_COPY if (found := shape.fullmatch(stem))), "")


def is_temporary(name: str) -> bool:
    """Whether a file name is one of temporary files of editors and sync clients."""
    return name.startswith(".") or bool(_TEMPORARY.match(name))


def is_conflict_name(name: str, is_there: Callable[[str], bool] = lambda _name: False) -> bool:
    """Whether a stem is one that sync clients may give to a conflicting version of a file."""
    if any(shape.search(name) for shape in _CONFLICTS):
        return True
    return any(is_there(found[1]) for shape in _NUMBERED_COPY if (found := shape.fullmatch(name)))
