"""Clients of the dialects on one real engine."""

import pytest

from commonplace.engine.engine import Engine
from tests.dialects.memstate_client import Memstate


@pytest.fixture
def memstate(engine: Engine) -> Memstate:
    return Memstate(engine)
