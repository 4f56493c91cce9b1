"""Derives the links of a memory from its text by rules."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from commonplace import ids
from commonplace.engine.facts.fact_metadata import fact_metadata_of, to_statement
from commonplace.engine.runtime import Runtime
from commonplace.language import analyzer, conflicts
from commonplace.language.judgement import CONFIDENT_MIN, POSSIBLE_MIN, Judgement, Relation
from commonplace.records.memory import Link, LinkKind, Memory, Scope
from commonplace.records.query import Filter
from commonplace.reserved_metadata import said_at
from commonplace.storage import text_index
from commonplace.storage.database import Database
from commonplace.storage.rows import memories

_CANDIDATES_MAX = 12
_TEXT_CHARS_MAX = 600
_TERMS_MAX = 24
_DISTINCTIVE_MAX = 4
_COMMON_TERM_TEXTS = 300  # A more common term yields too many candidates.
_CAUSE_CONFIDENCE = 0.9
_OTHER_TITLE_CONFIDENCE = 0.7
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
    """The memories that may be about the same as one and are visible together with it: those that
    share distinctive terms, and those with the terms of its subject or slot, up to a limit each.
    """
    scope, now = memory.scope, runtime.clock.now()
    chosen = Filter(
        projects=(scope.project, "") if scope.project else None, users=tuple({scope.user, ""})
    )
    found: dict[int, None] = {}
    for match in _matches(runtime.db, memory):
        found |= dict.fromkeys(
            text_index.keyword_ids(runtime.db, memory.bank_id, match, chosen, now, limit + 1)
        )
    others = [number for number in found if number != memory.id]
    by_id = memories.by_ids(runtime.db, memory.bank_id, others)
    return [by_id[number] for number in others if number in by_id]


def _matches(db: Database, memory: Memory) -> Iterator[str]:
    """The matches that find the candidates of a memory."""
    terms = analyzer.question_terms(f"{memory.title} {memory.text}"[:_TEXT_CHARS_MAX])
    if distinctive := _distinctive_terms(db, terms):
        yield text_index.any_of(distinctive)
    # "I moved to Lyon" shares no word with "I live in Nice", only the slot.
    groups = (
        list(conflicts.lookup_terms(memory.text)) if len(memory.text) <= _TEXT_CHARS_MAX else ()
    )
    if groups:
        yield text_index.any_group_of(groups)


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
        if link := link_between(runtime, memory, other):
            found.append(link)
    return found


def link_between(runtime: Runtime, one: Memory, other: Memory) -> Link | None:
    """The link from the newer of two memories to the older, if the judge finds any relation."""
    older, newer = sorted((one, other), key=recency_key)
    verdict = _judge(runtime, older, newer)
    kind = link_kind(verdict)
    return Link(kind, newer.id, older.id, verdict.confidence, verdict.reason) if kind else None


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


def _title_terms(memory: Memory) -> frozenset[str]:
    """The terms of a title; none where the text begins with it."""
    is_repeated = memory.text.startswith(memory.title)
    return frozenset() if is_repeated else frozenset(analyzer.question_terms(memory.title))


def _judge(runtime: Runtime, older: Memory, newer: Memory) -> Judgement:
    """How a newer memory relates to an older one. Titles that share no word may name two subjects,
    so such a pair is never sure.
    """
    found = runtime.judge(to_statement(older), to_statement(newer))
    one, other = map(_title_terms, (older, newer))
    if one and other and not one & other and found.confidence >= CONFIDENT_MIN:
        return replace(found, confidence=_OTHER_TITLE_CONFIDENCE)
    return found


def recency_key(memory: Memory) -> tuple[int, int]:
    """Orders memories by when they were said, and those of one time by their last change."""
    return said_at(memory), memory.version_id
