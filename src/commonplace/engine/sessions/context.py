"""Context for a task: the rules, the memories about its question, and contradictions among them.

One verb. It only writes the checkpoint before a compaction, and pending links.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, cast

from commonplace import validation
from commonplace.engine.catch_up import catch_up_links
from commonplace.engine.draft_validation import validate_scope
from commonplace.engine.links import links
from commonplace.engine.links.links import LinkedMemory
from commonplace.engine.links.replacements import find_replacements
from commonplace.engine.memories import list_memories
from commonplace.engine.recall import recall
from commonplace.engine.runtime import Runtime
from commonplace.engine.sessions import compaction
from commonplace.engine.sessions.compaction import NO_HINTS, Compaction, CompactionHints
from commonplace.engine.sessions.rules import (
    RULE,
    applies_to,
    find_file_names,
    list_rules,
    visible_to,
)
from commonplace.limits import LIST_MAX
from commonplace.records.memory import Link, Memory, Scope
from commonplace.records.query import Dropped, Filter, Hit, Query, Recall, Replacement
from commonplace.storage.rows import banks

Mode: TypeAlias = Literal["all", "working", "long_term", "rules_only"]

LIMIT_MAX = 200
DEPTH_MAX = 2
_WORKING_MAX = 3  # Working memories come first, but must leave room for lasting ones.
_DROP_REASON = "beyond the limit"
_FILE_FIELDS = ("file", "files", "path", "paths", "file_path", "filePath", "filename")


@dataclass(frozen=True, slots=True)
class CallerState:
    """The state of a caller: its session, its files, and the state of its conversation."""

    session_id: str = ""
    metadata: Mapping[str, object] = field(default_factory=dict[str, object])
    hints: CompactionHints = NO_HINTS


@dataclass(frozen=True, slots=True)
class ContextQuery:
    """A query for context. Without a text it selects the last changed memories; a depth above 0
    follows links from them.
    """

    text: str = ""
    scope: Scope = Scope()
    limit: int = 5
    mode: Mode = "all"
    depth: int = 0
    linked_max: int = 8
    caller: CallerState = field(default_factory=CallerState)


@dataclass(frozen=True, slots=True)
class Context:
    """Rules, working and lasting memories, linked memories, and contradictions."""

    rules: tuple[Memory, ...] = ()
    working: tuple[Memory, ...] = ()
    lasting: tuple[Memory, ...] = ()
    linked: tuple[LinkedMemory, ...] = ()
    conflicts: tuple[Link, ...] = ()
    compaction: Compaction | None = None
    # How many rules are excluded because they are for other files than those named.
    excluded_rule_count: int = 0
    # The hits of the question with their scores, and those that are not in the answer.
    hits: tuple[Hit, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    # Whether no hit is a confident answer to the question.
    unsure: bool = False
    # The newer memory for each replaced one, by the id of the replaced one.
    replacements: Mapping[int, Replacement] = field(default_factory=dict[int, Replacement])

    @property
    def memories(self) -> tuple[Memory, ...]:
        """All memories but the rules, in the order of the answer."""
        return (*self.working, *self.lasting, *(one.memory for one in self.linked))


def context(runtime: Runtime, bank: str, query: ContextQuery) -> Context:
    """The context of a task. It has all rules, whatever the limit, and no irrelevant memories."""
    validation.name(bank, what="bank")
    validation.count(query.limit, what="limit", least=1, most=LIMIT_MAX)
    validation.count(query.linked_max, what="limit of linked memories", least=1, most=LIMIT_MAX)
    validation.count(query.depth, what="depth", most=DEPTH_MAX)
    visible_filter = visible_to(validate_scope(query.scope))
    answer = _with_rules(runtime, bank, query, visible_filter)
    if query.mode != "rules_only":
        answer = _with_memories(runtime, bank, query, visible_filter, answer)
        answer = _with_links(runtime, bank, query, visible_filter, answer)
    caller = query.caller
    if not caller.session_id:
        return answer
    found = (answer.rules, answer.memories)
    return replace(
        answer,
        compaction=compaction.checkpoint(
            runtime, bank, _session_handle(query), query.text, found, caller.hints
        ),
    )


def _session_handle(query: ContextQuery) -> compaction.SessionHandle:
    return compaction.SessionHandle(query.caller.session_id, query.scope.user)


def _with_rules(
    runtime: Runtime, bank: str, query: ContextQuery, visible_filter: Filter
) -> Context:
    every = list_rules(runtime, bank, visible_filter)
    if not any(rule.paths for rule in every):
        return Context(rules=every)
    sure, maybe = find_file_names(query.text)
    sure = (*sure, *_files_in_metadata(runtime, bank, query))
    kept = [rule for rule in every if not sure or applies_to(rule, (*sure, *maybe))]
    # A name that may be a file excludes no rule, but the rules for it come first.
    named = (*sure, *maybe)
    kept.sort(key=lambda rule: not (named and rule.paths and applies_to(rule, named)))
    return Context(rules=tuple(kept), excluded_rule_count=len(every) - len(kept))


def _files_in_metadata(runtime: Runtime, bank: str, query: ContextQuery) -> list[str]:
    given = [query.caller.metadata]
    if query.caller.session_id and (
        session := compaction.find_session(runtime, bank, _session_handle(query))
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
    runtime: Runtime, bank: str, query: ContextQuery, visible_filter: Filter, answer: Context
) -> Context:
    chosen = replace(visible_filter, kinds_not=(RULE,))
    if query.mode != "all":
        only = replace(chosen, lasting=query.mode == "long_term")
        some, found = _find_memories(runtime, bank, query, only, query.limit)
        answer = (
            replace(answer, lasting=some)
            if query.mode == "long_term"
            else replace(answer, working=some)
        )
        return _with_scores(answer, found)
    room = min(query.limit, _WORKING_MAX)
    if query.text.strip():
        # Working memories may rank a little below the best and still belong to the answer.
        some, found = _find_memories(runtime, bank, query, chosen, query.limit + room)
        working = [one for one in some if one.expires_at is not None][:room]
        lasting = [one for one in some if one.expires_at is None]
    else:
        found = Recall(())
        working = list(
            list_memories(
                runtime, bank, replace(chosen, lasting=False), order="updated", limit=room
            )
        )
        lasting = list(
            list_memories(
                runtime, bank, replace(chosen, lasting=True), order="updated", limit=query.limit
            )
        )
    lasting = lasting[: query.limit - len(working)]
    return _with_scores(replace(answer, working=tuple(working), lasting=tuple(lasting)), found)


def _find_memories(
    runtime: Runtime, bank: str, query: ContextQuery, chosen: Filter, limit: int
) -> tuple[tuple[Memory, ...], Recall]:
    """The memories, and the recall result if there is a question."""
    if not query.text.strip():
        return list_memories(
            runtime, bank, chosen, order="updated", limit=min(limit, LIST_MAX)
        ), Recall(())
    found = recall(runtime, bank, Query(query.text, chosen, limit=limit, explain=True))
    return tuple(hit.memory for hit in found.hits), found


def _with_scores(answer: Context, found: Recall) -> Context:
    """The answer with the scores of its memories, and the hits that are not in it."""
    kept = {one.id for one in answer.memories}
    hits = tuple(hit for hit in found.hits if hit.memory.id in kept)
    beyond = (
        Dropped(hit.memory.id, hit.score, _DROP_REASON)
        for hit in found.hits
        if hit.memory.id not in kept
    )
    return replace(answer, hits=hits, dropped=(*beyond, *found.dropped), unsure=found.unsure)


def _with_links(
    runtime: Runtime, bank: str, query: ContextQuery, visible_filter: Filter, answer: Context
) -> Context:
    found = banks.find(runtime.db, bank)
    if found is None:
        return answer
    catch_up_links(runtime, found.id, answer.memories)
    if query.depth and answer.memories:
        allowed = replace(visible_filter, kinds_not=(RULE,))
        near = links.follow_links(
            runtime, found.id, answer.memories, allowed, depth=query.depth, limit=query.linked_max
        )
        answer = replace(answer, linked=near)
    answer = replace(answer, replacements=find_replacements(runtime, found.id, answer.memories))
    candidates: Sequence[Memory] = (*answer.rules, *answer.memories)
    return replace(answer, conflicts=links.conflicts_among(runtime, found.id, candidates))
