"""The reference page of each dialect, from its table."""

import json
from typing import Any

from commonplace.dialects import registry
from commonplace.dialects.dialect import Dialect, Tool
from commonplace.dialects.parameters import Parameter

_EFFECTS = {"reads": "reads", "writes": "writes", "destroys": "**destroys**"}


def pages() -> dict[str, str]:
    """A page for every dialect that has tools."""
    found = {name: registry.find(name) for name in registry.NAMES}
    return {
        f"dialect-{name}.md": _page(dialect) for name, dialect in found.items() if dialect.tools
    }


def _page(dialect: Dialect) -> str:
    tools = [tool for tool in dialect.tools.values() if tool.listed]
    stray = "refused" if dialect.strict else "passed over"
    opening = (
        f"# The {dialect.name} dialect\n\n{dialect.title}: {len(tools)} tools. "
        f"`commonplace mcp --dialect {dialect.name}`, or `/{dialect.name}/mcp` on the server. "
        f"Arguments nobody knows are {stray}.\n\n> {dialect.instructions}\n"
    )
    parts = [opening, *map(_tool, tools)]
    if dialect.resources:
        rows = [
            f"| `{one.uri}` | {one.description} | {one.mime_type} |" for one in dialect.resources
        ]
        parts.append(
            "## Resources\n\n| Address | What | Type |\n|---|---|---|\n" + "\n".join(rows) + "\n"
        )
    return "\n".join(parts)


def _tool(tool: Tool) -> str:
    marks = (
        _EFFECTS[tool.effect],
        "always at hand" if tool.always_loaded else "",
        "asks first" if tool.confirm else "",
    )
    lines = [f"## {tool.name}\n\n*{', '.join(filter(None, marks))}*\n\n{tool.description}\n"]
    if tool.parameters:
        lines.append("| Argument | Type | Default | |\n|---|---|---|---|")
        lines += [_row(one) for one in tool.parameters]
        lines.append("")
    return "\n".join(lines)


def _row(one: Parameter) -> str:
    schema = one.schema
    default = (
        "required"
        if one.required
        else ""
        if one.default is None
        else f"`{json.dumps(one.default)}`"
    )
    return (
        f"| `{one.name}` | {_type(schema)} | {default} |"
        f" {schema.get('description', '').replace('|', '/')} |"
    )


def _type(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " / ".join(str(word) for word in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"])
    kind = schema.get("type", "any")
    named = f"list of {_type(schema['items'])}" if kind == "array" else str(kind)
    low = schema.get("minimum", schema.get("minLength", schema.get("minItems")))
    high = schema.get("maximum", schema.get("maxLength", schema.get("maxItems")))
    match low, high:
        case None, None:
            return named
        case None | 0, _ if high is not None:
            return f"{named}, up to {high:,g}"
        case _, None:
            return f"{named}, {low:,g} or more"
        case _:
            return f"{named}, {low:,g} to {high:,g}"
