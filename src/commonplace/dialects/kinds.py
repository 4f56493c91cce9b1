"""Kinds in the tongues that have a closed list of them: what each shows, and which memories a
caller means by it.

A memory keeps the kind it was born with, so nothing is lost when another tongue has no word for it;
naming the word that a tongue shows for it means that kind.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from commonplace.records.memory import UNSET, Unset
from commonplace.records.query import Filter


@dataclass(frozen=True, slots=True)
class Kinds:
    """A tongue's own kinds, which of them stands for kinds of other tongues, and which for all that
    nobody listed.
    """

    names: tuple[str, ...]
    equivalents: Mapping[str, str]
    fallback: str = "note"

    def display_kind(self, kind: str) -> str:
        """What a kind is called here."""
        return kind if kind in self.names else self.equivalents.get(kind, self.fallback)

    def matches(self, kind: str, wanted: Sequence[str]) -> bool:
        """Whether a kind is among those that a caller names, in this tongue's word or its own."""
        return self.display_kind(kind) in wanted or kind in wanted

    def narrow_filter(self, wanted: Sequence[str] | None, chosen: Filter) -> Filter:
        """A filter narrowed to the memories that show as some of these; none named means all."""
        if not wanted:
            return chosen
        known = (*self.names, *self.equivalents)
        if self.fallback in wanted:
            return replace(
                chosen, kinds_not=tuple(kind for kind in known if not self.matches(kind, wanted))
            )
        return replace(
            chosen,
            kinds=tuple(dict.fromkeys((*wanted, *(k for k in known if self.matches(k, wanted))))),
        )

    def edited_kind(self, before: str, wanted: str | None) -> str | Unset:
        """The kind that an edit asks for; the one that is shown for it anyway changes nothing."""
        return UNSET if wanted is None or wanted == self.display_kind(before) else wanted


MEMORIES = Kinds(
    names=("rule", "decision", "fact", "note", "skill"),
    equivalents={
        "world": "fact",
        "experience": "fact",
        "observation": "fact",
        "preference": "fact",
        "learning": "fact",
        "config": "fact",
        "requirement": "decision",
    },
)
MEMSTATE = Kinds(
    names=(
        "decision",
        "preference",
        "fact",
        "task",
        "context",
        "requirement",
        "note",
        "code",
        "learning",
        "config",
    ),
    equivalents={
        "world": "fact",
        "experience": "fact",
        "observation": "fact",
        "rule": "requirement",
        "skill": "learning",
    },
)
