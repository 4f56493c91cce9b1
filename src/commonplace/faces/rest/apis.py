"""The REST interfaces of one server, by the name that the router gives them."""

import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from commonplace.faces.http.access import HttpRequest, send_response
from commonplace.faces.http.calls import Calls
from commonplace.faces.http.endpoints import DEFAULT_BANK
from commonplace.faces.rest import openapi, page, rest_paths
from commonplace.faces.rest.api import RestApi
from commonplace.faces.rest.products import hindsight, mem0, memstate
from commonplace.faces.rest.products.hindsight import shapes
from commonplace.faces.rest.products.product import ProductApi

if TYPE_CHECKING:
    from commonplace.faces.http.app import SiteConfig

_PAGE_METHODS = ("GET", "HEAD")


_PRODUCTS = (hindsight.PRODUCT, mem0.PRODUCT, memstate.PRODUCT)


class RestApis:
    """The REST interfaces of one server."""

    def __init__(self, calls: Calls, plan: "SiteConfig") -> None:
        self._ours = RestApi(calls)
        self._calls = calls
        self._apis: dict[str, Callable[[HttpRequest], Awaitable[None]]] = {
            rest_paths.OURS: self._serve_ours,
        }
        for product in _PRODUCTS:
            if dialect := plan.dialects.get(product.dialect):
                bank = plan.banks.get(product.dialect, DEFAULT_BANK)
                api = ProductApi(calls, product, dialect, bank)
                self._apis[product.dialect] = api.serve

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


def hindsight_version() -> dict[str, object]:
    """What Hindsight's clients read on the page /version."""
    return {"api_version": shapes.API_VERSION, "features": shapes.FEATURES}
