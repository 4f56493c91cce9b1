"""Declares Hindsight's tools. Each exists in two forms: for one bank, and for several banks.

With several banks, a tool has an optional bank_id and responds with JSON in a string; with one
bank, it responds with the object itself. Errors are part of the response, as clients of the
original expect.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, cast

from commonplace import validation
from commonplace.dialects import allowlists, parameters
from commonplace.dialects.dialect import (
    Call,
    Dialect,
    Effect,
    Reply,
    Tool,
    ToolRole,
    as_json,
    drop_empty,
)
from commonplace.dialects.parameters import About, Parameter
from commonplace.engine.engine import Engine
from commonplace.errors import CommonplaceError, Invalid, NotFound

Answer: TypeAlias = Mapping[str, Any]
BANK_BYTES_MAX = 192
_OBJECT: Mapping[str, Any] = {"type": "object", "additionalProperties": True}
_STRING: Mapping[str, Any] = {
    "type": "object",
    "properties": {"result": {"type": "string"}},
    "required": ["result"],
    "x-fastmcp-wrap-result": True,
}
# The fields that stay when they are empty, and those that stay when they are null.
_KEEP_WHEN_EMPTY = (
    *(
        "results",
        "items",
        "banks",
        "operations",
        "roots",
        "memory_ids",
        "text",
        "content",
        "mission",
        "history",
    ),
    *("node_counts", "link_counts", "entities", "tool_trace", "llm_trace", "directives_applied"),
)
_KEEP_WHEN_NULL = ("structured_output", "structured_output_error")
_EMPTY: tuple[object, ...] = (None, "", [], {})
# With this field, clients of the original read the response from its string.
_WRAP_META: Mapping[str, Any] = {"fastmcp": {"wrap_result": True}}
OPTIONAL = Parameter(
    "bank_id",
    str,
    About("Bank to use; defaults to the bank of the connection."),
    False,
    None,
    "bank_id",
)
REQUIRED = Parameter(
    "bank_id", str, About("The ID for the new bank.", 1, 200), True, None, "bank_id"
)


@dataclass(frozen=True, slots=True)
class BankTool(Tool):
    """A tool that works on one bank, and can be listed for that bank alone."""

    handler: Callable[..., Answer] = dict
    error_fields: Answer = field(default_factory=dict[str, Any])

    def without_parameter(self, name: str) -> Tool:
        """The same tool for the bank of the connection, with the object itself as its response."""
        kept = tuple(one for one in self.parameters if one.name != name)
        return replace(self, parameters=kept).unwrap()

    def for_single_user(self) -> Tool:
        """The same tool with the object itself as its response, as the original has no stdio
        server.
        """
        return self.unwrap()

    def unwrap(self) -> "BankTool":
        """The same tool with the object itself as its response."""
        return replace(
            self, output=_OBJECT, function=_make_handler(self.handler, self.error_fields)
        )


def bank_tool(
    effect: Effect,
    *roles: ToolRole,
    error_fields: Answer | None = None,
    wraps: bool = True,
    confirm: str = "",
    always_loaded: bool = False,
    bank: Parameter | None = OPTIONAL,
) -> Callable[[Callable[..., Answer]], Tool]:
    """Declare a function as a tool. An error response contains `error_fields`; `bank` is the
    parameter for the bank.
    """

    def declare(function: Callable[..., Answer]) -> Tool:
        name = getattr(function, "__name__", "")
        own = parameters.parameters_of(function)
        return BankTool(
            name=name,
            function=_make_handler(function, error_fields or {}, wraps=wraps),
            effect=effect,
            title=name.replace("_", " ").title(),
            always_loaded=always_loaded,
            idempotent=effect == "reads",
            confirm=confirm,
            output=_STRING if wraps else _OBJECT,
            parameters=tuple(sorted((*own, bank), key=lambda one: not one.required))
            if bank
            else own,
            description=_description(function),
            roles=roles,
            handler=function,
            error_fields=error_fields or {},
        )

    return declare


def failure_reply(tool: Tool, _given: Mapping[str, object], error: CommonplaceError) -> Reply:
    """The error response for invalid arguments."""
    text = f"{error.message} {error.hint}".strip()
    return Reply(
        {"result": text} if tool.output is _STRING else {"error": text}, text, is_error=True
    )


def restrict_to_allowlist(dialect: Dialect, engine: Engine, bank: str) -> Dialect:
    """The dialect with only the tools that a bank allows."""
    allowed = allowlists.allowed_tools(engine, bank)
    if allowed is None:
        return dialect
    return replace(
        dialect, tools={name: tool for name, tool in dialect.tools.items() if name in allowed}
    )


def forbidden_tool_reply(tool: Tool) -> Reply:
    """The response to a forbidden tool: to this bank, the tool does not exist."""
    return unknown_tool_reply(tool.name, wraps=tool.output is _STRING)


def unknown_tool_reply(name: str, *, wraps: bool = False) -> Reply:
    """The response to a call of an unknown tool."""
    text = f"Unknown tool: '{name[:200]}'"
    return Reply({"result": text} if wraps else {"error": text}, text, is_error=True)


def _make_handler(
    function: Callable[..., Answer], error_fields: Answer, *, wraps: bool = False
) -> Callable[..., Reply]:
    def run(call: Call, *, bank_id: str | None = None, **values: Any) -> Reply:
        try:
            answer = _drop_empty_fields(
                function(replace(call, bank=check_bank(bank_id or call.bank)), **values)
            )
        except CommonplaceError as error:
            answer = _error_answer(error, error_fields)
        text = as_json(answer)
        return Reply({"result": text}, text, meta=_WRAP_META) if wraps else Reply(answer, text)

    return run


def _drop_empty_fields(answer: Answer) -> Answer:
    """A response without its empty fields, except stored values and fields of a schema."""
    shown = {
        name: value if name in _KEEP_WHEN_NULL else _drop_empty_in_items(value)
        for name, value in answer.items()
    }
    return {name: value for name, value in shown.items() if _is_shown(name, value)}


def _is_shown(name: str, value: object) -> bool:
    return name in _KEEP_WHEN_NULL or (
        value is not None if name in _KEEP_WHEN_EMPTY else value not in _EMPTY
    )


def _drop_empty_in_items(value: object) -> object:
    if not isinstance(value, list):
        return value
    return [
        drop_empty(cast(Answer, one)) if isinstance(one, dict) else one
        for one in cast(list[object], value)
    ]


def _error_answer(error: CommonplaceError, error_fields: Answer) -> Answer:
    # NotFound has the original's text; other errors have a hint.
    text = error.message if isinstance(error, NotFound) else f"{error.message} {error.hint}".strip()
    return (
        {"status": "error", "message": text}
        if error_fields.get("status")
        else {"error": text, **error_fields}
    )


def check_bank(bank: str) -> str:
    """The id of a bank, as the product allows it."""
    bank = validation.name(bank, what="bank")
    if len(bank.encode()) > BANK_BYTES_MAX or bank.startswith("_"):
        raise Invalid(
            f"{bank[:60]!r} is not a valid bank id.",
            hint="Use up to 192 bytes that do not begin with an underscore.",
        )
    return bank


def _description(function: Callable[..., object]) -> str:
    return "\n".join(line.strip() for line in (function.__doc__ or "").strip().splitlines())
