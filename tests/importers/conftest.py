"""Brings files into a real store."""

from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace.engine.engine import Engine
from commonplace.importers import detection
from commonplace.importers.base import Place
from commonplace.importers.runner import Report, Wishes, bring
from commonplace.records.memory import Memory, Origin
from commonplace.records.query import Filter

Bring = Callable[..., Report]


@pytest.fixture
def brought(engine: Engine) -> Bring:
    """Brings in a file, whatever it is seen to be."""

    def run(path: Path, name: str = "", *, bank: str = "default", **wishes: object) -> Report:
        source = detection.named(name or detection.found(path))
        place = Place(path, engine.clock.now(), lambda done, total: None)
        return bring(engine, source, place, Wishes(bank, **wishes), Origin(dialect="import"))  # pyright: ignore

    return run


@pytest.fixture
def known(engine: Engine) -> Callable[..., list[Memory]]:
    """Every live memory, oldest first."""
    return lambda bank="default": sorted(
        engine.list(bank, Filter(), limit=1000), key=lambda one: one.id
    )
