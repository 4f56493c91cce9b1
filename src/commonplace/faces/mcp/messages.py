"""The JSON of the Model Context Protocol, made from a dialect's table.

Pure functions, no transport, no library of the protocol. Two eras: LEGACY revisions open with a
handshake, MODERN ones carry everything in each request. What a result needs in the modern era is
added by `finished`.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

# The whole package, for its version only: asking the installation's metadata would cost a tenth of
# the start.
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
RESOURCE_NOT_FOUND = -32002  # legacy only; the modern era says INVALID_PARAMS
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
# How long a client may keep a result, and whether it may be shared between callers. Lists come from
# the table and change with the program only; instructions may name a bank, and what a resource says
# changes with every write.
CACHE_HINTS: Mapping[str, tuple[int, str]] = {
    "tools/list": (LISTS_TTL_MS, "public"),
    "prompts/list": (LISTS_TTL_MS, "public"),
    "resources/list": (LISTS_TTL_MS, "public"),
    "resources/templates/list": (LISTS_TTL_MS, "public"),
    "server/discover": (LISTS_TTL_MS, "private"),
    "resources/read": (0, "private"),
}

COMPLETIONS_MAX = 100  # what the protocol allows in one answer


def is_modern(version: str) -> bool:
    """Whether a revision belongs to the era without a handshake."""
    return version in MODERN


def negotiated(requested: object) -> str:
    """The revision to speak after a handshake that asked for one: that one, or the newest that has
    handshakes.
    """
    return requested if isinstance(requested, str) and requested in LEGACY else LEGACY[-1]


def server_info() -> Json:
    """Who answers."""
    return {"name": "commonplace", "title": "Commonplace", "version": commonplace.__version__}


def tool_entry(tool: Tool, strict: bool) -> Json:
    """One tool as a client lists it; `strict` says that arguments nobody knows are refused."""
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
        # Clients that fetch tools on demand would otherwise never think of remembering.
        entry["_meta"] = {"anthropic/alwaysLoad": True}
    return entry


def tools(dialect: Dialect) -> list[Json]:
    """Every tool, in the order of the table."""
    return [tool_entry(tool, dialect.strict) for tool in dialect.tools.values() if tool.listed]


def resources(dialect: Dialect) -> list[Json]:
    """The resources with a fixed address."""
    return [_resource_entry(one, "uri") for one in dialect.resources if not _varies(one)]


def resource_templates(dialect: Dialect) -> list[Json]:
    """The resources whose address has parts that vary."""
    return [_resource_entry(one, "uriTemplate") for one in dialect.resources if _varies(one)]


def prompts(dialect: Dialect) -> list[Json]:
    """The prompts."""
    return [_prompt_entry(one) for one in dialect.prompts]


def call_result(reply: Reply) -> Json:
    """A tool's answer: the text for readers, the structure for programs."""
    result: Json = {
        "content": [{"type": "text", "text": reply.text}],
        "structuredContent": dict(reply.structured),
        "isError": reply.is_error,
    }
    return result | ({"_meta": dict(reply.meta)} if reply.meta else {})


def read_result(uri: str, mime_type: str, text: str) -> Json:
    """What a resource says."""
    return {"contents": [{"uri": uri, "mimeType": mime_type, "text": text}]}


def prompt_result(prompt: Prompt, text: str) -> Json:
    """A prompt with its parts filled in."""
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return {"description": prompt.description, "messages": [message]}


def completion_result(values: Iterable[str]) -> Json:
    """Suggestions for a part being typed; the best first, and no more than the protocol allows."""
    found = list(values)
    shown = found[:COMPLETIONS_MAX]
    return {
        "completion": {"values": shown, "total": len(found), "hasMore": len(found) > len(shown)}
    }


def capabilities(dialect: Dialect, version: str = LEGACY[-1]) -> Json:
    """What a client may ask for. Lists never change while a server runs, so nobody need wait for
    news of that.
    """
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
    """The answer to a handshake."""
    version = negotiated(requested_version)
    result: Json = {
        "protocolVersion": version,
        "capabilities": capabilities(dialect, version),
        "serverInfo": server_info(),
    }
    return result | _spoken(instructions)


def discover_result(dialect: Dialect, instructions: str) -> Json:
    """The answer to server/discover. Only modern revisions: the client takes one of them for its
    next requests.
    """
    result: Json = {
        "supportedVersions": list(MODERN),
        "capabilities": capabilities(dialect, MODERN[-1]),
    }
    return result | _spoken(instructions)


def finished(method: str, result: Json, version: str) -> Json:
    """A result with what its era wants beside it: a modern one tells its type, its sender and how
    long it holds.
    """
    if not is_modern(version):
        return result
    whole: Json = {"resultType": "complete"} | result
    if hint := CACHE_HINTS.get(method):
        whole |= {"ttlMs": hint[0], "cacheScope": hint[1]}
    whole["_meta"] = {**result.get("_meta", {}), SERVER_KEY: server_info()}
    return whole


def honoured(requested: Mapping[str, object]) -> Json:
    """The part of a subscription that is kept: lists never change, and news of resources is not
    sent.
    """
    kinds = ("toolsListChanged", "promptsListChanged", "resourcesListChanged")
    return {kind: True for kind in kinds if requested.get(kind) is True}


def acknowledged(request_id: RequestId, requested: Mapping[str, object]) -> Json:
    """The first news on a subscription: what of it is kept."""
    meta = {SUBSCRIPTION_KEY: request_id}
    return notification(
        "notifications/subscriptions/acknowledged",
        {"notifications": honoured(requested), "_meta": meta},
    )


def ended_subscription(request_id: RequestId) -> Json:
    """The result of a subscription that the server ends."""
    return finished("subscriptions/listen", {"_meta": {SUBSCRIPTION_KEY: request_id}}, MODERN[-1])


def question(request_id: RequestId, params: Json) -> Json:
    """The request that has a client ask its person something, in the era in which servers send
    requests.
    """
    return {"jsonrpc": "2.0", "id": request_id, "method": "elicitation/create", "params": params}


def instructions(dialect: Dialect, bank: str = "", mission: str = "") -> str:
    """What a model is told when it connects: when to recall and remember, and of what, if one bank
    is all there is.
    """
    about = f"Everything here belongs to the bank `{bank}`. {mission}" if bank else ""
    return f"{dialect.instructions}\n\n{about}".strip()


def response(request_id: RequestId, result: Json) -> Json:
    """The message that answers a request."""
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def failure(request_id: RequestId, code: int, message: str, data: object = None) -> Json:
    """The message that refuses a request."""
    error: Json = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": request_id, "error": error}


def notification(method: str, params: Json) -> Json:
    """A message that wants no answer."""
    return {"jsonrpc": "2.0", "method": method, "params": params}


def progress(token: str | int, done: float, total: float | None, text: str) -> Json:
    """How far a call has come."""
    params: Json = {"progressToken": token, "progress": done}
    if total is not None:
        params["total"] = total
    if text:
        params["message"] = text
    return notification("notifications/progress", params)


def encoded(message: Json) -> bytes:
    """A message on one line. Raises ValueError for a number that JSON cannot say."""
    try:
        return _ENCODER.encode(message).encode()
    except UnicodeEncodeError:
        # Half of a surrogate pair has no UTF-8; as an escape it can still be sent.
        return json.dumps(message, separators=(",", ":"), allow_nan=False).encode()


def decoded(line: bytes) -> Any:
    """What a line says. Raises ValueError, or RecursionError, when it is not JSON that can be
    answered in JSON.
    """
    return _DECODER.decode(line.decode())


def _spoken(instructions: str) -> Json:
    return {"instructions": instructions} if instructions else {}


def _varies(resource: Resource) -> bool:
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


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{text[:20]} is too large a number")
    return number


def _no_constant(text: str) -> object:
    raise ValueError(f"{text} is not JSON")


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_no_constant)
