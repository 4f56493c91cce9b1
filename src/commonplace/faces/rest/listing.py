"""The list of memories in pages: simple filters, and a cursor to the next page."""

from dataclasses import dataclass, fields, replace
from typing import Literal

from commonplace import validation
from commonplace.engine.engine import Engine
from commonplace.faces.rest import cursors
from commonplace.limits import LIST_MAX
from commonplace.records.memory import Memory
from commonplace.records.query import AllOf, AnyOf, Condition, Filter, Match, Status, TagMatch

Names = tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class ListRequest:
    """Which memories, in which order, and after which page. Names may be repeated."""

    project: Names = None
    user: Names = None
    agent: Names = None
    run: Names = None
    kind: Names = None
    category: Names = None
    tag: Names = None
    key: str | None = None
    key_prefix: str | None = None
    text: str | None = None
    status: Status = "live"
    expired: bool = False
    order: Literal["created", "updated"] = "created"
    limit: int = 50
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """A page of memories, newest first. `next` is null on the last page."""

    items: tuple[Memory, ...]
    next: str | None


def list_page(engine: Engine, bank: str, request: ListRequest) -> MemoryPage:
    """The memories that match a filter, newest first, in pages that cursors continue. A memory that
    is written between two pages does not move the others.
    """
    limit = validation.count(request.limit, what="limit", least=1, most=LIST_MAX)
    place = _list_name(bank, request)
    after = _after(request, cursors.unpack(request.cursor, *place)) if request.cursor else None
    chosen = replace(_filter(request), where=_both(_tags(request.tag), after))
    # One more than the limit shows whether there is another page.
    found = engine.list(bank, chosen, order=request.order, limit=min(limit + 1, LIST_MAX))
    items = found[:limit]
    more = len(found) > limit or (limit == LIST_MAX and len(found) == limit)
    following = cursors.pack(_place(request, items[-1]), *place) if more else None
    return MemoryPage(items, following)


def _filter(request: ListRequest) -> Filter:
    return Filter(
        projects=request.project,
        users=request.user,
        agents=request.agent,
        runs=request.run,
        kinds=request.kind,
        categories=request.category,
        key=request.key,
        key_prefix=request.key_prefix,
        text_contains=request.text,
        status=request.status,
        expired=request.expired,
    )


def _list_name(bank: str, request: ListRequest) -> tuple[object, ...]:
    """What a cursor belongs to: the bank and the filter, but not the size of the pages."""
    given = (getattr(request, one.name) for one in fields(request))
    names = (one.name for one in fields(request))
    pairs = zip(names, given, strict=True)
    return (bank, *[pair for pair in pairs if pair[0] not in ("limit", "cursor")])


def _moment_column(request: ListRequest) -> str:
    return f"{request.order}_at"


def _place(request: ListRequest, last: Memory) -> list[int]:
    return [getattr(last, _moment_column(request)), last.id]


def _after(request: ListRequest, place: list[int]) -> Condition:
    column = _moment_column(request)
    moment, number = place
    same_moment = Match((column,), "eq", moment, own=True)
    older_id = Match(("id",), "lt", number, own=True)
    older = Match((column,), "lt", moment, own=True)
    return AnyOf((older, AllOf((same_moment, older_id))))


def _tags(tags: Names) -> Condition | None:
    return TagMatch(tags, "all_strict") if tags else None


def _both(first: Condition | None, second: Condition | None) -> Condition | None:
    if first and second:
        return AllOf((first, second))
    return first or second
