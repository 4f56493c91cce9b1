"""Connects the pages to the server: its requests come in, its responses go out."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from commonplace import lazy
from commonplace.faces.http.access import HttpRequest, Rejection, Send
from commonplace.faces.http.calls import Calls

if TYPE_CHECKING:
    from commonplace.faces.web import site
else:
    # Templates take a tenth of a second to load, and most servers never show a page.
    site = lazy.module("commonplace.faces.web.site")


class WebPages:
    """The pages of a server, loaded with the first request for one."""

    def __init__(
        self, calls: Calls, port: int, key: str, facts: Callable[[], Mapping[str, object]]
    ) -> None:
        self._calls = calls
        self._port = port
        self._key = key
        self._facts = facts
        self._site: site.WebSite | None = None

    async def serve(self, http_request: HttpRequest) -> None:
        """Answer one request."""
        if self._site is None:
            self._site = site.WebSite(
                self._calls.engine, self._port, self._key, self._calls.read, self._facts
            )
        request = site.WebRequest(
            http_request.method,
            http_request.route.web or (),
            http_request.scope["query_string"].decode("latin-1"),
            http_request.headers,
            http_request.body,
        )
        await _send(http_request.send, await self._site.respond(request), http_request.method)


async def show_refusal(send: Send, away: Rejection) -> None:
    """Send the page of a request that was not admitted."""
    response = site.error_page(away.status, str(away), away.hint)
    await _send(send, replace(response, headers=(*response.headers, *away.headers)), "GET")


async def _send(send: Send, response: "site.WebResponse", method: str) -> None:
    fixed = (
        (b"content-type", response.content_type),
        (b"content-length", b"%d" % len(response.body)),
    )
    headers = (*fixed, *response.headers)
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    body = b"" if method == "HEAD" else response.body
    await send({"type": "http.response.body", "body": body})
