"""An answer in the form of a JSON Schema: filled from facts that name its fields, and checked
against it.
"""

import re
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, cast

from commonplace.engine.facts.fact_metadata import mark_of
from commonplace.engine.facts.fact_search import Finding
from commonplace.engine.reflect.extractive_answer import day
from commonplace.language import analyzer as words
from commonplace.records.memory import Memory

Filled = tuple[dict[str, Any] | None, str | None]
_DEPTH_MAX = 5
_READ_CHARS_MAX = 10_000
_VALUE = re.compile(
    r"(?::|=|\b(?:is|are|was|were|in|at|uses?|prefers?|likes?|has|have|costs?|to|on)\b)\s+(?P<value>\S.*)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"-?\d+(?:,\d{3})*(?:\.\d+)?")
_NO = re.compile(
    r"\b(?:not|no|never|no longer|isn['’]t|aren['’]t|doesn['’]t|don['’]t|disabled|off|false)\b",
    re.IGNORECASE,
)


def structured(schema: Mapping[str, Any], findings: Sequence[Finding], asked: str = "") -> Filled:
    """An object of a schema, filled from facts that name its fields; None and the reason where that
    cannot be done.

    Of whom or what the question names, nothing is told that is only known of somebody else.
    """
    if wrong := unusable(schema):
        return None, wrong
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or not properties:
        return None, "The schema has no fields that facts can fill."
    # The newest truth comes first.
    known = _about(asked, [one.memory for one in findings])
    ordered = sorted(known, key=lambda one: (mark_of(one).mentioned_at, one.id), reverse=True)
    filled = _filled(cast(Mapping[str, Any], properties), ordered, 0)
    required = cast(Sequence[str], schema.get("required") or ())
    if missing := [name for name in required if name not in filled]:
        return None, f"No stored fact contains: {', '.join(missing)}."
    if not filled:
        return None, "No stored fact contains any of the fields."
    wrong = mismatch(schema, filled)
    return (
        (None, f"The values from the facts do not fit the schema: {wrong}")
        if wrong
        else (filled, None)
    )


def _about(asked: str, known: Sequence[Memory]) -> Sequence[Memory]:
    """The memories about what a question names, and those that share a name with these; all where
    it names nothing.
    """
    wanted = set(words.terms(asked))
    names = {one.id: {name.casefold() for name in mark_of(one).entities} for one in known}
    asked_of = {
        name for some in names.values() for name in some if set(words.terms(name)) <= wanted
    }
    direct = [names[one.id] for one in known if names[one.id] & asked_of]
    beside = {name for some in direct for name in some}
    return [one for one in known if names[one.id] & beside] if asked_of else known


def unusable(schema: Mapping[str, Any]) -> str:
    """Why nothing can be checked against a schema; empty where it can."""
    return _validation().unusable(schema)


def mismatch(schema: Mapping[str, Any], value: object) -> str:
    """How a value fails a schema; empty where it fits."""
    return _validation().mismatch(schema, value)


def _validation() -> ModuleType:
    from commonplace.extract import json_schema

    return json_schema


def _filled(properties: Mapping[str, Any], known: Sequence[Memory], depth: int) -> dict[str, Any]:
    filled: dict[str, Any] = {}
    said = [(one, frozenset(words.terms(one.text))) for one in known]
    for name, about in properties.items():
        wanted = frozenset(words.terms(re.sub(r"(?<=[a-z])(?=[A-Z])|[_-]", " ", name)))
        told = [one for one, terms in said if wanted and wanted <= terms]
        given = cast(Mapping[str, Any], about if isinstance(about, Mapping) else {})
        inner = given.get("properties")
        if isinstance(inner, Mapping) and depth < _DEPTH_MAX:
            value: Any = _filled(cast(Mapping[str, Any], inner), told or known, depth + 1) or None
        else:
            value = _value(given, told)
        if value is not None:
            filled[name] = value
    return filled


def _value(about: Mapping[str, Any], told: Sequence[Memory]) -> Any:
    kinds = about.get("type", "string")
    kind = (
        next((one for one in cast(list[str], kinds) if one != "null"), "string")
        if isinstance(kinds, list)
        else kinds
    )
    if not told:
        return None
    if kind == "array":
        return [one.text for one in told]
    text = told[0].text
    if isinstance(about.get("enum"), list):
        said = f" {words.indexed(text)} "
        return next(
            (
                one
                for one in cast(list[Any], about["enum"])
                if f" {words.indexed(str(one))} " in said
            ),
            None,
        )
    if kind == "boolean":
        return _NO.search(text) is None
    match = _VALUE.search(text[-_READ_CHARS_MAX:].rstrip("\n").rpartition("\n")[2])
    value = match["value"].rstrip(".!") or match["value"] if match else text
    if kind in ("number", "integer"):
        number = _NUMBER.search(value) or _NUMBER.search(text)
        plain = float(number[0].replace(",", "")) if number else None
        return (
            None
            if plain is None
            else int(plain)
            if kind == "integer" or plain.is_integer()
            else plain
        )
    if about.get("format") in ("date", "date-time"):
        return day(told[0]) + ("" if about["format"] == "date" else "T00:00:00Z")
    return value if kind == "string" else None
