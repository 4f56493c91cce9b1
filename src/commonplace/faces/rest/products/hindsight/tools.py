"""Calls of Hindsight's MCP tools, whose answers the routes shape."""

from dataclasses import replace
from typing import cast

from commonplace.dialects import allowlists
from commonplace.dialects.hindsight.registration import BankTool, check_bank
from commonplace.dialects.parameters import check_arguments
from commonplace.errors import Forbidden, Unsupported
from commonplace.faces.rest.products.product import Json, Request


def use(request: Request, name: str, /, **arguments: object) -> Json:
    """The answer of a tool, before its empty fields are dropped."""
    allow(request, name)
    tool = cast("BankTool", request.dialect.tools[name])
    known = tuple(one for one in tool.parameters if one.name != "bank_id")
    values = check_arguments(known, arguments, strict=False)
    call = replace(request.call, bank=check_bank(request.call.bank))
    return dict(tool.handler(call, **values))


def use_given(request: Request, name: str, /, **arguments: object) -> Json:
    """The answer of a tool to the arguments of a request, and to others that replace them."""
    return use(request, name, **(request.given | arguments))


def allow(request: Request, *names: str) -> None:
    """Refuse what the bank does not allow: one of these tools must be in its list."""
    allowed = allowlists.allowed_tools(request.engine, request.call.bank)
    if allowed is not None and allowed.isdisjoint(names):
        raise Forbidden(
            f"The bank {request.call.bank!r} does not allow {names[0]}.",
            hint=f"It allows only: {', '.join(sorted(allowed))}.",
        )


def refuse(request: Request, *names: str) -> None:
    """Refuse filters that are not there, because without them an answer would have more."""
    for name in names:
        if request.given.get(name) is not None:
            raise Unsupported(f"The filter `{name}` is not supported.", hint="Leave it out.")
