"""Export and import over HTTP, as JSON lines of any length.

Both go through a temporary file beside the store: an export is complete before its status is sent
and a slow client holds no snapshot, and an import begins when it has arrived.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from io import TextIOWrapper
from tempfile import SpooledTemporaryFile
from typing import IO, TypeAlias, cast

from commonplace.dialects import allowlists
from commonplace.engine.engine import Engine
from commonplace.engine.operations import archive
from commonplace.errors import CommonplaceError, Invalid
from commonplace.faces.http.access import HttpRequest
from commonplace.faces.http.calls import Calls
from commonplace.faces.rest import codec
from commonplace.faces.rest.arguments import read_query, split_path
from commonplace.faces.rest.responses import Response, failure_response, problem_response, send
from commonplace.limits import BODY_READ_S_MAX
from commonplace.records.receipt import Portion

MEDIA_TYPE = b"application/x-ndjson"
_IN_MEMORY_BYTES = 1_000_000
_PART_BYTES = 256_000
_PORTION_FIELDS = ("user", "project", "document")

Stream: TypeAlias = Callable[[Calls, Engine, HttpRequest], Awaitable[Response | None]]


def find_stream(parts: tuple[str, ...], method: str) -> Stream | None:
    """The function that serves a path, if the path is one of an archive."""
    match parts, method:
        case ((("export",) | ("banks", _, "export")), "GET" | "HEAD"):
            return _export
        case ("import",), "POST":
            return _import
        case _:
            return None


async def _export(calls: Calls, engine: Engine, http_request: HttpRequest) -> Response | None:
    with _temporary_file(engine) as file:
        failure = await calls.timed("rest", "export", _write_archive, engine, http_request, file)
        if failure:
            return failure
        await calls.read(file.seek, 0)
        headers = ((b"content-type", MEDIA_TYPE),)
        await http_request.send({"type": "http.response.start", "status": 200, "headers": headers})
        more = http_request.method == "GET"
        while more:
            part = await calls.read(file.read, _PART_BYTES)
            more = len(part) == _PART_BYTES
            await http_request.send({"type": "http.response.body", "body": part, "more_body": more})
        if http_request.method == "HEAD":
            await http_request.send({"type": "http.response.body", "body": b""})
    return None


def _write_archive(
    engine: Engine, http_request: HttpRequest, file: IO[bytes]
) -> tuple[Response | None, bool]:
    """The response to a failure, if any."""
    parts = split_path(http_request.scope["raw_path"])
    bank = parts[3] if "banks" in parts[2:3] else None
    try:
        portion = _read_portion(http_request, bank)
        for name in [bank] if bank is not None else [one.name for one in engine.list_banks()]:
            allowlists.check(engine, name, "export", ("list",))
        engine.export(lambda line: file.write(line.encode()), bank=bank, portion=portion)
    except CommonplaceError as error:
        return failure_response(error), True
    return None, False


def _read_portion(http_request: HttpRequest, bank: str | None) -> Portion:
    allowed = _PORTION_FIELDS if bank is not None else ()
    given = read_query(http_request.scope.get("query_string", b""))
    if unknown := given.keys() - set(allowed):
        raise codec.unknown_field(min(unknown), set(allowed), "")
    last = {name: values[-1] for name, values in given.items()}
    return Portion(last.get("user"), last.get("project"), last.get("document"))


async def _import(calls: Calls, engine: Engine, http_request: HttpRequest) -> Response | None:
    given = http_request.header(b"content-type").partition(";")[0].strip().lower()
    if given not in (MEDIA_TYPE.decode(), "application/jsonl", "application/json", ""):
        return problem_response(415, "The body is not an archive.", "Send application/x-ndjson.")
    with _temporary_file(engine) as file:
        if not await _receive(calls, http_request, file):
            return None
        return await calls.timed("rest", "import", _read_archive, engine, http_request, file)


async def _receive(calls: Calls, http_request: HttpRequest, file: IO[bytes]) -> bool:
    """Write the body into a file. Returns False when the client has disconnected."""
    while True:
        try:
            message = await asyncio.wait_for(http_request.receive(), BODY_READ_S_MAX)
        except TimeoutError:
            late = problem_response(408, "The request did not arrive in time.", "Send it faster.")
            await send(http_request, late)
            return False
        if message["type"] == "http.disconnect":
            return False
        await calls.read(file.write, message.get("body", b""))
        if not message.get("more_body", False):
            return True


def _read_archive(
    engine: Engine, http_request: HttpRequest, file: IO[bytes]
) -> tuple[Response, bool]:
    file.seek(0)
    try:
        query = read_query(http_request.scope.get("query_string", b""))
        dry_run = query.pop("dry_run", ["false"])[-1]
        if query or dry_run not in ("true", "false"):
            raise Invalid("The query is wrong.", hint="Only dry_run=true or dry_run=false.")
        for bank in engine.list_banks():
            allowlists.check(engine, bank.name, "import", ("write",))
        text = TextIOWrapper(file, encoding="utf-8-sig", newline="\n")
        report = engine.import_archive(archive.read_lines(text), dry_run=dry_run == "true")
        text.detach()
    except CommonplaceError as error:
        return failure_response(error), True
    return Response(200, json.dumps(asdict(report)).encode()), False


def _temporary_file(engine: Engine) -> IO[bytes]:
    folder = str(engine.db.path.parent)
    return cast("IO[bytes]", SpooledTemporaryFile(_IN_MEMORY_BYTES, dir=folder))
