"""The metadata of a fact: when it was stated, which entities it names, which documents state it.

It is stored in a memory's metadata under one reserved field, so that it cannot clash with the
metadata that callers give.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, cast

from commonplace.errors import Invalid
from commonplace.language.judgement import Judge, Statement
from commonplace.records.memory import Memory, Metadata
from commonplace.reserved_metadata import FACT_FIELD, is_reserved, said_at

# A shorter text counts as a value, which means little without its key.
_VALUE_CHARS_MAX = 40


@dataclass(frozen=True, slots=True)
class FactMetadata:
    """The metadata of a fact, or of an observation, which has sources and a subject."""

    context: str = ""
    mentioned_at: int = 0
    entities: tuple[str, ...] = ()
    # The documents that state it. It belongs to the first one.
    documents: tuple[int, ...] = ()
    chunk: int = 0
    sources: tuple[int, ...] = ()
    subject: str = ""
    # Of an observation that a model rewrote: the digests of the mission and of the original text.
    mission: str = ""
    # The keys of the facts that caused it.
    causes: tuple[str, ...] = ()


_FIELD_NAMES = frozenset(one.name for one in fields(FactMetadata))


def fact_metadata_of(memory: Memory) -> FactMetadata:
    """The fact metadata of a memory. A memory of another dialect only has defaults."""
    if found := parse_fact_metadata(memory.metadata):
        return found
    documents = () if memory.document_id is None else (memory.document_id,)
    return FactMetadata(memory.category, memory.created_at, documents=documents)


def parse_fact_metadata(metadata: Metadata) -> FactMetadata | None:
    """The fact metadata in a memory's metadata, or None."""
    stored = metadata.get(FACT_FIELD)
    if not is_reserved(FACT_FIELD, stored):
        return None
    fields_by_name = cast(Mapping[str, Any], stored)
    # A search calls this hundreds of times, so it is kept fast.
    values: dict[str, Any] = {
        name: tuple(cast(list[Any], value)) if type(value) is list else value
        for name, value in fields_by_name.items()
        if name in _FIELD_NAMES
    }
    return FactMetadata(**values)


def to_statement(memory: Memory) -> Statement:
    """A memory as a statement that can be compared with others."""
    is_fact = is_reserved(FACT_FIELD, memory.metadata.get(FACT_FIELD))
    return Statement(memory.text, said_at(memory), key="" if is_fact else memory.key)


def has_ended(judge: Judge, older: Memory, newer: Memory) -> bool:
    """Whether an older memory certainly no longer holds because of a newer one."""
    judgement = judge(to_statement(older), to_statement(newer))
    return judgement.ends_older() and not judgement.is_reversed


def proof_count(fact: FactMetadata) -> int:
    """The number of a memory's proofs: its sources, or the documents that state it."""
    return len(fact.sources) or max(1, len(fact.documents))


def user_metadata(memory: Memory) -> dict[str, object]:
    """The metadata that the caller gave."""
    return caller_fields(memory.metadata)


def caller_fields(metadata: Metadata) -> dict[str, object]:
    """The fields of a memory's metadata that the caller gave."""
    return {name: value for name, value in metadata.items() if name != FACT_FIELD}


def merge_metadata(before: Metadata, from_caller: Metadata) -> dict[str, object]:
    """The new metadata and the reserved fields stored before. Raises Invalid on a clash."""
    reserved = {name: value for name, value in before.items() if is_reserved(name, value)}
    for name, value in from_caller.items():
        if name in reserved or is_reserved(name, value):
            raise Invalid(
                f"The metadata field {name!r} is reserved.", hint="Use another name for it."
            )
    return {**from_caller, **reserved}


def with_fact_metadata(metadata: Metadata, fact: FactMetadata) -> dict[str, object]:
    """Metadata with fact metadata added. Default values are left out."""
    if FACT_FIELD in metadata:
        raise Invalid(
            f"The metadata field {FACT_FIELD!r} is reserved.", hint="Use another name for it."
        )
    defaults = asdict(FactMetadata())
    changed = {name: value for name, value in asdict(fact).items() if value != defaults[name]}
    return {
        **metadata,
        FACT_FIELD: {
            n: list(cast(Any, v)) if isinstance(v, tuple) else v for n, v in changed.items()
        },
    }


def update_fact_metadata(memory: Memory, **changes: Any) -> dict[str, object]:
    """A memory's metadata with some fields of its fact metadata changed."""
    return with_fact_metadata(user_metadata(memory), replace(fact_metadata_of(memory), **changes))


def heading(memory: Memory) -> str:
    """The heading of a memory: its title, or the key of a short value. A fact's key is a hash."""
    is_value = len(memory.text) <= _VALUE_CHARS_MAX and FACT_FIELD not in memory.metadata
    return memory.title or (memory.key if is_value else "")
