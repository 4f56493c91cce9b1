"""Runs one hook: the only entry for the command line, HTTP and MCP."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from commonplace import lazy
from commonplace.engine.hooks import brief, hook_sessions
from commonplace.engine.hooks.brief import BriefQuery
from commonplace.engine.hooks.hook_clients import AnswerParts, HookEvent, Json
from commonplace.engine.hooks.hook_sessions import SessionState
from commonplace.engine.hooks.payloads import HookCall
from commonplace.engine.hooks.rendering import NOTHING, InjectedText
from commonplace.engine.runtime import Runtime
from commonplace.limits import BRIEF_TOKENS_DEFAULT
from commonplace.records.work import Session

if TYPE_CHECKING:
    from commonplace.engine.hooks import capture, prompt_recall
else:
    # The start of a session, which a person waits for, needs neither.
    capture = lazy.module("commonplace.engine.hooks.capture")
    prompt_recall = lazy.module("commonplace.engine.hooks.prompt_recall")

# Sources after which the model's context is empty.
_FRESH_SOURCES = ("compact", "clear")


@dataclass(frozen=True, slots=True)
class HookResult:
    """What a hook did: the text for the model, and the memories that were shown or kept."""

    injected: InjectedText = NOTHING
    kept_ids: tuple[int, ...] = ()
    skipped_count: int = 0
    project: str = ""

    def answer(self, call: HookCall) -> Json:
        """The answer in the form of the client."""
        return call.client.answer(
            call.client,
            AnswerParts(call.event, self.injected.text, self._view_line(), call.raw_prompt),
        )

    def _view_line(self) -> str:
        count = len(self.injected.memory_ids)
        if not self.injected.text:
            return ""
        memories = "1 memory" if count == 1 else f"{count} memories"
        return f"Commonplace: {memories} added ({self.injected.tokens} tokens)."


@dataclass(frozen=True, slots=True)
class _Hook:
    """One running hook."""

    runtime: Runtime
    bank: str
    call: HookCall
    session: Session
    closed: tuple[int, ...]
    state: SessionState
    tokens_max: int


def run_hook(
    runtime: Runtime, bank: str, call: HookCall, *, tokens_max: int = BRIEF_TOKENS_DEFAULT
) -> HookResult:
    """Do what an event asks for. Raises what the engine raises; the launchers answer with nothing
    then.
    """
    if call.event == "prompt" and not call.prompt:
        return HookResult(project=call.project)
    if call.event == "session-end" and hook_sessions.find(runtime, bank, call)[0] is None:
        return HookResult(project=call.project)
    session, closed = hook_sessions.find_or_start(runtime, bank, call)
    state = hook_sessions.read_state(runtime, bank, session, closed)
    hook = _Hook(runtime, bank, call, session, closed, state, tokens_max)
    return replace(_ACTIONS[call.event](hook), project=session.project)


def _start(hook: _Hook) -> HookResult:
    fresh = hook.call.source in _FRESH_SOURCES
    known = frozenset[int]() if fresh else hook.state.shown_ids
    found = brief.make_brief(
        hook.runtime,
        hook.bank,
        BriefQuery(
            project=hook.session.project,
            session_id=hook.session.id,
            own_ids=hook.state.kept_ids,
            known_ids=known,
            tokens_max=hook.tokens_max,
            chars_max=hook.call.client.context_chars_max,
        ),
    )
    return HookResult(_mark_shown(hook, found, reset=fresh))


def _prompt(hook: _Hook) -> HookResult:
    call = hook.call
    capture.keep_prompt(hook.runtime, hook.bank, call, hook.session)
    found = prompt_recall.recall_for_prompt(
        hook.runtime, hook.bank, hook.session.project, call.prompt, hook.state.shown_ids
    )
    return HookResult(_mark_shown(hook, found))


def _stop(hook: _Hook) -> HookResult:
    kept = capture.keep_turn(hook.runtime, hook.bank, hook.call, hook.session, hook.state)
    return HookResult(kept_ids=kept.memory_ids, skipped_count=kept.skipped_count)


def _pre_compact(hook: _Hook) -> HookResult:
    kept = _stop(hook)
    state = hook_sessions.read_state(hook.runtime, hook.bank, hook.session, hook.closed)
    with hook.runtime.db.transaction():
        capture.add_summary(hook.runtime, hook.bank, hook.session, state, kind="checkpoint")
    return kept


def _end(hook: _Hook) -> HookResult:
    kept = _stop(hook)
    state = hook_sessions.read_state(hook.runtime, hook.bank, hook.session, hook.closed)
    capture.close(hook.runtime, hook.bank, hook.session, state)
    return kept


def _mark_shown(hook: _Hook, found: InjectedText, *, reset: bool = False) -> InjectedText:
    marks: dict[str, object] = {"reset": True} if reset else {}
    if found.memory_ids:
        marks |= {"shown": list(found.memory_ids), "tokens": found.tokens}
    if marks:
        hook_sessions.add_marker(hook.runtime, hook.bank, hook.session, **marks)
    return found


_ACTIONS: Mapping[HookEvent, Callable[[_Hook], HookResult]] = {
    "session-start": _start,
    "prompt": _prompt,
    "stop": _stop,
    "pre-compact": _pre_compact,
    "session-end": _end,
}
