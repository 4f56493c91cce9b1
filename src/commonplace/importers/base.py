"""What a reader hands out, and how values are taken out of what another program wrote. Nothing here
trusts a type.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, cast

from commonplace import clock
from commonplace.clock import MOMENT_MAX, MOMENT_MIN
from commonplace.engine.operations.external_import import Foreign, ForeignReminder
from commonplace.engine.reflect.directives import Directive
from commonplace.engine.reflect.mental_model_rows import MentalModel
from commonplace.errors import Invalid
from commonplace.limits import NAME_CHARS_MAX, TITLE_CHARS_MAX
from commonplace.records.work import DocumentDraft

Object: TypeAlias = dict[str, Any]
Progress: TypeAlias = Callable[[int, int | None], None]
# From here on, a number of seconds since 1970 would be in the year 5138, so it counts milliseconds.
_MILLISECONDS_FROM = 100_000_000_000


@dataclass(frozen=True, slots=True)
class Thing:
    """Something to be taken, and where in the source it is."""

    where: str
    foreign: Foreign
    # The id of the memory here that it is a copy of, as files of a vault have it.
    own: int | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that is not taken, and why. A broken one is worth a look; the others are meant to
    stay behind.
    """

    where: str
    why: str
    broken: bool = False


Read: TypeAlias = Thing | DocumentDraft | Directive | MentalModel | ForeignReminder | Skipped


@dataclass(frozen=True, slots=True)
class Place:
    """Where to read: a file or a folder, what time it is, and whom to tell how far that came."""

    path: Path
    now: int
    progress: Progress
    # The folder whose notes are memories of the bank anyway.
    vault: Path | None = None


Reader: TypeAlias = Callable[[Place], Iterator[Read]]


def broken(where: str, why: str) -> Skipped:
    """A part of a source that cannot be read."""
    return Skipped(where, why, broken=True)


def provenance(source: str, number: str, **more: object) -> Object:
    """The metadata that says where a memory comes from."""
    told = {"id": number, **more}
    return {"imported": {"from": source} | {name: value for name, value in told.items() if value}}


def text_of(value: object) -> str:
    """A text, or nothing where there is none."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def line_of(value: object, chars_max: int = TITLE_CHARS_MAX) -> str:
    """A text on one line, cut where it is too long for what it is to be."""
    plain = " ".join("".join(one if one.isprintable() else " " for one in text_of(value)).split())
    return plain if len(plain) <= chars_max else plain[: chars_max - 1].rstrip() + "…"


def kind_of(value: object) -> str:
    """A kind; a note where none is told."""
    return line_of(value, NAME_CHARS_MAX) or "note"


def object_of(value: object) -> Object:
    """An object, also one that is written as JSON in a text; empty where there is none."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return (
        {str(name): one for name, one in cast("dict[object, Any]", value).items()}
        if isinstance(value, dict)
        else {}
    )


def list_of(value: object) -> list[Any]:
    """A list, also one that is written as JSON in a text; empty where there is none."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return []
    return cast("list[Any]", value) if isinstance(value, list) else []


def labels_of(value: object) -> tuple[str, ...]:
    """Tags or paths: a list, or texts with commas between them."""
    given = list_of(value) or (text_of(value).split(",") if not isinstance(value, list) else [])
    trimmed = (line_of(one, 10_000).strip().lstrip("#") for one in given)
    return tuple(dict.fromkeys(one for one in trimmed if one))


def moment_of(value: object) -> int | None:
    """A moment: an ISO time, or seconds or milliseconds since 1970; None where it is none."""
    found: float | None = None
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            found = float(value) if abs(value) >= _MILLISECONDS_FROM else float(value) * 1000
        elif isinstance(value, str) and value.strip():
            found = clock.moment(value)
    except (Invalid, OverflowError):
        return None
    # A number that is none compares as false.
    return round(found) if found is not None and MOMENT_MIN <= found <= MOMENT_MAX else None


def first_of(given: Mapping[str, Any], *names: str) -> Any:
    """The first field of some names that has a value."""
    return next((given[name] for name in names if given.get(name) not in (None, "", [], {})), None)
