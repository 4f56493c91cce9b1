"""Separates the metadata of callers from the entries that Commonplace itself stores there, and
reads when a memory was said.
"""

from collections.abc import Mapping
from typing import cast

from commonplace import clock
from commonplace.errors import Invalid
from commonplace.records.memory import Memory, Metadata

FACT_FIELD = "fact"
NOTE_FIELD = "vault"
# The reserved entries, for the details of a fact and for the file of a note, each with the field
# that identifies it: a caller may use the same name for something else.
RESERVED: Mapping[str, str] = {FACT_FIELD: "mentioned_at", NOTE_FIELD: "file"}
# The fields in which callers give the time at which a memory was said, best first.
SAID_AT_FIELDS = ("said_at", "mentioned_at", "timestamp")
_SECONDS_MAX = 100_000_000_000  # A larger number is in milliseconds.


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


def said_at(memory: Memory) -> int:
    """When a memory was said: the time of a fact, the time that the caller gave, or the time of
    writing. A caller's time after the writing is ignored.
    """
    entry = memory.metadata.get(FACT_FIELD)
    if is_reserved(FACT_FIELD, entry):
        moment = cast("Mapping[str, object]", entry)["mentioned_at"]
        return moment if isinstance(moment, int) else memory.updated_at
    # A change of tags is no new statement, so a memory of one version keeps its first time.
    written = memory.created_at if memory.version == 1 else memory.updated_at
    return given_said_at(memory.metadata, memory.updated_at) or written


def given_said_at(metadata: Metadata, written_at: int) -> int | None:
    """The time at which a statement was said according to its caller; None without one that is
    before the writing.
    """
    given = (_moment(metadata.get(name)) for name in SAID_AT_FIELDS)
    return next((one for one in given if one is not None and one <= written_at), None)


def _moment(value: object) -> int | None:
    if isinstance(value, str):
        try:
            return clock.parse_moment(value)
        except Invalid:
            return None
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value * 1_000 if abs(value) < _SECONDS_MAX else value
