"""Separates the metadata of callers from the entries that Commonplace itself stores there."""

from collections.abc import Mapping
from typing import cast

from commonplace.records.memory import Metadata

FACT_FIELD = "fact"
NOTE_FIELD = "vault"
# The reserved entries, for the details of a fact and for the file of a note, each with the field
# that identifies it: a caller may use the same name for something else.
RESERVED: Mapping[str, str] = {FACT_FIELD: "mentioned_at", NOTE_FIELD: "file"}


def is_reserved(name: str, value: object) -> bool:
    """Whether an entry is a reserved one."""
    return name in RESERVED and isinstance(value, Mapping) and RESERVED[name] in value


def is_note_entry(name: str, value: object) -> bool:
    """Whether an entry describes the file of a note."""
    return name == NOTE_FIELD and is_reserved(name, value)


def aliases(metadata: Metadata) -> tuple[str, ...]:
    """The aliases of a note, as its file lists them."""
    entry = metadata.get(NOTE_FIELD)
    given: object = (
        cast("Mapping[str, object]", entry).get("aliases") if isinstance(entry, Mapping) else None
    )
    return (
        tuple(one for one in cast("list[object]", given) if isinstance(one, str))
        if isinstance(given, list)
        else ()
    )


def user_metadata(metadata: Metadata) -> dict[str, object]:
    """The metadata of callers, from any dialect."""
    return {name: value for name, value in metadata.items() if not is_reserved(name, value)}
