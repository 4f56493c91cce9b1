"""Real stores in temporary folders, and a clock that stands still."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from commonplace.app import open_engine
from commonplace.engine.engine import Engine
from commonplace.settings import load

# The same examples on every run, so that a red run can be believed and repeated; `make fuzz` looks for new ones.
settings.register_profile("repeatable", derandomize=True, print_blob=True)
settings.register_profile("searching", derandomize=False, print_blob=True)
settings.load_profile("repeatable")


class StoppedClock:
    """A clock that moves only when told to."""

    def __init__(self, now: int = 1_790_000_000_000) -> None:
        self._now = now

    def now(self) -> int:
        return self._now

    def advance(self, ms: int) -> None:
        self._now += ms


@pytest.fixture
def clock() -> StoppedClock:
    return StoppedClock()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def engine(home: Path, clock: StoppedClock) -> Iterator[Engine]:
    opened = open_engine(load({"COMMONPLACE_HOME": str(home)}), clock)
    yield opened
    opened.db.close()
