"""Errors as problem details (RFC 9457): what happened, and a hint with an action."""

import json
from http import HTTPStatus
from typing import Any

from commonplace.errors import CommonplaceError

MEDIA_TYPE = b"application/problem+json"
PREFIX = b"/api/v1"


def problem(status: int, detail: str, hint: str, kind: str = "") -> bytes:
    """The body of an error. `kind` is the class of the error, if it has one."""
    body: dict[str, Any] = {
        "type": f"/api#{kind}" if kind else "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "hint": hint,
    }
    return json.dumps(body).encode()


def problem_of(error: CommonplaceError, status: int = 0) -> bytes:
    """The body of an error of the engine."""
    return problem(status or error.status, error.message, error.hint, error.kind)


def is_ours(raw_path: bytes) -> bool:
    """Whether the errors of a path are problem details."""
    return raw_path == PREFIX or raw_path.startswith(PREFIX + b"/")
