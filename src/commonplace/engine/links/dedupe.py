"""Consolidation: merges duplicates. Of memories that repeat or replace each other, the newest stays
and the others are forgotten.

One transaction, with an audit row. A superseded memory is forgotten, so that no dialect shows it,
and can be restored; the reason of its last version names the winner. Memories with keys are
excluded: a key has its own chain of versions.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from commonplace import ids, validation
from commonplace.engine.draft_validation import validate_filter, validate_origin
from commonplace.engine.facts.fact_metadata import to_statement
from commonplace.engine.links import link_derivation
from commonplace.engine.links.link_derivation import candidates, recency_key, supersession_reason
from commonplace.engine.memories import next_version
from commonplace.engine.operations.jobs import enqueue
from commonplace.engine.runtime import Runtime
from commonplace.engine.versions.revisions import RevisionWriter
from commonplace.language.judgement import Relation
from commonplace.language.statement import fold_text, statement_label
from commonplace.limits import TAGS_MAX
from commonplace.records.memory import Link, Memory, Metadata, Origin
from commonplace.records.query import Filter
from commonplace.storage.rows import banks, jobs, memories
from commonplace.storage.rows import links as stored

# The minimum confidence of the judge: for two statements with the same label, and for any two.
_SAME_LABEL_CONFIDENCE_MIN, _CONFIDENCE_MIN = 0.7, 0.8
_SEARCHED_MAX = 1_000  # Each costs a search; larger stores need several runs.
_REPORT_EVERY = 500

Report = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Merge:
    """One memory that stays and those it supersedes. A conflict is a superseded memory with a
    different text.
    """

    winner_id: int
    loser_ids: tuple[int, ...]
    conflict_count: int


@dataclass(frozen=True, slots=True)
class Consolidation:
    """The result of a run or of a dry run. Its id is that of the audit row."""

    id: int
    input_count: int
    merges: tuple[Merge, ...]
    dry_run: bool

    @property
    def loser_ids(self) -> tuple[int, ...]:
        """Every superseded memory."""
        return tuple(number for merge in self.merges for number in merge.loser_ids)

    @property
    def conflict_count(self) -> int:
        """How many of them have a different text than the memory that stays."""
        return sum(merge.conflict_count for merge in self.merges)


@dataclass(frozen=True, slots=True)
class ConsolidationOptions:
    """Options of a run: dry run, progress callback, and extra metadata for the audit row."""

    dry_run: bool = False
    report: Report | None = None
    note: Metadata = field(default_factory=dict[str, object])


def consolidate(
    runtime: Runtime,
    bank: str,
    chosen: Filter,
    origin: Origin = Origin(),
    run: ConsolidationOptions | None = None,
) -> Consolidation:
    """Merge duplicates and let newer statements supersede older ones about the same subject, in one
    transaction.
    """
    name, author, options = (
        validation.name(bank, what="bank"),
        validate_origin(origin),
        run or ConsolidationOptions(),
    )
    checked = validate_filter(chosen)
    validation.metadata(options.note, what="note")
    report = options.report or _no_progress
    with runtime.db.transaction():
        job = enqueue(runtime, name, "consolidate", {**options.note, "dry_run": options.dry_run})
        found = _without_keys(runtime, job.bank_id, checked)
        report(0, len(found))
        groups = _duplicate_groups(runtime, found)
        merges = tuple(_merge(group) for group in groups)
        if not options.dry_run:
            _apply(
                runtime, groups, RevisionWriter(runtime, job.bank_id, "consolidate", author), report
            )
        done = Consolidation(job.id, len(found), merges, options.dry_run)
        jobs.complete_pending(runtime.db, job.id, json.dumps(_audit_row(done)), runtime.clock.now())
    return done


def find_duplicates(runtime: Runtime, bank: str, chosen: Filter = Filter()) -> tuple[Merge, ...]:
    """What consolidating would merge. Nothing is written. An unknown bank has no duplicates."""
    checked, found = validate_filter(chosen), banks.find(runtime.db, bank)
    if found is None:
        return ()
    with runtime.db.snapshot():
        groups = _duplicate_groups(runtime, _without_keys(runtime, found.id, checked))
    return tuple(_merge(group) for group in groups)


def _without_keys(runtime: Runtime, bank_id: int, chosen: Filter) -> list[Memory]:
    """The memories of a filter, except those with a key: a key has one memory already."""
    numbers = memories.select_ids(runtime.db, bank_id, chosen, runtime.clock.now())
    by_id = memories.by_ids(runtime.db, bank_id, numbers)
    return [by_id[number] for number in numbers if not by_id[number].key]


def _no_progress(_done: int, _total: int) -> None:
    """The default progress callback does nothing."""


class _DuplicateGroups:
    """Disjoint sets of duplicates, grown pair by pair. The newest memory of a set represents it."""

    def __init__(self, found: Iterable[Memory]) -> None:
        self.memories = {memory.id: memory for memory in found}
        self._parents = {number: number for number in self.memories}

    def representative(self, number: int) -> int:
        """The newest memory of the set that contains a memory."""
        while (parent := self._parents[number]) != number:
            self._parents[number] = self._parents[parent]
            number = self._parents[number]
        return number

    def union(self, one: int, other: int) -> None:
        """Merge two sets."""
        first, second = sorted(
            (self.representative(one), self.representative(other)),
            key=lambda n: recency_key(self.memories[n]),
        )
        self._parents[first] = second

    def groups(self) -> list[list[Memory]]:
        """The sets of more than one memory, each with its newest first."""
        found: dict[int, list[Memory]] = {}
        for number, memory in self.memories.items():
            found.setdefault(self.representative(number), []).append(memory)
        return [
            sorted(group, key=recency_key, reverse=True)
            for group in found.values()
            if len(group) > 1
        ]


def _duplicate_groups(runtime: Runtime, found: Sequence[Memory]) -> list[list[Memory]]:
    duplicates = _DuplicateGroups(found)
    for block in _blocks(found):
        for older, newer in pairwise(block):
            if _is_replaced(runtime, older, newer, _SAME_LABEL_CONFIDENCE_MIN):
                duplicates.union(older.id, newer.id)
    for newer in sorted(found, key=recency_key, reverse=True)[:_SEARCHED_MAX]:
        for older in candidates(runtime, newer):
            is_older = recency_key(older) < recency_key(newer)
            is_comparable = is_older and _comparison_scope(older) == _comparison_scope(newer)
            is_selected = is_comparable and older.id in duplicates.memories
            if is_selected and _is_replaced(runtime, older, newer, _CONFIDENCE_MIN):
                duplicates.union(newer.id, older.id)
    return duplicates.groups()


def _blocks(found: Iterable[Memory]) -> Iterable[list[Memory]]:
    """Memories with the same text or the same label in one scope, oldest first."""
    blocks: dict[tuple[object, ...], list[Memory]] = {}
    for memory in sorted(found, key=recency_key):
        keys = [("text", fold_text(memory.text))]
        if label := statement_label(memory.text):
            keys.append(("label", label))
        for key in keys:
            blocks.setdefault((*_comparison_scope(memory), *key), []).append(memory)
    return blocks.values()


def _comparison_scope(memory: Memory) -> tuple[object, ...]:
    return memory.scope, memory.kind, memory.paths


def _is_replaced(runtime: Runtime, older: Memory, newer: Memory, confidence_min: float) -> bool:
    found = runtime.judge(to_statement(older), to_statement(newer))
    return found.relation is Relation.SAME or found.ends_older(confidence_min)


def _merge(group: Sequence[Memory]) -> Merge:
    winner, *losers = group
    winner_text = fold_text(winner.text)
    conflicts = sum(fold_text(loser.text) != winner_text for loser in losers)
    return Merge(winner.id, tuple(loser.id for loser in losers), conflicts)


def _apply(
    runtime: Runtime, groups: Sequence[Sequence[Memory]], writer: RevisionWriter, report: Report
) -> None:
    total = sum(len(group) - 1 for group in groups)
    version_ids = iter(banks.new_ids(runtime.db, writer.now, total + len(groups)) if groups else ())
    made: list[Link] = []
    done = 0
    for winner, *losers in groups:
        tags = tuple(dict.fromkeys(tag for one in (winner, *losers) for tag in one.tags))[:TAGS_MAX]
        if tags != winner.tags:
            writer.write(
                replace(next_version(winner, next(version_ids), writer.now), tags=tags), "revise"
            )
        for loser in losers:
            after = next_version(loser, next(version_ids), writer.now)
            forgotten = replace(after, forgotten_at=after.updated_at)
            writer.write(forgotten, "forget", supersession_reason(winner.id))
            made.append(link_derivation.supersedes_link(winner.id, loser.id))
            done += 1
            if done % _REPORT_EVERY == 0:
                report(done, total)
    stored.put(runtime.db, writer.bank_id, made, writer.now)
    report(total, total)


def _audit_row(done: Consolidation) -> dict[str, object]:
    return {
        "input": done.input_count,
        "merged": len(done.merges),
        "superseded": len(done.loser_ids),
        "conflicts": done.conflict_count,
        "winners": [ids.short_form(merge.winner_id) for merge in done.merges],
        "dry_run": done.dry_run,
    }
