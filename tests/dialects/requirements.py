"""What the products promise, as data: each promise has an id and a source, and each is cited by a
test.

`<dialect>_requirements.py` holds the promises of a dialect as REQUIREMENTS; `test_<dialect>*.py`
cites them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TypeVar

HERE = Path(__file__).parent
_Test = TypeVar("_Test", bound=Callable[..., object])


@dataclass(frozen=True)
class Requirement:
    """One promise: where it stands, and where we differ from it on purpose, what we do instead."""

    id: str
    source: str
    text: str
    divergence: str | None = None


# Which tests cite which ids, filled while the test modules are read.
CITED: dict[str, list[str]] = {}


def requirement(*ids: str) -> Callable[[_Test], _Test]:
    """Say which promises a test shows to be kept."""

    def cite(test: _Test) -> _Test:
        for one in ids:
            CITED.setdefault(one, []).append(f"{test.__module__}:{test.__name__}")
        return test

    return cite


def dialects() -> list[str]:
    """The dialects whose promises are written down."""
    return sorted(
        file.stem.removesuffix("_requirements") for file in HERE.glob("*_requirements.py")
    )


def requirements_of(dialect: str) -> tuple[Requirement, ...]:
    """The promises of a dialect."""
    found: tuple[Requirement, ...] = import_module(
        f"tests.dialects.{dialect}_requirements"
    ).REQUIREMENTS
    return found


def cited_ids(dialect: str) -> Iterator[str]:
    """The ids of a dialect that its tests cite, whichever tests run now."""
    for file in sorted(HERE.glob(f"test_{dialect}*.py")):
        import_module(f"tests.dialects.{file.stem}")
    return (one for one in CITED if one.startswith(f"{dialect}:"))
