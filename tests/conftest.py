"""Real stores in temporary folders, and a clock that stands still."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from commonplace.app import open_engine
from commonplace.engine.engine import Engine
from commonplace.settings import load


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
