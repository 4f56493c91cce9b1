"""Turns a Filter into SQL: named conditions joined with `and`, every value bound."""

import json
from dataclasses import fields

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

_APART = ("where", "status", "expired")
_USUAL = {"users": "", "agents": "", "runs": "", "categories": "", "kinds": "note"}


def compiled(db: Database, chosen: Filter, now: int) -> tuple[str, dict[str, object]]:
    """The conditions of a filter, each opened by ` and `, and the values they need."""
    parts: list[str] = []
    values: dict[str, object] = {}
    for name in (field.name for field in fields(chosen) if field.name not in _APART):
        value = getattr(chosen, name)
        if value is not None:
            parts.append(db.text(f"filter_{name}"))
            if name in _USUAL and _USUAL[name] not in value:
                parts.append(db.text(f"named_{name}"))
            values[name] = (
                json.dumps(value, ensure_ascii=False) if isinstance(value, tuple) else value
            )
    if chosen.status != "any":
        parts.append(db.text(f"filter_{chosen.status}"))
    if not chosen.expired:
        parts.append(db.text("filter_unexpired"))
        values["now"] = now
    if chosen.where:
        parts.append(_condition(db, chosen.where, values, 0))
    return "".join(f" and {part}" for part in parts), values


def json_path(match: Match) -> str:
    """Where in metadata the field of a condition stands, as SQLite reads it: every name written as
    JSON writes it.
    """
    return "$" + "".join(f".{json.dumps(name, ensure_ascii=False)}" for name in match.path)


def field_path(match: Match) -> str:
    """The same as the index of fields has it: with the names as they are, so that a few paths stand
    for two fields.
    """
    return "$" + "".join(f'."{name}"' for name in match.path)


def _condition(db: Database, condition: Condition, values: dict[str, object], depth: int) -> str:
    if depth > FILTER_DEPTH_MAX:
        raise Invalid(
            "The filter is nested too deeply.", hint=f"Use at most {FILTER_DEPTH_MAX} levels."
        )
    match condition:
        case AllOf(conditions):
            return _joined([_condition(db, c, values, depth + 1) for c in conditions], " and ", "1")
        case AnyOf(conditions):
            return _joined([_condition(db, c, values, depth + 1) for c in conditions], " or ", "0")
        case Not(inner):
            return f"not ({_condition(db, inner, values, depth + 1)})"
        case TagMatch(tags, mode):
            return _placed(db, f"match_{mode}", values, v=json.dumps(tags))
        case LabelMatch(tags, mode):
            return _placed(db, f"label_{mode}", values, v=json.dumps(tags))
        case Match():
            return _match(db, condition, values)


def _joined(parts: list[str], word: str, empty: str) -> str:
    return f"({word.join(parts)})" if parts else empty


def _match(db: Database, match: Match, values: dict[str, object]) -> str:
    if not match.path:
        raise Invalid("The filter names no metadata field.", hint="Name the field to compare.")
    for name in match.path:
        validation.passage(name, what="name of a metadata field")
    path = json_path(match)
    operator, value = match.operator, match.value
    if value is None and operator in ("eq", "ne"):
        return _of(
            db, match, "match_null" if operator == "eq" else "match_not_null", values, p=path
        )
    if operator in ("in", "nin") or (operator in ("eq", "ne") and isinstance(value, list | tuple)):
        if not isinstance(value, list | tuple):
            raise Invalid(
                f"`{operator}` needs a list.", hint=f'For example {{"{operator}": ["a", "b"]}}.'
            )
        name = {"eq": "in", "ne": "nin"}.get(operator, operator)
        return _of(db, match, f"match_{name}", values, p=path, v=json.dumps(value))
    if operator in ("like", "ilike"):
        if not isinstance(value, str):
            raise Invalid(f"`{operator}` needs a string.", hint='For example {"like": "port%"}.')
        return _of(db, match, f"match_{operator}", values, p=path, v=validation.pattern(value))
    if not isinstance(value, str | int | float | bool):
        raise Invalid(
            f"`{operator}` cannot compare with {value!r}.",
            hint="Use a string, a number, true or false.",
        )
    return _of(db, match, f"match_{operator}", values, p=path, t=json.dumps(_types(value)), v=value)


def _of(db: Database, match: Match, name: str, values: dict[str, object], **given: object) -> str:
    """A fragment about the metadata, or about the memory's own fields in the form of metadata."""
    condition = _placed(db, name, values, **given)
    return (
        condition.replace("m.metadata", db.text(f"own_{match.path[0]}")) if match.own else condition
    )


def _types(value: str | float | bool) -> tuple[str, ...]:
    """What JSON calls values that may be compared with this one."""
    if isinstance(value, bool):
        return ("true", "false")
    return ("text",) if isinstance(value, str) else ("integer", "real")


def _placed(db: Database, name: str, values: dict[str, object], **given: object) -> str:
    """A fragment with its `#` replaced by a number, so that each condition has values of its
    own.
    """
    place = str(len(values))
    values.update({letter + place: value for letter, value in given.items()})
    return db.text(name).replace("#", place)
