"""A server of the real program, one for each module of tests."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest

from tests.faces.http_client import Answer, Running, server

BANK = "/api/v1/banks/{bank}"


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    home = tmp_path_factory.mktemp("home")
    with server(home, "serve", "--port", "0", module="commonplace") as one:
        yield one


@dataclass(frozen=True)
class Rest:
    """Requests to one bank of a server."""

    server: Running
    bank: str

    def path(self, rest: str = "") -> str:
        return BANK.format(bank=quote(self.bank, safe="")) + rest

    def get(self, rest: str = "", **headers: str) -> Answer:
        return self.server.get(self.path(rest), **headers)

    def post(self, rest: str, body: object, **headers: str) -> Answer:
        return self.server.post(self.path(rest), body, **headers)

    def send(
        self, method: str, rest: str, body: bytes | None = None, headers: Mapping[str, str] = {}
    ) -> Answer:
        plain = {"content-type": "application/json"} if body is not None else {}
        return self.server.send(method, self.path(rest), body, plain | dict(headers))

    def remember(self, text: str, **fields: Any) -> dict[str, Any]:
        """The memory that a text became."""
        return self.post("/memories", {"text": text, **fields}).json["memory"]


@pytest.fixture
def rest(running: Running, request: pytest.FixtureRequest) -> Rest:
    """A bank of its own for each test."""
    return Rest(running, request.node.name)
