"""Map: the neighbourhood of a memory, or of the memories that a search finds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from commonplace import ids
from commonplace.errors import NotFound
from commonplace.faces.web.rendering import one_line
from commonplace.faces.web.visit import Answer, Page, Visit
from commonplace.records.memory import Link, Memory
from commonplace.records.query import Filter, Query

_NODES_MAX = 300
_SEEDS_MAX = 10
_HOPS = 2
_LABEL_CHARS = 60


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Memories with their distance from the seeds, and the links between them."""

    nodes: list[tuple[Memory, int]]
    links: list[Link]
    is_cut: bool


def map_page(visit: Visit) -> Answer:
    """The map as a page with a table, and as JSON for the canvas."""
    seeds = _seeds(visit)
    found = _neighbourhood(visit, seeds)
    known = {memory.id: memory for memory, _ in found.nodes}
    data = {
        "question": visit.get("q"),
        "found": found,
        "known": known,
        "asked": bool(visit.get("q") or visit.get("id")),
        "source": visit.address("/map.json", q=visit.get("q"), id=visit.get("id")),
        "kinds": _KINDS,
    }
    numbers = {memory.id: number for number, (memory, _) in enumerate(found.nodes)}
    twin = {
        "nodes": [
            {
                "id": ids.short_form(memory.id),
                "label": one_line(memory.title or memory.text, _LABEL_CHARS),
                "kind": memory.kind,
                "hops": hops,
            }
            for memory, hops in found.nodes
        ],
        "links": [[numbers[one.from_id], numbers[one.to_id], one.kind] for one in found.links],
        "is_cut": found.is_cut,
    }
    return Page("map.html", data, twin)


def _seeds(visit: Visit) -> list[Memory]:
    if visit.get("id"):
        return [visit.engine.get(visit.bank, visit.get("id"))]
    if visit.get("q"):
        hits = visit.engine.recall(visit.bank, Query(visit.get("q"), limit=_SEEDS_MAX)).hits
        return [hit.memory for hit in hits]
    return list(visit.engine.list(visit.bank, limit=_SEEDS_MAX))


def _neighbourhood(visit: Visit, seeds: Iterable[Memory]) -> Neighbourhood:
    nodes = {one.id: (one, 0) for one in seeds}
    links: dict[tuple[str, int, int], Link] = {}
    frontier, is_cut = list(nodes), False
    for hops in range(1, _HOPS + 1):
        found = _links(visit, frontier)
        links |= {(one.kind, one.from_id, one.to_id): one for one in found}
        wanted = _ends(found) - nodes.keys()
        room = _NODES_MAX - len(nodes)
        is_cut = is_cut or len(wanted) > room
        new = _memories(visit, sorted(wanted, reverse=True)[:room])
        nodes |= {one.id: (one, hops) for one in new}
        frontier = [one.id for one in new]
    kept = [one for one in links.values() if _ends([one]) <= nodes.keys()]
    return Neighbourhood(list(nodes.values()), kept, is_cut)


def _ends(links: Iterable[Link]) -> set[int]:
    return {number for one in links for number in (one.from_id, one.to_id)}


def _memories(visit: Visit, numbers: Sequence[int]) -> Sequence[Memory]:
    chosen = Filter(ids=tuple(numbers))
    return visit.engine.list(visit.bank, chosen, limit=_NODES_MAX) if numbers else ()


def _links(visit: Visit, memory_ids: list[int]) -> tuple[Link, ...]:
    try:
        return visit.engine.list_links(visit.bank, memory_ids) if memory_ids else ()
    except NotFound:  # The bank is empty.
        return ()


_KINDS = {
    "similar_to": "similar to",
    "contradicts": "contradicts",
    "supersedes": "supersedes",
    "caused_by": "caused by",
}
