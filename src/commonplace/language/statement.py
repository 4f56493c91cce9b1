"""A parsed statement, as it is compared with others, and the label that it may begin with."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

LABEL = re.compile(
    r"^[#>*\-\s]*+(?P<label>[^:：=\n]{1,80}?)(?<!\s)\s*+"
    r"(?::[*_]{0,2}(?=\s|$)|：|=(?!=))\s*+(?P<value>.*)",
    re.DOTALL,
)
_LABEL_WORDS_MAX, _LABEL_CHARS_MAX = 8, 80
# These head many unrelated statements.
_GENERIC_LABELS = frozenset(
    "action bug caution changelog decision done error example fact fix fixme hint idea important "
    "info issue lesson list log memory next note notes nb plan problem ps question reason reminder "
    "remember result rule rules see step steps summary task tasks tip tips title tldr todo update "
    "usage user warning why assistant system ok actually correction".split()
)


@dataclass(frozen=True, slots=True)
class Claim:
    """The subject of a clause, its slot, and the value of that slot.

    `subject_kind` is "self", "group", "pronoun", "name", "thing", or "" where the clause has no
    subject. `head` is the noun that the subject is: of "Tom's brother", the brother.
    """

    subject_kind: str
    subject: frozenset[str]
    head: str
    slot: str
    is_single: bool
    is_change: bool
    is_event: bool
    value: frozenset[str]
    numbers: frozenset[str]
    # Terms that find texts about the slot.
    found_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Retraction:
    """What a statement declares to be over: its terms, the phrase that declares it, and whether it
    is about the subject of the statement."""

    terms: frozenset[str]
    phrase: str
    is_about_subject: bool


@dataclass(frozen=True, slots=True)
class ParsedStatement:
    """A statement as it is compared.

    `addition`, `exception` and `past` are the words that make it one; empty where it has none.
    """

    normal: str
    # The terms that carry content, in order and as a set.
    sequence: tuple[str, ...]
    content: frozenset[str]
    claim: Claim | None
    # Its values by kind, such as "time", and the periods and purposes it is limited to.
    values: Mapping[str, frozenset[str]]
    periods: frozenset[str]
    purposes: frozenset[str]
    retractions: tuple[Retraction, ...]
    label: str
    label_is_single: bool
    denies: bool
    ends: bool
    announces: bool
    corrects: bool
    addition: str
    exception: str
    past: str
    has_several: bool
    is_long: bool


def fold_text(text: str) -> str:
    """A text without case, extra white space, and the full stop at its end."""
    return " ".join(text.casefold().split()).rstrip(".! ")


def statement_label(text: str) -> str:
    """The label of a statement of the form `Label: value`, folded; empty for any other form."""
    found = LABEL.match(next((line for line in text.splitlines() if line.strip()), ""))
    if not found:
        return ""
    named = found["label"].strip(" *_`\"'")
    plain = " ".join(re.sub(r"[^\w\s./-]+", " ", named.casefold()).split())
    is_short = len(named) <= _LABEL_CHARS_MAX and len(plain.split()) <= _LABEL_WORDS_MAX
    return (
        plain if is_short and plain not in _GENERIC_LABELS and re.search(r"[^\W\d]", plain) else ""
    )


def subject_match(old: Claim, new: Claim) -> float:
    """How well the subjects of two claims match, from 0 to 1."""
    mine, theirs = (
        one.subject_kind if one.subject_kind not in ("name", "thing") else "named"
        for one in (new, old)
    )
    if mine == theirs == "named":
        return _name_match(old, new)
    if mine == theirs or {mine, theirs} <= {"self", "group", ""}:
        return 1.0
    if "pronoun" in (mine, theirs):
        return 0.85 if "self" not in (mine, theirs) else 0.0
    return 0.85 if mine == "" else 0.0


def _name_match(old: Claim, new: Claim) -> float:
    if old.subject == new.subject:
        return 1.0
    is_shorter = new.subject < old.subject and new.head == old.head
    return 0.8 if is_shorter and not _has_digits(old.subject - new.subject) else 0.0


def _has_digits(terms: frozenset[str]) -> bool:
    return any(any(map(str.isdecimal, one)) for one in terms)


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of the terms of two sets that both have."""
    return len(one & other) / max(1, len(one | other))
