"""Loads the modules of scripts/, which is no package."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parent.parent.parent


def script(name: str) -> ModuleType:
    """A module of scripts/."""
    specification = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert specification
    assert specification.loader
    module = sys.modules.setdefault(name, importlib.util.module_from_spec(specification))
    specification.loader.exec_module(module)
    return module
