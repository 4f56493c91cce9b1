"""An operation is a row of the REST table: a method, a path, and the verb of the engine it calls.

Its parameters and its result are those of the verb. Server, client, OpenAPI and the checks of
arguments are all made from them.
"""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias, cast, get_args, get_origin, get_type_hints

from commonplace import lazy
from commonplace.engine.engine import Engine
from commonplace.errors import Invalid
from commonplace.faces.rest import codec, cursors

Location: TypeAlias = Literal["path", "query", "body"]
Effect: TypeAlias = Literal["reads", "writes", "destroys"]
Json: TypeAlias = dict[str, Any]

# Parameters that only a program in the same process can give.
_IN_PROCESS = ("ledger", "progress", "write", "run")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_BANK = "bank"
ITEMS = "items"
ORIGIN = "origin"


@dataclass(frozen=True, slots=True)
class Argument:
    """One value that a request carries."""

    name: str
    kind: Any
    location: Location
    required: bool
    default: Any
    # The parameter of the verb that it belongs to: itself, or a record that it is a field of.
    parameter: str
    record: Any = None


@dataclass(frozen=True)
class Operation:
    """One row. Without `function`, the verb of the engine with this name is called."""

    name: str
    method: str
    path: str
    effect: Effect
    # What it does to memories, as allowlists know it.
    actions: tuple[str, ...]
    # The parameter whose fields stand at the top of the body or of the query.
    record: str = ""
    # The names of the parts of a result that is not a record.
    result: tuple[str, ...] = ()
    # Whether a repetition changes nothing more.
    repeatable: bool = False
    function: str = ""
    # Whether an idempotency key is accepted.
    keyed: bool = False

    @property
    def group(self) -> str:
        """The noun it belongs to: the part of the path after the bank."""
        parts = [part for part in self.path.split("/") if part and not part.startswith("{")]
        return parts[1] if len(parts) > 1 else parts[0]

    @cached_property
    def verb(self) -> Callable[..., Any]:
        """The function that is called, with the engine as its first argument."""
        if self.function:
            return cast("Callable[..., Any]", lazy.load(self.function))
        getattr(Engine, self.name)  # Imports it.
        return cast("Callable[..., Any]", Engine.__dict__[self.name])

    @cached_property
    def summary(self) -> str:
        """The first sentence of the verb's docstring."""
        text = " ".join((inspect.getdoc(self.verb) or "").split())
        return re.split(r"(?<=[.!?;]) ", text, maxsplit=1)[0].rstrip(".;")

    @cached_property
    def description(self) -> str:
        """The docstring of the verb, as one paragraph."""
        return " ".join((inspect.getdoc(self.verb) or "").split())

    @cached_property
    def _hints(self) -> Mapping[str, Any]:
        return get_type_hints(inspect.unwrap(self.verb))

    @property
    def result_type(self) -> Any:
        """The type of what the verb returns."""
        return self._hints["return"]

    @cached_property
    def parameters(self) -> tuple[inspect.Parameter, ...]:
        """The parameters of the verb that a request can give."""
        listed = list(inspect.signature(self.verb).parameters.values())[1:]
        return tuple(one for one in listed if one.name not in _IN_PROCESS)

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        """The values that a request carries."""
        in_path = set(_PLACEHOLDER.findall(self.path))
        rest: Location = "query" if self.method in ("GET", "DELETE") else "body"
        found: list[Argument] = []
        for one in self.parameters:
            kind, required = self._hints[one.name], one.default is inspect.Parameter.empty
            if one.name == self.record or (one.name == ORIGIN and rest == "query"):
                found += _fields_of(one, kind, rest)
            else:
                location: Location = "path" if one.name in in_path else rest
                found.append(Argument(one.name, kind, location, required, one.default, one.name))
        return tuple(found)

    def located(self, location: Location) -> tuple[Argument, ...]:
        """The arguments in one part of the request."""
        return tuple(one for one in self.arguments if one.location == location)

    @property
    def has_cursor(self) -> bool:
        """Whether the result comes in pages that cursors continue."""
        return self.name == "recall"

    def decode(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of the verb, from those of a request by name."""
        values: dict[str, Any] = {}
        parts: dict[str, dict[str, Any]] = {}
        for one in self.arguments:
            if one.name not in given:
                if one.required:
                    raise Invalid(f"`{one.name}` is required.", hint=self._expected())
                continue
            value = self._decode_one(one, given)
            if one.record is None:
                values[one.parameter] = value
            else:
                parts.setdefault(one.parameter, {})[one.name] = value
        records = {one.parameter: one.record for one in self.arguments if one.record is not None}
        return values | {
            name: self._record(name, kind, parts.get(name, {})) for name, kind in records.items()
        }

    def _record(self, parameter: str, kind: Any, given: dict[str, Any]) -> Any:
        """A record of what is given, and for the rest of the default."""
        default = next(one.default for one in self.parameters if one.name == parameter)
        whole = default is inspect.Parameter.empty
        return kind(**given) if whole else replace(default, **given)

    def _decode_one(self, one: Argument, given: Mapping[str, Any]) -> Any:
        value = given[one.name]
        if self.has_cursor and one.name == "after" and isinstance(value, str):
            value = cursors.unpack(value, given["bank"], self.name)
        return codec.decode(one.kind, value, one.name)

    def encode(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of a request, from those of the verb; defaults are left out."""
        given: dict[str, Any] = {}
        for one in self.arguments:
            if one.parameter not in values:
                continue
            value = values[one.parameter]
            value = getattr(value, one.name) if one.record is not None else value
            if value == one.default and type(value) is type(one.default):
                continue
            given[one.name] = codec.encode(value, one.name)
        if self.has_cursor and given.get("after"):
            given["after"] = cursors.pack(given["after"], given["bank"], self.name)
        return given

    def encode_result(self, result: Any, bank: str) -> Any:
        """A result of the verb as JSON."""
        if self.result:
            parts = result if len(self.result) > 1 else (result,)
            return {
                name: codec.encode(part, name)
                for name, part in zip(self.result, parts, strict=True)
            }
        whole: Any = codec.encode(result)
        if isinstance(whole, list):
            return {ITEMS: cast("list[Any]", whole)}
        if self.has_cursor and whole["next"] is not None:
            whole["next"] = cursors.pack(whole["next"], bank, self.name)
        return whole

    def decode_result(self, body: Any, bank: str) -> Any:
        """The result of the verb, from the JSON of an answer."""
        kind = self.result_type
        if len(self.result) > 1:
            kinds = zip(self.result, get_args(kind), strict=True)
            return tuple(codec.decode(one, body[name], name) for name, one in kinds)
        if self.result:
            return codec.decode(kind, body[self.result[0]], self.result[0])
        if get_origin(kind) is tuple:
            return codec.decode(kind, body[ITEMS], ITEMS)
        if self.has_cursor and body["next"] is not None:
            body = body | {"next": cursors.unpack(body["next"], bank, self.name)}
        return codec.decode(kind, body, "")

    def call(self, engine: Engine, values: Mapping[str, Any]) -> Any:
        """The result of the verb."""
        named = {name: value for name, value in values.items() if name != _BANK}
        bank = (values[_BANK],) if _BANK in values else ()
        if self.function:
            return self.verb(engine, *bank, **named)
        return getattr(engine, self.name)(*bank, **named)

    def _expected(self) -> str:
        names = ", ".join(one.name for one in self.arguments if one.location != "path")
        return f"This takes: {names}." if names else "See /openapi.json."


def _fields_of(parameter: inspect.Parameter, record: Any, location: Location) -> list[Argument]:
    whole_is_required = parameter.default is inspect.Parameter.empty
    return [
        Argument(
            name,
            hint,
            location,
            whole_is_required and codec.is_required(field),
            getattr(parameter.default, name, field.default),
            parameter.name,
            record,
        )
        for name, (field, hint) in codec.field_types(record).items()
    ]
