"""The clients whose hooks we answer, as a table: what each calls its events and its answer.

Each form was tried with the real program or read in its documentation; docs/hooks.md says which.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from commonplace import spelling
from commonplace.errors import NotFound

HookEvent: TypeAlias = Literal["session-start", "prompt", "stop", "pre-compact", "session-end"]
EVENTS: tuple[HookEvent, ...] = get_args(HookEvent)
Json: TypeAlias = dict[str, Any]

# The seconds after which a hook gives up, below the default limit of every client.
SECONDS_MAX: Mapping[HookEvent, float] = {
    "session-start": 4.0,
    "prompt": 4.0,
    "stop": 8.0,
    "pre-compact": 8.0,
    "session-end": 4.0,
}


@dataclass(frozen=True, slots=True)
class AnswerParts:
    """What a hook has for its client: text for the model, and a line for the person."""

    event: HookEvent
    context: str = ""
    notice: str = ""
    # The prompt as the client sent it, for clients that replace it.
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class HookClient:
    """One row: the client's names of our events, and the form of its answer.

    An event that the client does not have is missing. `context_chars_max` is the client's own limit
    on injected text.
    """

    name: str
    title: str
    events: Mapping[HookEvent, str]
    answer: Callable[["HookClient", AnswerParts], Json]
    context_chars_max: int = 9_500


def _specific_output(client: HookClient, parts: AnswerParts) -> Json:
    answer: Json = {}
    if parts.context:
        answer["hookSpecificOutput"] = {
            "hookEventName": client.events.get(parts.event, ""),
            "additionalContext": parts.context,
        }
    if parts.notice:
        answer["systemMessage"] = parts.notice
    return answer


def _cursor(_client: HookClient, parts: AnswerParts) -> Json:
    answer: Json = {"continue": True} if parts.event == "prompt" else {}
    return answer | ({"additional_context": parts.context} if parts.context else {})


def _copilot(_client: HookClient, parts: AnswerParts) -> Json:
    if not parts.context:
        return {}
    if parts.event == "prompt":
        return {"modifiedTransformedPrompt": f"{parts.prompt}\n\n{parts.context}"}
    return {"additionalContext": parts.context}


def _plain(_client: HookClient, parts: AnswerParts) -> Json:
    values = {"context": parts.context, "notice": parts.notice}
    return {name: value for name, value in values.items() if value}


_CLAUDE_EVENTS: Mapping[HookEvent, str] = {
    "session-start": "SessionStart",
    "prompt": "UserPromptSubmit",
    "stop": "Stop",
    "pre-compact": "PreCompact",
    "session-end": "SessionEnd",
}

CLIENTS = (
    HookClient("claude-code", "Claude Code", _CLAUDE_EVENTS, _specific_output),
    # Its limit is about 2,500 tokens.
    HookClient("codex", "Codex", _CLAUDE_EVENTS, _specific_output, context_chars_max=8_000),
    HookClient(
        "gemini",
        "Gemini CLI",
        {
            "session-start": "SessionStart",
            "prompt": "BeforeAgent",
            "stop": "AfterAgent",
            "pre-compact": "PreCompress",
            "session-end": "SessionEnd",
        },
        _specific_output,
    ),
    HookClient(
        "cursor",
        "Cursor",
        {
            "session-start": "sessionStart",
            "prompt": "beforeSubmitPrompt",
            # Its `stop` has no text of the answer.
            "stop": "afterAgentResponse",
            "pre-compact": "preCompact",
            "session-end": "sessionEnd",
        },
        _cursor,
    ),
    HookClient(
        "copilot",
        "Copilot CLI",
        {
            "session-start": "sessionStart",
            "prompt": "userPromptTransformed",
            "stop": "agentStop",
            "pre-compact": "preCompact",
            "session-end": "sessionEnd",
        },
        _copilot,
    ),
    HookClient(
        "opencode",
        "opencode",
        {
            "session-start": "experimental.chat.system.transform",
            "prompt": "chat.message",
            "stop": "session.idle",
            "pre-compact": "experimental.session.compacting",
            "session-end": "session.deleted",
        },
        _plain,
    ),
    HookClient("generic", "Other programs", {event: event for event in EVENTS}, _plain),
)


def hook_client(name: str) -> HookClient:
    """The row of a name."""
    found = next((one for one in CLIENTS if one.name == name), None)
    if found is None:
        known = [one.name for one in CLIENTS]
        raise NotFound(
            f"There are no hooks for a client called {name[:80]!r}.",
            hint=spelling.hint(name[:80], known),
        )
    return found
