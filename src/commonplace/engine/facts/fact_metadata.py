"""What a fact knows of itself besides its text: when it was said, whom it names, which documents
say it.

Kept in a memory's metadata under one name, so that every dialect's metadata stays its own.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, cast

from commonplace.errors import Invalid
from commonplace.language.judgement import Judge, Statement
from commonplace.records.memory import Memory, Metadata
from commonplace.reserved_metadata import FACT, is_ours

# Below this a text is taken for a value, which says little without the key it was set under.
_VALUE_CHARS_MAX = 40


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
    # Of an observation that a model told: under which mission.
    mission: str = ""
    # The keys of the facts that are its causes.
    causes: tuple[str, ...] = ()


_PARTICULARS = frozenset(one.name for one in fields(Mark))


def mark_of(memory: Memory) -> Mark:
    """The particulars of a memory; one that came from elsewhere has hardly any."""
    if found := mark_in(memory.metadata):
        return found
    documents = () if memory.document_id is None else (memory.document_id,)
    return Mark(memory.category, memory.created_at, documents=documents)


def mark_in(metadata: Metadata) -> Mark | None:
    """The particulars that metadata holds, if it holds any."""
    found = metadata.get(FACT)
    if not is_ours(FACT, found):
        return None
    given = cast(Mapping[str, Any], found)
    # A question looks at this hundreds of times.
    values: dict[str, Any] = {
        name: tuple(cast(list[Any], value)) if type(value) is list else value
        for name, value in given.items()
        if name in _PARTICULARS
    }
    return Mark(**values)


def statement(memory: Memory) -> Statement:
    """A memory as it is compared with others: what it says, and when that was said."""
    found = mark_in(memory.metadata)
    said_at = found.mentioned_at if found else memory.updated_at
    return Statement(memory.text, said_at, key="" if found else memory.key)


def has_ended(judge: Judge, older: Memory, newer: Memory) -> bool:
    """Whether what a memory says surely does not hold any more, because of what a newer one
    says.
    """
    found = judge(statement(older), statement(newer))
    return found.ends_older() and not found.is_reversed


def proofs(mark: Mark) -> int:
    """How often a memory was said: the documents that say it, or what an observation was made
    of.
    """
    return len(mark.sources) or max(1, len(mark.documents))


def own(memory: Memory) -> dict[str, object]:
    """The metadata that a caller gave."""
    return {name: value for name, value in memory.metadata.items() if name != FACT}


def kept(before: Metadata, given: Metadata) -> dict[str, object]:
    """The metadata that a caller gives, with what is ours left as it was. Raises Invalid where the
    two would clash.
    """
    ours = {name: value for name, value in before.items() if is_ours(name, value)}
    for name, value in given.items():
        if name in ours or is_ours(name, value):
            raise Invalid(
                f"The metadata field {name!r} is reserved.", hint="Use another name for it."
            )
    return {**given, **ours}


def marked(metadata: Metadata, mark: Mark) -> dict[str, object]:
    """Metadata with a mark in it; what is as usual is left out."""
    if FACT in metadata:
        raise Invalid(f"The metadata field {FACT!r} is reserved.", hint="Use another name for it.")
    usual = asdict(Mark())
    kept = {name: value for name, value in asdict(mark).items() if value != usual[name]}
    return {
        **metadata,
        FACT: {n: list(cast(Any, v)) if isinstance(v, tuple) else v for n, v in kept.items()},
    }


def remarked(memory: Memory, **changes: Any) -> dict[str, object]:
    """A memory's metadata with some of its particulars changed."""
    return marked(own(memory), replace(mark_of(memory), **changes))


def heading(memory: Memory) -> str:
    """What belongs above a memory's words: its title, or the key of a short value. A fact's key is
    only a number.
    """
    is_value = len(memory.text) <= _VALUE_CHARS_MAX and FACT not in memory.metadata
    return memory.title or (memory.key if is_value else "")
