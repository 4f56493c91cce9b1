"""Finds copies of a memory, so that an answer is returned once, however often it was stored.

Two memories are copies when only the time and the dialect of their writing differ. The same words
under another title or key, of another time, or with other tags or notes of the caller are a memory
of their own; so is an observation, which follows from facts.
"""

import re
from collections.abc import Hashable, Iterable

from commonplace.language.analyzer import is_digest
from commonplace.records.memory import Memory
from commonplace.reserved_metadata import user_metadata

_END = re.compile(r"(?<![\s.!。！])[\s.!。！]++$")


def group_copies(memories: Iterable[Memory]) -> list[list[int]]:
    """The ids of memories that are copies of each other, by group; a single memory is in none."""
    groups: dict[Hashable, list[int]] = {}
    for memory in memories:
        groups.setdefault(_identity(memory), []).append(memory.id)
    return [group for group in groups.values() if len(group) > 1]


def normalize(text: str) -> str:
    """A text without what makes no difference: capitals, spaces, and the mark at its end."""
    return " ".join(_END.sub("", text).casefold().split())


def _identity(memory: Memory) -> Hashable:
    key = "" if is_digest(memory.key) else memory.key
    filed = memory.scope, memory.title, key, frozenset(memory.tags), memory.kind == "observation"
    noted = repr(sorted(user_metadata(memory.metadata).items(), key=repr))
    return normalize(memory.text), filed, memory.happened_at, memory.happened_until, noted
