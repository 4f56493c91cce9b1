"""Calls the ASGI app in process, without a socket, and collects its responses."""

import asyncio
import json
import threading
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from commonplace.dialects.dialect import Dialect
from commonplace.engine.engine import Engine
from commonplace.faces.http.access import AccessPolicy, HttpRequest
from commonplace.faces.http.app import Site, SiteConfig
from commonplace.faces.http.dispatch import Dispatcher
from commonplace.faces.http.endpoints import Endpoint
from tests.faces.http_client import BOTH, DEADLINE_S, Answer

Found = TypeVar("Found")


class Inside:
    """Apps in an event loop of their own."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def do(self, work: Coroutine[Any, Any, Found]) -> Found:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(DEADLINE_S)

    def post(self, site: Site, path: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        return self.do(_ask(site, path, body, headers))


class Forwarder(Dispatcher):
    """Answers nothing itself."""

    async def serve(self, http_request: HttpRequest, endpoint: Endpoint) -> None:
        await (await self._bridge()).serve(http_request, endpoint)


@contextmanager
def sites(engine: Engine, dialects: Mapping[str, Dialect]) -> Iterator[tuple[Inside, Site, Site]]:
    """Two apps on one engine: ours, and one in which the official SDK answers everything."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    inside = Inside(loop)
    both = [Site(engine, SiteConfig(dialects, "test", {}, AccessPolicy(1))) for _ in range(2)]
    both[1].dispatcher = Forwarder(both[1].calls, both[1].bridge)

    async def start() -> None:
        for site in both:
            site.start()

    inside.do(start())
    try:
        yield inside, both[0], both[1]
    finally:
        for site in both:
            inside.do(site.stop())
        inside.do(_rest())
        loop.call_soon_threadsafe(loop.stop)
        thread.join(DEADLINE_S)
        loop.close()


async def _rest() -> None:
    """End what the libraries have left running."""
    left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)


def encoded(message: object) -> bytes:
    return json.dumps(message).encode()


async def _ask(site: Site, path: str, body: bytes, headers: Mapping[str, str]) -> Answer:
    sent: list[dict[str, Any]] = []
    parts = [{"type": "http.request", "body": body, "more_body": False}]
    answered = asyncio.Event()

    async def receive() -> dict[str, Any]:
        if not parts:
            await answered.wait()
            return {"type": "http.disconnect"}
        return parts.pop()

    async def send(message: Any) -> None:
        sent.append(dict(message))
        if not message.get("more_body", message["type"] == "http.response.start"):
            answered.set()

    given = {"host": "localhost", "content-type": "application/json", "accept": BOTH} | dict(
        headers
    )
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [
            (name.lower().encode(), value.encode("utf-8")) for name, value in given.items()
        ],
    }
    await site(scope, receive, send)
    start = sent[0]
    shown = {name.decode().lower(): value.decode() for name, value in start["headers"]}
    return Answer(start["status"], shown, b"".join(one.get("body", b"") for one in sent[1:]))
