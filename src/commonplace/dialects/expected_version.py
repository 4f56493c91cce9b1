"""The parameter and field for the version that a caller has read, the same in every dialect that
replaces texts."""

from typing import Annotated

from commonplace.dialects.parameters import About
from commonplace.records.memory import Memory

ExpectedVersion = Annotated[
    int | None,
    About(
        "The `version` you read, 1 where none is shown; refused if it is no longer the newest.", 1
    ),
]


def version_field(memory: Memory) -> dict[str, int]:
    """The number of a memory's version for a response; omitted for 1."""
    return {"version": memory.version} if memory.version > 1 else {}
