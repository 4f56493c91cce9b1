"""What an agent should know before it begins: the rules, then what is known about its question, and
what is at odds.

One verb. It reads; all it writes is the checkpoint before a compaction, and links that were still
to be made.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, cast

from commonplace import validation
from commonplace.engine import links
from commonplace.engine.draft_validation import checked_scope
from commonplace.engine.links import Reached
from commonplace.engine.memories import list_memories
from commonplace.engine.recall import recall
from commonplace.engine.runtime import Parts
from commonplace.engine.sessions import compaction
from commonplace.engine.sessions.compaction import NO_HINTS, Compaction, Hints
from commonplace.engine.sessions.rules import RULE, applies, files_named, list_rules, visible
from commonplace.limits import LIST_MAX
from commonplace.records.memory import Link, Memory, Scope
from commonplace.records.query import Dropped, Filter, Hit, Query, Recall
from commonplace.storage import banks

Mode: TypeAlias = Literal["all", "working", "long_term", "rules_only"]

LIMIT_MAX = 200
DEPTH_MAX = 2
_WORKING_MAX = 3  # What is in hand now comes first, but must not crowd out what is known.
_BEYOND = "beyond the limit"
_FILE_FIELDS = ("file", "files", "path", "paths", "file_path", "filePath", "filename")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where a caller is: what its session is called, which files it works on, and how its
    conversation stands.
    """

    session_id: str = ""
    metadata: Mapping[str, object] = field(default_factory=dict[str, object])
    hints: Hints = NO_HINTS


@dataclass(frozen=True, slots=True)
class ContextQuery:
    """What is wanted. Without a text it is what changed last; a depth above 0 follows links from
    what was found.
    """

    text: str = ""
    scope: Scope = Scope()
    limit: int = 5
    mode: Mode = "all"
    depth: int = 0
    linked_max: int = 8
    around: Surroundings = field(default_factory=Surroundings)


@dataclass(frozen=True, slots=True)
class Context:
    """The rules, the memories in hand and the lasting ones, those reached over links, and what is
    at odds.
    """

    rules: tuple[Memory, ...] = ()
    working: tuple[Memory, ...] = ()
    lasting: tuple[Memory, ...] = ()
    reached: tuple[Reached, ...] = ()
    conflicts: tuple[Link, ...] = ()
    compaction: Compaction | None = None
    # How many rules were left out because they are for other files than those named.
    rules_apart_count: int = 0
    # What a question found, with its scores, and what it found that is not in the answer.
    hits: tuple[Hit, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    # Whether none of what a question found is surely an answer to it.
    unsure: bool = False

    @property
    def memories(self) -> tuple[Memory, ...]:
        """Everything besides the rules, in the order of the answer."""
        return (*self.working, *self.lasting, *(one.memory for one in self.reached))


def context(parts: Parts, bank: str, query: ContextQuery) -> Context:
    """What is worth knowing before a task. All rules come, whatever the limit; what is beside the
    point does not.
    """
    validation.name(bank, what="bank")
    validation.count(query.limit, what="limit", least=1, most=LIMIT_MAX)
    validation.count(query.linked_max, what="limit of linked memories", least=1, most=LIMIT_MAX)
    validation.count(query.depth, what="depth", most=DEPTH_MAX)
    seen = visible(checked_scope(query.scope))
    answer = _rules(parts, bank, query, seen)
    if query.mode != "rules_only":
        answer = _with_memories(parts, bank, query, seen, answer)
        answer = _with_links(parts, bank, query, seen, answer)
    around = query.around
    if not around.session_id:
        return answer
    found = (answer.rules, answer.memories)
    return replace(
        answer,
        compaction=compaction.checkpoint(
            parts, bank, _handle(query), query.text, found, around.hints
        ),
    )


def _handle(query: ContextQuery) -> compaction.Handle:
    return compaction.Handle(query.around.session_id, query.scope.user)


def _rules(parts: Parts, bank: str, query: ContextQuery, seen: Filter) -> Context:
    every = list_rules(parts, bank, seen)
    if not any(rule.paths for rule in every):
        return Context(rules=every)
    sure, maybe = files_named(query.text)
    sure = (*sure, *_files_around(parts, bank, query))
    kept = [rule for rule in every if not sure or applies(rule, (*sure, *maybe))]
    # A name that may be a file leaves no rule out, but the rules for it come first.
    named = (*sure, *maybe)
    kept.sort(key=lambda rule: not (named and rule.paths and applies(rule, named)))
    return Context(rules=tuple(kept), rules_apart_count=len(every) - len(kept))


def _files_around(parts: Parts, bank: str, query: ContextQuery) -> list[str]:
    given = [query.around.metadata]
    if query.around.session_id and (
        session := compaction.find_session(parts, bank, _handle(query))
    ):
        given.append(session.metadata)
    return [
        file for metadata in given for name in _FILE_FIELDS for file in _texts(metadata.get(name))
    ]


def _texts(value: object) -> Iterator[str]:
    for one in cast(list[object], value) if isinstance(value, list) else [value]:
        if isinstance(one, str) and one.strip():
            yield one.strip()


def _with_memories(
    parts: Parts, bank: str, query: ContextQuery, seen: Filter, answer: Context
) -> Context:
    chosen = replace(seen, kinds_not=(RULE,))
    if query.mode != "all":
        only = replace(chosen, lasting=query.mode == "long_term")
        some, found = _asked(parts, bank, query, only, query.limit)
        answer = (
            replace(answer, lasting=some)
            if query.mode == "long_term"
            else replace(answer, working=some)
        )
        return _told(answer, found)
    room = min(query.limit, _WORKING_MAX)
    if query.text.strip():
        # Those in hand may rank a little lower than the best and still belong to the answer.
        some, found = _asked(parts, bank, query, chosen, query.limit + room)
        working = [one for one in some if one.expires_at is not None][:room]
        lasting = [one for one in some if one.expires_at is None]
    else:
        found = Recall(())
        working = list(
            list_memories(parts, bank, replace(chosen, lasting=False), order="updated", limit=room)
        )
        lasting = list(
            list_memories(
                parts, bank, replace(chosen, lasting=True), order="updated", limit=query.limit
            )
        )
    lasting = lasting[: query.limit - len(working)]
    return _told(replace(answer, working=tuple(working), lasting=tuple(lasting)), found)


def _asked(
    parts: Parts, bank: str, query: ContextQuery, chosen: Filter, limit: int
) -> tuple[tuple[Memory, ...], Recall]:
    """The memories, and where they answer a question how they do."""
    if not query.text.strip():
        return list_memories(
            parts, bank, chosen, order="updated", limit=min(limit, LIST_MAX)
        ), Recall(())
    found = recall(parts, bank, Query(query.text, chosen, limit=limit, explain=True))
    return tuple(hit.memory for hit in found.hits), found


def _told(answer: Context, found: Recall) -> Context:
    """The answer with the scores of what is in it, and with what is not."""
    kept = {one.id for one in answer.memories}
    hits = tuple(hit for hit in found.hits if hit.memory.id in kept)
    beyond = (
        Dropped(hit.memory.id, hit.score, _BEYOND)
        for hit in found.hits
        if hit.memory.id not in kept
    )
    return replace(answer, hits=hits, dropped=(*beyond, *found.dropped), unsure=found.unsure)


def _with_links(
    parts: Parts, bank: str, query: ContextQuery, seen: Filter, answer: Context
) -> Context:
    found = banks.find(parts.db, bank)
    if found is None:
        return answer
    links.heal(parts, found.id, answer.memories, links.HEAL_MS)
    if query.depth and answer.memories:
        allowed = replace(seen, kinds_not=(RULE,))
        near = links.reached(
            parts, found.id, answer.memories, allowed, depth=query.depth, limit=query.linked_max
        )
        answer = replace(answer, reached=near)
    at_odds: Sequence[Memory] = (*answer.rules, *answer.memories)
    return replace(answer, conflicts=links.conflicts(parts, found.id, at_odds))
