"""Loads the modules of scripts/, which is no package."""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parent.parent.parent
SCRIPTS = str(ROOT / "scripts")


def script(name: str) -> ModuleType:
    """A module of scripts/, which may import others beside it."""
    if SCRIPTS not in sys.path:
        sys.path.append(SCRIPTS)
    return import_module(name)
