"""The word lists that a language needs so that statements in it can be compared.

Lists have normal spelling. They are compared with folded text (`fold_letters`), without case and
accents.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

HAN = "\u3400-\u9fff"


@dataclass(frozen=True, slots=True)
class Slot:
    """Something a subject can have a value of, such as where it lives, and the phrases for it.

    `is_single` means that it has one value at a time. `change` holds the phrases that announce a
    new value by themselves, as in "moved to".
    """

    name: str
    is_single: bool
    state: re.Pattern[str]
    change: re.Pattern[str]
    # Words that find texts about it.
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
    # The first person singular and plural, and pronouns of the third person.
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
    # Forms of "is" before a role, verbs before a participle, and endings of words that vary.
    roles: re.Pattern[str]
    auxiliaries: re.Pattern[str]
    endings: re.Pattern[str]
    events: re.Pattern[str]
    # Verbs with many objects of one subject: a different number belongs to another object.
    many: re.Pattern[str]
    slots: Sequence[Slot]
    # Words without content; words that announce a change, a correction or an addition.
    fillers: re.Pattern[str]
    changes: re.Pattern[str]
    corrections: re.Pattern[str]
    additions: re.Pattern[str]
    # Plans, conditions, exceptions, jokes and questions; and `past`, for former states.
    exceptions: re.Pattern[str]
    conditions: re.Pattern[str]
    # Words that often accompany a change, but announce none by themselves.
    hints: re.Pattern[str]
    past: re.Pattern[str]
    denials: re.Pattern[str]
    # Verbs that deny without a denial.
    aversions: re.Pattern[str]
    # Denials of a state that held until now. What stands after `over_after` or before
    # `over_before` is over.
    ended: re.Pattern[str]
    over_after: re.Pattern[str]
    over_before: re.Pattern[str]
    # The end of the words that are over, as in "from A to B", and the phrases of `over_after` that
    # need no subject.
    until: re.Pattern[str]
    replaced_by: re.Pattern[str]
    # "For" and "when", and parts of a day, a week or a year.
    purposes: re.Pattern[str]
    periods: re.Pattern[str]
    # Patterns of values by kind: of two values of one kind, only one holds.
    values: Mapping[str, re.Pattern[str]]
    numbers: Mapping[str, str]


def fold_letters(text: str) -> str:
    """A text without case, accents and differences of width."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").casefold()
    if plain.isascii():
        return plain
    apart = unicodedata.normalize("NFD", plain)
    return unicodedata.normalize("NFC", "".join(c for c in apart if not "\u0300" <= c <= "\u036f"))


def words(listed: str) -> frozenset[str]:
    """A list of words."""
    return frozenset(fold_letters(listed).split())


def phrases(pattern: str) -> re.Pattern[str]:
    """A pattern of whole words from alternatives on several lines; "_" is a space."""
    joined = "".join(fold_letters(pattern).split()).replace("_", " ")
    return re.compile(rf"(?<![^\W{HAN}])(?:{joined})(?![^\W{HAN}])" if joined else r"(?!)")


def characters(pattern: str) -> re.Pattern[str]:
    """Like `phrases`, for a language without spaces between words."""
    joined = "".join(pattern.split()).replace("_", " ")
    return re.compile(joined or r"(?!)")
