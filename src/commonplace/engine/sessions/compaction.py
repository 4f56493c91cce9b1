"""Decides when a conversation should be compacted, and stores a checkpoint before that."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from commonplace import clock, ids
from commonplace.engine.runtime import Runtime
from commonplace.engine.sessions import sessions
from commonplace.errors import Invalid
from commonplace.records.memory import Memory
from commonplace.records.work import EventDraft, Session
from commonplace.storage.rows import banks
from commonplace.storage.rows import sessions as stored

CompactionTrigger: TypeAlias = Literal["count", "time", "semantic"]

_RULES_SHOWN = 5
_MEMORIES_SHOWN = 8
_SHOWN_CHARS_MAX = 140


@dataclass(frozen=True, slots=True)
class CompactionHints:
    """The state of a conversation as the caller reports it; None means "not given"."""

    budget_tokens: int | None = None
    turn_count: int | None = None
    turn_budget: int | None = None
    active_at: str = ""
    idle_minutes: int | None = None
    task_completed: bool = False


NO_HINTS = CompactionHints()


@dataclass(frozen=True, slots=True)
class Compaction:
    """The reason to compact now and the checkpoint events; `failure` explains why there are
    none.
    """

    trigger: CompactionTrigger
    reason: str
    token_count: int
    checkpoint_id: int | None = None
    event_id: int | None = None
    failure: str = ""


def token_count(rules: Sequence[Memory], memories: Sequence[Memory]) -> int:
    """The estimated tokens of a context: a quarter of its characters, and a constant per item."""
    of_rules = sum(
        8 + _estimate_tokens(one.text) + _estimate_tokens(",".join(one.tags)) for one in rules
    )
    of_memories = sum(
        12
        + _estimate_tokens(one.text)
        + _estimate_tokens(",".join(one.tags))
        + _estimate_tokens(one.category)
        for one in memories
    )
    return 24 + of_rules + of_memories


def compaction_cause(
    hints: CompactionHints, tokens: int, now: int
) -> tuple[CompactionTrigger, str] | None:
    """The most urgent cause for compaction. A count must exceed its budget; a time may equal its
    limit.
    """
    if hints.budget_tokens is not None and tokens > hints.budget_tokens:
        return "count", f"Estimated context tokens {tokens} exceed budget {hints.budget_tokens}."
    if (
        hints.turn_budget is not None
        and hints.turn_count is not None
        and hints.turn_count > hints.turn_budget
    ):
        return "count", f"Turn count {hints.turn_count} exceeds budget {hints.turn_budget}."
    last = _parse_time(hints.active_at)
    if (
        last is not None
        and hints.idle_minutes is not None
        and now - last >= hints.idle_minutes * 60_000
    ):
        return "time", f"Session inactive beyond {hints.idle_minutes} minute threshold."
    return ("semantic", "Caller signaled task completion.") if hints.task_completed else None


@dataclass(frozen=True, slots=True)
class SessionHandle:
    """The caller's reference to a session: its id, and for a named user only a session of that
    user.
    """

    id: str
    user: str = ""


def find_session(runtime: Runtime, bank: str, handle: SessionHandle) -> Session | None:
    """The session of a handle; None if there is none or the id is malformed."""
    found = banks.find(runtime.db, bank)
    try:
        session = stored.find(runtime.db, found.id, ids.parse(handle.id)) if found else None
    except Invalid:
        return None
    return session if session and handle.user in ("", session.user) else None


def checkpoint(
    runtime: Runtime,
    bank: str,
    handle: SessionHandle,
    question: str,
    found: tuple[Sequence[Memory], Sequence[Memory]],
    hints: CompactionHints,
) -> Compaction | None:
    """Store the context as a checkpoint if compaction is due; otherwise None.

    The caller always gets its context, so a session that cannot be written is reported and not
    raised.
    """
    tokens = token_count(*found)
    cause = compaction_cause(hints, tokens, runtime.clock.now())
    if cause is None:
        return None
    compaction = Compaction(*cause, tokens)
    with runtime.db.transaction():
        session = find_session(runtime, bank, handle)
        if session is None:
            return Compaction(*cause, tokens, failure=f"Session {handle.id} not found")
        if session.status != "active":
            failure = f"Cannot checkpoint session {handle.id} because it is {session.status}"
            return Compaction(*cause, tokens, failure=failure)
        text = _summary(compaction, question, *found)
        draft = EventDraft(text, token_count=_estimate_tokens(text), turn_index=hints.turn_count)
        saved = sessions.checkpoint_session(runtime, bank, session.id, draft)
        note = {
            "compaction": compaction.trigger,
            "reason": compaction.reason,
            "token_count_before": tokens,
            "turn_count_before": hints.turn_count,
            "summary_tokens": saved.token_count,
            "checkpoint": ids.short_form(saved.id),
        }
        row = EventDraft(
            json.dumps(note),
            role="tool",
            kind="event",
            turn_index=hints.turn_count,
            meaningful=False,
        )
        event = sessions.checkpoint_session(runtime, bank, session.id, row)
    return Compaction(*cause, tokens, saved.id, event.id)


def _summary(
    compaction: Compaction, question: str, rules: Sequence[Memory], memories: Sequence[Memory]
) -> str:
    lines = [
        "Write-ahead checkpoint before compaction.",
        f"Trigger: {compaction.trigger}",
        f"Reason: {compaction.reason}",
    ]
    if question:
        lines.append(f"Query: {_truncate(question)}")
    for title, shown in (("Rules", rules[:_RULES_SHOWN]), ("Memories", memories[:_MEMORIES_SHOWN])):
        if shown:
            lines += [
                f"{title}:",
                *(f"- {ids.short_form(one.id)} {_truncate(one.text)}" for one in shown),
            ]
    return "\n".join(lines)


def _truncate(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _SHOWN_CHARS_MAX else plain[: _SHOWN_CHARS_MAX - 1] + "…"


def _estimate_tokens(text: str) -> int:
    return -(-len(text.strip()) // 4)


def _parse_time(text: str) -> int | None:
    try:
        return clock.parse_moment(text) if text.strip() else None
    except (Invalid, OverflowError):
        # An unreadable hint is ignored, because the caller wants its context.
        return None
