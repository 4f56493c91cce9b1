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
    required = cast(Sequence[str], schema.get("required") or ())
    if missing := [name for name in required if name not in filled]:
        return None, f"No stored fact contains: {', '.join(missing)}."
    if not filled:
        return None, "No stored fact contains any of the fields."
    problem = value_error(schema, filled)
    return (
        (None, f"The values from the facts do not fit the schema: {problem}")
        if problem
        else (filled, None)
    )


def _memories_about(question: str, memories: Sequence[Memory]) -> Sequence[Memory]:
    """The memories about the entities in a question, and those that share an entity with them.

    All memories if the question names no entity.
    """
    wanted = set(words.terms(question))
    names = {
        one.id: {name.casefold() for name in fact_metadata_of(one).entities} for one in memories
    }
    named = {
        name
        for names_of_one in names.values()
        for name in names_of_one
        if set(words.terms(name)) <= wanted
    }
    direct = [names[one.id] for one in memories if names[one.id] & named]
    related = {name for names_of_one in direct for name in names_of_one}
    return [one for one in memories if names[one.id] & related] if named else memories


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
        wanted = frozenset(words.terms(re.sub(r"(?<=[a-z])(?=[A-Z])|[_-]", " ", name)))
        matching = [one for one, terms in memories_with_terms if wanted and wanted <= terms]
        field_map = cast(
            Mapping[str, Any], field_schema if isinstance(field_schema, Mapping) else {}
        )
        inner_properties = field_map.get("properties")
        if isinstance(inner_properties, Mapping) and depth < _DEPTH_MAX:
            value: Any = (
                _fill_properties(
                    cast(Mapping[str, Any], inner_properties), matching or memories, depth + 1
                )
                or None
            )
        else:
            value = _extract_value(field_map, matching)
        if value is not None:
            filled[name] = value
    return filled


def _extract_value(field_schema: Mapping[str, Any], memories: Sequence[Memory]) -> Any:
    kinds = field_schema.get("type", "string")
    kind = (
        next((one for one in cast(list[str], kinds) if one != "null"), "string")
        if isinstance(kinds, list)
        else kinds
    )
    if not memories:
        return None
    if kind == "array":
        return [one.text for one in memories]
    text = memories[0].text
    if isinstance(field_schema.get("enum"), list):
        padded_text = f" {words.index_text(text)} "
        return next(
            (
                one
                for one in cast(list[Any], field_schema["enum"])
                if f" {words.index_text(str(one))} " in padded_text
            ),
            None,
        )
    if kind == "boolean":
        return _NEGATION.search(text) is None
    match = _VALUE.search(text[-_READ_CHARS_MAX:].rstrip("\n").rpartition("\n")[2])
    value = match["value"].rstrip(".!") or match["value"] if match else text
    if kind in ("number", "integer"):
        number = _NUMBER.search(value) or _NUMBER.search(text)
        number_value = float(number[0].replace(",", "")) if number else None
        return (
            None
            if number_value is None
            else int(number_value)
            if kind == "integer" or number_value.is_integer()
            else number_value
        )
    if field_schema.get("format") in ("date", "date-time"):
        return day_of(memories[0]) + ("" if field_schema["format"] == "date" else "T00:00:00Z")
    return value if kind == "string" else None
