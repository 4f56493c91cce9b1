"""Converts records to JSON and back, by the types of their fields.

A moment is a whole number of milliseconds in records and an ISO 8601 text in JSON.
"""

import math
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from difflib import get_close_matches
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from commonplace import clock
from commonplace.errors import Invalid
from commonplace.ids import ID_MAX
from commonplace.records.memory import Unset
from commonplace.records.query import Condition

Decoder = Callable[[Any, str], Any]

# Records of a union carry their class name, so that a reader can distinguish them.
TAGGED: frozenset[type] = frozenset(get_args(Condition))
TAG = "type"
_MOMENT_NAMES = ("at", "now", "before", "during")
_MOMENT_ENDINGS = ("_at", "_until", "_from", "_before")
_UNIONS = (Union, types.UnionType)
_MAPPINGS = (dict, Mapping)
_SEQUENCES = (tuple, list, Sequence)
_PREVIEW_CHARS = 60
_NO_TYPES = (type(None), Unset)


def is_moment(name: str) -> bool:
    """Whether the integers of a field are moments."""
    return name in _MOMENT_NAMES or name.endswith(_MOMENT_ENDINGS)


@cache
def field_types(record: Any) -> Mapping[str, tuple[Field[Any], Any]]:
    """The fields of a record with their types, by name."""
    plain, arguments = get_origin(record) or record, get_args(record)
    hints = get_type_hints(plain)
    if arguments:
        hints = {name: _fill_in(hint, arguments) for name, hint in hints.items()}
    return {field.name: (field, hints[field.name]) for field in fields(plain)}


def is_record(kind: Any) -> bool:
    """Whether a type is a record."""
    return is_dataclass(get_origin(kind) or kind)


def is_required(field: Field[Any]) -> bool:
    """Whether a field has no default."""
    return field.default is MISSING and field.default_factory is MISSING


def union_members(kind: Any) -> tuple[Any, ...]:
    """The types of a union without None and Unset; a tuple of one for any other type."""
    if get_origin(kind) not in _UNIONS:
        return (kind,)
    return tuple(one for one in get_args(kind) if one not in _NO_TYPES)


def allows_null(kind: Any) -> bool:
    """Whether a field of this type may be null."""
    return get_origin(kind) in _UNIONS and type(None) in get_args(kind)


def encode(value: Any, name: str = "") -> Any:
    """A record, or a value of one, as JSON. `name` is the name of its field."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return _encode_moment(value, name) if is_moment(name) else value
    if isinstance(value, tuple | list):
        return [encode(one, name) for one in cast(Sequence[Any], value)]
    if is_dataclass(value):
        return _encode_record(value)
    return value


def _encode_record(record: Any) -> dict[str, Any]:
    kind = cast("type", record.__class__)
    tag = {TAG: kind.__name__} if kind in TAGGED else {}
    values = ((name, getattr(record, name)) for name in field_types(kind))
    return tag | {n: encode(value, n) for n, value in values if not isinstance(value, Unset)}


def _encode_moment(value: int, name: str) -> str:
    if not clock.MOMENT_MIN <= value <= clock.MOMENT_MAX:
        raise Invalid(f"`{name}` is out of range.", hint="Use a year from 1 to 9999.")
    return clock.iso(value)


def decode(kind: Any, value: Any, name: str) -> Any:
    """The value of a type that JSON stands for. `name` is where it is, for errors."""
    if kind in _SCALARS:
        return _SCALARS[kind](value, name)
    if kind is object or kind is Any:
        return value
    if is_record(kind):
        return decode_record(kind, value, name)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return _decode_choice(value, arguments, name)
    if origin in _UNIONS:
        return _decode_union(kind, value, name)
    if origin in _SEQUENCES:
        return _decode_sequence(arguments, value, name)
    if origin in _MAPPINGS:
        return _require(value, dict, name, "an object")
    raise TypeError(f"{kind} has no form in JSON")


def decode_record(kind: Any, value: Any, name: str) -> Any:
    """A record from a JSON object. Unknown fields are refused."""
    given = cast(dict[str, Any], _require(value, dict, name, "an object"))
    known = field_types(kind)
    allowed = {*known, TAG} if kind in TAGGED else set(known)
    if unknown := given.keys() - allowed:
        raise unknown_field(min(unknown), allowed, name)
    prefix = f"{name}." if name else ""
    missing = [one for one, (field, _) in known.items() if is_required(field) and one not in given]
    if missing:
        raise Invalid(f"`{prefix}{missing[0]}` is required.", hint=_expected(known))
    values = {
        one: decode(hint, given[one], f"{prefix}{one}")
        for one, (_, hint) in known.items()
        if one in given
    }
    return (get_origin(kind) or kind)(**values)


def unknown_field(given: str, known: set[str], name: str) -> Invalid:
    """The error for a field that does not exist."""
    near = get_close_matches(given, known, n=1)
    where = f" of `{name}`" if name else ""
    hint = f"Did you mean `{near[0]}`?" if near else f"The fields are: {', '.join(sorted(known))}."
    return Invalid(f"`{given[:_PREVIEW_CHARS]}` is not a field{where}.", hint=hint)


def _expected(known: Mapping[str, Any]) -> str:
    return f"The fields are: {', '.join(known)}."


def _decode_union(kind: Any, value: Any, name: str) -> Any:
    if value is None and allows_null(kind):
        return None
    members = union_members(kind)
    if set(members) & TAGGED:
        return _decode_tagged(members, value, name)
    for place, member in enumerate(members):
        try:
            return decode(member, value, name)
        except Invalid:
            if place == len(members) - 1:
                raise
    raise TypeError(f"{kind} has no members")


def _decode_tagged(members: tuple[Any, ...], value: Any, name: str) -> Any:
    given = cast(dict[str, Any], _require(value, dict, name, "an object"))
    by_name = {one.__name__: one for one in members}
    tag = _decode_choice(given.get(TAG), tuple(by_name), f"{name}.{TAG}")
    return decode_record(by_name[tag], given, name)


def _decode_sequence(arguments: tuple[Any, ...], value: Any, name: str) -> tuple[Any, ...]:
    items = cast(list[Any], _require(value, list, name, "a list"))
    kinds: Sequence[Any] = arguments
    if len(arguments) == 1 or arguments[-1] is ...:
        kinds = (arguments[0],) * len(items)
    if len(items) != len(kinds):
        raise Invalid(f"`{name}` must have {len(kinds)} items.", hint="See /openapi.json.")
    # The items of a list of moments are moments too, so the name ends as that of the list does.
    pairs = zip(kinds, items, strict=True)
    return tuple(
        decode(one, item, name if is_moment(_last(name)) else f"{name}[{place}]")
        for place, (one, item) in enumerate(pairs)
    )


def _decode_choice(value: Any, allowed: tuple[Any, ...], name: str) -> Any:
    if isinstance(value, str) and value in allowed:
        return value
    raise Invalid(f"`{name}` must not be {_preview(value)}.", hint=f"Use: {', '.join(allowed)}.")


def _decode_text(value: Any, name: str) -> str:
    return cast(str, _require(value, str, name, "a string"))


def _decode_integer(value: Any, name: str) -> int:
    if is_moment(_last(name)):
        return clock.parse_moment(_decode_text(value, name))
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong_type(value, name, "an integer")
    if not -ID_MAX <= value <= ID_MAX:
        raise Invalid(f"`{name}` is too large.", hint=f"Use at most {ID_MAX}.")
    return value


def _decode_number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong_type(value, name, "a number")
    if abs(value) > ID_MAX or not math.isfinite(value):
        raise Invalid(f"`{name}` is too large.", hint=f"Use at most {ID_MAX}.")
    return float(value)


def _decode_boolean(value: Any, name: str) -> bool:
    return cast(bool, _require(value, bool, name, "true or false"))


_SCALARS: dict[Any, Decoder] = {
    str: _decode_text,
    int: _decode_integer,
    float: _decode_number,
    bool: _decode_boolean,
}


def _require(value: Any, wanted: type, name: str, called: str) -> object:
    if isinstance(value, wanted):
        return cast(object, value)
    raise _wrong_type(value, name, called)


def _wrong_type(value: object, name: str, called: str) -> Invalid:
    where = f"`{name}`" if name else "The body"
    return Invalid(f"{where} must be {called}, not {_preview(value)}.", hint="See /openapi.json.")


def _preview(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _PREVIEW_CHARS else text[: _PREVIEW_CHARS - 1] + "…"


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _fill_in(hint: Any, arguments: tuple[Any, ...]) -> Any:
    """A generic type with its arguments."""
    if isinstance(hint, TypeVar):
        return arguments[0]
    return hint[arguments] if getattr(hint, "__parameters__", ()) else hint
