"""The methods of the protocol, whatever carries them: a message comes in, a message goes out.

A client's revision is told by each modern request itself and by the handshake before all others.
Knows neither pipes nor threads.
"""

import traceback
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, cast

from commonplace.dialects import parameters
from commonplace.dialects.dialect import Call, Dialect, Reply, Tool, plain_failure
from commonplace.errors import CommonplaceError, traced
from commonplace.faces.mcp import messages, resources
from commonplace.faces.mcp.messages import Json, RequestId

LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
# These ask the dialect, so they may take their time; all others are answered from the table.
WORKING = frozenset({"tools/call", "resources/read", "prompts/get", "completion/complete"})
LISTENING = "subscriptions/listen"
# These answer with the instructions of the dialect, which may name a bank.
INTRODUCING = frozenset({"initialize", "server/discover"})
_CONFIRMATION = "confirmation"


class Refused(Exception):
    """A request that the protocol itself refuses; a tool's own failure is a result and not this."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class Gone(Exception):
    """Nobody waits for the answer any more. Raised by a call's progress to end the work."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request, in the revision it is spoken in, and what is known of the client."""

    id: RequestId
    method: str
    params: Json
    version: str
    client: str = ""
    abilities: Json = field(default_factory=dict[str, Any])

    @property
    def progress_token(self) -> str | int | None:
        """What the client wants to see on news about this request, if it wants any."""
        token = _meta(self.params).get("progressToken")
        return token if isinstance(token, str | int) and not isinstance(token, bool) else None

    @property
    def can_ask(self) -> bool:
        """Whether the client can put a question to its person."""
        asking = self.abilities.get("elicitation")
        return (
            isinstance(asking, dict)
            and (not asking or "form" in asking)
            and self.version >= "2025-06-18"
        )


CallMaker: TypeAlias = Callable[[Request], Call]
# Puts a question to the person, for eras in which the server sends requests of its own; False means
# no.
Asking: TypeAlias = Callable[[str], bool]


class Conversation:
    """One client and one dialect: what the handshake said, and the answers that come from the
    table.
    """

    def __init__(self, dialect: Dialect, instructions: Callable[[], str]) -> None:
        self.dialect = dialect
        self._instructions = instructions
        self._version = ""
        self._client = ""
        self._abilities: Json = {}
        self._speaks_modern = False

    def request(self, message: Json) -> Request:
        """A message that wants an answer, understood. Raises Refused."""
        params, method = params_of(message), message["method"]
        modern = messages.VERSION_KEY in _meta(params) and method != "initialize"
        expected = (
            self._speaks_modern and not self._version and method not in ("initialize", "ping")
        )
        if modern or expected:
            self._speaks_modern = True
            request = modern_request(message)
            check_version(request.version)
            return request
        # Before a handshake anything is answered as in the newest revision that has one: scripts
        # skip it.
        version = self._version or messages.LEGACY[-1]
        return Request(message["id"], method, params, version, self._client, self._abilities)

    def answer(self, request: Request) -> Json:
        """The result of a request that the table alone answers. Raises Refused."""
        quick = (_QUICK_MODERN if messages.is_modern(request.version) else _QUICK_LEGACY).get(
            request.method
        )
        if quick is None:
            raise Refused(messages.METHOD_NOT_FOUND, "Method not found", request.method)
        result = _guarded(request, lambda: quick(self, request))
        if request.method == "tools/list" and self.dialect.narrowed and "cacheScope" in result:
            # What a bank allows differs from bank to bank, and may change at any time.
            result |= {"ttlMs": 0, "cacheScope": "private"}
        return result

    def initialize(self, request: Request) -> Json:
        """The handshake, which settles the revision for all that comes after."""
        self._version = messages.negotiated(request.params.get("protocolVersion"))
        self._client = client_name(request.params.get("clientInfo"))
        self._abilities = object_of(request.params.get("capabilities"))
        return messages.initialize_result(self._version, self.dialect, self._instructions())

    def discover(self, _request: Request) -> Json:
        """What a modern client may ask."""
        return messages.discover_result(self.dialect, self._instructions())


def params_of(message: Json) -> Json:
    """The parameters of a message. Raises Refused when they are not an object."""
    params = message.get("params")
    if params is None:
        return {}
    if not isinstance(params, dict):
        raise Refused(messages.INVALID_PARAMS, "params must be an object.")
    return cast(Json, params)


def modern_request(message: Json) -> Request:
    """A request that names its revision and its client itself. Raises Refused."""
    params = params_of(message)
    meta = _meta(params)
    missing = [
        key for key in (messages.VERSION_KEY, messages.CLIENT_CAPABILITIES_KEY) if key not in meta
    ]
    if missing:
        raise Refused(
            messages.INVALID_PARAMS,
            f"params._meta is missing the required envelope key(s): {', '.join(missing)}",
        )
    version = meta[messages.VERSION_KEY]
    if not isinstance(version, str):
        raise Refused(
            messages.INVALID_PARAMS, "the protocol-version envelope value must be a string"
        )
    answers = params.get("inputResponses")
    if answers is not None and not (
        isinstance(answers, dict) and _all_objects(cast(Json, answers))
    ):
        raise Refused(
            messages.INVALID_PARAMS, "params.inputResponses must be an object of objects."
        )
    abilities = object_of(meta[messages.CLIENT_CAPABILITIES_KEY])
    client = client_name(meta.get(messages.CLIENT_KEY))
    return Request(message["id"], message["method"], params, version, client, abilities)


def check_version(version: str) -> None:
    """Raise Refused unless a revision belongs to the era without a handshake."""
    if not messages.is_modern(version):
        data = {"supported": list(messages.MODERN), "requested": version}
        raise Refused(messages.UNSUPPORTED_VERSION, "Unsupported protocol version", data)


def decoded(message: bytes) -> object:
    """A message as it came, decoded. Raises Refused when it is not JSON in UTF-8."""
    try:
        return messages.decoded(message)
    except UnicodeDecodeError:
        raise Refused(messages.PARSE_ERROR, "Parse error: the message is not UTF-8.") from None
    except (ValueError, RecursionError):
        raise Refused(messages.PARSE_ERROR, "Parse error: the message is not JSON.") from None


def encoded(message: Json) -> bytes:
    """A message as it is sent; an internal error in place of one that JSON cannot express."""
    try:
        return messages.encoded(message)
    except (ValueError, TypeError, RecursionError) as error:
        text = f"internal error, reference {noted(error, 'writing an answer')}"
        return messages.encoded(messages.failure(message.get("id"), messages.INTERNAL_ERROR, text))


def understood(message: object) -> tuple[Literal["request", "notification", "response"], Json]:
    """A decoded message and what it is. Raises Refused when it is nothing of the protocol."""
    if isinstance(message, list):
        raise Refused(
            messages.INVALID_REQUEST, "Batches are not supported; send one message at a time."
        )
    if not isinstance(message, dict) or cast(Json, message).get("jsonrpc") != "2.0":
        raise Refused(
            messages.INVALID_REQUEST, 'A message must be an object with "jsonrpc": "2.0".'
        )
    whole = cast(Json, message)
    if not isinstance(whole.get("method"), str):
        if "method" not in whole and ("result" in whole or "error" in whole):
            return "response", whole
        raise Refused(messages.INVALID_REQUEST, "method must be a string.")
    if "id" not in whole:
        return "notification", whole
    if known_id(whole) is None:
        raise Refused(messages.INVALID_REQUEST, "id must be a string or an integer.")
    return "request", whole


def known_id(message: object) -> RequestId:
    """The id of a message, or None where it has none that can be answered to."""
    value = object_of(message).get("id")
    return value if isinstance(value, str | int) and not isinstance(value, bool) else None


def outcome(
    request: Request, dialect: Dialect, make_call: CallMaker, ask: Asking | None = None
) -> Json:
    """The result of a request in WORKING, finished for its era. Raises Refused, or Gone, and
    nothing else.
    """
    return _guarded(request, lambda: _WORKERS[request.method](request, dialect, make_call, ask))


def _guarded(request: Request, produce: Callable[[], Json]) -> Json:
    try:
        result = produce()
    except (Refused, Gone):
        raise
    except CommonplaceError as error:
        code = messages.INVALID_PARAMS if error.status < 500 else messages.INTERNAL_ERROR
        raise Refused(code, f"{error.message} {error.hint}".strip()) from error
    except (
        Exception
    ) as error:  # The one place where a bug ends: noted once, and the caller told where to look.
        text = f"internal error, reference {noted(error, request.method)}"
        if request.method != "tools/call":
            raise Refused(messages.INTERNAL_ERROR, text) from None
        result = messages.call_result(
            Reply({"error": {"code": "InternalError", "message": text}}, text, is_error=True)
        )
    return messages.finished(request.method, result, request.version)


def noted(error: BaseException, during: str) -> str:
    """The reference of a bug, after one line about it on standard error.

    The line has places in the code and no more: messages and values may be somebody's memories.
    """
    frames = traceback.extract_tb(error.__traceback__)
    name, last = type(error).__name__, frames[-1]
    # The same bug gives the same reference everywhere, so that two reports of it can be told to be
    # one.
    reference = f"{zlib.crc32(f'{name} {last.name} {last.line}'.encode()):08x}"
    # Nothing else on the way to the first answer needs this module, and it takes a tenth of that
    # way.
    import logging

    line = f"internal error {reference} during {during}: {traced(error)}"
    logging.getLogger("commonplace.mcp").error(line)
    return reference


def confirmation(tool: Tool) -> Json:
    """The parameters of the question that a tool puts to a person first."""
    return form(tool.confirm)


def form(text: str) -> Json:
    """The parameters of elicitation/create for a question that wants a yes or a no, and nothing
    filled in.
    """
    return {"message": text, "requestedSchema": {"type": "object", "properties": {}}}


def _call_tool(
    request: Request, dialect: Dialect, make_call: CallMaker, ask: Asking | None
) -> Json:
    name, given = _named(request, "name"), _given(request)
    if name not in dialect.tools:
        if dialect.unknown:
            return messages.call_result(dialect.unknown(name))
        raise Refused(messages.INVALID_PARAMS, f"Unknown tool: {name[:200]}")
    tool = dialect.tools[name]
    try:
        if tool.confirm and request.can_ask:
            parameters.checked(tool.parameters, given, strict=dialect.strict)
            if (answered := _agreed(tool, request, ask)) is not True:
                return answered or messages.call_result(_declined())
        call = make_call(request)
    except CommonplaceError as error:
        return messages.call_result((dialect.failure or plain_failure)(tool, given, error))
    return messages.call_result(dialect.call(name, given, call))


def _agreed(tool: Tool, request: Request, ask: Asking | None) -> bool | Json:
    """Whether the person agreed, or the question to be put first."""
    if not messages.is_modern(request.version):
        return ask(tool.confirm) if ask else True
    answers = object_of(request.params.get("inputResponses"))
    if _CONFIRMATION in answers:
        return object_of(answers[_CONFIRMATION]).get("action") == "accept"
    question = {"method": "elicitation/create", "params": {"mode": "form", **confirmation(tool)}}
    return {"resultType": "input_required", "inputRequests": {_CONFIRMATION: question}}


def _declined() -> Reply:
    text = "The user did not confirm, so nothing was changed."
    return Reply({"error": {"code": "Declined", "message": text}}, text, is_error=True)


def _read_resource(
    request: Request, dialect: Dialect, make_call: CallMaker, _ask: Asking | None
) -> Json:
    uri = _named(request, "uri")
    if (found := resources.find(dialect.resources, uri)) is None:
        code = (
            messages.INVALID_PARAMS
            if messages.is_modern(request.version)
            else messages.RESOURCE_NOT_FOUND
        )
        raise Refused(code, "Resource not found", {"uri": uri})
    resource, parts = found
    return messages.read_result(
        uri, resource.mime_type, dialect.read(resource, make_call(request), parts)
    )


def _get_prompt(
    request: Request, dialect: Dialect, make_call: CallMaker, _ask: Asking | None
) -> Json:
    name, given = _named(request, "name"), _given(request)
    prompt = next((one for one in dialect.prompts if one.name == name), None)
    if prompt is None:
        raise Refused(messages.INVALID_PARAMS, f"Unknown prompt: {name[:200]}")
    values = parameters.checked(prompt.parameters, given, strict=False)
    return messages.prompt_result(prompt, prompt.write(make_call(request), **values))


def _complete(
    request: Request, dialect: Dialect, make_call: CallMaker, _ask: Asking | None
) -> Json:
    argument, ref = object_of(request.params.get("argument")), object_of(request.params.get("ref"))
    name, typed = argument.get("name"), argument.get("value")
    if (
        not isinstance(name, str)
        or not isinstance(typed, str)
        or ref.get("type") not in _REFERENCES
    ):
        raise Refused(
            messages.INVALID_PARAMS,
            "completion/complete needs params.ref and params.argument.name and .value.",
        )
    return messages.completion_result(dialect.complete(name, make_call(request), typed))


def _listed(
    key: str, entries: Callable[[Dialect], list[Json]]
) -> Callable[[Conversation, Request], Json]:
    def listed(conversation: Conversation, request: Request) -> Json:
        # Everything fits on one page, so no page after it was ever given out.
        if request.params.get("cursor"):
            raise Refused(
                messages.INVALID_PARAMS, "Unknown cursor; everything is on the first page."
            )
        return {key: entries(conversation.dialect)}

    return listed


def _set_level(_conversation: Conversation, request: Request) -> Json:
    if request.params.get("level") not in LOG_LEVELS:
        raise Refused(messages.INVALID_PARAMS, f"level must be one of {', '.join(LOG_LEVELS)}.")
    return {}


def _nothing(_conversation: Conversation, _request: Request) -> Json:
    return {}


def _named(request: Request, key: str) -> str:
    value = request.params.get(key)
    if not isinstance(value, str):
        raise Refused(messages.INVALID_PARAMS, f"{request.method} needs params.{key}, a string.")
    return value


def _given(request: Request) -> Json:
    given = request.params.get("arguments")
    if given is not None and not isinstance(given, dict):
        raise Refused(messages.INVALID_PARAMS, "params.arguments must be an object.")
    return cast(Json, given or {})


def _meta(params: Mapping[str, object]) -> Json:
    return object_of(params.get("_meta"))


def object_of(value: object) -> Json:
    """A value that should be an object, or an empty one where it is not."""
    return cast(Json, value) if isinstance(value, dict) else {}


def _all_objects(values: Json) -> bool:
    return all(isinstance(one, dict) for one in values.values())


def client_name(info: object) -> str:
    """The name in what a client says about itself, or an empty text."""
    name = object_of(info).get("name")
    return name if isinstance(name, str) else ""


_REFERENCES = ("ref/prompt", "ref/resource")
_WORKERS = {
    "tools/call": _call_tool,
    "resources/read": _read_resource,
    "prompts/get": _get_prompt,
    "completion/complete": _complete,
}
_LISTS: dict[str, Callable[[Conversation, Request], Json]] = {
    "tools/list": _listed("tools", messages.tools),
    "resources/list": _listed("resources", messages.resources),
    "resources/templates/list": _listed("resourceTemplates", messages.resource_templates),
    "prompts/list": _listed("prompts", messages.prompts),
}
_QUICK_LEGACY = _LISTS | {
    "initialize": Conversation.initialize,
    "ping": _nothing,
    "logging/setLevel": _set_level,
}
_QUICK_MODERN = _LISTS | {"server/discover": Conversation.discover}
