"""Builds the parts: settings, database, models, engine. The only place that reads settings."""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from commonplace import settings as settings_table
from commonplace.clock import Clock, SystemClock
from commonplace.engine.engine import Engine
from commonplace.errors import Invalid
from commonplace.settings import Settings
from commonplace.storage import migrations

if TYPE_CHECKING:
    from commonplace.recall.semantics import Semantics


def open_engine(settings: Settings | None = None, clock: Clock | None = None) -> Engine:
    """An engine on the store the settings name, made or upgraded first where needed."""
    chosen = settings or settings_table.load()
    time = clock or SystemClock()
    semantics = _semantics(chosen.embedder)
    db = migrations.open_database(chosen.database_path, time, busy_timeout_ms=chosen.busy_timeout_ms)
    return Engine(db, time, semantics, chosen.timezone)


def _semantics(embedder: str) -> "Callable[[], Semantics | None]":
    match embedder:
        case "none":
            return lambda: None
        case "static":
            return cache(_open_static)
        case _:
            raise Invalid(f"No embedder is called {embedder!r}.", hint="Set COMMONPLACE_EMBEDDER to static or none.")


def _open_static() -> "Semantics":
    # numpy and the weights take a tenth of a second, which a start that only writes must not pay.
    from commonplace.models.static import StaticEmbedder
    from commonplace.recall.semantics import Semantics

    return Semantics(StaticEmbedder())
