"""The server under the conformance suite: `python -m tests.conformance.server PORT fixtures`, or a
dialect's name.

Everything is the product's own, from the guard to the session managers. For `fixtures` the dialect
is made for the suite, and what no dialect can say is laid over the SDK's handlers.
"""

import sys
import warnings
from typing import Any

from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPDeprecationWarning

from commonplace import settings
from commonplace.dialects import registry
from commonplace.faces.http import app, dispatch, sdk_bridge, server
from commonplace.faces.http.access import HttpRequest
from commonplace.faces.http.endpoints import Endpoint
from commonplace.faces.mcp.parsing import Request
from tests.conformance import extras
from tests.conformance.dialect import CONFORMANCE


class FixturedDispatcher(dispatch.Dispatcher):
    """Hands what only the fixtures can answer to the SDK."""

    def needs_sdk(self, http_request: HttpRequest, endpoint: Endpoint, request: Request) -> bool:
        return extras.answers(request.method, request.params) or super().needs_sdk(
            http_request, endpoint, request
        )


class FixturedBridge(sdk_bridge.Bridge):
    """The SDK's server with the suite's fixtures over it."""

    def _server(self) -> Server[Any]:
        server = super()._server()
        extras.install(server)
        return server


def main(port: int, name: str) -> None:
    # The suite asks for what the protocol calls deprecated.
    warnings.simplefilter("ignore", MCPDeprecationWarning)
    dialect = CONFORMANCE
    if name == "fixtures":
        app.Dispatcher = FixturedDispatcher
        sdk_bridge.Bridge = FixturedBridge
    else:
        dialect = registry.find(name)
    # Under a name of its own, so that no dialect asks for its key: the suite has none to show.
    server.run(settings.load(), port=port, dialect="subject", dialects={"subject": dialect})


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
