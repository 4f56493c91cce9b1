"""When a conversation should be compacted, and the checkpoint that is on disk before anybody acts
on that.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from commonplace import clock, ids
from commonplace.engine.runtime import Parts
from commonplace.engine.sessions import sessions
from commonplace.errors import Invalid
from commonplace.records.memory import Memory
from commonplace.records.work import EventDraft, Session
from commonplace.storage import banks
from commonplace.storage import sessions as stored

CompactionTrigger: TypeAlias = Literal["count", "time", "semantic"]

_RULES_SHOWN = 5
_MEMORIES_SHOWN = 8
_SHOWN_CHARS_MAX = 140


@dataclass(frozen=True, slots=True)
class Hints:
    """What a caller says about the state of its conversation; None is "not said"."""

    budget_tokens: int | None = None
    turn_count: int | None = None
    turn_budget: int | None = None
    active_at: str = ""
    idle_minutes: int | None = None
    task_completed: bool = False


NO_HINTS = Hints()


@dataclass(frozen=True, slots=True)
class Compaction:
    """Why to compact now, and the events that were written first; without them `failure` says why
    not.
    """

    trigger: CompactionTrigger
    reason: str
    token_count: int
    checkpoint_id: int | None = None
    event_id: int | None = None
    failure: str = ""


def token_count(rules: Sequence[Memory], memories: Sequence[Memory]) -> int:
    """About how many tokens a context takes: a quarter of its characters, and a little for each
    item.
    """
    of_rules = sum(8 + _tokens(one.text) + _tokens(",".join(one.tags)) for one in rules)
    of_memories = sum(
        12 + _tokens(one.text) + _tokens(",".join(one.tags)) + _tokens(one.category)
        for one in memories
    )
    return 24 + of_rules + of_memories


def due(hints: Hints, tokens: int, now: int) -> tuple[CompactionTrigger, str] | None:
    """What asks for compaction, the most pressing first; a count must be above its budget, a time
    may be just there.
    """
    if hints.budget_tokens is not None and tokens > hints.budget_tokens:
        return "count", f"Estimated context tokens {tokens} exceed budget {hints.budget_tokens}."
    if (
        hints.turn_budget is not None
        and hints.turn_count is not None
        and hints.turn_count > hints.turn_budget
    ):
        return "count", f"Turn count {hints.turn_count} exceeds budget {hints.turn_budget}."
    last = _moment(hints.active_at)
    if (
        last is not None
        and hints.idle_minutes is not None
        and now - last >= hints.idle_minutes * 60_000
    ):
        return "time", f"Session inactive beyond {hints.idle_minutes} minute threshold."
    return ("semantic", "Caller signaled task completion.") if hints.task_completed else None


@dataclass(frozen=True, slots=True)
class Handle:
    """What a caller calls a session: its id, which is enough, and for a named user only one of that
    user's.
    """

    id: str
    user: str = ""


def find_session(parts: Parts, bank: str, handle: Handle) -> Session | None:
    """The session that is meant; None when there is none, also for what is no id at all."""
    found = banks.find(parts.db, bank)
    try:
        session = stored.find(parts.db, found.id, ids.parse(handle.id)) if found else None
    except Invalid:
        return None
    return session if session and handle.user in ("", session.user) else None


def checkpoint(
    parts: Parts,
    bank: str,
    handle: Handle,
    asked: str,
    found: tuple[Sequence[Memory], Sequence[Memory]],
    hints: Hints,
) -> Compaction | None:
    """Write down what the context was, if it is time to compact; None when it is not.

    The caller gets its context whatever happens here, so a session that cannot be written to is
    told, not raised.
    """
    tokens = token_count(*found)
    cause = due(hints, tokens, parts.clock.now())
    if cause is None:
        return None
    compaction = Compaction(*cause, tokens)
    with parts.db.transaction():
        session = find_session(parts, bank, handle)
        if session is None:
            return Compaction(*cause, tokens, failure=f"Session {handle.id} not found")
        if session.status != "active":
            failure = f"Cannot checkpoint session {handle.id} because it is {session.status}"
            return Compaction(*cause, tokens, failure=failure)
        text = _summary(compaction, asked, *found)
        draft = EventDraft(text, token_count=_tokens(text), turn_index=hints.turn_count)
        saved = sessions.checkpoint_session(parts, bank, session.id, draft)
        note = {
            "compaction": compaction.trigger,
            "reason": compaction.reason,
            "token_count_before": tokens,
            "turn_count_before": hints.turn_count,
            "summary_tokens": saved.token_count,
            "checkpoint": ids.short(saved.id),
        }
        row = EventDraft(
            json.dumps(note),
            role="tool",
            kind="event",
            turn_index=hints.turn_count,
            meaningful=False,
        )
        event = sessions.checkpoint_session(parts, bank, session.id, row)
    return Compaction(*cause, tokens, saved.id, event.id)


def _summary(
    compaction: Compaction, asked: str, rules: Sequence[Memory], memories: Sequence[Memory]
) -> str:
    lines = [
        "Write-ahead checkpoint before compaction.",
        f"Trigger: {compaction.trigger}",
        f"Reason: {compaction.reason}",
    ]
    if asked:
        lines.append(f"Query: {_short(asked)}")
    for title, shown in (("Rules", rules[:_RULES_SHOWN]), ("Memories", memories[:_MEMORIES_SHOWN])):
        if shown:
            lines += [f"{title}:", *(f"- {ids.short(one.id)} {_short(one.text)}" for one in shown)]
    return "\n".join(lines)


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _SHOWN_CHARS_MAX else plain[: _SHOWN_CHARS_MAX - 1] + "…"


def _tokens(text: str) -> int:
    return -(-len(text.strip()) // 4)


def _moment(text: str) -> int | None:
    try:
        return clock.moment(text) if text.strip() else None
    except (Invalid, OverflowError):
        # A hint that cannot be read is no hint; the context is what was asked for.
        return None
