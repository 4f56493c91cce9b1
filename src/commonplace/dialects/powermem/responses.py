"""The requests and responses of PowerMem: messages, memories, envelopes."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from commonplace import clock, lazy
from commonplace.dialects.dialect import DEFAULT_OWNER_NAME, Reply, Tool, as_json, drop_empty
from commonplace.dialects.expected_version import version_field
from commonplace.dialects.replaced import replaced_field
from commonplace.engine.facts.fact_metadata import heading
from commonplace.errors import CommonplaceError, Invalid
from commonplace.records.memory import Memory
from commonplace.records.query import Hit
from commonplace.reserved_metadata import user_metadata

if TYPE_CHECKING:
    from commonplace.engine.add_messages import MessagesResult, StatementOutcome
    from commonplace.extract import statement_splitting
    from commonplace.extract.statement_splitting import Message, SkippedText
else:
    statement_splitting = lazy.module("commonplace.extract.statement_splitting")

_EVENTS = {"added": "ADD", "revised": "UPDATE", "unchanged": "NONE", "forgotten": "DELETE"}
_TEXT_PARTS = ("text", "input_text", "output_text")
# The names of Python exceptions, which clients of the original check for.
_TYPES = {"Invalid": "ValueError", "TooLarge": "ValueError", "Forbidden": "PermissionError"}
_NOT_FOUND = "Memory not found"


@dataclass(frozen=True, slots=True)
class ParsedMessages:
    """The messages as text, and their parts that are not text."""

    messages: tuple["Message", ...]
    skipped: tuple["SkippedText", ...] = ()


def parse_messages(messages: object) -> ParsedMessages:
    """The messages in any of their forms: a text, one object, or a list as OpenAI has it."""
    if isinstance(messages, str):
        if (decoded := _decode(messages)) is not None:
            return parse_messages(decoded)
        return ParsedMessages((statement_splitting.Message("user", messages),))
    listed = cast(list[object], messages) if isinstance(messages, list) else [messages]
    found = [_message(one) for one in listed]
    return ParsedMessages(
        tuple(one for one, _ in found if one.text.strip()),
        tuple(left for _, more in found for left in more),
    )


def owner_name(owner: str) -> str:
    """The name of the owner in PowerMem's tools."""
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
    """A found memory, the ids of its copies if it has any, and of the memory that replaced it."""
    return (
        item(one.memory, owner)
        | {"score": one.score}
        | replaced_field(one.replacement, lambda newer: newer.id)
        | ({"copies": list(one.copies)} if one.copies else {})
    )


def add_response(added: "MessagesResult", not_text: tuple["SkippedText", ...]) -> dict[str, Any]:
    """The response of an add: the outcome of each statement, and the skipped texts."""
    results = [_result(one) for one in added.outcomes]
    data: dict[str, Any] = {"results": results}
    if added.document:
        data["document"] = added.document
    if skipped := [*added.skipped, *not_text]:
        data["skipped"] = [
            {"role": one.role, "text": one.text, "reason": one.reason} for one in skipped
        ]
    message = _summary(results)
    if added.failure:
        data["model_error"] = added.failure
        message += f". The model failed, so it was stored without it: {added.failure}"
    changed = [one for one in results if one["event"] in ("ADD", "UPDATE")]
    first = next(iter(changed or results), None)
    return {
        "success": True,
        "memory_id": first["id"] if first else None,
        "message": message,
        "data": data,
    }


def failure(_tool: Tool, _given: Mapping[str, object], error: CommonplaceError) -> Reply:
    """The response for an error."""
    answer: dict[str, Any] = {"success": False}
    if error.kind == "NotFound":
        answer["message"] = _NOT_FOUND
    answer["error"] = f"{error.message} {error.hint}".strip()
    answer["error_type"] = _TYPES.get(error.kind, error.kind)
    return Reply(answer, as_json(answer), is_error=True)


def _result(noted: "StatementOutcome") -> dict[str, Any]:
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


def _message(one: object) -> tuple["Message", list["SkippedText"]]:
    if isinstance(one, str):
        return statement_splitting.Message("user", one), []
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
    text, skipped = _join_parts(role, given.get("content", given.get("text")))
    if isinstance(name, str) and name and text.strip():
        text = f"{name}: {text}"
    return statement_splitting.Message(role.strip(), text), skipped


def _join_parts(role: str, content: object) -> tuple[str, list["SkippedText"]]:
    """The text of a message's content, and the parts that are not text."""
    parts = cast(list[object], content) if isinstance(content, list) else [content]
    texts: list[str] = []
    skipped: list[SkippedText] = []
    for part in parts:
        text = _text_of(part)
        if text is None:
            skipped.append(statement_splitting.SkippedText(role, _kind_of(part), "not text"))
        else:
            texts.append(text)
    return "\n".join(texts), skipped


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
