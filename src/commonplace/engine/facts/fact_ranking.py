"""Puts the facts found for a question in order: weights, numbered names and replaced statements."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from commonplace.engine.facts import fact_metadata
from commonplace.engine.runtime import Runtime
from commonplace.language import conflicts, temporal_expressions
from commonplace.language.temporal_expressions import Span
from commonplace.recall import scoring
from commonplace.records.memory import Memory
from commonplace.records.query import Dropped, Filter, Hit, Replacement
from commonplace.reserved_metadata import said_at
from commonplace.storage import text_index
from commonplace.storage.rows import memories

SEEDS_MAX = 3  # Other values and links are looked up for this many of the best findings.
_NUMBERED_NAME = re.compile(r"\b([^\W\d_]{2,})\W{1,2}(\d{1,12})\b")
_DAY_MS = 86_400_000
_HALF_LIFE_DAYS = 180
# Weights in log odds.
_RECENCY_WEIGHT, _PROOF_WEIGHT, _IN_WINDOW_WEIGHT = 0.1, 0.05, 0.5
_LOG_PROOFS_MAX = 5.0
_DATED_CHARS = 500  # A time span is looked for in this much of a text.
_COMPARED_MAX = 10
_STATEMENT_CHARS_MAX = 400
_VALUES_MAX = 20


@dataclass(frozen=True, slots=True)
class Finding:
    """A memory that was found, its final score, and the score of each stage that found it."""

    memory: Memory
    final: float
    relevance: float | None = None
    semantic: float | None = None
    keyword: float | None = None
    # 1 for a memory from the time span of the question.
    temporal: float | None = None
    # How closely the memory is linked to the best findings, and by which types of links.
    graph: float | None = None
    link_types: tuple[str, ...] = ()
    # The evidence of recall, by name.
    channels: Mapping[str, float] = field(default_factory=dict[str, float])
    # The ids of other memories with the same text.
    copies: tuple[int, ...] = ()
    replacement: Replacement | None = None


def left_out(every: Iterable[Finding], kept: Iterable[Finding], why: str) -> list[Dropped]:
    """The findings that were not kept, with the reason."""
    kept_ids = {one.memory.id for one in kept}
    return [
        Dropped(one.memory.id, round(one.final, 4), why)
        for one in every
        if one.memory.id not in kept_ids
    ]


def to_finding(hit: Hit, window: Span | None, weighted_at: int | None) -> Finding:
    """The finding for a hit of recall.

    If `weighted_at` is given, newer facts, facts of several documents and facts within the time
    window get a higher score.
    """
    timely = window is not None and _is_within(hit.memory, window)
    final = hit.score
    if weighted_at is not None:
        weight = _weight(hit.memory, weighted_at, timely=timely)
        # In log odds: near 1, added scores would order the best findings by age alone.
        final = scoring.logistic(scoring.log_odds(hit.score) + weight) if weight else final
    return Finding(
        hit.memory,
        final,
        hit.score,
        hit.channels.get("vector"),
        hit.channels.get("keyword"),
        1.0 if timely else None,
        channels=hit.channels,
        copies=hit.copies,
    )


def _weight(memory: Memory, now: int, *, timely: bool) -> float:
    """The log odds added for recency, for the number of proofs and for the time window."""
    metadata = fact_metadata.fact_metadata_of(memory)
    age_days = abs(now - (memory.happened_at or metadata.mentioned_at)) / _DAY_MS
    recency = _RECENCY_WEIGHT * 0.5 ** (age_days / _HALF_LIFE_DAYS)
    log_proofs = min(_LOG_PROOFS_MAX, math.log(fact_metadata.proof_count(metadata)))
    return recency + _PROOF_WEIGHT * log_proofs + (_IN_WINDOW_WEIGHT if timely else 0)


def _is_within(memory: Memory, window: Span) -> bool:
    """Whether the time of a memory overlaps the window.

    A memory without a time of its own has the one that its text names, or else that of its writing.
    """
    mentioned_at = fact_metadata.fact_metadata_of(memory).mentioned_at
    if memory.happened_at is None:
        named = temporal_expressions.first_span(memory.text[:_DATED_CHARS], mentioned_at)
        if named is not None and named.start < window.end and named.end > window.start:
            return True
    start = mentioned_at if memory.happened_at is None else memory.happened_at
    end = start if memory.happened_until is None else memory.happened_until
    return start < window.end and end >= window.start


def best_first(question: str, findings: Iterable[Finding]) -> list[Finding]:
    """The findings by score. Those with every numbered name of the question, such as "item 4", come
    before all others.

    A number alone is in many texts, but beside its noun it identifies one thing.
    """
    found = list(findings)
    patterns = [
        re.compile(rf"\b{match[1]}s?\W{{1,2}}{match[2]}\b", re.IGNORECASE)
        for match in _NUMBERED_NAME.finditer(question)
    ]
    named_ids = {
        one.memory.id
        for one in found
        if patterns and all(pattern.search(one.memory.text) for pattern in patterns)
    }
    if named_ids:
        found = [
            replace(one, final=one.final / 2 + (0.5 if one.memory.id in named_ids else 0))
            for one in found
        ]
    # Sorting is stable: findings with the same score keep the order of recall.
    return sorted(found, key=lambda one: -one.final)


def add_other_values(
    runtime: Runtime, bank_id: int, allowed: Filter, found: Sequence[Finding], known_ids: set[int]
) -> list[Finding]:
    """The findings, each of the best followed by facts that state another value of the same thing.

    A question about where somebody lives has to find "moved to Oslo" too, which has none of its
    words.
    """
    known_ids = set(known_ids)
    out: list[Finding] = []
    for one in found[:SEEDS_MAX]:
        others = _other_values(runtime, bank_id, allowed, one.memory, known_ids)
        known_ids.update(other.id for other in others)
        out += [one, *(Finding(other, one.final, one.relevance) for other in others)]
    return [*out, *found[SEEDS_MAX:]]


def _other_values(
    runtime: Runtime, bank_id: int, allowed: Filter, memory: Memory, known_ids: set[int]
) -> list[Memory]:
    """The memories not known yet of which one ends the other's validity."""
    if memory.kind == "observation" or len(memory.text) > _STATEMENT_CHARS_MAX:
        return []
    match = text_index.any_group_of(conflicts.lookup_terms(memory.text))
    if not match:
        return []
    found_ids = text_index.keyword_ids(
        runtime.db, bank_id, match, allowed, runtime.clock.now(), _VALUES_MAX
    )
    new_ids = [number for number in found_ids if number not in known_ids]
    statement = fact_metadata.to_statement(memory)
    return [
        other
        for other in memories.by_ids(runtime.db, bank_id, new_ids).values()
        if runtime.judge(statement, fact_metadata.to_statement(other)).ends_older()
    ]


def newest_first(runtime: Runtime, found: Sequence[Finding], now: int) -> list[Finding]:
    """The findings; where one of the best replaces another, it also takes the better position.

    Facts mentioned after `now` count as older than all others.
    """
    out = list(found)
    count = min(len(out), _COMPARED_MAX)
    for upper in range(count):
        for lower in range(upper + 1, count):
            if _is_replaced_by(runtime, out[upper].memory, out[lower].memory, now):
                out[upper], out[lower] = (
                    replace(out[lower], final=out[upper].final),
                    replace(out[upper], final=out[lower].final),
                )
    return out


def _is_replaced_by(runtime: Runtime, older: Memory, newer: Memory, now: int) -> bool:
    if "observation" in (older.kind, newer.kind) or _age_key(older, now) >= _age_key(newer, now):
        return False
    older_statement, newer_statement = map(fact_metadata.to_statement, (older, newer))
    return runtime.judge(older_statement, newer_statement).ends_older()


def _age_key(memory: Memory, now: int) -> tuple[bool, int]:
    moment = said_at(memory)
    return moment <= now, moment
