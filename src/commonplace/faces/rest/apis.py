"""The REST interfaces of one server, by the name that the router gives them."""

import json
from collections.abc import Awaitable, Callable

from commonplace.faces.http.access import HttpRequest, send_response
from commonplace.faces.http.calls import Calls
from commonplace.faces.rest import openapi, page
from commonplace.faces.rest.api import RestApi

_PAGE_METHODS = ("GET", "HEAD")


class RestApis:
    """The REST interfaces of one server."""

    def __init__(self, calls: Calls) -> None:
        self._ours = RestApi(calls)
        self._calls = calls
        self._apis: dict[str, Callable[[HttpRequest], Awaitable[None]]] = {
            "commonplace": self._serve_ours,
        }

    async def serve(self, http_request: HttpRequest) -> None:
        """Answer one request."""
        await self._apis[http_request.route.api](http_request)

    async def _serve_ours(self, http_request: HttpRequest) -> None:
        path = http_request.scope["raw_path"].strip(b"/")
        pages = {b"openapi.json": _openapi_body, b"api": page.html}
        if path not in pages:
            await self._ours.serve(http_request)
        elif http_request.method not in _PAGE_METHODS:
            await send_response(http_request.send, 405, b"", ((b"allow", b"GET, HEAD"),))
        else:
            body = await self._calls.read(pages[path])
            kind = b"text/html; charset=utf-8" if path == b"api" else b"application/json"
            await send_response(http_request.send, 200, body, content_type=kind)


def _openapi_body() -> bytes:
    return json.dumps(openapi.document(), ensure_ascii=False).encode()
