"""What a fact knows of itself besides its text: when it was said, whom it names, which documents say it.

Kept in a memory's metadata under one name, so that every dialect's metadata stays its own.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, cast

from commonplace.errors import Invalid
from commonplace.records import Memory, Metadata

RESERVED = "fact"


@dataclass(frozen=True, slots=True)
class Mark:
    """The particulars of a fact, or of an observation, which has sources and a subject."""

    context: str = ""
    mentioned_at: int = 0
    entities: tuple[str, ...] = ()
    # The documents that say it, the one it belongs to first.
    documents: tuple[int, ...] = ()
    chunk: int = 0
    sources: tuple[int, ...] = ()
    subject: str = ""


def mark_of(memory: Memory) -> Mark:
    """The particulars of a memory; one that came from elsewhere has hardly any."""
    found = memory.metadata.get(RESERVED)
    if not isinstance(found, Mapping):
        documents = () if memory.document_id is None else (memory.document_id,)
        return Mark(memory.category, memory.created_at, documents=documents)
    given = cast(Mapping[str, Any], found)
    values: dict[str, Any] = {one.name: given[one.name] for one in fields(Mark) if one.name in given}
    for name, value in values.items():
        values[name] = tuple(cast(list[Any], value)) if isinstance(value, list) else value
    return Mark(**values)


def proof_count(memory: Memory) -> int:
    """How often a memory was said: the documents that say it, or what an observation was made of."""
    mark = mark_of(memory)
    return len(mark.sources) or max(1, len(mark.documents))


def own(memory: Memory) -> dict[str, object]:
    """The metadata that a caller gave."""
    return {name: value for name, value in memory.metadata.items() if name != RESERVED}


def marked(metadata: Metadata, mark: Mark) -> dict[str, object]:
    """Metadata with a mark in it; what is as usual is left out."""
    if RESERVED in metadata:
        raise Invalid(f"Metadata has no place for {RESERVED!r}.", hint="Use another name for it.")
    usual = asdict(Mark())
    kept = {name: value for name, value in asdict(mark).items() if value != usual[name]}
    return {**metadata, RESERVED: {n: list(cast(Any, v)) if isinstance(v, tuple) else v for n, v in kept.items()}}


def remarked(memory: Memory, **changes: Any) -> dict[str, object]:
    """A memory's metadata with some of its particulars changed."""
    return marked(own(memory), replace(mark_of(memory), **changes))
