"""The kinds of dialects with a fixed list of kinds: how each kind is shown, and which memories a
filter by kind matches.

A memory keeps the kind it was created with, so no kind is lost in a dialect without that kind. A
filter also matches the memories that are shown with the requested kind.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from commonplace.records.memory import UNSET, Unset
from commonplace.records.query import Filter


@dataclass(frozen=True, slots=True)
class Kinds:
    """The fixed kinds of a dialect, and the ones that it shows for kinds of other dialects and for
    unknown kinds.
    """

    names: tuple[str, ...]
    equivalents: Mapping[str, str]
    fallback: str = "note"

    def display_kind(self, kind: str) -> str:
        """The kind that the dialect shows for a stored kind."""
        return kind if kind in self.names else self.equivalents.get(kind, self.fallback)

    def matches(self, kind: str, wanted: Sequence[str]) -> bool:
        """Whether a stored kind, or the one shown for it, is among the named ones."""
        return self.display_kind(kind) in wanted or kind in wanted

    def narrow_filter(self, wanted: Sequence[str] | None, chosen: Filter) -> Filter:
        """The filter for memories that show as one of the named kinds; without names, all."""
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
        """The kind after an edit; an edit to the kind that is shown changes nothing."""
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
