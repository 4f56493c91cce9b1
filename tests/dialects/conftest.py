"""Clients of the dialects on one real engine."""

import pytest

from commonplace.engine.engine import Engine
from tests.dialects.hindsight_client import Hindsight
from tests.dialects.memories_client import Memories
from tests.dialects.memstate_client import Memstate
from tests.dialects.powermem_client import PowerMem


@pytest.fixture
def memories(engine: Engine) -> Memories:
    return Memories(engine)


@pytest.fixture
def memstate(engine: Engine) -> Memstate:
    return Memstate(engine)


@pytest.fixture
def powermem(engine: Engine) -> PowerMem:
    return PowerMem(engine)


@pytest.fixture(params=["many banks", "one bank"])
def hindsight(engine: Engine, request: pytest.FixtureRequest) -> Hindsight:
    return Hindsight(engine, "alice" if request.param == "one bank" else "")


@pytest.fixture
def many(engine: Engine) -> Hindsight:
    return Hindsight(engine)
