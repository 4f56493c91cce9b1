"""What a language needs to list so that statements in it can be compared.

Every list is written as people write it; it is compared with folded text (`folded_letters`),
without case and accents.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

HAN = "\u3400-\u9fff"


@dataclass(frozen=True, slots=True)
class Slot:
    """Something a subject can have a value of, such as where it lives, and the phrases for it.

    `is_single` tells whether it has one value at a time. `change` are the phrases that say by
    themselves that the
    value is new, as in "moved to".
    """

    name: str
    is_single: bool
    state: re.Pattern[str]
    change: re.Pattern[str]
    # Words that texts about it have, by which they are found.
    found_by: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Language:
    """The words of one language."""

    name: str
    # Whether the verb stands before its subject where something else comes first, and the
    # participle at the end.
    verb_first: bool
    # Whether the first noun of several names the thing; whether nouns have a capital letter.
    head_first: bool
    capital_nouns: bool
    has_participles: bool
    # Words that carry no content of their own.
    stops: frozenset[str]
    articles: frozenset[str]
    definite: frozenset[str]
    prepositions: frozenset[str]
    # Who speaks, alone and for several, and words for somebody or something named before.
    self_words: frozenset[str]
    group_words: frozenset[str]
    pronouns: frozenset[str]
    # Things that have one value at a time, and what makes such a thing of any other, as
    # "favourite" does.
    single: frozenset[str]
    preferred: re.Pattern[str]
    # Verbs: forms of "to be", of what goes on, and of what happened once.
    copulas: re.Pattern[str]
    verbs: re.Pattern[str]
    # "Is" that tells what somebody is, verbs that a participle follows, and endings of words that
    # vary.
    roles: re.Pattern[str]
    auxiliaries: re.Pattern[str]
    endings: re.Pattern[str]
    events: re.Pattern[str]
    # Verbs of which one subject has many objects: what differs in a number is another object.
    many: re.Pattern[str]
    slots: Sequence[Slot]
    # What may be left out without changing what is said; a change, a correction, an addition.
    fillers: re.Pattern[str]
    changes: re.Pattern[str]
    corrections: re.Pattern[str]
    additions: re.Pattern[str]
    # Plans, conditions, exceptions, jokes and questions; and what was so before.
    exceptions: re.Pattern[str]
    conditions: re.Pattern[str]
    # Words that often come with a change, and tell of none by themselves.
    hints: re.Pattern[str]
    past: re.Pattern[str]
    denials: re.Pattern[str]
    # Verbs that deny without a denial.
    aversions: re.Pattern[str]
    # A denial that says that something was so until now; what stands after or before the others is
    # over.
    ended: re.Pattern[str]
    over_after: re.Pattern[str]
    over_before: re.Pattern[str]
    # Where what is over ends, as in "from A to B", and which of the phrases name it without its
    # subject.
    until: re.Pattern[str]
    replaced_by: re.Pattern[str]
    # "For" and "when", and parts of a day, a week or a year.
    purposes: re.Pattern[str]
    periods: re.Pattern[str]
    # Values of a kind, by kind: of two of one kind only one holds.
    values: Mapping[str, re.Pattern[str]]
    numbers: Mapping[str, str]


def folded_letters(text: str) -> str:
    """A text without case, accents and differences of width."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").casefold()
    if plain.isascii():
        return plain
    apart = unicodedata.normalize("NFD", plain)
    return unicodedata.normalize("NFC", "".join(c for c in apart if not "\u0300" <= c <= "\u036f"))


def words(listed: str) -> frozenset[str]:
    """A list of words."""
    return frozenset(folded_letters(listed).split())


def phrases(pattern: str) -> re.Pattern[str]:
    """A pattern of whole words, given as alternatives over as many lines as they need; "_" is a
    space."""
    joined = "".join(folded_letters(pattern).split()).replace("_", " ")
    return re.compile(rf"(?<![^\W{HAN}])(?:{joined})(?![^\W{HAN}])" if joined else r"(?!)")


def characters(pattern: str) -> re.Pattern[str]:
    """The same for a language without spaces between words."""
    joined = "".join(pattern.split()).replace("_", " ")
    return re.compile(joined or r"(?!)")
