"""How PowerMem spells things: messages, memories, envelopes. No decisions, only forms."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

from commonplace import clock
from commonplace.dialects.dialect import DEFAULT_OWNER_NAME, Reply, Tool, as_json, drop_empty
from commonplace.dialects.expected_version import version_field
from commonplace.engine.add_messages import MessagesResult, StatementOutcome
from commonplace.engine.facts.fact_metadata import heading
from commonplace.errors import CommonplaceError, Invalid
from commonplace.extract.statement_splitting import Message, SkippedText
from commonplace.records.memory import Memory
from commonplace.records.query import Hit
from commonplace.reserved_metadata import user_metadata

_EVENTS = {"added": "ADD", "revised": "UPDATE", "unchanged": "NONE", "forgotten": "DELETE"}
_TEXT_PARTS = ("text", "input_text", "output_text")
# What callers of the original check for, in the words of its language.
_TYPES = {"Invalid": "ValueError", "TooLarge": "ValueError", "Forbidden": "PermissionError"}
_NOT_FOUND = "Memory not found"


@dataclass(frozen=True, slots=True)
class ParsedMessages:
    """What was said, as text, and what of it is none."""

    messages: tuple[Message, ...]
    skipped: tuple[SkippedText, ...] = ()


def parse_messages(messages: object) -> ParsedMessages:
    """The messages in any of their forms: a text, one object, or a list as OpenAI has it."""
    if isinstance(messages, str):
        if (decoded := _decode(messages)) is not None:
            return parse_messages(decoded)
        return ParsedMessages((Message("user", messages),))
    listed = cast(list[object], messages) if isinstance(messages, list) else [messages]
    found = [_message(one) for one in listed]
    return ParsedMessages(
        tuple(one for one, _ in found if one.text.strip()),
        tuple(left for _, more in found for left in more),
    )


def owner_name(owner: str) -> str:
    """What the owner is called here."""
    return owner or DEFAULT_OWNER_NAME


def item(memory: Memory, owner: str, text: str = "memory") -> dict[str, Any]:
    """A memory without bookkeeping; `text` is the name of the field with its text."""
    scope = memory.scope
    return drop_empty(
        {
            "id": memory.id,
            "title": heading(memory),
            text: memory.text,
            "user_id": scope.user or owner_name(owner),
            "agent_id": scope.agent,
            "run_id": scope.run,
            "scope": memory.metadata.get("scope"),
            "memory_type": memory.kind,
            "metadata": user_metadata(memory.metadata),
            "tags": list(memory.tags),
            **version_field(memory),
            "created_at": clock.iso(memory.created_at),
            "updated_at": clock.iso(memory.updated_at)
            if memory.updated_at != memory.created_at
            else None,
        }
    )


def hit(one: Hit, owner: str) -> dict[str, Any]:
    """A memory that was found, and the ids of others that say the same, if there are any."""
    return (
        item(one.memory, owner)
        | {"score": one.score}
        | ({"copies": list(one.copies)} if one.copies else {})
    )


def add_response(told: MessagesResult, left: tuple[SkippedText, ...]) -> dict[str, Any]:
    """The answer to an add: what became of each statement, and what was not made into one."""
    results = [_result(one) for one in told.outcomes]
    data: dict[str, Any] = {"results": results}
    if told.document:
        data["document"] = told.document
    if skipped := [*told.skipped, *left]:
        data["skipped"] = [
            {"role": one.role, "text": one.text, "reason": one.reason} for one in skipped
        ]
    if told.failure:
        data["model_error"] = told.failure
    first = next(
        (one for one in results if one["event"] in ("ADD", "UPDATE")),
        results[0] if results else None,
    )
    message = _summary(results)
    if told.failure:
        message += f". The model failed, so it was stored without it: {told.failure}"
    return {
        "success": True,
        "memory_id": first["id"] if first else None,
        "message": message,
        "data": data,
    }


def failure(_tool: Tool, _given: Mapping[str, object], error: CommonplaceError) -> Reply:
    """A refusal or a failure."""
    answer: dict[str, Any] = {"success": False}
    if error.kind == "NotFound":
        answer["message"] = _NOT_FOUND
    answer["error"] = f"{error.message} {error.hint}".strip()
    answer["error_type"] = _TYPES.get(error.kind, error.kind)
    return Reply(answer, as_json(answer), is_error=True)


def _result(noted: StatementOutcome) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": noted.memory.id,
        "memory": noted.memory.text,
        "event": _EVENTS[noted.change],
    }
    if noted.change == "revised":
        shown["previous_memory"] = noted.before
    return shown


def _summary(results: list[dict[str, Any]]) -> str:
    events = {one["event"] for one in results}
    if not events:
        return "It contains no statement worth remembering; the text is kept as a document"
    return (
        "Already known; nothing was changed" if events == {"NONE"} else "Memory added successfully"
    )


def _decode(text: str) -> Any:
    """The messages that a client sent as JSON in a text; None when the text is just a text."""
    with suppress(ValueError, RecursionError):
        found: Any = json.loads(text) if text.lstrip()[:1] in ("[", "{") else None
        listed = cast(list[Any], found) if isinstance(found, list) else [found]
        if listed and all(
            isinstance(one, dict) and {"role", "content"} <= set(cast(Any, one)) for one in listed
        ):
            return listed
    return None


def _message(one: object) -> tuple[Message, list[SkippedText]]:
    if isinstance(one, str):
        return Message("user", one), []
    if not isinstance(one, dict):
        raise Invalid(
            "A message is neither a string nor an object.",
            hint='Use {"role": "user", "content": "…"}.',
        )
    given = cast(dict[str, object], one)
    role, name = given.get("role") or "user", given.get("name")
    if not isinstance(role, str):
        raise Invalid(
            "The role of a message is not a string.", hint='Use "user", "assistant" or "system".'
        )
    content = given.get("content", given.get("text"))
    parts = cast(list[object], content) if isinstance(content, list) else [content]
    texts = [text for part in parts if (text := _text_of(part)) is not None]
    left = [
        SkippedText(role, _kind_of(part), "not text") for part in parts if _text_of(part) is None
    ]
    text = "\n".join(texts)
    return Message(
        role.strip(), f"{name}: {text}" if isinstance(name, str) and name and text.strip() else text
    ), left


def _text_of(part: object) -> str | None:
    if isinstance(part, str):
        return part
    if isinstance(part, dict):
        given = cast(dict[str, object], part)
        text = given.get("text")
        if given.get("type", "text") in _TEXT_PARTS and isinstance(text, str):
            return text
    return None


def _kind_of(part: object) -> str:
    kind = cast(dict[str, object], part).get("type") if isinstance(part, dict) else None
    return f"[{str(kind or 'nothing')[:40]}]"
