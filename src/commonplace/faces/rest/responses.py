"""Responses that are ready to be sent, and those to errors."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from commonplace.errors import CommonplaceError, trace_summary
from commonplace.faces.http.access import Headers, HttpRequest, send_response
from commonplace.faces.rest import problems

_log = logging.getLogger("commonplace.rest")


@dataclass(frozen=True, slots=True)
class Response:
    """A response that is ready to be sent."""

    status: int
    body: bytes
    headers: Headers = ()
    content_type: bytes = b"application/json"


async def send(http_request: HttpRequest, response: Response) -> None:
    """Send a response."""
    await send_response(
        http_request.send,
        response.status,
        b"" if response.status == 304 else response.body,
        response.headers,
        response.content_type,
    )


def problem_response(status: int, detail: str, hint: str) -> Response:
    """The response to a request that no operation gets."""
    body = problems.problem(status, detail, hint)
    return Response(status, body, content_type=problems.MEDIA_TYPE)


def failure_response(error: CommonplaceError, status: int = 0) -> Response:
    """The response to a request that failed."""
    body = problems.problem_of(error, status)
    return Response(status or error.status, body, content_type=problems.MEDIA_TYPE)


def run_safely(
    name: str, work: Callable[[], Response], failure: Callable[[CommonplaceError], Response]
) -> tuple[Response, bool]:
    """The response of some work, and whether it is an error. Any error becomes a response."""
    try:
        return work(), False
    except CommonplaceError as error:
        return failure(error), True
    except Exception as error:
        _log.error("%s failed: %s", name, trace_summary(error))
        return problem_response(500, "Something went wrong here.", "See the server's log."), True
