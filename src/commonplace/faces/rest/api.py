"""Serves the operations of the table over HTTP."""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from commonplace.app import update_note_files
from commonplace.dialects import allowlists
from commonplace.errors import CommonplaceError, Conflict, Invalid
from commonplace.faces.http.access import HttpRequest
from commonplace.faces.http.calls import Calls
from commonplace.faces.rest import idempotency
from commonplace.faces.rest.archive_streams import find_stream
from commonplace.faces.rest.arguments import read_arguments, split_path
from commonplace.faces.rest.operation import ORIGIN, Operation
from commonplace.faces.rest.products.path_tree import PathTree
from commonplace.faces.rest.responses import (
    Response,
    failure_response,
    problem_response,
    run_safely,
    send,
)
from commonplace.faces.rest.table import OPERATIONS
from commonplace.records.memory import Memory, Origin, Outcome

NAME = "rest"
_ROOT_PARTS = 2  # The parts of /api/v1.


class RestApi:
    """Our REST interface."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        # The files of notes follow every write, as they do in the dialects.
        self._engine = replace(calls.engine, sync_note_files=update_note_files)

    async def serve(self, http_request: HttpRequest) -> None:
        """Answer one request."""
        try:
            response = await self._respond(http_request)
        except CommonplaceError as error:
            response = failure_response(error)
        if response is not None:
            await send(http_request, response)

    async def _respond(self, http_request: HttpRequest) -> Response | None:
        """The response, unless it was sent in parts."""
        parts = split_path(http_request.scope["raw_path"])[_ROOT_PARTS:]
        if stream := find_stream(parts, http_request.method):
            return await stream(self._calls, self._engine, http_request)
        methods = _TREE.find(parts)
        if not methods:
            return problem_response(404, "There is no such path.", "See /api for the paths.")
        method = "GET" if http_request.method == "HEAD" else http_request.method
        if method not in methods:
            allowed = ", ".join(sorted(methods))
            refused = problem_response(405, f"This path has no {method}.", f"Use {allowed}.")
            return replace(refused, headers=((b"allow", allowed.encode()),))
        operation, path = methods[method]
        if refusal := media_type_error(http_request):
            return refusal
        return await self._calls.timed(
            NAME, operation.name, self._run, operation, path, http_request
        )

    def _run(
        self, operation: Operation, path: Mapping[str, str], http_request: HttpRequest
    ) -> tuple[Response, bool]:
        """The response, and whether it is an error."""

        def failure(error: CommonplaceError) -> Response:
            stale = isinstance(error, Conflict) and http_request.header(b"if-match")
            return failure_response(error, 412 if stale else 0)

        work = partial(self._execute, operation, path, http_request)
        return run_safely(operation.name, work, failure)

    def _execute(
        self, operation: Operation, path: Mapping[str, str], http_request: HttpRequest
    ) -> Response:
        query = http_request.scope.get("query_string", b"")
        given = read_arguments(operation, path, query, http_request.body)
        values = operation.decode(given)
        bank = str(given.get("bank", ""))
        if bank:
            allowlists.check(self._engine, bank, operation.name, operation.actions)
        result = self._call(operation, _with_preconditions(operation, values, http_request), bank)
        body = operation.encode_result(result, bank)
        tag = _entity_tag(result)
        headers = ((b"etag", tag.encode()),) if tag else ()
        status = 304 if tag and http_request.header(b"if-none-match") == tag else 200
        return Response(status, json.dumps(body, ensure_ascii=False).encode(), headers)

    def _call(self, operation: Operation, values: dict[str, Any], bank: str) -> Any:
        key = values.pop(idempotency.ARGUMENT, "")
        if key:
            return idempotency.call_once(self._engine, operation, key, values)
        return operation.call(self._engine, values)


def media_type_error(http_request: HttpRequest) -> Response | None:
    """The response to a body that is not JSON."""
    given = http_request.header(b"content-type").partition(";")[0].strip().lower()
    if not http_request.body or given == "application/json" or given.endswith("+json"):
        return None
    return problem_response(
        415, "The body is not JSON.", "Send it with Content-Type: application/json."
    )


def _with_preconditions(
    operation: Operation, values: dict[str, Any], http_request: HttpRequest
) -> dict[str, Any]:
    """The arguments, with those that stand in headers."""
    if (tag := http_request.header(b"if-match")) and operation.effect != "reads":
        values["expected"] = _expected_version(operation, tag)
    if (key := http_request.header(b"idempotency-key")) and not operation.repeatable:
        if not operation.keyed:
            raise Invalid(
                f"{operation.name} takes no idempotency key.", hint="Leave out the header."
            )
        values[idempotency.ARGUMENT] = key
    names = {one.name for one in operation.parameters}
    if ORIGIN in names and not values.get(ORIGIN, Origin()).dialect:
        values[ORIGIN] = replace(values.get(ORIGIN, Origin()), dialect=NAME)
    return values


def _expected_version(operation: Operation, tag: str) -> int | None:
    if "expected" not in {one.name for one in operation.parameters}:
        raise Invalid(f"{operation.name} takes no If-Match.", hint="Leave out the header.")
    number = tag.strip('"')
    if tag == "*":
        return None
    if tag != f'"{number}"' or not (number.isascii() and number.isdecimal()) or len(number) > 15:
        raise Invalid(
            "If-Match is not an ETag of this server.",
            hint='Use the ETag of the memory, for example "3".',
        )
    return int(number)


def _entity_tag(result: object) -> str:
    memory = result.memory if isinstance(result, Outcome) else result
    return f'"{memory.version}"' if isinstance(memory, Memory) else ""


def _build_tree() -> PathTree[Operation]:
    tree: PathTree[Operation] = PathTree()
    for operation in OPERATIONS.values():
        tree.add(operation.path, operation.method, operation)
    return tree


_TREE = _build_tree()
