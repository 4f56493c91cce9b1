"""The graph of facts: finds facts linked to others by a shared entity, by similar text or as a
cause.

Links by text and by cause are stored as rows. Links by entity are looked up in the text index at
query time, because a name shared by many facts would need a row for each pair of them. Facts of the
same day are linked too, but this is weak evidence: it only adds to the weight of facts that are
linked in another way.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from commonplace.engine.catch_up import catch_up_links
from commonplace.engine.facts.fact_metadata import fact_metadata_of
from commonplace.engine.runtime import Runtime
from commonplace.language import analyzer
from commonplace.records.memory import LinkKind, Memory
from commonplace.records.query import Filter
from commonplace.storage import text_index
from commonplace.storage.rows import links, memories

DAY_MS = 86_400_000
_LINK_TYPES: dict[LinkKind, str] = {
    "similar_to": "semantic",
    "contradicts": "semantic",
    "supersedes": "semantic",
    "caused_by": "causal",
}
_LINKS_MAX = 200
_NAMES_MAX = 4
_COMMON_NAME_COUNT = 200  # A more common name links too much.
_PER_NAME_MAX = 12
_SAME_DAY_WEIGHT = 0.1


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A fact linked to others, with a weight from 0 to 1 and the types of the links."""

    memory: Memory
    weight: float
    link_types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NeighbourQuery:
    """The filter for neighbours, the ids that are excluded because they are known, and the
    question's text.
    """

    filter: Filter
    known_ids: frozenset[int]
    text: str = ""


def find_neighbours(
    runtime: Runtime, bank_id: int, seeds: Sequence[Memory], query: NeighbourQuery, limit: int
) -> list[Neighbour]:
    """The facts one link away from the seeds that are not known yet, the closest first."""
    catch_up_links(runtime, bank_id, seeds)
    link_weights = _link_weights(runtime, bank_id, {one.id for one in seeds})
    linked_ids = [number for number in link_weights if number not in query.known_ids]
    names = _entity_names(seeds, query.text)
    neighbour_ids = _ids_sharing_names(runtime, bank_id, names, query)
    if linked_ids:
        now = runtime.clock.now()
        neighbour_ids |= text_index.filter_ids(runtime.db, bank_id, linked_ids, query.filter, now)
    found: list[Neighbour] = []
    moments = [_moment_of(one) for one in seeds]
    for one in memories.by_ids(runtime.db, bank_id, sorted(neighbour_ids)).values():
        weights = link_weights.get(one.id, {}) | _entity_weight(one, names)
        # An observation repeats its facts.
        if weights and one.kind != "observation":
            found.append(_combine_weights(one, weights, moments))
    return sorted(found, key=lambda one: (-one.weight, -one.memory.id))[:limit]


def _entity_weight(one: Memory, names: Sequence[str]) -> dict[str, float]:
    """The weight of the names that a fact shares; empty if it shares none."""
    shared = set(names) & {name.casefold() for name in fact_metadata_of(one).entities}
    return {"entity": math.tanh(0.5 * len(shared))} if shared else {}


def _entity_names(seeds: Sequence[Memory], query_text: str) -> list[str]:
    """The entities of the seeds by which to search. Names in the question were searched already."""
    padded_query = f" {analyzer.index_text(query_text)} "
    all_names = dict.fromkeys(
        name.casefold() for one in seeds for name in fact_metadata_of(one).entities
    )
    return [name for name in all_names if f" {analyzer.index_text(name)} " not in padded_query][
        :_NAMES_MAX
    ]


def temporal_proximity(one: Memory, moments: Iterable[int]) -> float:
    """How near in time a fact is to the nearest moment: 1 at the same moment, 0 a day apart."""
    own_moment = _moment_of(one)
    nearest = min((abs(own_moment - other) for other in moments), default=DAY_MS)
    return max(0.0, 1 - nearest / DAY_MS)


def find_causes(runtime: Runtime, bank_id: int, terms: Sequence[str]) -> tuple[str, ...]:
    """The keys of the facts that contain every term, the best match first."""
    if not terms:
        return ()
    filter_, now = Filter(kinds=("world", "experience"), users=("",)), runtime.clock.now()
    memory_ids = text_index.keyword_ids(
        runtime.db, bank_id, text_index.all_of(terms), filter_, now, limit=1
    )
    return tuple(
        one.key for one in memories.by_ids(runtime.db, bank_id, memory_ids).values() if one.key
    )


def _combine_weights(one: Memory, weights: dict[str, float], moments: Sequence[int]) -> Neighbour:
    proximity = temporal_proximity(one, moments)
    if proximity:
        weights["temporal"] = proximity
    # Combine the weights as independent probabilities (noisy or).
    remaining = math.prod(
        1 - min(0.95, weight * (_SAME_DAY_WEIGHT if link_type == "temporal" else 1))
        for link_type, weight in weights.items()
    )
    return Neighbour(one, 1 - remaining, tuple(sorted(weights)))


def _link_weights(runtime: Runtime, bank_id: int, seeds: set[int]) -> dict[int, dict[str, float]]:
    weights: dict[int, dict[str, float]] = {}
    for link in links.links_of(runtime.db, bank_id, seeds, links.FACT_KINDS, limit=_LINKS_MAX):
        for near, far in ((link.from_id, link.to_id), (link.to_id, link.from_id)):
            if near in seeds and far not in seeds:
                weights.setdefault(far, {}).setdefault(_LINK_TYPES[link.kind], link.confidence)
    return weights


def _ids_sharing_names(
    runtime: Runtime, bank_id: int, names: Sequence[str], query: NeighbourQuery
) -> set[int]:
    """The ids of facts not known yet whose texts contain one of the names."""
    phrases = [phrase for name in names if (phrase := analyzer.index_text(name))]
    distinctive = [
        one
        for one, count in text_index.term_counts(runtime.db, phrases, _COMMON_NAME_COUNT).items()
        if 1 < count < _COMMON_NAME_COUNT
    ]
    now, limit = runtime.clock.now(), _PER_NAME_MAX
    ids_by_name = (
        text_index.keyword_ids(
            runtime.db, bank_id, text_index.any_of([one]), query.filter, now, limit
        )
        for one in distinctive
    )
    return {number for some in ids_by_name for number in some} - query.known_ids


def _moment_of(one: Memory) -> int:
    return fact_metadata_of(one).mentioned_at if one.happened_at is None else one.happened_at
