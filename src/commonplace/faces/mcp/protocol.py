"""The methods of the protocol, independent of the transport: a request in, a result out.

Uses neither pipes nor threads.
"""

import traceback
import zlib
from collections.abc import Callable
from typing import TypeAlias, cast

from commonplace.dialects import parameters
from commonplace.dialects.dialect import Call, Dialect, Reply, Tool, default_failure
from commonplace.errors import CommonplaceError, trace_summary
from commonplace.faces.mcp import messages, resources
from commonplace.faces.mcp.messages import Json
from commonplace.faces.mcp.parsing import (
    ProtocolError,
    Request,
    as_object,
    check_version,
    client_name,
    meta_of,
    modern_request,
    params_of,
)

LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
# These call the engine and may be slow. All others are answered from the dialect's table.
ENGINE_METHODS = frozenset({"tools/call", "resources/read", "prompts/get", "completion/complete"})
LISTEN_METHOD = "subscriptions/listen"
# Their results contain the instructions of the dialect, which may name a bank.
INSTRUCTION_METHODS = frozenset({"initialize", "server/discover"})
_CONFIRMATION = "confirmation"


class CallerGone(Exception):
    """The caller no longer waits for the answer. Raised by progress reports to end a call."""


CallFactory: TypeAlias = Callable[[Request], Call]
# Asks the user a question, in revisions in which servers send requests.
Confirm: TypeAlias = Callable[[str], bool]


class ClientSession:
    """One client of one dialect: its handshake, and the answers that need only the table."""

    def __init__(self, dialect: Dialect, instructions: Callable[[], str]) -> None:
        self.dialect = dialect
        self._instructions = instructions
        self._version = ""
        self._client = ""
        self._capabilities: Json = {}
        self._is_modern = False

    def read_request(self, message: Json) -> Request:
        """Parse a request. Raises ProtocolError."""
        params, method = params_of(message), message["method"]
        modern = messages.VERSION_KEY in meta_of(params) and method != "initialize"
        expected = self._is_modern and not self._version and method not in ("initialize", "ping")
        if modern or expected:
            self._is_modern = True
            request = modern_request(message)
            check_version(request.version)
            return request
        # Scripts skip the handshake; they get the newest revision that has one.
        version = self._version or messages.LEGACY[-1]
        return Request(message["id"], method, params, version, self._client, self._capabilities)

    def answer_from_table(self, request: Request) -> Json:
        """The result of a request that needs only the table. Raises ProtocolError."""
        quick = (_MODERN_HANDLERS if messages.is_modern(request.version) else _LEGACY_HANDLERS).get(
            request.method
        )
        if quick is None:
            raise ProtocolError(messages.METHOD_NOT_FOUND, "Method not found", request.method)
        result = _run_guarded(request, lambda: quick(self, request))
        if (
            request.method == "tools/list"
            and self.dialect.restrict_to_allowlist
            and "cacheScope" in result
        ):
            # The tools differ from bank to bank and may change at any time.
            result |= {"ttlMs": 0, "cacheScope": "private"}
        return result

    def initialize(self, request: Request) -> Json:
        """Handle the handshake, which sets the revision of all later requests."""
        self._version = messages.negotiate(request.params.get("protocolVersion"))
        self._client = client_name(request.params.get("clientInfo"))
        self._capabilities = as_object(request.params.get("capabilities"))
        return messages.initialize_result(self._version, self.dialect, self._instructions())

    def discover(self, _request: Request) -> Json:
        """Handle server/discover."""
        return messages.discover_result(self.dialect, self._instructions())


def encode(message: Json) -> bytes:
    """Encode a message, or an internal error if JSON cannot express the message."""
    try:
        return messages.encode(message)
    except (ValueError, TypeError, RecursionError) as error:
        text = f"internal error, reference {log_bug(error, 'writing an answer')}"
        return messages.encode(
            messages.error_response(message.get("id"), messages.INTERNAL_ERROR, text)
        )


def execute(
    request: Request, dialect: Dialect, make_call: CallFactory, ask: Confirm | None = None
) -> Json:
    """The result of a request in ENGINE_METHODS. Raises only ProtocolError and CallerGone."""
    return _run_guarded(
        request, lambda: _ENGINE_HANDLERS[request.method](request, dialect, make_call, ask)
    )


def _run_guarded(request: Request, produce: Callable[[], Json]) -> Json:
    try:
        result = produce()
    except (ProtocolError, CallerGone):
        raise
    except CommonplaceError as error:
        code = messages.INVALID_PARAMS if error.status < 500 else messages.INTERNAL_ERROR
        raise ProtocolError(code, f"{error.message} {error.hint}".strip()) from error
    except (
        Exception
    ) as error:  # The only handler for bugs: logged once, and the caller gets the reference.
        text = f"internal error, reference {log_bug(error, request.method)}"
        if request.method != "tools/call":
            raise ProtocolError(messages.INTERNAL_ERROR, text) from None
        result = messages.call_result(
            Reply({"error": {"code": "InternalError", "message": text}}, text, is_error=True)
        )
    return messages.complete_result(request.method, result, request.version)


def log_bug(error: BaseException, during: str) -> str:
    """Log a bug as one line on standard error and return its reference.

    The line has only locations in the code, because messages and values may contain memories.
    """
    frames = traceback.extract_tb(error.__traceback__)
    name, last = type(error).__name__, frames[-1]
    # The same bug has the same reference everywhere, so that its reports can be matched.
    reference = f"{zlib.crc32(f'{name} {last.name} {last.line}'.encode()):08x}"
    # Imported late: it takes a tenth of the time to the first answer.
    import logging

    line = f"internal error {reference} during {during}: {trace_summary(error)}"
    logging.getLogger("commonplace.mcp").error(line)
    return reference


def confirmation_params(tool: Tool) -> Json:
    """The parameters of a tool's confirmation question."""
    return elicitation_params(tool.confirm)


def elicitation_params(text: str) -> Json:
    """The parameters of elicitation/create for a yes-or-no question."""
    return {"message": text, "requestedSchema": {"type": "object", "properties": {}}}


def _call_tool(
    request: Request, dialect: Dialect, make_call: CallFactory, ask: Confirm | None
) -> Json:
    name, given = _string_param(request, "name"), _arguments(request)
    if name not in dialect.tools:
        if dialect.unknown_tool_reply:
            return messages.call_result(dialect.unknown_tool_reply(name))
        raise ProtocolError(messages.INVALID_PARAMS, f"Unknown tool: {name[:200]}")
    tool = dialect.tools[name]
    try:
        if tool.confirm and request.can_elicit:
            parameters.check_arguments(tool.parameters, given, strict=dialect.strict)
            if (answered := _confirm_or_ask(tool, request, ask)) is not True:
                return answered or messages.call_result(_declined_reply())
        call = make_call(request)
    except CommonplaceError as error:
        return messages.call_result((dialect.failure or default_failure)(tool, given, error))
    return messages.call_result(dialect.call(name, given, call))


def _confirm_or_ask(tool: Tool, request: Request, ask: Confirm | None) -> bool | Json:
    """Whether the user confirmed, or the result that asks the client to confirm first."""
    if not messages.is_modern(request.version):
        return ask(tool.confirm) if ask else True
    answers = as_object(request.params.get("inputResponses"))
    if _CONFIRMATION in answers:
        return as_object(answers[_CONFIRMATION]).get("action") == "accept"
    question = {
        "method": "elicitation/create",
        "params": {"mode": "form", **confirmation_params(tool)},
    }
    return {"resultType": "input_required", "inputRequests": {_CONFIRMATION: question}}


def _declined_reply() -> Reply:
    text = "The user did not confirm, so nothing was changed."
    return Reply({"error": {"code": "Declined", "message": text}}, text, is_error=True)


def _read_resource(
    request: Request, dialect: Dialect, make_call: CallFactory, _ask: Confirm | None
) -> Json:
    uri = _string_param(request, "uri")
    if (found := resources.find(dialect.resources, uri)) is None:
        code = (
            messages.INVALID_PARAMS
            if messages.is_modern(request.version)
            else messages.RESOURCE_NOT_FOUND
        )
        raise ProtocolError(code, "Resource not found", {"uri": uri})
    resource, parts = found
    return messages.read_result(
        uri, resource.mime_type, dialect.read(resource, make_call(request), parts)
    )


def _get_prompt(
    request: Request, dialect: Dialect, make_call: CallFactory, _ask: Confirm | None
) -> Json:
    name, given = _string_param(request, "name"), _arguments(request)
    prompt = next((one for one in dialect.prompts if one.name == name), None)
    if prompt is None:
        raise ProtocolError(messages.INVALID_PARAMS, f"Unknown prompt: {name[:200]}")
    values = parameters.check_arguments(prompt.parameters, given, strict=False)
    return messages.prompt_result(prompt, prompt.write(make_call(request), **values))


def _complete(
    request: Request, dialect: Dialect, make_call: CallFactory, _ask: Confirm | None
) -> Json:
    argument, ref = as_object(request.params.get("argument")), as_object(request.params.get("ref"))
    name, typed = argument.get("name"), argument.get("value")
    if (
        not isinstance(name, str)
        or not isinstance(typed, str)
        or ref.get("type") not in _REFERENCE_TYPES
    ):
        raise ProtocolError(
            messages.INVALID_PARAMS,
            "completion/complete needs params.ref and params.argument.name and .value.",
        )
    return messages.completion_result(dialect.complete(name, make_call(request), typed))


def _list_handler(
    key: str, entries: Callable[[Dialect], list[Json]]
) -> Callable[[ClientSession, Request], Json]:
    def listed(conversation: ClientSession, request: Request) -> Json:
        # All entries fit on one page, so the server never issues a cursor.
        if request.params.get("cursor"):
            raise ProtocolError(
                messages.INVALID_PARAMS, "Unknown cursor; everything is on the first page."
            )
        return {key: entries(conversation.dialect)}

    return listed


def _set_level(_conversation: ClientSession, request: Request) -> Json:
    if request.params.get("level") not in LOG_LEVELS:
        raise ProtocolError(
            messages.INVALID_PARAMS, f"level must be one of {', '.join(LOG_LEVELS)}."
        )
    return {}


def _empty_result(_conversation: ClientSession, _request: Request) -> Json:
    return {}


def _string_param(request: Request, key: str) -> str:
    value = request.params.get(key)
    if not isinstance(value, str):
        raise ProtocolError(
            messages.INVALID_PARAMS, f"{request.method} needs params.{key}, a string."
        )
    return value


def _arguments(request: Request) -> Json:
    given = request.params.get("arguments")
    if given is not None and not isinstance(given, dict):
        raise ProtocolError(messages.INVALID_PARAMS, "params.arguments must be an object.")
    return cast(Json, given or {})


_REFERENCE_TYPES = ("ref/prompt", "ref/resource")
_ENGINE_HANDLERS = {
    "tools/call": _call_tool,
    "resources/read": _read_resource,
    "prompts/get": _get_prompt,
    "completion/complete": _complete,
}
_LISTS: dict[str, Callable[[ClientSession, Request], Json]] = {
    "tools/list": _list_handler("tools", messages.tools),
    "resources/list": _list_handler("resources", messages.resources),
    "resources/templates/list": _list_handler("resourceTemplates", messages.resource_templates),
    "prompts/list": _list_handler("prompts", messages.prompts),
}
_LEGACY_HANDLERS = _LISTS | {
    "initialize": ClientSession.initialize,
    "ping": _empty_result,
    "logging/setLevel": _set_level,
}
_MODERN_HANDLERS = _LISTS | {"server/discover": ClientSession.discover}
