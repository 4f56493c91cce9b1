"""One store, met by every dialect."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from commonplace.app import open_engine
from commonplace.dialects import registry
from commonplace.engine.engine import Engine
from commonplace.records.memory import Memory
from commonplace.records.query import Filter
from commonplace.settings import load
from tests.dialects.dialect_client import Client
from tests.one_memory.dialect_clients import (
    DialectClients,
    Statement,
    one_server,
    separate_processes,
)


@dataclass(frozen=True)
class SharedStore:
    """Who writes, who reads, and the store itself, to look at what is really there."""

    writer: DialectClients
    reader: DialectClients
    engine: Engine

    @property
    def all_clients(self) -> list[DialectClients]:
        return [self.reader] if self.reader is self.writer else [self.writer, self.reader]

    def memory(self, what: Statement) -> Memory:
        """The memory of a statement, whatever it says by now and whether or not it is forgotten."""
        (found,) = self.engine.list("default", Filter(text_contains=what.cue, status="any"))
        return found


@pytest.fixture
def clients(engine: Engine) -> dict[str, Client]:
    """A client for each dialect, on one engine."""
    return {name: Client(engine, registry.single_bank(name)) for name in registry.NAMES}


@pytest.fixture(scope="module", params=["one server", "two processes"])
def meeting(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SharedStore]:
    home: Path = tmp_path_factory.mktemp("one") / "home"
    home.mkdir()
    engine = open_engine(load({"COMMONPLACE_HOME": str(home), "HOME": str(home)}))
    try:
        if request.param == "one server":
            with one_server(home) as both:
                yield SharedStore(both, both, engine)
        else:
            with separate_processes(home) as writer, separate_processes(home) as reader:
                yield SharedStore(writer, reader, engine)
    finally:
        engine.db.close()
