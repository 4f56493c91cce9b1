"""The stored session of a client's session: its events, and the memories that it was shown.

Sessions and turns are found by idempotency keys, so that a hook that runs twice does its work once.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from commonplace.engine import idempotency
from commonplace.engine.hooks.payloads import HookCall
from commonplace.engine.runtime import Runtime
from commonplace.engine.sessions import sessions
from commonplace.limits import LIST_MAX
from commonplace.records.memory import IdempotencyKey
from commonplace.records.work import Event, EventDraft, Session, SessionDraft
from commonplace.storage.rows import banks, memories
from commonplace.storage.rows import sessions as stored

_TOOL = "hook"
_PIECE_CHARS = 240_000  # As UTF-8 below the limit of a text.


@dataclass(frozen=True, slots=True)
class SessionState:
    """What the stored events of a client's session say."""

    # The memories that the model has in its context.
    shown_ids: frozenset[int] = frozenset()
    # The memories that were made or changed from the turns.
    kept_ids: tuple[int, ...] = ()
    # User messages that are not part of a stored turn yet.
    pending: tuple[Event, ...] = ()
    # The end of the agent's last answer.
    last_answer: str = ""


def find(
    runtime: Runtime, bank: str, call: HookCall
) -> tuple[Session | None, tuple[int, ...], int]:
    """The active session of a call, the ids of its closed parts, and how many parts there are.

    A client may resume a session after it was closed; then the session gets another part.
    """
    closed: list[int] = []
    found = banks.find(runtime.db, bank)
    part = 0
    while found is not None:
        key = memories.find_idempotency_key(
            runtime.db, found.id, session=call.session_key, tool=_TOOL, key=_part_key(part + 1)
        )
        if key is None:
            break
        part += 1
        session = stored.find(runtime.db, found.id, cast(int, key[1]))
        if session is not None and session.status == "active":
            return session, tuple(closed), part
        closed += [session.id] if session is not None else []
    return None, tuple(closed), part


def find_or_start(runtime: Runtime, bank: str, call: HookCall) -> tuple[Session, tuple[int, ...]]:
    """The active session of a call, started if necessary, and the ids of its closed parts."""
    with runtime.db.transaction():
        session, closed, parts = find(runtime, bank, call)
        if session is None:
            key = IdempotencyKey(call.session_key, _TOOL, _part_key(parts + 1))
            number, _ = idempotency.once(
                runtime, bank, key, None, lambda: _start(runtime, bank, call)
            )
            session = sessions.get_session(runtime, bank, number)
    return session, closed


def _part_key(part: int) -> str:
    return f"session-{part}"


def read_state(
    runtime: Runtime, bank: str, session: Session, closed: tuple[int, ...]
) -> SessionState:
    """The state of a session and of its closed parts."""
    shown: set[int] = set()
    kept: dict[int, None] = {}
    pending: list[Event] = []
    last_answer = ""
    for number in (*closed, session.id):
        for event in _events(runtime, bank, number):
            if event.kind == "message" and event.role == "user":
                pending.append(event)
            elif event.kind == "message":
                last_answer = event.text
            for name, value in _marker(event).items():
                if name == "reset":
                    shown.clear()
                elif name == "shown":
                    shown.update(value)
                elif name == "kept":
                    pending.clear()
                    if number == session.id:
                        kept |= dict.fromkeys(value)
    return SessionState(frozenset(shown), tuple(kept), tuple(pending), last_answer)


def add_text(runtime: Runtime, bank: str, session: Session, role: str, text: str) -> None:
    """Store what was written in a turn, in pieces if it is longer than a text may be."""
    for piece in _pieces(text):
        draft = EventDraft(piece, role="user" if role == "user" else "assistant", kind="message")
        sessions.checkpoint_session(runtime, bank, session.id, draft)


def is_last_answer(state: SessionState, answer: str) -> bool:
    """Whether an answer is the one that was stored last."""
    return bool(answer) and _pieces(answer)[-1] == state.last_answer


def add_marker(runtime: Runtime, bank: str, session: Session, **values: object) -> None:
    """Store what a hook did, for the next hooks of the session."""
    draft = EventDraft(
        json.dumps({"hook": values}, ensure_ascii=False),
        role="tool",
        kind="event",
        meaningful=False,
    )
    sessions.checkpoint_session(runtime, bank, session.id, draft)


def turn_key(call: HookCall, key: str) -> IdempotencyKey:
    """The key of one turn of a session."""
    return IdempotencyKey(call.session_key, _TOOL, key)


def _pieces(text: str) -> list[str]:
    pieces = (text[at : at + _PIECE_CHARS] for at in range(0, len(text), _PIECE_CHARS))
    return [one for one in pieces if one.strip()]


def _start(runtime: Runtime, bank: str, call: HookCall) -> int:
    project = call.project
    where = f" in {project}" if project else ""
    draft = SessionDraft(
        title=f"{call.client.title}{where}",
        client=call.client.name,
        project=project,
        metadata={"client_session": call.session[:200]},
    )
    return sessions.start_session(runtime, bank, draft).id


def _events(runtime: Runtime, bank: str, session_id: int) -> Iterator[Event]:
    after = 0
    while page := sessions.list_events(runtime, bank, session_id, after=after, limit=LIST_MAX):
        yield from page
        after = page[-1].number


def _marker(event: Event) -> Mapping[str, Any]:
    if event.kind != "event" or not event.text.startswith('{"hook"'):
        return {}
    try:
        found: Any = json.loads(event.text)
    except ValueError:  # An erasure took a part of it out.
        return {}
    values: Any = cast("dict[str, Any]", found).get("hook")
    return cast("dict[str, Any]", values) if isinstance(values, dict) else {}
