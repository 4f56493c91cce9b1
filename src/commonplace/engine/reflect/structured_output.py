"""Fills a JSON Schema from facts that name its fields, and checks the result."""

import re
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, cast

from commonplace.engine.facts.fact_metadata import fact_metadata_of
from commonplace.engine.facts.fact_ranking import Finding
from commonplace.engine.reflect.extractive_answer import day_of
from commonplace.language import analyzer as words
from commonplace.records.memory import Memory

FillResult = tuple[dict[str, Any] | None, str | None]
_DEPTH_MAX = 5
_READ_CHARS_MAX = 10_000
_VALUE = re.compile(
    r"(?::|=|\b(?:is|are|was|were|in|at|uses?|prefers?|likes?|has|have|costs?|to|on)\b)\s+(?P<value>\S.*)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"-?\d+(?:,\d{3})*(?:\.\d+)?")
_WORD_BOUNDARY = re.compile(r"(?<=[a-z])(?=[A-Z])|[_-]")  # In names such as dueDate or due_date.
_NEGATION = re.compile(
    r"\b(?:not|no|never|no longer|isn['’]t|aren['’]t|doesn['’]t|don['’]t|disabled|off|false)\b",
    re.IGNORECASE,
)


def fill_schema(
    schema: Mapping[str, Any], findings: Sequence[Finding], question: str = ""
) -> FillResult:
    """An object filled from facts that name the schema's fields; or None and the reason.

    If the question names entities, facts about others are not used.
    """
    if problem := schema_error(schema):
        return None, problem
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or not properties:
        return None, "The schema has no fields that facts can fill."
    memories = _memories_about(question, [one.memory for one in findings])
    ordered = sorted(
        memories, key=lambda one: (fact_metadata_of(one).mentioned_at, one.id), reverse=True
    )
    filled = _fill_properties(cast(Mapping[str, Any], properties), ordered, 0)
    problem = _fill_error(schema, filled)
    return (None, problem) if problem else (filled, None)


def _fill_error(schema: Mapping[str, Any], filled: Mapping[str, Any]) -> str:
    required = cast(Sequence[str], schema.get("required") or ())
    if missing := [name for name in required if name not in filled]:
        return f"No stored fact contains: {', '.join(missing)}."
    if not filled:
        return "No stored fact contains any of the fields."
    problem = value_error(schema, filled)
    return f"The values from the facts do not fit the schema: {problem}" if problem else ""


def _memories_about(question: str, memories: Sequence[Memory]) -> Sequence[Memory]:
    """The memories about the entities in a question, and those that share an entity with them.

    All memories if the question names no entity.
    """
    entities = {one.id: _entity_names(one) for one in memories}
    terms = set(words.terms(question))
    named = {
        name for name in set[str]().union(*entities.values()) if set(words.terms(name)) <= terms
    }
    if not named:
        return memories
    related = set[str]().union(*(names for names in entities.values() if names & named))
    return [one for one in memories if entities[one.id] & related]


def _entity_names(memory: Memory) -> set[str]:
    return {name.casefold() for name in fact_metadata_of(memory).entities}


def schema_error(schema: Mapping[str, Any]) -> str:
    """Why the schema is unusable; "" if it is usable."""
    return _json_schema().schema_error(schema)


def value_error(schema: Mapping[str, Any], value: object) -> str:
    """Why the value does not match the schema; "" if it does."""
    return _json_schema().mismatch(schema, value)


def _json_schema() -> ModuleType:
    from commonplace.extract import json_schema

    return json_schema


def _fill_properties(
    properties: Mapping[str, Any], memories: Sequence[Memory], depth: int
) -> dict[str, Any]:
    filled: dict[str, Any] = {}
    memories_with_terms = [(one, frozenset(words.terms(one.text))) for one in memories]
    for name, field_schema in properties.items():
        wanted = frozenset(words.terms(_WORD_BOUNDARY.sub(" ", name)))
        matching = [one for one, terms in memories_with_terms if wanted and wanted <= terms]
        value = _fill_field(_as_mapping(field_schema), matching, memories, depth)
        if value is not None:
            filled[name] = value
    return filled


def _fill_field(
    field_schema: Mapping[str, Any], matching: Sequence[Memory], every: Sequence[Memory], depth: int
) -> Any:
    """The value of a field, or an object of the fields inside it; None if nothing was found."""
    inner_properties = field_schema.get("properties")
    if not isinstance(inner_properties, Mapping) or depth >= _DEPTH_MAX:
        return _extract_value(field_schema, matching)
    inner = cast(Mapping[str, Any], inner_properties)
    return _fill_properties(inner, matching or every, depth + 1) or None


def _as_mapping(value: object) -> Mapping[str, Any]:
    return cast(Mapping[str, Any], value) if isinstance(value, Mapping) else {}


def _extract_value(field_schema: Mapping[str, Any], memories: Sequence[Memory]) -> Any:
    """The value of a field in the newest of the memories that name it; None if there is none."""
    if not memories:
        return None
    newest = memories[0]
    kind = _schema_type(field_schema)
    if kind == "array":
        return [one.text for one in memories]
    if isinstance(field_schema.get("enum"), list):
        return _find_choice(cast(list[Any], field_schema["enum"]), newest.text)
    if kind == "boolean":
        return _NEGATION.search(newest.text) is None
    if kind in ("number", "integer"):
        return _find_number(newest.text, as_integer=kind == "integer")
    if field_schema.get("format") in ("date", "date-time"):
        return day_of(newest) + ("" if field_schema["format"] == "date" else "T00:00:00Z")
    return _value_part(newest.text) if kind == "string" else None


def _schema_type(field_schema: Mapping[str, Any]) -> object:
    """The type in a schema; the first one besides null if it is a list."""
    kinds = field_schema.get("type", "string")
    if not isinstance(kinds, list):
        return kinds
    return next((one for one in cast(list[str], kinds) if one != "null"), "string")


def _find_choice(choices: Sequence[Any], text: str) -> Any:
    """The first choice that the text contains as a word or phrase."""
    padded_text = f" {words.index_text(text)} "
    contained = (one for one in choices if f" {words.index_text(str(one))} " in padded_text)
    return next(contained, None)


def _find_number(text: str, *, as_integer: bool) -> float | None:
    """The number in the value of a statement, or else anywhere in its text."""
    match = _NUMBER.search(_value_part(text)) or _NUMBER.search(text)
    if match is None:
        return None
    number = float(match[0].replace(",", ""))
    return int(number) if as_integer or number.is_integer() else number


def _value_part(text: str) -> str:
    """The part of a statement after its verb, colon or preposition; the whole text without one."""
    last_line = text[-_READ_CHARS_MAX:].rstrip("\n").rpartition("\n")[2]
    match = _VALUE.search(last_line)
    return match["value"].rstrip(".!") or match["value"] if match else text
