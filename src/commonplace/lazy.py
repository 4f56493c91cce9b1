"""Imports objects named `module:attribute` when they are first used.

This keeps the start fast. tests/test_house.py checks that every such name exists and that its
module may be imported there.
"""

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any


def load(reference: str) -> Any:
    """The object with a name such as `commonplace.faces.cli.commands.history:history`."""
    module, _, attribute = reference.partition(":")
    return getattr(import_module(module), attribute)


class _Module:
    """A proxy that imports a module when an attribute is first read."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(import_module(self._name), attribute)


def module(name: str) -> Any:
    """A module that is imported when it is first used.

    Type checkers use the plain import beside it under `TYPE_CHECKING`.
    """
    return _Module(name)


def submodules(package: str) -> Callable[[str], ModuleType]:
    """The `__getattr__` of a package whose modules are imported when they are first used (PEP
    562).
    """

    def get(name: str) -> ModuleType:
        wanted = f"{package}.{name}"
        try:
            if not name.startswith("__"):
                return import_module(wanted)
        except ModuleNotFoundError as error:
            if error.name != wanted:
                raise
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return get
