"""The file beside the store that says where its server listens, and the key of this run.

Only the owner of the store can read it. A program that can read it could open the store as well.
"""

import json
import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import commonplace

FILE = "server.json"
_BYTES_MAX = 10_000
_EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A server that runs on a store."""

    pid: int
    host: str
    port: int
    key: str
    version: str
    database: str


def find(database: Path) -> RunningServer | None:
    """The server on a database; None if there is none, or one of another version."""
    try:
        found: Any = json.loads((database.parent / FILE).read_bytes()[:_BYTES_MAX])
        server = RunningServer(**found)
        if server.version != commonplace.__version__ or server.database != str(database):
            return None
        os.kill(server.pid, 0)
    except (OSError, ValueError, TypeError, OverflowError):
        return None
    return server


@contextmanager
def published(database: Path, host: str, port: int, key: str) -> Generator[None]:
    """Name the running server in the file, as long as it runs. A folder that cannot be written is
    no reason not to serve.
    """
    server = RunningServer(
        os.getpid(),
        _EVERY_ADDRESS.get(host, host),
        port,
        key,
        commonplace.__version__,
        str(database),
    )
    with suppress(OSError):
        _write(database.parent / FILE, server)
    try:
        yield
    finally:
        # Another server may have taken the file over.
        if find(database) == server:
            with suppress(OSError):
                (database.parent / FILE).unlink()


def _write(target: Path, server: RunningServer) -> None:
    # Readable by the owner only (0600) from the start.
    handle, name = tempfile.mkstemp(prefix=f".{FILE}-", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(asdict(server), file)
        os.replace(name, target)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)
