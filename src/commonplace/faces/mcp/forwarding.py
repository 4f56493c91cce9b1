"""Passes the calls of a stdio client to the server that runs on the same store, if there is one.

Then the models and indexes are in memory once, however many clients are connected.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from commonplace.dialects.dialect import Dialect
from commonplace.faces.mcp import messages
from commonplace.faces.mcp.messages import Json
from commonplace.faces.mcp.parsing import ProtocolError, Request
from commonplace.faces.warm import client, server_file

PATH = "/local/call"
BUSY = -32000
_CALL_S_MAX = 600


@dataclass(frozen=True, slots=True)
class CallPlace:
    """Where the calls of a stdio client go."""

    dialect: str
    bank: str
    is_only_bank: bool
    folder: str
    session: str


class Forwarder:
    """Passes requests on. The server may come and go between two of them."""

    def __init__(self, database: Path, place: CallPlace) -> None:
        self._database = database
        self._place = place

    def result(self, request: Request, dialect: Dialect) -> Json | None:
        """The result of a request; None if this process has to produce it. Raises ProtocolError."""
        if not _can_forward(request, dialect):
            return None
        server = server_file.find(self._database)
        if server is None:
            return None
        body = {"place": asdict(self._place), "request": asdict(request)}
        data = json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")
        try:
            found: Any = client.post(server, PATH, data, bank=self._place.bank, seconds=_CALL_S_MAX)
        except client.Unreachable:
            return None
        except client.Interrupted:
            raise ProtocolError(
                BUSY,
                "The server stopped during the call. Check whether the change was made before you"
                " try again.",
            ) from None
        if error := found.get("error"):
            raise ProtocolError(error["code"], error["message"], error["data"])
        return found["result"]


def _can_forward(request: Request, dialect: Dialect) -> bool:
    """Whether a request needs nothing of the client while it runs."""
    if request.progress_token is not None:
        return False
    tool = dialect.tools.get(str(request.params.get("name")))
    asks = tool is not None and tool.confirm and not messages.is_modern(request.version)
    return not asks
