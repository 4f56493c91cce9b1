"""Turns a Filter into SQL: named conditions joined with `and`, every value bound."""

import json
from dataclasses import fields
from typing import Any

from commonplace import validation
from commonplace.errors import Invalid
from commonplace.limits import FILTER_DEPTH_MAX
from commonplace.records.query import (
    AllOf,
    AnyOf,
    Condition,
    Filter,
    LabelMatch,
    Match,
    Not,
    TagMatch,
)
from commonplace.storage.database import Database

_NOT_FRAGMENTS = ("where", "status", "expired")
_DEFAULTS = {"users": "", "agents": "", "runs": "", "categories": "", "kinds": "note"}


def compile_filter(db: Database, chosen: Filter, now: int) -> tuple[str, dict[str, object]]:
    """The conditions of a filter, each preceded by ` and `, and their values."""
    parts: list[str] = []
    values: dict[str, object] = {}
    for name, value in _fragment_values(chosen):
        parts.append(db.text(f"filter_{name}"))
        if name in _DEFAULTS and _DEFAULTS[name] not in value:
            parts.append(db.text(f"named_{name}"))
        values[name] = json.dumps(value, ensure_ascii=False) if isinstance(value, tuple) else value
    if chosen.status != "any":
        parts.append(db.text(f"filter_{chosen.status}"))
    if not chosen.expired:
        parts.append(db.text("filter_unexpired"))
        values["now"] = now
    if chosen.where:
        parts.append(_condition(db, chosen.where, values, 0))
    return "".join(f" and {part}" for part in parts), values


def _fragment_values(chosen: Filter) -> list[tuple[str, Any]]:
    """The fields of a filter that have a fragment of their own, and their values."""
    names = (field.name for field in fields(chosen) if field.name not in _NOT_FRAGMENTS)
    values = ((name, getattr(chosen, name)) for name in names)
    return [(name, value) for name, value in values if value is not None]


def json_path(match: Match) -> str:
    """The path of a metadata field for the JSON functions of SQLite, with names quoted as JSON."""
    return "$" + "".join(f".{json.dumps(name, ensure_ascii=False)}" for name in match.path)


def field_path(match: Match) -> str:
    """The path of a metadata field in the metadata index. Names are not escaped there, so a few
    paths stand for two fields.
    """
    return "$" + "".join(f'."{name}"' for name in match.path)


def _condition(db: Database, condition: Condition, values: dict[str, object], depth: int) -> str:
    if depth > FILTER_DEPTH_MAX:
        raise Invalid(
            "The filter is nested too deeply.", hint=f"Use at most {FILTER_DEPTH_MAX} levels."
        )
    match condition:
        case AllOf(conditions):
            return _join([_condition(db, c, values, depth + 1) for c in conditions], " and ", "1")
        case AnyOf(conditions):
            return _join([_condition(db, c, values, depth + 1) for c in conditions], " or ", "0")
        case Not(inner):
            return f"not ({_condition(db, inner, values, depth + 1)})"
        case TagMatch(tags, mode):
            return _numbered(db, f"match_{mode}", values, v=json.dumps(tags))
        case LabelMatch(tags, mode):
            return _numbered(db, f"label_{mode}", values, v=json.dumps(tags))
        case Match():
            return _match(db, condition, values)


def _join(parts: list[str], word: str, empty: str) -> str:
    return f"({word.join(parts)})" if parts else empty


def _match(db: Database, match: Match, values: dict[str, object]) -> str:
    if not match.path:
        raise Invalid("The filter names no metadata field.", hint="Name the field to compare.")
    for name in match.path:
        validation.any_text(name, what="name of a metadata field")
    path, operator, value = json_path(match), match.operator, match.value
    if operator in ("eq", "ne") and value is None:
        name = "match_null" if operator == "eq" else "match_not_null"
        return _match_fragment(db, match, name, values, p=path)
    if operator in ("eq", "ne") and isinstance(value, list | tuple):
        operator = "in" if operator == "eq" else "nin"
    bound = _bound_values(operator, match.value)
    return _match_fragment(db, match, f"match_{operator}", values, p=path, **bound)


def _bound_values(operator: str, value: object) -> dict[str, object]:
    """The values that the fragment of an operator needs. Raises Invalid for a wrong type."""
    if operator in ("in", "nin"):
        if not isinstance(value, list | tuple):
            raise Invalid(
                f"`{operator}` needs a list.", hint=f'For example {{"{operator}": ["a", "b"]}}.'
            )
        return {"v": json.dumps(value)}
    if operator in ("like", "ilike"):
        if not isinstance(value, str):
            raise Invalid(f"`{operator}` needs a string.", hint='For example {"like": "port%"}.')
        return {"v": validation.pattern(value)}
    if not isinstance(value, str | int | float | bool):
        raise Invalid(
            f"`{operator}` cannot compare with {value!r}.",
            hint="Use a string, a number, true or false.",
        )
    return {"t": json.dumps(_types(value)), "v": value}


def _match_fragment(
    db: Database, match: Match, name: str, values: dict[str, object], **given: object
) -> str:
    """A fragment about the metadata, or about the memory's columns in the form of metadata."""
    condition = _numbered(db, name, values, **given)
    return (
        condition.replace("m.metadata", db.text(f"own_{match.path[0]}")) if match.own else condition
    )


def _types(value: str | float | bool) -> tuple[str, ...]:
    """The JSON type names of values that can be compared with this one."""
    if isinstance(value, bool):
        return ("true", "false")
    return ("text",) if isinstance(value, str) else ("integer", "real")


def _numbered(db: Database, name: str, values: dict[str, object], **given: object) -> str:
    """A fragment with `#` replaced by a number, so that each condition has its own values."""
    number = str(len(values))
    values.update({letter + number: value for letter, value in given.items()})
    return db.text(name).replace("#", number)
