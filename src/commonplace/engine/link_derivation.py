"""Derives the links of a memory from its text by rules."""

import re
from collections.abc import Sequence
from dataclasses import replace

from commonplace import ids
from commonplace.engine.facts.fact_metadata import fact_metadata_of, to_statement
from commonplace.engine.runtime import Runtime
from commonplace.language import analyzer
from commonplace.language.judgement import POSSIBLE_MIN, Judgement, Relation, Statement
from commonplace.records.memory import Link, LinkKind, Memory, Scope
from commonplace.records.query import Filter
from commonplace.storage import text_index
from commonplace.storage.database import Database
from commonplace.storage.rows import memories

_CANDIDATES_MAX = 12
_TEXT_CHARS_MAX = 600
_TERMS_MAX = 24
_DISTINCTIVE_MAX = 4
_COMMON_TERM_TEXTS = 300  # A more common term yields too many candidates.
_CAUSE_CONFIDENCE = 0.9
_SUPERSEDED_PREFIX = "superseded by "
_KINDS: dict[Relation, LinkKind] = {
    Relation.SAME: "similar_to",
    Relation.ADDS: "similar_to",
    Relation.REPLACES: "supersedes",
    Relation.CONTRADICTS: "contradicts",
}
# The minimum share of common words for two memories that are only similar.
_SIMILAR_MIN = 0.6


def supersession_reason(winner: int) -> str:
    """The reason text of a superseded memory. Links are rebuilt from it."""
    return f"{_SUPERSEDED_PREFIX}{ids.short_form(winner)}"


def supersedes_link(winner: int, loser: int) -> Link:
    """The link from a memory to one that it supersedes."""
    return Link(
        "supersedes",
        winner,
        loser,
        1.0,
        "It replaced the older one when memories were consolidated.",
    )


def candidates(runtime: Runtime, memory: Memory, limit: int = _CANDIDATES_MAX) -> list[Memory]:
    """The memories that share distinctive terms with one and are visible together with it."""
    distinctive = _distinctive_terms(
        runtime.db, analyzer.question_terms(f"{memory.title} {memory.text}"[:_TEXT_CHARS_MAX])
    )
    if not distinctive:
        return []
    scope = memory.scope
    chosen = Filter(
        projects=(scope.project, "") if scope.project else None, users=tuple({scope.user, ""})
    )
    now = runtime.clock.now()
    found = text_index.keyword_ids(
        runtime.db, memory.bank_id, text_index.any_of(distinctive), chosen, now, limit + 1
    )
    others = [number for number in found if number != memory.id]
    by_id = memories.by_ids(runtime.db, memory.bank_id, others)
    return [by_id[number] for number in others if number in by_id]


def _distinctive_terms(db: Database, terms: Sequence[str]) -> list[str]:
    """The rarest of the terms that occur in another text too."""
    counts = text_index.term_counts(db, terms[:_TERMS_MAX], _COMMON_TERM_TEXTS)
    shared = sorted((count, term) for term, count in counts.items() if count > 1)
    rare = [term for count, term in shared if count < _COMMON_TERM_TEXTS][:_DISTINCTIVE_MAX]
    return rare or [term for _, term in shared[:1]]


def find_links(runtime: Runtime, memory: Memory, reason: str) -> list[Link]:
    """The links of a memory to others. `reason` is that of its last change."""
    if memory.forgotten_at is not None:
        return _supersedes_links(memory, reason)
    found = _causal_links(runtime, memory)
    for other in candidates(runtime, memory):
        newer, older = (
            (memory, other) if recency_key(memory) > recency_key(other) else (other, memory)
        )
        verdict = runtime.judge(_statement(older), _statement(newer))
        if kind := link_kind(verdict):
            if verdict.is_reversed:
                newer, older = older, newer
            found.append(Link(kind, newer.id, older.id, verdict.confidence, verdict.reason))
    return found


def link_kind(verdict: Judgement) -> LinkKind | None:
    """The kind of link for a judgement; None below the least confidence or without a relation."""
    least = _SIMILAR_MIN if verdict.relation is Relation.ADDS else POSSIBLE_MIN
    return _KINDS.get(verdict.relation) if verdict.confidence >= least else None


def _causal_links(runtime: Runtime, memory: Memory) -> list[Link]:
    """The links from a fact to its causes."""
    named = (
        memories.find_by_key(runtime.db, memory.bank_id, Scope(), key)
        for key in fact_metadata_of(memory).causes
    )
    causes = [one for one in named if one and one.id != memory.id]
    return [
        Link("caused_by", memory.id, one.id, _CAUSE_CONFIDENCE, "The text states it.")
        for one in causes
    ]


def _supersedes_links(memory: Memory, reason: str) -> list[Link]:
    winner = re.search(rf"{_SUPERSEDED_PREFIX}(m\w{{11}})$", reason)
    if not winner:
        return []
    return [supersedes_link(ids.parse(winner[1]), memory.id)]


def full_text(memory: Memory) -> str:
    """The title and the text of a memory."""
    return f"{memory.title}\n{memory.text}" if memory.title else memory.text


def _statement(memory: Memory) -> Statement:
    return replace(to_statement(memory), text=full_text(memory))


def recency_key(memory: Memory) -> tuple[int, int]:
    """The sort key of memories by their last change."""
    return memory.updated_at, memory.version_id
