"""Reads the links between memories, and follows them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from commonplace import ids, validation
from commonplace.engine.banks import require_bank
from commonplace.engine.catch_up import catch_up_links
from commonplace.engine.runtime import Runtime
from commonplace.limits import LIST_MAX
from commonplace.records.memory import Link, LinkKind, Memory
from commonplace.records.query import Filter
from commonplace.storage import text_index
from commonplace.storage.rows import banks, links, memories

_LINKS_MAX = 2_000
# The weight of a linked memory by the kind of the link.
WEIGHTS: dict[LinkKind, float] = {"contradicts": 1.3, "supersedes": 1.2, "similar_to": 1.0}
# The seed, the last link, the number of hops and the score of a linked memory.
_Path: TypeAlias = tuple[int, Link, int, float]


@dataclass(frozen=True, slots=True)
class LinkedMemory:
    """A memory found by following links: its seed, the last link, the number of hops, and its
    score.
    """

    memory: Memory
    seed_id: int
    link: Link
    hop_count: int
    score: float


def list_links(runtime: Runtime, bank: str, memory_ids: Sequence[int | str]) -> tuple[Link, ...]:
    """The links from or to some memories, highest confidence first."""
    bank_id = require_bank(runtime, bank).id
    catch_up_links(runtime, bank_id)
    return tuple(links.links_of(runtime.db, bank_id, map(ids.parse, memory_ids), limit=_LINKS_MAX))


def list_contradictions(runtime: Runtime, bank: str, *, limit: int = 50) -> tuple[Link, ...]:
    """The links between live memories that contradict each other, the newest first."""
    validation.count(limit, what="limit", most=LIST_MAX)
    found = banks.find(runtime.db, bank)
    if found is None:
        return ()
    catch_up_links(runtime, found.id)
    return tuple(links.links_between_live(runtime.db, found.id, "contradicts", limit))


def conflicts_among(runtime: Runtime, bank_id: int, among: Sequence[Memory]) -> tuple[Link, ...]:
    """The links between some memories that cannot both hold, highest confidence first, one per
    pair.
    """
    numbers = {memory.id for memory in among}
    if len(numbers) < 2:
        return ()
    found = links.links_of(runtime.db, bank_id, numbers, links.ENDING_KINDS, limit=_LINKS_MAX)
    pairs: dict[tuple[int, int], Link] = {}
    for link in found:
        if {link.from_id, link.to_id} <= numbers:
            pairs.setdefault((min(link.from_id, link.to_id), max(link.from_id, link.to_id)), link)
    return tuple(pairs.values())


def follow_links(
    runtime: Runtime,
    bank_id: int,
    seeds: Sequence[Memory],
    allowed: Filter,
    *,
    depth: int,
    limit: int,
) -> tuple[LinkedMemory, ...]:
    """The memories within some hops of the seeds that match a filter, best first."""
    seen = {memory.id: memory.id for memory in seeds}
    frontier = set(seen)
    paths: dict[int, _Path] = {}
    for hop in range(1, depth + 1):
        found_links = links.links_of(runtime.db, bank_id, frontier, limit=_LINKS_MAX)
        fresh = _next_hop(found_links, seen, frontier, hop)
        seen |= {number: path[0] for number, path in fresh.items()}
        paths |= fresh
        frontier = set(fresh)
    passing = text_index.filter_ids(runtime.db, bank_id, list(paths), allowed, runtime.clock.now())
    best = sorted(
        (number for number in paths if number in passing),
        key=lambda number: (-paths[number][3], -number),
    )
    found = memories.by_ids(runtime.db, bank_id, best[:limit])
    return tuple(LinkedMemory(found[number], *paths[number]) for number in best[:limit])


def _next_hop(
    found: Iterable[Link], seeds: Mapping[int, int], frontier: set[int], hop: int
) -> dict[int, _Path]:
    """The paths to memories that one more hop reaches first; the best link where several lead."""
    fresh: dict[int, _Path] = {}
    for link in found:
        for near, far in ((link.from_id, link.to_id), (link.to_id, link.from_id)):
            if near not in frontier or far in seeds:
                continue
            score = WEIGHTS[link.kind] * link.confidence / hop
            if far not in fresh or fresh[far][3] < score:
                fresh[far] = (seeds[near], link, hop, score)
    return fresh
