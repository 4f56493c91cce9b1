"""A server in this process, so that a test holds its clock and its engine."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from commonplace.dialects import registry
from commonplace.engine.engine import Engine
from commonplace.faces.http.access import AccessPolicy, ApiKeys
from commonplace.faces.http.app import Site, SiteConfig
from tests.faces.http_client import DEADLINE_S, until


@contextmanager
def served(engine: Engine, key: str = "") -> Iterator[str]:
    """The address of a server on an engine."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        dialects = {name: registry.find(name) for name in registry.NAMES}
        policy = AccessPolicy(port, ApiKeys(key))
        site = Site(engine, SiteConfig(dialects, registry.DEFAULT, {}, policy))
        config = uvicorn.Config(site, lifespan="off", ws="none", log_config=None, loop="asyncio")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        until(lambda: server.started)
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            thread.join(DEADLINE_S)
            site.calls.close()
