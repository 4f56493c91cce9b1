"""Consolidation: of memories that say the same, or the same thing anew, the newest stays and the
others give way.

One transaction, with an audit row that says what was done. A memory that gave way is forgotten, so
that no dialect shows it any more, and can be restored; its last version names the one that took its
place. Memories with keys are left alone: a key has its own chain of versions.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from commonplace import ids, validation
from commonplace.engine import links as linking
from commonplace.engine.draft_validation import checked_filter, checked_origin
from commonplace.engine.facts.fact_metadata import statement
from commonplace.engine.links import candidates, superseded_by
from commonplace.engine.memories import next_version
from commonplace.engine.operations.jobs import enqueue
from commonplace.engine.revisions import Revising
from commonplace.engine.runtime import Parts
from commonplace.language.judgement import Relation
from commonplace.language.statement import folded, label
from commonplace.limits import TAGS_MAX
from commonplace.records.memory import Link, Memory, Metadata, Origin
from commonplace.records.query import Filter
from commonplace.storage import banks, jobs, memories
from commonplace.storage import links as stored

# How sure the judge must be: of two statements with one label, and of any two.
_LABELLED_MIN, _ENDED_MIN = 0.7, 0.8
_JUDGED_MAX = (
    1_000  # Each costs a search; a store with more statements has them looked at in several runs.
)
_REPORT_EVERY = 500

Report = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Merge:
    """One memory that stays and those that gave way to it; a conflict is one that said something
    else.
    """

    winner_id: int
    loser_ids: tuple[int, ...]
    conflict_count: int


@dataclass(frozen=True, slots=True)
class Consolidation:
    """What a run did, or would have done; its id is that of its audit row."""

    id: int
    input_count: int
    merges: tuple[Merge, ...]
    dry_run: bool

    @property
    def loser_ids(self) -> tuple[int, ...]:
        """Every memory that gave way."""
        return tuple(number for merge in self.merges for number in merge.loser_ids)

    @property
    def conflict_count(self) -> int:
        """How many of them said something else than the memory that stays."""
        return sum(merge.conflict_count for merge in self.merges)


@dataclass(frozen=True, slots=True)
class Run:
    """How to go about it: without changing anything, telling whom, and what to note in the audit
    row besides.
    """

    dry_run: bool = False
    report: Report | None = None
    note: Metadata = field(default_factory=dict[str, object])


def consolidate(
    parts: Parts, bank: str, chosen: Filter, origin: Origin = Origin(), run: Run | None = None
) -> Consolidation:
    """Merge duplicates and let newer statements take the place of older ones about the same
    subject, in one go.
    """
    name, author, how = validation.name(bank, what="bank"), checked_origin(origin), run or Run()
    checked = checked_filter(chosen)
    validation.metadata(how.note, what="note")
    report = how.report or _nobody
    with parts.db.transaction():
        job = enqueue(parts, name, "consolidate", {**how.note, "dry_run": how.dry_run})
        now = parts.clock.now()
        numbers = memories.select_ids(parts.db, job.bank_id, checked, now)
        by_id = memories.by_ids(parts.db, job.bank_id, numbers)
        found = [by_id[number] for number in numbers if not by_id[number].key]
        report(0, len(found))
        groups = _groups(parts, found)
        merges = tuple(_merge(group) for group in groups)
        if not how.dry_run:
            _apply(parts, groups, Revising(parts, job.bank_id, "consolidate", author), report)
        done = Consolidation(job.id, len(found), merges, how.dry_run)
        jobs.conclude(parts.db, job.id, json.dumps(_audit(done)), parts.clock.now())
    return done


def _nobody(_done: int, _total: int) -> None:
    """Nobody asked to be told."""


class _Families:
    """Which memories belong together, grown pair by pair; the newest of a family stands for it."""

    def __init__(self, found: Iterable[Memory]) -> None:
        self.memories = {memory.id: memory for memory in found}
        self._head = {number: number for number in self.memories}

    def head(self, number: int) -> int:
        """The newest of the family a memory is in."""
        while (above := self._head[number]) != number:
            self._head[number] = self._head[above]
            number = self._head[number]
        return number

    def join(self, one: int, other: int) -> None:
        """Make two families one."""
        first, second = sorted(
            (self.head(one), self.head(other)), key=lambda n: newness(self.memories[n])
        )
        self._head[first] = second

    def groups(self) -> list[list[Memory]]:
        """The families of more than one, each with its newest first."""
        found: dict[int, list[Memory]] = {}
        for number, memory in self.memories.items():
            found.setdefault(self.head(number), []).append(memory)
        return [
            sorted(group, key=newness, reverse=True) for group in found.values() if len(group) > 1
        ]


def newness(memory: Memory) -> tuple[int, int]:
    """What orders memories by age, to the millisecond and beyond."""
    return memory.updated_at, memory.version_id


def _groups(parts: Parts, found: Sequence[Memory]) -> list[list[Memory]]:
    families = _Families(found)
    blocks: dict[tuple[object, ...], list[Memory]] = {}
    for memory in sorted(found, key=newness):
        about = label(memory.text)
        for key in [("text", folded(memory.text)), *([("label", about)] if about else [])]:
            blocks.setdefault((*_place(memory), *key), []).append(memory)
    for block in blocks.values():
        for older, newer in pairwise(block):
            if _gives_way(parts, older, newer, _LABELLED_MIN):
                families.join(older.id, newer.id)
    for newer in sorted(found, key=newness, reverse=True)[:_JUDGED_MAX]:
        for older in candidates(parts, newer):
            is_comparable = _place(older) == _place(newer) and newness(older) < newness(newer)
            known = is_comparable and older.id in families.memories
            if known and _gives_way(parts, older, newer, _ENDED_MIN):
                families.join(newer.id, older.id)
    return families.groups()


def _place(memory: Memory) -> tuple[object, ...]:
    return memory.scope, memory.kind, memory.paths


def _gives_way(parts: Parts, older: Memory, newer: Memory, least: float) -> bool:
    found = parts.judge(statement(older), statement(newer))
    return found.relation is Relation.SAME or found.ends_older(least)


def _merge(group: Sequence[Memory]) -> Merge:
    winner, *losers = group
    said = folded(winner.text)
    conflicts = sum(folded(loser.text) != said for loser in losers)
    return Merge(winner.id, tuple(loser.id for loser in losers), conflicts)


def _apply(
    parts: Parts, groups: Sequence[Sequence[Memory]], revising: Revising, report: Report
) -> None:
    total = sum(len(group) - 1 for group in groups)
    drawn = iter(banks.new_ids(parts.db, revising.now, total + len(groups)) if groups else ())
    made: list[Link] = []
    done = 0
    for winner, *losers in groups:
        tags = tuple(dict.fromkeys(tag for one in (winner, *losers) for tag in one.tags))[:TAGS_MAX]
        if tags != winner.tags:
            revising.write(
                replace(next_version(winner, next(drawn), revising.now), tags=tags), "revise"
            )
        for loser in losers:
            after = next_version(loser, next(drawn), revising.now)
            gone = replace(after, forgotten_at=after.updated_at)
            revising.write(gone, "forget", superseded_by(winner.id))
            made.append(linking.succession(winner.id, loser.id))
            done += 1
            if done % _REPORT_EVERY == 0:
                report(done, total)
    stored.put(parts.db, revising.bank_id, made, revising.now)
    report(total, total)


def _audit(done: Consolidation) -> dict[str, object]:
    return {
        "input": done.input_count,
        "merged": len(done.merges),
        "superseded": len(done.loser_ids),
        "conflicts": done.conflict_count,
        "winners": [ids.short(merge.winner_id) for merge in done.merges],
        "dry_run": done.dry_run,
    }
