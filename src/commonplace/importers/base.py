"""The items that readers yield, and conversions of values from files of other programs.

The conversions accept any JSON type and return an empty value for a wrong one.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, cast

from commonplace import clock
from commonplace.clock import MOMENT_MAX, MOMENT_MIN
from commonplace.engine.operations.external_import import ExternalItem, ExternalReminder
from commonplace.engine.reflect.directives import Directive
from commonplace.engine.reflect.mental_model_rows import MentalModel
from commonplace.errors import Invalid
from commonplace.limits import NAME_CHARS_MAX, TITLE_CHARS_MAX
from commonplace.records.work import DocumentDraft

Object: TypeAlias = dict[str, Any]
Progress: TypeAlias = Callable[[int, int | None], None]
# A larger number counts milliseconds: as seconds it would be in the year 5138.
DELETED = "deleted in the source"
EXPIRED = "expired in the source"
EMPTY = "it is empty"
_MILLISECONDS_FROM = 100_000_000_000


@dataclass(frozen=True, slots=True)
class ImportItem:
    """A memory to import, and its location in the source."""

    location: str
    external: ExternalItem
    # The id of the memory that it is a copy of; files of a vault have one.
    vault_id: int | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """A part of the source that is not imported, and the reason.

    A broken one is an error in the source; the others are left out on purpose.
    """

    location: str
    reason: str
    is_broken: bool = False


SourceItem: TypeAlias = (
    ImportItem | DocumentDraft | Directive | MentalModel | ExternalReminder | Skipped
)


@dataclass(frozen=True, slots=True)
class ImportContext:
    """The input of a reader: a file or folder, the current time, and a progress callback."""

    path: Path
    now: int
    progress: Progress
    # The folder of the vault; its notes are memories already.
    vault: Path | None = None


Reader: TypeAlias = Callable[[ImportContext], Iterator[SourceItem]]


def broken_item(location: str, why: str) -> Skipped:
    """An item for a part of a source that cannot be read."""
    return Skipped(location, why, is_broken=True)


def provenance(source: str, number: str, **more: object) -> Object:
    """The metadata that names the origin of an imported memory."""
    fields = {"id": number, **more}
    return {"imported": {"from": source} | {name: value for name, value in fields.items() if value}}


def text_of(value: object) -> str:
    """The text of a string or number; "" for other types."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def line_of(value: object, chars_max: int = TITLE_CHARS_MAX) -> str:
    """A text on one line, cut at a maximal length."""
    plain = " ".join("".join(one if one.isprintable() else " " for one in text_of(value)).split())
    return plain if len(plain) <= chars_max else plain[: chars_max - 1].rstrip() + "…"


def kind_of(value: object) -> str:
    """A kind; `note` by default."""
    return line_of(value, NAME_CHARS_MAX) or "note"


def object_of(value: object) -> Object:
    """An object, also from a JSON string; empty for other types."""
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
    """A list, also from a JSON string; empty for other types."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return []
    return cast("list[Any]", value) if isinstance(value, list) else []


def labels_of(value: object) -> tuple[str, ...]:
    """Tags or paths from a list or a comma-separated string."""
    given = list_of(value) or (text_of(value).split(",") if not isinstance(value, list) else [])
    trimmed = (line_of(one, 10_000).strip().lstrip("#") for one in given)
    return tuple(dict.fromkeys(one for one in trimmed if one))


def moment_of(value: object) -> int | None:
    """A time in milliseconds from an ISO time or a Unix time; None for other values."""
    found: float | None = None
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            found = float(value) if abs(value) >= _MILLISECONDS_FROM else float(value) * 1000
        elif isinstance(value, str) and value.strip():
            found = clock.parse_moment(value)
    except (Invalid, OverflowError):
        return None
    # NaN compares as false.
    return round(found) if found is not None and MOMENT_MIN <= found <= MOMENT_MAX else None


def first_of(given: Mapping[str, Any], *names: str) -> Any:
    """The first non-empty value among some fields."""
    return next((given[name] for name in names if given.get(name) not in (None, "", [], {})), None)
