"""Answers a hook for the command line, HTTP and MCP: consent before, the log after, and never an
error to the client.
"""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from commonplace import clock, validation
from commonplace.clock import SystemClock
from commonplace.engine.hooks import consent, hook_log
from commonplace.engine.hooks.hook_clients import EVENTS, HookEvent, Json, hook_client
from commonplace.engine.hooks.hook_log import LogLine, Outcome
from commonplace.engine.hooks.payloads import read_payload
from commonplace.engine.hooks.run import HookResult, run_hook
from commonplace.engine.runtime import Runtime
from commonplace.errors import CommonplaceError, Invalid, TooLarge, trace_summary
from commonplace.limits import BODY_BYTES_MAX

DEFAULT_BANK = "default"


@dataclass(frozen=True, slots=True)
class HookRequest:
    """A hook as a launcher receives it. The payload is JSON, as bytes or decoded."""

    client: str
    event: str
    payload: object
    bank: str = DEFAULT_BANK
    # Whether a program runs the agent and no person is there.
    headless: bool = False


@dataclass(frozen=True, slots=True)
class HookPolicy:
    """Which hooks are answered, and how much they may say."""

    mode: str = "on"
    tokens_max: int = 1_200


class HookLauncher:
    """Answers hooks on one store."""

    def __init__(
        self, open_runtime: Callable[[], Runtime], store: Path, policy: HookPolicy
    ) -> None:
        self._open_runtime = open_runtime
        self._store = store
        self._policy = policy

    @classmethod
    def of(cls, runtime: Runtime) -> "HookLauncher":
        """The launcher on an open store."""
        policy = HookPolicy(runtime.hook_mode, runtime.brief_tokens)
        return cls(lambda: runtime, runtime.db.path.parent, policy)

    def answer(self, request: HookRequest) -> Json:
        """The answer in the client's form; empty when there is nothing, or when anything fails."""
        started = time.perf_counter()
        at = clock.iso(SystemClock().now())
        line = LogLine(at, request.event, request.client, "nothing", bank=request.bank)
        try:
            answer, line = self._run(request, line)
        except CommonplaceError as error:
            answer, line = {}, replace(line, outcome="failed", message=error.message)
        except Exception as error:
            # Whatever is wrong here must not stop the work of the agent that called.
            answer, line = {}, replace(line, outcome="failed", message=trace_summary(error))
        ms = round((time.perf_counter() - started) * 1000)
        hook_log.append(self._store, replace(line, ms=ms))
        return answer

    def _run(self, request: HookRequest, line: LogLine) -> tuple[Json, LogLine]:
        client, event = hook_client(request.client), _checked_event(request.event)
        if self._policy.mode == "off":
            return {}, replace(line, outcome="paused", message="hooks are off")
        if request.headless and self._policy.mode != "all":
            return {}, replace(line, outcome="left alone", message="headless")
        call = read_payload(client, event, _decoded(request.payload))
        line = replace(line, project=call.project)
        if consent.read(self._store).is_paused(call.folder):
            return HookResult().answer(call), replace(line, outcome="paused")
        if call.is_subagent:
            return HookResult().answer(call), replace(
                line, outcome="left alone", message="subagent"
            )
        result = run_hook(
            self._open_runtime(), request.bank, call, tokens_max=self._policy.tokens_max
        )
        return result.answer(call), _with_result(line, result)


def _with_result(line: LogLine, result: HookResult) -> LogLine:
    outcome: Outcome = "nothing"
    if result.kept_ids:
        outcome = "kept"
    elif result.injected.text:
        outcome = "shown"
    return replace(
        line,
        outcome=outcome,
        tokens=result.injected.tokens,
        shown=result.injected.memory_ids,
        kept=result.kept_ids,
        skipped=result.skipped_count,
    )


def _checked_event(event: str) -> HookEvent:
    validation.choice(event, EVENTS, what="hook event")
    return next(one for one in EVENTS if one == event)


def _decoded(payload: object) -> object:
    if not isinstance(payload, bytes):
        return payload
    if len(payload) > BODY_BYTES_MAX:
        raise TooLarge(f"The payload exceeds {BODY_BYTES_MAX:,} bytes.", hint="Send less.")
    try:
        return json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise Invalid("The payload is not JSON.", hint="Send what the client sent.") from error
