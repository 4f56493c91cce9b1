"""What is known of a statement when it is compared, and the label that it may begin with."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

LABEL = re.compile(
    r"^[#>*\-\s]*+(?P<label>[^:：=\n]{1,80}?)(?<!\s)\s*+"
    r"(?::[*_]{0,2}(?=\s|$)|：|=(?!=))\s*+(?P<value>.*)",
    re.DOTALL,
)
_LABEL_WORDS_MAX, _LABEL_CHARS_MAX = 8, 80
# These head many statements that have nothing to do with each other.
_GENERIC = frozenset(
    "action bug caution changelog decision done error example fact fix fixme hint idea important "
    "info issue lesson list log memory next note notes nb plan problem ps question reason reminder "
    "remember result rule rules see step steps summary task tasks tip tips title tldr todo update "
    "usage user warning why assistant system ok actually correction".split()
)


@dataclass(frozen=True, slots=True)
class Claim:
    """What a clause says of its subject: which slot, and which value, with the cases that it is
    limited to.

    `who` is "self", "group", "pronoun", "" (nobody is named), "name" or "thing". `head` is what
    kind of thing the subject is: of "Tom's brother", the brother.
    """

    who: str
    subject: frozenset[str]
    head: str
    slot: str
    is_single: bool
    is_change: bool
    is_event: bool
    value: frozenset[str]
    numbers: frozenset[str]
    # Terms by which texts about the slot are found.
    found_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Over:
    """What a statement says is over: its terms, the words that say so, and whether they speak of
    its own subject."""

    terms: frozenset[str]
    phrase: str
    is_own: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """A statement as it is compared."""

    normal: str
    # Without what can be left out, in order and as a set.
    sequence: tuple[str, ...]
    content: frozenset[str]
    claim: Claim | None
    # What kind of values it gives: "time" and the times; and the cases it is limited to.
    values: Mapping[str, frozenset[str]]
    periods: frozenset[str]
    purposes: frozenset[str]
    over: tuple[Over, ...]
    label: str
    label_is_single: bool
    denies: bool
    ends: bool
    announces: bool
    corrects: bool
    adds: str
    passing: str
    past: str
    several: bool
    is_long: bool


def folded(text: str) -> str:
    """A text without case, white space that says nothing, and a full stop at its end."""
    return " ".join(text.casefold().split()).rstrip(".! ")


def label(text: str) -> str:
    """What a statement of the form `Label: value` is about, folded; empty when it has no such
    form."""
    found = LABEL.match(next((line for line in text.splitlines() if line.strip()), ""))
    if not found:
        return ""
    named = found["label"].strip(" *_`\"'")
    plain = " ".join(re.sub(r"[^\w\s./-]+", " ", named.casefold()).split())
    is_short = len(named) <= _LABEL_CHARS_MAX and len(plain.split()) <= _LABEL_WORDS_MAX
    return plain if is_short and plain not in _GENERIC and re.search(r"[^\W\d]", plain) else ""


def fits(old: Claim, new: Claim) -> float:
    """How well two claims speak of the same subject."""
    mine, theirs = (one.who if one.who not in ("name", "thing") else "named" for one in (new, old))
    if mine == theirs == "named":
        return _names_fit(old, new)
    if mine == theirs or {mine, theirs} <= {"self", "group", ""}:
        return 1.0
    if "pronoun" in (mine, theirs):
        return 0.85 if "self" not in (mine, theirs) else 0.0
    return 0.85 if mine == "" else 0.0


def _names_fit(old: Claim, new: Claim) -> float:
    if old.subject == new.subject:
        return 1.0
    is_shorter = new.subject < old.subject and new.head == old.head
    return 0.8 if is_shorter and not _digits(old.subject - new.subject) else 0.0


def _digits(some: frozenset[str]) -> bool:
    return any(any(map(str.isdecimal, one)) for one in some)


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Which share of the terms of both two sets have in common."""
    return len(one & other) / max(1, len(one | other))
