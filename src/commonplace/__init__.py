"""Commonplace: one memory that agents share.

import commonplace

engine = commonplace.open()
engine.remember("default", commonplace.Draft("Staging listens on port 8080."))
engine.recall("default", commonplace.Query("which port does staging use?")).hits[0].memory.text
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from commonplace.engine.engine import Engine
    from commonplace.errors import (
        Busy,
        CommonplaceError,
        Conflict,
        Forbidden,
        Invalid,
        ModelFailed,
        NotFound,
        TooLarge,
        Unsupported,
    )
    from commonplace.faces.rest.client.client import AsyncClient, Client
    from commonplace.records.memory import (
        Bank,
        Draft,
        Edit,
        Memory,
        Origin,
        Outcome,
        Scope,
        Version,
    )
    from commonplace.records.query import Filter, Hit, Query, Recall

__version__ = "0.1.0"

__all__ = [
    "AsyncClient",
    "Bank",
    "Busy",
    "Client",
    "CommonplaceError",
    "Conflict",
    "Draft",
    "Edit",
    "Engine",
    "Filter",
    "Forbidden",
    "Hit",
    "Invalid",
    "Memory",
    "ModelFailed",
    "NotFound",
    "Origin",
    "Outcome",
    "Query",
    "Recall",
    "Scope",
    "TooLarge",
    "Unsupported",
    "Version",
    "connect",
    "connect_async",
    "open",
]


# The names above are loaded on first use. The program imports this package before it handles
# Ctrl-C, so the import must be fast.
_MODULES = (
    "commonplace.errors",
    "commonplace.records.memory",
    "commonplace.records.query",
    "commonplace.engine.engine",
    "commonplace.faces.rest.client.client",
)


def __getattr__(name: str) -> object:
    if name in __all__:
        for module in map(import_module, _MODULES):
            if hasattr(module, name):
                return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def open(home: "str | Path | None" = None) -> "Engine":
    """An engine on the store in a folder, or on the store that the environment names."""
    from commonplace.app import open_home

    return open_home(home)


def connect(url: str = "http://127.0.0.1:8888", *, key: str = "") -> "Client":
    """The verbs of the engine on a server: what `open` gives, over HTTP."""
    from commonplace.faces.rest.client import client, transport

    return client.Client(transport.Transport(url, key))


def connect_async(url: str = "http://127.0.0.1:8888", *, key: str = "") -> "AsyncClient":
    """The same with methods that are awaited."""
    from commonplace.faces.rest.client.client import AsyncClient

    return AsyncClient(connect(url, key=key))
