"""Imports files into a real store."""

from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace.engine.engine import Engine
from commonplace.importers import detection
from commonplace.importers.base import ImportContext
from commonplace.importers.runner import ImportOptions, ImportReport, import_source
from commonplace.records.memory import Memory, Origin
from commonplace.records.query import Filter

Bring = Callable[..., ImportReport]


@pytest.fixture
def brought(engine: Engine) -> Bring:
    """Brings in a file, whatever it is seen to be."""

    def run(path: Path, name: str = "", *, bank: str = "default", **wishes: object) -> ImportReport:
        source = detection.source_by_name(name or detection.detect_source(path))
        place = ImportContext(path, engine.clock.now(), lambda done, total: None)
        return import_source(
            engine, source, place, ImportOptions(bank, **wishes), Origin(dialect="import")
        )  # pyright: ignore

    return run


@pytest.fixture
def known(engine: Engine) -> Callable[..., list[Memory]]:
    """Every live memory, oldest first."""
    return lambda bank="default": sorted(
        engine.list(bank, Filter(), limit=1000), key=lambda one: one.id
    )
