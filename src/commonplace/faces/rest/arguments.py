"""Reads the arguments of an operation from a request: its path, its query and its body."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal, NoReturn, cast, get_args, get_origin
from urllib.parse import parse_qsl, unquote_to_bytes

from commonplace.errors import Invalid, NotFound
from commonplace.faces.rest import codec
from commonplace.faces.rest.operation import Argument, Operation

_FIELDS_MAX = 2_000
_BOOLEANS = {"true": True, "false": False}
_INTEGER_CHARS_MAX = 20


def split_path(raw: bytes) -> tuple[str, ...]:
    """The parts of a path. It is split before it is decoded, so that a name may contain a slash."""
    try:
        parts = raw.removeprefix(b"/").removesuffix(b"/").split(b"/")
        return tuple(unquote_to_bytes(part).decode() for part in parts)
    except UnicodeDecodeError as error:
        raise NotFound("The path is not UTF-8.", hint="Encode the names as UTF-8.") from error


def read_query(raw: bytes) -> dict[str, list[str]]:
    """The values of each name in a query."""
    try:
        pairs = parse_qsl(
            raw.decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=_FIELDS_MAX,
        )
    except ValueError as error:
        raise Invalid("The query cannot be read.", hint="Encode it as a URL requires.") from error
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return found


def read_json(body: bytes) -> Any:
    """The value of a JSON text."""
    try:
        return json.loads(body.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise Invalid("The body is not JSON.", hint="Send one JSON object in UTF-8.") from error


def read_object(body: bytes) -> dict[str, Any]:
    """The JSON object in a body; an empty body has no fields."""
    found: object = read_json(body) if body.strip() else {}
    if not isinstance(found, dict):
        raise Invalid("The body is not a JSON object.", hint="Send names and values in braces.")
    return cast(dict[str, Any], found)


def read_arguments(
    operation: Operation, path: Mapping[str, str], query: bytes, body: bytes
) -> dict[str, Any]:
    """Everything that a request gives, by name, before the types are checked."""
    given = {
        one.name: from_text(one, [path[one.name]])
        for one in operation.located("path")
        if one.name in path
    }
    named = read_query(query)
    in_query = {one.name: one for one in operation.located("query")}
    if unknown := named.keys() - in_query.keys():
        raise codec.unknown_field(min(unknown), set(in_query), "")
    given |= {name: from_text(in_query[name], values) for name, values in named.items()}
    in_body = {one.name for one in operation.located("body")}
    whole = read_object(body) if operation.method not in ("GET", "DELETE") else {}
    if unknown := whole.keys() - in_body:
        raise codec.unknown_field(min(unknown), in_body, "")
    return given | whole


def from_text(argument: Argument, values: Sequence[str]) -> Any:
    """The JSON value that the texts of a path or a query stand for."""
    kind = _plain_kind(argument.kind)
    if get_origin(kind) in (tuple, list) or str(get_origin(kind)).endswith("Sequence'>"):
        return [_one_from_text(get_args(kind)[0], value, argument.name) for value in values]
    if len(values) > 1:
        raise Invalid(f"`{argument.name}` appears twice.", hint="Give it once.")
    return _one_from_text(kind, values[0], argument.name)


def _one_from_text(kind: Any, value: str, name: str) -> Any:
    if kind is bool:
        return _BOOLEANS.get(value.lower(), value)
    if kind is int and not codec.is_moment(name):
        digits = value.removeprefix("-")
        short = len(value) < _INTEGER_CHARS_MAX
        return int(value) if digits.isascii() and digits.isdecimal() and short else value
    return value


@cache
def _plain_kind(kind: Any) -> Any:
    """A type without its null. An id may be a number or a text, and is a text here."""
    members = codec.union_members(kind)
    if str in members:
        return str
    literal = next((one for one in members if get_origin(one) is Literal), None)
    return literal or members[0]


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
