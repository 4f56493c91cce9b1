"""Keeps what was written in a session: the raw turns, and the statements that stay true."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from commonplace import ids
from commonplace.engine import add_messages, idempotency
from commonplace.engine.hooks import hook_sessions
from commonplace.engine.hooks.hook_sessions import SessionState
from commonplace.engine.hooks.payloads import HookCall
from commonplace.engine.runtime import Runtime
from commonplace.engine.sessions import sessions
from commonplace.extract.durable_statements import select_durable
from commonplace.extract.statement_splitting import Message
from commonplace.records.memory import Origin, Scope
from commonplace.records.work import EventDraft, Session
from commonplace.storage.rows import banks, memories

DIALECT = "hooks"
_KIND = "fact"
_SUMMARY_LINES_MAX = 50


@dataclass(frozen=True, slots=True)
class KeptTurn:
    """What became of a turn: the memories made or changed, and how many pieces were left out."""

    memory_ids: tuple[int, ...] = ()
    skipped_count: int = 0
    # Whether the turn was stored by an earlier call.
    repeated: bool = False


def keep_prompt(runtime: Runtime, bank: str, call: HookCall, session: Session) -> None:
    """Store a prompt. Its statements are taken when the turn ends."""

    def work() -> int:
        hook_sessions.add_text(runtime, bank, session, "user", call.prompt)
        return session.id

    if not call.prompt:
        return
    if call.turn:
        key = hook_sessions.turn_key(call, f"prompt-{_digest(call.turn, call.prompt)}")
        idempotency.once(runtime, bank, key, None, work)
    else:
        with runtime.db.transaction():
            work()


def keep_turn(
    runtime: Runtime, bank: str, call: HookCall, session: Session, state: SessionState
) -> KeptTurn:
    """Store the answer of a turn, and the statements of the turn that stay true after it."""
    prompts = _prompts(call, state)
    if not prompts and not call.answer:
        return KeptTurn()
    if not prompts and hook_sessions.is_last_answer(state, call.answer):
        return KeptTurn(repeated=True)
    # A turn with new prompts is a new one, also if the agent's answer is the same as before.
    stored_after = state.pending[-1].id if state.pending and not call.turn else 0
    key = hook_sessions.turn_key(
        call, f"turn-{_digest(call.turn, call.answer, call.prompt, str(stored_after))}"
    )
    kept: list[KeptTurn] = []

    def work() -> int:
        if not state.pending and call.prompt:
            hook_sessions.add_text(runtime, bank, session, "user", call.prompt)
        hook_sessions.add_text(runtime, bank, session, "assistant", call.answer)
        kept.append(_keep_statements(runtime, bank, call, session, prompts))
        return session.id

    _, is_new = idempotency.once(runtime, bank, key, None, work)
    return kept[0] if is_new else KeptTurn(repeated=True)


def close(runtime: Runtime, bank: str, session: Session, state: SessionState) -> None:
    """End a session with a summary made of the statements that it kept."""
    with runtime.db.transaction():
        if session.status != "active":
            return
        add_summary(runtime, bank, session, state, kind="summary")
        sessions.end_session(runtime, bank, session.id)


def add_summary(
    runtime: Runtime, bank: str, session: Session, state: SessionState, kind: str
) -> None:
    """Store the statements that a session kept as one event, if there are any."""
    found = banks.find(runtime.db, bank)
    by_id = memories.by_ids(runtime.db, found.id, list(state.kept_ids)) if found else {}
    texts = [
        by_id[number].text
        for number in state.kept_ids
        if number in by_id and by_id[number].forgotten_at is None
    ]
    if not texts:
        return
    text = "\n".join(("Kept in this session:", *(f"- {one}" for one in texts[:_SUMMARY_LINES_MAX])))
    draft = EventDraft(text, kind="checkpoint" if kind == "checkpoint" else "summary")
    sessions.checkpoint_session(runtime, bank, session.id, draft)


def _prompts(call: HookCall, state: SessionState) -> Sequence[str]:
    stored = [event.text for event in state.pending]
    return stored or ([call.prompt] if call.prompt else [])


def _keep_statements(
    runtime: Runtime, bank: str, call: HookCall, session: Session, prompts: Sequence[str]
) -> KeptTurn:
    turn = [*(Message("user", text) for text in prompts), Message("assistant", call.answer)]
    found = select_durable([one for one in turn if one.text])
    numbers: list[int] = []
    if found.statements:
        name = ids.short_form(session.id)
        batch = add_messages.MessageBatch(
            found.statements,
            Scope(project=session.project),
            kind=_KIND,
            metadata={"source": "hook", "client": call.client.name, "session": name},
        )
        origin = Origin(who=call.client.name, dialect=DIALECT, session=name)
        outcomes = add_messages.merge_statements(runtime, bank, batch, origin)
        numbers = [one.memory.id for one in outcomes if one.change in ("added", "revised")]
    skipped = sum(found.skipped.values())
    hook_sessions.add_marker(runtime, bank, session, kept=numbers, skipped=skipped)
    return KeptTurn(tuple(numbers), skipped)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
