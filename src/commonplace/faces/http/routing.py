"""Routes a path to a dialect and an optional bank, or to a status page.

A bank may have any name, so a path is split before it is decoded: a name cannot change the route.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote_to_bytes

from commonplace.faces.rest import problems, rest_paths
from commonplace.faces.web import sections

PAGES = ("health", "version", "metrics")
_CACHE_SIZE_MAX = 4096


@dataclass(frozen=True, slots=True)
class Route:
    """The target of a path: a page, or a dialect and an optional bank. Both empty: not found."""

    page: str = ""
    dialect: str = ""
    bank: str = ""
    # The REST interface: ours, or that of a product.
    api: str = ""
    # Whether the body is read by the handler, in parts, because it may be of any size.
    streams_body: bool = False
    # The id of a job, on the page of one.
    job_id: str = ""
    # The parts of the path of a web page; None is not one.
    web: tuple[str, ...] | None = None
    # Clients look for OAuth metadata before they connect, also below the endpoint.
    well_known: bool = False
    # What programs on this machine ask for: the event of a hook, or "" for a passed call.
    hook: str | None = None


NOT_FOUND = Route()


class Router:
    """Finds the routes of paths."""

    def __init__(self, dialects: Collection[str], default: str) -> None:
        self._dialects = frozenset(dialects)
        self._default = default if default in self._dialects else ""
        self.find = lru_cache(_CACHE_SIZE_MAX)(self._find)

    def _find(self, raw: bytes) -> Route:
        parts = raw.removeprefix(b"/").removesuffix(b"/").split(b"/")
        if b".well-known" in parts[:-1]:
            return Route(well_known=True)
        try:
            names = [unquote_to_bytes(part).decode() for part in parts]
        except UnicodeDecodeError:
            return Route(api=rest_paths.OURS) if problems.is_ours(raw) else NOT_FOUND
        match names:
            case _ if route := self._rest_route(names):
                return route
            case ["mcp", *bank] if self._default:
                return _endpoint_route(self._default, bank)
            case [dialect, "mcp", *bank] if dialect in self._dialects:
                return _endpoint_route(dialect, bank)
            case _:
                return _page_route(names)

    def _rest_route(self, names: list[str]) -> Route | None:
        api = rest_paths.api_of(names)
        if api == rest_paths.OURS:
            return Route(api=api, streams_body=names == rest_paths.IMPORT)
        return Route(api=api, dialect=api) if api in self._dialects else None


def _page_route(names: list[str]) -> Route:
    """The route of a path that is not an endpoint of MCP."""
    match names:
        case [page] if page in PAGES:
            return Route(page=page)
        case ["hooks" | "local" as room, item]:
            return _program_route(room, item)
        case ["api", "v1", "jobs", item] if item:
            return Route(page="job", job_id=item)
        case _ if sections.is_page(names):
            return Route(web=tuple(name for name in names if name))
        case _:
            return NOT_FOUND


def _program_route(room: str, item: str) -> Route:
    """The route of a program on this machine: a hook, or a passed call."""
    if room == "hooks" and item:
        return Route(hook=item)
    return Route(hook="") if (room, item) == ("local", "call") else NOT_FOUND


def _endpoint_route(dialect: str, bank: list[str]) -> Route:
    return (
        Route(dialect=dialect, bank=bank[0] if bank else "")
        if len(bank) < 2 and all(bank)
        else NOT_FOUND
    )
