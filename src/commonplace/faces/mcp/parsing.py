"""Parses the messages of a client and the requests among them.

A modern request names its protocol revision itself. In legacy revisions the handshake does so for
all later requests.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from commonplace.faces.mcp import messages
from commonplace.faces.mcp.messages import Json, RequestId


class ProtocolError(Exception):
    """A request that is answered with a protocol error. A failed tool call is a result instead."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


@dataclass(frozen=True, slots=True)
class Request:
    """One request with its protocol revision and the client's name and capabilities."""

    id: RequestId
    method: str
    params: Json
    version: str
    client: str = ""
    capabilities: Json = field(default_factory=dict[str, Any])

    @property
    def progress_token(self) -> str | int | None:
        """The token for progress notifications, or None if the client wants none."""
        token = meta_of(self.params).get("progressToken")
        return token if isinstance(token, str | int) and not isinstance(token, bool) else None

    @property
    def can_elicit(self) -> bool:
        """Whether the client can ask its user a question."""
        asking = self.capabilities.get("elicitation")
        return (
            isinstance(asking, dict)
            and (not asking or "form" in asking)
            and self.version >= "2025-06-18"
        )


def decode(message: bytes) -> object:
    """The value of a received message. Raises ProtocolError if it is not JSON in UTF-8."""
    try:
        return messages.decode(message)
    except UnicodeDecodeError:
        raise ProtocolError(
            messages.PARSE_ERROR, "Parse error: the message is not UTF-8."
        ) from None
    except (ValueError, RecursionError):
        raise ProtocolError(messages.PARSE_ERROR, "Parse error: the message is not JSON.") from None


def classify(message: object) -> tuple[Literal["request", "notification", "response"], Json]:
    """The type of a message, and the message. Raises ProtocolError if it is no valid message."""
    if isinstance(message, list):
        raise ProtocolError(
            messages.INVALID_REQUEST, "Batches are not supported; send one message at a time."
        )
    if not isinstance(message, dict) or cast(Json, message).get("jsonrpc") != "2.0":
        raise ProtocolError(
            messages.INVALID_REQUEST, 'A message must be an object with "jsonrpc": "2.0".'
        )
    whole = cast(Json, message)
    if not isinstance(whole.get("method"), str):
        if "method" not in whole and ("result" in whole or "error" in whole):
            return "response", whole
        raise ProtocolError(messages.INVALID_REQUEST, "method must be a string.")
    if "id" not in whole:
        return "notification", whole
    if message_id(whole) is None:
        raise ProtocolError(messages.INVALID_REQUEST, "id must be a string or an integer.")
    return "request", whole


def params_of(message: Json) -> Json:
    """The parameters of a message. Raises ProtocolError if they are not an object."""
    params = message.get("params")
    if params is None:
        return {}
    if not isinstance(params, dict):
        raise ProtocolError(messages.INVALID_PARAMS, "params must be an object.")
    return cast(Json, params)


def modern_request(message: Json) -> Request:
    """A request of a modern revision. Raises ProtocolError."""
    params = params_of(message)
    meta = meta_of(params)
    missing = [
        key for key in (messages.VERSION_KEY, messages.CLIENT_CAPABILITIES_KEY) if key not in meta
    ]
    if missing:
        raise ProtocolError(
            messages.INVALID_PARAMS,
            f"params.meta_of is missing the required envelope key(s): {', '.join(missing)}",
        )
    version = meta[messages.VERSION_KEY]
    if not isinstance(version, str):
        raise ProtocolError(
            messages.INVALID_PARAMS, "the protocol-version envelope value must be a string"
        )
    answers = params.get("inputResponses")
    if answers is not None and not (
        isinstance(answers, dict) and _all_objects(cast(Json, answers))
    ):
        raise ProtocolError(
            messages.INVALID_PARAMS, "params.inputResponses must be an object of objects."
        )
    abilities = as_object(meta[messages.CLIENT_CAPABILITIES_KEY])
    client = client_name(meta.get(messages.CLIENT_KEY))
    return Request(message["id"], message["method"], params, version, client, abilities)


def check_version(version: str) -> None:
    """Raise ProtocolError unless a revision is a modern one."""
    if not messages.is_modern(version):
        data = {"supported": list(messages.MODERN), "requested": version}
        raise ProtocolError(messages.UNSUPPORTED_VERSION, "Unsupported protocol version", data)


def message_id(message: object) -> RequestId:
    """The id of a message, or None if it has no valid one."""
    value = as_object(message).get("id")
    return value if isinstance(value, str | int) and not isinstance(value, bool) else None


def client_name(info: object) -> str:
    """The name in a client's info, or an empty string."""
    name = as_object(info).get("name")
    return name if isinstance(name, str) else ""


def as_object(value: object) -> Json:
    """The value if it is an object, otherwise an empty object."""
    return cast(Json, value) if isinstance(value, dict) else {}


def meta_of(params: Mapping[str, object]) -> Json:
    """The `_meta` object of parameters, or an empty object."""
    return as_object(params.get("_meta"))


def _all_objects(values: Json) -> bool:
    return all(isinstance(one, dict) for one in values.values())
