"""The page /api: the operations of our REST interface, for people."""

from functools import cache
from html import escape
from typing import get_args

from commonplace.errors import CommonplaceError
from commonplace.faces.rest import codec, problems
from commonplace.faces.rest.operation import Argument, Operation
from commonplace.faces.rest.table import OPERATIONS

_HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Commonplace: REST</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color-scheme: light dark }
code { font-size: .9em } h3 { margin-bottom: 0 } table { border-collapse: collapse }
td, th { border-bottom: 1px solid #8886; padding: .2rem .8rem .2rem 0; text-align: left;
  vertical-align: top }
</style></head><body>
<h1>The REST interface</h1>
<p>Every path begins with <code>/api/v1</code>. Bodies and answers are JSON, moments are ISO 8601,
and ids may be given in every form in which they are printed. If the server has a key, send it as
<code>Authorization: Bearer KEY</code>. The same as <a href="/openapi.json">OpenAPI 3.1</a>.</p>
<p><code>GET</code> and <code>PATCH</code> of a memory have an <code>ETag</code>; with
<code>If-Match</code> a change overwrites no newer version. With <code>Idempotency-Key</code> a
repeated write is done once. A list ends with <code>next</code>: give it as <code>cursor</code>.</p>
"""


@cache
def html() -> bytes:
    """The page."""
    groups: dict[str, list[Operation]] = {}
    for operation in OPERATIONS.values():
        groups.setdefault(operation.group, []).append(operation)
    sections = [_group(name, listed) for name, listed in groups.items()]
    return "".join([_HEAD, *sections, _errors(), "</body></html>\n"]).encode()


def _group(name: str, listed: list[Operation]) -> str:
    return f'<h2 id="{name}">{name.capitalize()}</h2>\n' + "".join(map(_operation, listed))


def _operation(operation: Operation) -> str:
    path = escape(problems.PREFIX.decode() + operation.path)
    rows = "".join(_row(one) for one in operation.arguments if one.location != "path")
    head = "<tr><th>Name</th><th>Type</th><th>In</th></tr>"
    table = f"<table>{head}{rows}</table>\n" if rows else ""
    return (
        f'<h3 id="{operation.name}"><code>{operation.method} {path}</code></h3>\n'
        f"<p>{escape(operation.description)}</p>\n{table}"
    )


def _row(one: Argument) -> str:
    name = f"<b>{one.name}</b>" if one.required else one.name
    return f"<tr><td>{name}</td><td>{escape(_type_name(one))}</td><td>{one.location}</td></tr>"


def _type_name(one: Argument) -> str:
    return " or ".join(_one_type(kind, one.name) for kind in codec.union_members(one.kind))


def _one_type(kind: object, name: str) -> str:
    if kind is int and codec.is_moment(name):
        return "time"
    if isinstance(kind, type):
        return kind.__name__
    arguments = [one for one in get_args(kind) if one is not ...]
    if all(isinstance(one, str) for one in arguments):
        return ", ".join(str(one) for one in arguments)
    is_mapping = len(arguments) == 2 and arguments[0] is str
    return "object" if is_mapping else f"list of {_item_types(arguments, name)}"


def _item_types(kinds: list[object], name: str) -> str:
    members = [one for kind in kinds for one in codec.union_members(kind)]
    return " or ".join(_one_type(one, name) for one in members)


def _errors() -> str:
    rows = "".join(
        f'<tr id="{one.__name__}"><td>{one.status}</td><td>{one.__name__}</td>'
        f"<td>{escape((one.__doc__ or '').strip())}</td></tr>"
        for one in CommonplaceError.__subclasses__()
    )
    about = "An error is <code>application/problem+json</code> (RFC 9457) with a hint."
    return f"<h2>Errors</h2>\n<p>{about}</p>\n<table>{rows}</table>\n"
