"""What the programs on this machine ask of the server: hooks, and the calls of stdio clients."""

import json
from typing import Any, cast
from urllib.parse import parse_qs

from commonplace.dialects import registry
from commonplace.dialects.dialect import Call
from commonplace.engine.engine import Engine
from commonplace.engine.hooks.hook_clients import EVENTS
from commonplace.engine.hooks.launch import HookLauncher, HookRequest
from commonplace.faces.http.access import HttpRequest, error_body, send_response
from commonplace.faces.http.calls import Calls
from commonplace.faces.mcp import protocol
from commonplace.faces.mcp.messages import Json
from commonplace.faces.mcp.parsing import ProtocolError, Request

_ALLOWED = ((b"allow", b"POST"),)


async def serve_local(calls: Calls, http_request: HttpRequest, bank: str) -> None:
    """Answer `POST /hooks/EVENT?client=NAME`, or a call that a stdio server passes on."""
    if http_request.method != "POST":
        await send_response(http_request.send, 405, b"", _ALLOWED)
        return
    event = http_request.route.hook
    if event == "":
        found = await calls.read(_run_call, calls.engine, http_request.body)
    elif event in EVENTS:
        query = parse_qs(http_request.scope["query_string"].decode("latin-1"))
        client = query.get("client", ["claude-code"])[0]
        request = HookRequest(client, event, http_request.body, bank)
        found = await calls.read(HookLauncher.of(calls.engine).answer, request)
    else:
        hint = f"Use one of: {', '.join(EVENTS)}."
        await send_response(
            http_request.send, 404, error_body("There is no such hook event.", hint)
        )
        return
    await send_response(http_request.send, 200, json.dumps(found, ensure_ascii=False).encode())


def _run_call(engine: Engine, body: bytes) -> Json:
    """The result of a call of a stdio server, or its protocol error. Only that server can send one,
    because nobody else has the key.
    """
    given = cast("dict[str, Any]", json.loads(body))
    place, request = given["place"], Request(**given["request"])
    name, bank = place["dialect"], place["bank"]
    dialect = registry.single_bank(name) if place["is_only_bank"] else registry.find(name)

    def make_call(request: Request) -> Call:
        return Call(engine, bank, place["session"], request.client, place["folder"])

    try:
        return {"result": protocol.execute(request, dialect, make_call)}
    except ProtocolError as refused:
        return {"error": {"code": refused.code, "message": refused.message, "data": refused.data}}
