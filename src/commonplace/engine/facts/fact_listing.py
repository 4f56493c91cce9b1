"""Lists the facts of a bank page by page, and finds the document that they come from."""

from collections.abc import Sequence
from dataclasses import replace

from commonplace.engine import documents
from commonplace.engine.facts import observations
from commonplace.engine.memories import count, list_memories
from commonplace.engine.runtime import Runtime
from commonplace.records.memory import Memory
from commonplace.records.query import AllOf, AnyOf, Filter, Match
from commonplace.records.work import Document
from commonplace.storage.rows import banks
from commonplace.storage.rows import documents as rows


def find_document(runtime: Runtime, bank: str, name: str) -> Document | None:
    """An owner's document with its text. None if the bank or the document does not exist."""
    bank_record = banks.find(runtime.db, bank)
    found = rows.find(runtime.db, bank_record.id, name.strip()) if bank_record else None
    return found if found and not documents.user_of(found) else None


def browse(
    runtime: Runtime,
    bank: str,
    filter_: Filter,
    words: str = "",
    *,
    limit: int = 100,
    offset: int = 0,
) -> tuple[tuple[Memory, ...], int]:
    """A page of the memories that match a filter and contain some words, and the total count.

    The words are searched in the text and the context.
    """
    if words.strip():
        pattern = "%" + "".join(f"\\{one}" if one in "%_\\" else one for one in words) + "%"
        has_words = AnyOf(
            tuple(Match((name,), "ilike", pattern, own=True) for name in ("text", "category"))
        )
        filter_ = replace(
            filter_, where=AllOf((has_words, filter_.where)) if filter_.where else has_words
        )
    found = list_memories(runtime, bank, filter_, limit=limit, offset=offset)
    return found, count(runtime, bank, filter_)


def filter_kinds(kinds: Sequence[str] | None, filter_: Filter = Filter()) -> Filter:
    """Restrict a filter to some kinds of facts. Memories of other dialects count as world facts."""
    if not kinds:
        return filter_
    if "world" not in kinds:
        return replace(filter_, kinds=tuple(kinds))
    return replace(
        filter_,
        kinds_not=tuple(one for one in ("experience", observations.KIND) if one not in kinds),
    )
