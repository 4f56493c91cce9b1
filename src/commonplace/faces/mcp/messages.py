"""The JSON of the Model Context Protocol, built from a dialect's table.

Pure functions without a transport or a protocol library. LEGACY revisions begin with a handshake;
in MODERN ones each request carries everything. `complete_result` adds the fields that modern
results need.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

# Imported for its version only: reading the installation's metadata takes a tenth of the start.
import commonplace
from commonplace.dialects.dialect import Dialect, Prompt, Reply, Resource, Tool
from commonplace.dialects.parameters import input_schema

Json: TypeAlias = dict[str, Any]
RequestId: TypeAlias = str | int | None

LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = ("2026-07-28",)

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
RESOURCE_NOT_FOUND = -32002  # legacy only; modern revisions use INVALID_PARAMS
HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022
REQUEST_CANCELLED = -32800

_RESERVED = "io.modelcontextprotocol/"
VERSION_KEY = _RESERVED + "protocolVersion"
CLIENT_KEY = _RESERVED + "clientInfo"
CLIENT_CAPABILITIES_KEY = _RESERVED + "clientCapabilities"
SERVER_KEY = _RESERVED + "serverInfo"
SUBSCRIPTION_KEY = _RESERVED + "subscriptionId"

LISTS_TTL_MS = 300_000
# How long a client may cache a result, and whether callers may share it. Lists change only with the
# program. Instructions may name a bank, and the text of a resource changes with every write.
CACHE_HINTS: Mapping[str, tuple[int, str]] = {
    "tools/list": (LISTS_TTL_MS, "public"),
    "prompts/list": (LISTS_TTL_MS, "public"),
    "resources/list": (LISTS_TTL_MS, "public"),
    "resources/templates/list": (LISTS_TTL_MS, "public"),
    "server/discover": (LISTS_TTL_MS, "private"),
    "resources/read": (0, "private"),
}

COMPLETIONS_MAX = 100  # the protocol's limit for one answer


def is_modern(version: str) -> bool:
    """Whether a revision belongs to the era without a handshake."""
    return version in MODERN


def negotiate(requested: object) -> str:
    """The revision after a handshake: the requested one, or the newest with handshakes."""
    return requested if isinstance(requested, str) and requested in LEGACY else LEGACY[-1]


def server_info() -> Json:
    """The name and version of this server."""
    return {"name": "commonplace", "title": "Commonplace", "version": commonplace.__version__}


def tool_entry(tool: Tool, strict: bool) -> Json:
    """One tool of tools/list; with `strict` the schema allows no unknown arguments."""
    entry: Json = {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": input_schema(tool.parameters, strict=strict),
        "outputSchema": dict(tool.output),
        "annotations": {
            "title": tool.title,
            "readOnlyHint": tool.effect == "reads",
            "destructiveHint": tool.effect == "destroys",
            "idempotentHint": tool.idempotent,
            "openWorldHint": False,
        },
    }
    if tool.always_loaded:
        # Clients that load tools on demand would otherwise never call it.
        entry["_meta"] = {"anthropic/alwaysLoad": True}
    return entry


def tools(dialect: Dialect) -> list[Json]:
    """Every listed tool, in the order of the table."""
    return [tool_entry(tool, dialect.strict) for tool in dialect.tools.values() if tool.listed]


def resources(dialect: Dialect) -> list[Json]:
    """The resources with a fixed URI."""
    return [_resource_entry(one, "uri") for one in dialect.resources if not _is_template(one)]


def resource_templates(dialect: Dialect) -> list[Json]:
    """The resources with a URI template."""
    return [_resource_entry(one, "uriTemplate") for one in dialect.resources if _is_template(one)]


def prompts(dialect: Dialect) -> list[Json]:
    """The prompts."""
    return [_prompt_entry(one) for one in dialect.prompts]


def call_result(reply: Reply) -> Json:
    """A tool's result: text for models, structured content for programs."""
    result: Json = {
        "content": [{"type": "text", "text": reply.text}],
        "structuredContent": dict(reply.structured),
        "isError": reply.is_error,
    }
    return result | ({"_meta": dict(reply.meta)} if reply.meta else {})


def read_result(uri: str, mime_type: str, text: str) -> Json:
    """The contents of a resource."""
    return {"contents": [{"uri": uri, "mimeType": mime_type, "text": text}]}


def prompt_result(prompt: Prompt, text: str) -> Json:
    """A prompt with its arguments filled in."""
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return {"description": prompt.description, "messages": [message]}


def completion_result(values: Iterable[str]) -> Json:
    """Completions of a value, best first, up to the protocol's limit."""
    found = list(values)
    shown = found[:COMPLETIONS_MAX]
    return {
        "completion": {"values": shown, "total": len(found), "hasMore": len(found) > len(shown)}
    }


def capabilities(dialect: Dialect, version: str = LEGACY[-1]) -> Json:
    """The server's capabilities. Lists never change while it runs, so it sends no such notice."""
    offered: Json = {"tools": {"listChanged": False}}
    if dialect.resources:
        offered["resources"] = {"subscribe": False, "listChanged": False}
    if dialect.prompts:
        offered["prompts"] = {"listChanged": False}
    if dialect.completions:
        offered["completions"] = {}
    if not is_modern(version):
        offered["logging"] = {}
    return offered


def initialize_result(requested_version: object, dialect: Dialect, instructions: str) -> Json:
    """The result of initialize."""
    version = negotiate(requested_version)
    result: Json = {
        "protocolVersion": version,
        "capabilities": capabilities(dialect, version),
        "serverInfo": server_info(),
    }
    return result | _instructions_field(instructions)


def discover_result(dialect: Dialect, instructions: str) -> Json:
    """The result of server/discover, with the modern revisions a client may choose from."""
    result: Json = {
        "supportedVersions": list(MODERN),
        "capabilities": capabilities(dialect, MODERN[-1]),
    }
    return result | _instructions_field(instructions)


def complete_result(method: str, result: Json, version: str) -> Json:
    """A result with the fields its revision requires.

    A modern result has its type, the server info and how long it may be cached.
    """
    if not is_modern(version):
        return result
    whole: Json = {"resultType": "complete"} | result
    if hint := CACHE_HINTS.get(method):
        whole |= {"ttlMs": hint[0], "cacheScope": hint[1]}
    whole["_meta"] = {**result.get("_meta", {}), SERVER_KEY: server_info()}
    return whole


def supported_notifications(requested: Mapping[str, object]) -> Json:
    """The requested notifications that the server accepts: those about lists, which are fixed."""
    kinds = ("toolsListChanged", "promptsListChanged", "resourcesListChanged")
    return {kind: True for kind in kinds if requested.get(kind) is True}


def acknowledgement(request_id: RequestId, requested: Mapping[str, object]) -> Json:
    """The first notification of a subscription: which notifications are accepted."""
    meta = {SUBSCRIPTION_KEY: request_id}
    return notification(
        "notifications/subscriptions/acknowledged",
        {"notifications": supported_notifications(requested), "_meta": meta},
    )


def subscription_end(request_id: RequestId) -> Json:
    """The result of a subscription when the server ends it."""
    return complete_result(
        "subscriptions/listen", {"_meta": {SUBSCRIPTION_KEY: request_id}}, MODERN[-1]
    )


def elicitation_request(request_id: RequestId, params: Json) -> Json:
    """A request that makes the client ask its user, in revisions in which servers send requests."""
    return {"jsonrpc": "2.0", "id": request_id, "method": "elicitation/create", "params": params}


def instructions(dialect: Dialect, bank: str = "", mission: str = "") -> str:
    """The instructions for a model: when to recall and remember, and which bank is the only one."""
    about = f"Everything here belongs to the bank `{bank}`. {mission}" if bank else ""
    return f"{dialect.instructions}\n\n{about}".strip()


def response(request_id: RequestId, result: Json) -> Json:
    """A successful response to a request."""
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def error_response(request_id: RequestId, code: int, message: str, data: object = None) -> Json:
    """An error response to a request."""
    error: Json = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": request_id, "error": error}


def notification(method: str, params: Json) -> Json:
    """A notification, which has no response."""
    return {"jsonrpc": "2.0", "method": method, "params": params}


def progress_notification(token: str | int, done: float, total: float | None, text: str) -> Json:
    """A notification about the progress of a call."""
    params: Json = {"progressToken": token, "progress": done}
    if total is not None:
        params["total"] = total
    if text:
        params["message"] = text
    return notification("notifications/progress", params)


def encode(message: Json) -> bytes:
    """A message as one line of JSON. Raises ValueError for a number JSON cannot express."""
    try:
        return _ENCODER.encode(message).encode()
    except UnicodeEncodeError:
        # A lone surrogate has no UTF-8 form, but it can be sent as an escape.
        return json.dumps(message, separators=(",", ":"), allow_nan=False).encode()


def decode(line: bytes) -> Any:
    """The JSON value of a line. Raises ValueError or RecursionError for anything else."""
    return _DECODER.decode(line.decode())


def _instructions_field(instructions: str) -> Json:
    return {"instructions": instructions} if instructions else {}


def _is_template(resource: Resource) -> bool:
    return "{" in resource.uri


def _resource_entry(resource: Resource, address: str) -> Json:
    return {
        address: resource.uri,
        "name": resource.name,
        "description": resource.description,
        "mimeType": resource.mime_type,
    }


def _prompt_entry(prompt: Prompt) -> Json:
    listed = [
        {"name": one.name, "description": one.about.text, "required": one.required}
        for one in prompt.parameters
    ]
    return {
        "name": prompt.name,
        "title": prompt.title,
        "description": prompt.description,
        "arguments": listed,
    }


def _parse_finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{text[:20]} is too large a number")
    return number


def _reject_constant(text: str) -> object:
    raise ValueError(f"{text} is not JSON")


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_DECODER = json.JSONDecoder(parse_float=_parse_finite, parse_constant=_reject_constant)
