"""Where a path leads: to a dialect, perhaps with a bank, or to one of the pages that show how the
server is.

A bank may have any name, so a path is split before it is decoded; a name never changes where a path
leads.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote_to_bytes

PAGES = ("health", "version", "metrics")
_KNOWN_MAX = 4096


@dataclass(frozen=True, slots=True)
class Place:
    """Where a path leads: to a page, or to a dialect and perhaps a bank of it. To neither when both
    are empty.
    """

    page: str = ""
    dialect: str = ""
    bank: str = ""
    # The id of a job, on the page of one.
    item: str = ""
    # Clients look for a description of an OAuth server before they connect, also below the
    # endpoint.
    well_known: bool = False


NOWHERE = Place()


class Paths:
    """The map of the server."""

    def __init__(self, dialects: Collection[str], default: str) -> None:
        self._dialects = frozenset(dialects)
        self._default = default if default in self._dialects else ""
        self.find = lru_cache(_KNOWN_MAX)(self._find)

    def _find(self, raw: bytes) -> Place:
        parts = raw.removeprefix(b"/").removesuffix(b"/").split(b"/")
        if b".well-known" in parts[:-1]:
            return Place(well_known=True)
        try:
            names = [unquote_to_bytes(part).decode() for part in parts]
        except UnicodeDecodeError:
            return NOWHERE
        match names:
            case [page] if page in PAGES:
                return Place(page=page)
            case ["api", "v1", "jobs", item] if item:
                return Place(page="job", item=item)
            case ["mcp", *bank] if self._default:
                return _endpoint(self._default, bank)
            case [dialect, "mcp", *bank] if dialect in self._dialects:
                return _endpoint(dialect, bank)
            case _:
                return NOWHERE


def _endpoint(dialect: str, bank: list[str]) -> Place:
    return (
        Place(dialect=dialect, bank=bank[0] if bank else "")
        if len(bank) < 2 and all(bank)
        else NOWHERE
    )
