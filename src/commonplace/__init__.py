"""Commonplace: one memory that agents share.

import commonplace

engine = commonplace.open()
engine.remember("default", commonplace.Draft("Staging listens on port 8080."))
engine.recall("default", commonplace.Query("which port does staging use?")).hits[0].memory.text
"""

from dataclasses import replace
from pathlib import Path

from commonplace import settings as _settings
from commonplace.app import open_engine
from commonplace.engine.engine import Engine
from commonplace.errors import (
    Busy,
    CommonplaceError,
    Conflict,
    Forbidden,
    Invalid,
    ModelFailed,
    NotFound,
    TooLarge,
    Unsupported,
)
from commonplace.records import Bank, Draft, Edit, Filter, Hit, Memory, Origin, Outcome, Query, Recall, Scope, Version

__version__ = "0.1.0"

__all__ = [
    "Bank",
    "Busy",
    "CommonplaceError",
    "Conflict",
    "Draft",
    "Edit",
    "Engine",
    "Filter",
    "Forbidden",
    "Hit",
    "Invalid",
    "Memory",
    "ModelFailed",
    "NotFound",
    "Origin",
    "Outcome",
    "Query",
    "Recall",
    "Scope",
    "TooLarge",
    "Unsupported",
    "Version",
    "open",
]


def open(home: str | Path | None = None) -> Engine:
    """An engine on the store in a folder, or on the one the environment names."""
    chosen = _settings.load()
    return open_engine(replace(chosen, home=Path(home).absolute()) if home else chosen)
