"""The parameters of a tool: their JSON Schema, and the check of a caller's arguments.

The check accepts other forms with a plain meaning (a digit string for a number, JSON in a string
for a list). It reports every problem at once, because the caller is a model that will try again.
"""

import inspect
import json
import types
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from commonplace.errors import Invalid

_Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class About:
    """Describes a parameter; bounds are lengths of texts and lists, or values of numbers."""

    text: str
    minimum: float | None = None
    maximum: float | None = None
    aliases: tuple[str, ...] = ()
    # Converts other forms of the value before its type is checked, and returns all else unchanged.
    parse: Callable[[object], object] | None = None
    # Distinguishes the users of a shared server; a server with one user does not list it.
    multiuser: bool = False


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a tool."""

    name: str
    kind: Any
    about: About
    required: bool
    default: Any
    # The name in the function's signature, where a Python keyword has an underscore after it.
    keyword: str = ""
    # Whether clients see it; a hidden parameter is accepted all the same.
    listed: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """Its name and its aliases."""
        return (self.name, *self.about.aliases)

    @property
    def schema(self) -> _Schema:
        """Its JSON Schema, plain enough for every client."""
        bounds = _bounds(self.kind, self.about)
        shown = {} if self.required or self.default is None else {"default": self.default}
        return _schema(self.kind) | bounds | {"description": self.about.text} | shown


def parameters_of(function: Callable[..., object]) -> tuple[Parameter, ...]:
    """The parameters of a tool's function, without the first one, which is the call itself."""
    hints = get_type_hints(function, include_extras=True)
    listed = list(inspect.signature(function).parameters.values())[1:]
    return tuple(_parameter(one, hints[one.name]) for one in listed)


def input_schema(listed: tuple[Parameter, ...], *, strict: bool) -> _Schema:
    """The JSON Schema of a tool's arguments."""
    shown = {one.name: one.schema for one in listed if one.listed}
    schema: _Schema = {"type": "object", "properties": shown}
    if required := [one.name for one in listed if one.required]:
        schema["required"] = required
    if strict:
        schema["additionalProperties"] = False
    return schema


def check_arguments(
    listed: tuple[Parameter, ...], arguments: Mapping[str, object], *, strict: bool
) -> dict[str, Any]:
    """The arguments for a tool's function; null means absent. Raises Invalid with all problems."""
    problems: list[str] = []
    values: dict[str, Any] = {}
    for one in listed:
        try:
            value = _find_argument(one, arguments)
            if value is not None:
                values[one.keyword or one.name] = _parse_argument(one, value)
        except Invalid as error:
            # The problems are joined into one sentence, which ends once.
            problems.append(error.message.removesuffix("."))
    if strict:
        problems += _unknown_arguments(listed, arguments)
    if problems:
        raise Invalid("; ".join(problems) + ".", hint=f"This tool takes: {_usage(listed)}.")
    return values


def _find_argument(one: Parameter, arguments: Mapping[str, object]) -> object:
    """The value given under the name of a parameter or one of its aliases; None if absent."""
    for name in one.names:
        if arguments.get(name) is not None:
            return arguments[name]
    if one.required:
        raise Invalid(f"`{one.name}` is required")
    return None


def _parse_argument(one: Parameter, value: object) -> Any:
    read = one.about.parse(value) if one.about.parse else value
    return _check_bounds(_convert(read, one.kind, one.name), one)


def _usage(listed: tuple[Parameter, ...]) -> str:
    shown = [one.name if one.required else f"[{one.name}]" for one in listed if one.listed]
    return ", ".join(shown) or "no arguments"


def _parameter(one: inspect.Parameter, hint: Any) -> Parameter:
    kind, about = hint, About("")
    if get_origin(hint) is Annotated:
        kind, *notes = get_args(hint)
        about = next(note for note in notes if isinstance(note, About))
    required = one.default is inspect.Parameter.empty
    default = None if required else one.default
    return Parameter(
        one.name.removesuffix("_"), _without_none(kind), about, required, default, one.name
    )


def _without_none(kind: Any) -> Any:
    """A type without its "or None"."""
    if get_origin(kind) in (Union, types.UnionType):
        rest = [arg for arg in get_args(kind) if arg is not type(None)]
        return rest[0] if len(rest) == 1 else Union[tuple(rest)]  # noqa: UP007
    return kind


def _schema(kind: Any) -> _Schema:
    origin, args = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _schema(args[0])
    if origin is Literal:
        return {"type": "string", "enum": list(args)}
    if origin is list:
        return {"type": "array", "items": _schema(args[0])}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_schema(arg) for arg in args]}
    if origin is dict or kind is dict:
        return {"type": "object", "additionalProperties": True}
    names = {str: "string", int: "integer", float: "number", bool: "boolean"}
    return {"type": names[kind]} if kind in names else {}


def _bounds(kind: Any, about: About) -> _Schema:
    least, most = {str: ("minLength", "maxLength"), list: ("minItems", "maxItems")}.get(
        get_origin(kind) or kind, ("minimum", "maximum")
    )
    bounds = {least: about.minimum, most: about.maximum}
    return {name: bound for name, bound in bounds.items() if bound is not None}


def _check_bounds(value: Any, one: Parameter) -> Any:
    size: Any = len(cast(Any, value)) if isinstance(value, str | list) else value
    unit = " long" if isinstance(value, str | list) else ""
    low, high = one.about.minimum, one.about.maximum
    if isinstance(size, int | float) and not isinstance(value, bool):
        if low is not None and size < low:
            raise Invalid(f"`{one.name}` must be at least {low:,}{unit}, not {size:,}")
        if high is not None and size > high:
            raise Invalid(f"`{one.name}` must be at most {high:,}{unit}, not {size:,}")
    return cast(Any, value)


def _convert(value: Any, kind: Any, name: str) -> Any:
    origin, args = get_origin(kind), get_args(kind)
    if origin is Literal:
        return _choice(value, args, name)
    if origin in (Union, types.UnionType):
        return _convert_union(value, args, name)
    if origin is list:
        items = _decode(value, list, name, "a list")
        return [
            _convert(item, args[0], f"{name}[{place}]")
            for place, item in enumerate(cast(list[Any], items))
        ]
    if origin is dict or kind is dict:
        return _decode(value, dict, name, "an object")
    if kind in (str, int, float, bool):
        return _SIMPLE[kind](value, name)
    return value


def _choice(value: Any, allowed: tuple[Any, ...], name: str) -> Any:
    if (
        isinstance(value, str)
        and (found := next((one for one in allowed if one == value.strip()), None)) is not None
    ):
        return found
    raise Invalid(f"`{name}` must be one of {', '.join(allowed)}, not {_preview(value)}")


def _convert_union(value: Any, kinds: tuple[Any, ...], name: str) -> Any:
    exact = {str: str, int: int, float: float, bool: bool, list: list, dict: dict}
    ordered = sorted(kinds, key=lambda kind: type(value) is not exact.get(get_origin(kind) or kind))
    for place, kind in enumerate(ordered):
        try:
            return _convert(value, kind, name)
        except Invalid:
            if place == len(ordered) - 1:
                raise
    raise Invalid(f"`{name}` has an unknown type")


def _decode(value: Any, wanted: type, name: str, called: str) -> Any:
    if isinstance(value, str) and value.strip()[:1] in "[{":
        with suppress(ValueError, RecursionError):
            value = json.loads(value)
    if isinstance(value, wanted):
        return cast(Any, value)
    raise Invalid(f"`{name}` must be {called}, not {_preview(value)}")


def _text(value: Any, name: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return json.dumps(value)
    raise Invalid(f"`{name}` must be a string, not {_preview(value)}")


def _integer(value: Any, name: str) -> int:
    if isinstance(value, str) and value.strip().removeprefix("-").isdecimal() and len(value) < 20:
        return int(value)
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or value != value
        or value in (_INF, -_INF)
    ):
        raise Invalid(f"`{name}` must be an integer, not {_preview(value)}")
    if value != int(value):
        raise Invalid(f"`{name}` must be an integer, not {_preview(value)}")
    return int(value)


def _number(value: Any, name: str) -> float:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            raise Invalid(f"`{name}` must be a number, not {_preview(value)}") from None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise Invalid(f"`{name}` must be a number, not {_preview(value)}")
    return value


def _boolean(value: Any, name: str) -> bool:
    words = {"true": True, "false": False, "1": True, "0": False}
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in words:
        return words[value.strip().lower()]
    raise Invalid(f"`{name}` must be true or false, not {_preview(value)}")


_INF = float("inf")
_SIMPLE: dict[Any, Callable[[Any, str], Any]] = {
    str: _text,
    int: _integer,
    float: _number,
    bool: _boolean,
}


def _unknown_arguments(listed: tuple[Parameter, ...], arguments: Mapping[str, object]) -> list[str]:
    known = {name for one in listed for name in one.names}
    return [_unknown_argument(name, known) for name in arguments if name not in known]


def _unknown_argument(name: str, known: set[str]) -> str:
    near = get_close_matches(name, known, n=1)
    return f"`{name[:60]}` is not an argument" + (f"; did you mean `{near[0]}`?" if near else "")


def _preview(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "…"
