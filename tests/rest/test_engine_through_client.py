"""The engine's own tests, with the client in the place of the engine."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import commonplace
from commonplace.app import open_engine
from commonplace.faces.rest.client import Client
from commonplace.settings import load
from tests.conftest import StoppedClock
from tests.engine import (
    test_documents,
    test_filters,
    test_memories,
    test_recall,
    test_reminders,
    test_sessions,
    test_streams,
)
from tests.rest.in_process import served

MODULES = (
    test_memories,
    test_documents,
    test_filters,
    test_recall,
    test_reminders,
    test_sessions,
    test_streams,
)


@pytest.fixture
def engine(home: Path, clock: StoppedClock) -> Iterator[Client]:
    """The client of a server on an empty store."""
    opened = open_engine(load({"COMMONPLACE_HOME": str(home)}), clock)
    with served(opened) as url, commonplace.connect(url) as client:
        yield client
    opened.db.close()


for _module in MODULES:
    for _name, _test in vars(_module).items():
        if _name.startswith("test_"):
            globals()[f"{_name}__{_module.__name__.rpartition('.')[2]}"] = _test
