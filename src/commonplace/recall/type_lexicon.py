"""A lexicon of types and their members, so that a question for a pet finds a dog.

`type_lexicon.txt` has a line for each type: its names, a colon, and its members. It was written
from general knowledge, by people who had not seen the evaluation sets.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from commonplace.language import analyzer
from commonplace.recall.scoring import ONE_QUESTION_CHARS

_MENTIONS_MAX = 2  # More mentions than this count no more.
_SHORT_TERMS = 60  # Longer texts mention members by chance.
_NAME_WORDS_MAX = 3
# Questions without the name of a type, and the types they imply.
_IMPLIED_TYPES: Sequence[tuple[re.Pattern[str], Sequence[str]]] = (
    (re.compile(r"\bwhere\b", re.IGNORECASE), ("city", "country", "state", "region", "island")),
    (re.compile(r"\b(?:for a living|work as)\b", re.IGNORECASE), ("job",)),
    (re.compile(r"\ballergic to\b", re.IGNORECASE), ("allergy",)),
)
_ASKED = re.compile(
    r"\b(?:what(?:'s| is| are| was| were)?|which|how many|any|names? of(?: the| my|"
    r" our)?|(?:kind|type|sort|brand)s? of"
    r"|favou?rite)\s+(?=((?:[\w'-]+\s*){1,6}))",
    re.IGNORECASE,
)
# The name of a type ends before these.
_ENDS = frozenset(
    "did do does has have had is are was were can could would will should might must may am be been"
    " being in on at to for from with by that who whom i i've they he she we you it of when while"
    " during after before and or but as if because where".split()
)


@dataclass(frozen=True, slots=True)
class TypeMembers:
    """The members of the types that a question asks for, as terms; those of several words by their
    first term. Members in the question itself do not count. Where the question names the type, a
    text without any member hardly answers; where it only implies it, one may.
    """

    single: frozenset[str]
    longer: Mapping[str, Sequence[str]]
    question_terms: frozenset[str]
    is_type_named: bool

    def mention_share(self, terms: str, length: int) -> float:
        """How many members a text, given as its indexed terms, mentions, from 0 to 1."""
        every = frozenset(terms.split())
        count = len((self.single & every) - self.question_terms)
        if count < _MENTIONS_MAX:
            padded = f" {terms} "
            near = (member for first in self.longer.keys() & every for member in self.longer[first])
            count += sum(
                f" {member} " in padded and not self.question_terms.issuperset(member.split())
                for member in near
            )
        return min(_MENTIONS_MAX, count) / _MENTIONS_MAX * min(1.0, _SHORT_TERMS / max(1, length))


def asked_members(question: str) -> TypeMembers | None:
    """The members of the types that a question asks for; None if it asks for no known type."""
    if len(question) > ONE_QUESTION_CHARS:
        return None
    plain = question.replace("’", "'")
    named = [name for match in _ASKED.finditer(plain) if (name := _first_type(match[1]))]
    meant = [
        analyzer.index_text(name)
        for said, names in _IMPLIED_TYPES
        if said.search(plain)
        for name in names
    ]
    lines = frozenset(line for name in (*named, *meant) for line in _names()[name])
    return (
        TypeMembers(*_members_of_types(lines), frozenset(analyzer.terms(question)), bool(named))
        if lines
        else None
    )


def _first_type(phrase: str) -> str | None:
    """The first name of a type after a question word, as terms; the longest that ends at the same
    word.
    """
    words: list[str] = []
    for word in phrase.casefold().split():
        if word in _ENDS:
            break
        words.append(word)
    for end in range(1, len(words) + 1):
        for start in range(max(0, end - _NAME_WORDS_MAX), end):
            name = analyzer.index_text(" ".join(words[start:end]))
            if name in _names():
                return name
    return None


@lru_cache(maxsize=1)
def _lines() -> list[tuple[str, str]]:
    written = Path(__file__).with_name("type_lexicon.txt").read_text(encoding="utf-8")
    return [
        (names, members)
        for names, _, members in (line.partition(": ") for line in written.splitlines())
    ]


@lru_cache(maxsize=1)
def _names() -> dict[str, list[int]]:
    """The lines of each name of a type, as terms."""
    found: dict[str, list[int]] = {}
    for number, (names, _) in enumerate(_lines()):
        for name in names.split(", "):
            found.setdefault(analyzer.index_text(name), []).append(number)
    return found


@lru_cache(maxsize=64)
def _members_of_types(lines: frozenset[int]) -> tuple[frozenset[str], Mapping[str, Sequence[str]]]:
    """The members of some types: those of one word, and those of several by their first word."""
    every = {member for line in lines for member in _members(line)}
    longer: dict[str, list[str]] = {}
    for member in every:
        if " " in member:
            longer.setdefault(member.split()[0], []).append(member)
    return frozenset(member for member in every if " " not in member), longer


def _members(number: int) -> frozenset[str]:
    """The members of a type, with those of the narrower types among them: a whippet is a pet."""
    own = _own_members(number)
    return own.union(*(_own_members(line) for thing in own for line in _names().get(thing, ())))


@lru_cache(maxsize=256)
def _own_members(number: int) -> frozenset[str]:
    return frozenset(analyzer.index_text(thing) for thing in _lines()[number][1].split(", "))
