"""Finds memories that say the same, so that an answer is given once, however often it was told.

Two memories are copies when nothing tells them apart but when and through which tongue they were
written. The same words under another title or key, of another time, or with other tags or notes of
the caller are a memory of their own; and so is an observation, which says what follows from facts.
"""

import re
from collections.abc import Hashable, Iterable

from commonplace.language.analyzer import is_digest
from commonplace.records.memory import Memory
from commonplace.reserved_metadata import user_metadata

_END = re.compile(r"(?<![\s.!。！])[\s.!。！]++$")


def group_copies(memories: Iterable[Memory]) -> list[list[int]]:
    """The ids of memories that say the same, group by group; what is there once is left out."""
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
