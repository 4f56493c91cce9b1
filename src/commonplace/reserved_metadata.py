"""Tells what callers noted in the metadata of a memory from what is noted there for ourselves."""

from collections.abc import Mapping
from typing import cast

from commonplace.records.memory import Metadata

FACT = "fact"
NOTE = "vault"
# What is noted for us and not for callers, and the field by which it is known: the facts'
# particulars, and the file of a note. A caller may use the same name for something else.
OURS: Mapping[str, str] = {FACT: "mentioned_at", NOTE: "file"}


def is_ours(name: str, value: object) -> bool:
    """Whether an entry is noted for us."""
    return name in OURS and isinstance(value, Mapping) and OURS[name] in value


def is_note(name: str, value: object) -> bool:
    """Whether an entry is what is noted of the file of a note."""
    return name == NOTE and is_ours(name, value)


def aliases(metadata: Metadata) -> tuple[str, ...]:
    """The other names of a note, which its file gives."""
    mark = metadata.get(NOTE)
    given: object = (
        cast("Mapping[str, object]", mark).get("aliases") if isinstance(mark, Mapping) else None
    )
    return (
        tuple(one for one in cast("list[object]", given) if isinstance(one, str))
        if isinstance(given, list)
        else ()
    )


def told(metadata: Metadata) -> dict[str, object]:
    """The metadata that callers gave, whichever tongue they gave it in."""
    return {name: value for name, value in metadata.items() if not is_ours(name, value)}
