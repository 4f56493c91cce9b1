"""How a newer statement stands to an older one, told from their words alone: the same, the opposite, or its successor.

Pure, and careful rather than clever: what is not plain from the words is no relation. Each answer has a reason that a
person can check against the two texts.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from commonplace import text as words
from commonplace.records import LinkKind

SIMILAR_MIN = 0.6
_SAME_BUT_FOR_DENIAL_MIN = 0.6
_SAME_BUT_FOR_NUMBERS_MIN = 0.99
_TEXT_CHARS_MAX = 2_000  # Two long documents have a word in common with everything.
_SUBJECT_WORDS_MAX = 8
_SUBJECT_CHARS_MAX = 80
_VALUE_TERMS_MAX = 6

_LABEL = re.compile(
    r"^[#>*\-\s]*+(?P<label>[^:：\n]{1,80}?)(?<!\s)\s*+(?::[*_]{0,2}(?=\s|$)|：)\s*+(?P<value>.*)", re.DOTALL
)
# These head many statements that have nothing to do with each other.
_GENERIC = frozenset(
    "action bug caution changelog decision done error example fact fix fixme hint idea important info issue lesson "
    "list log memory next note notes nb plan problem ps question reason reminder remember result rule rules see step "
    "steps summary task tasks tip tips title tldr todo update usage user warning why".split()
)
_COPULA = re.compile(
    r"\s(?:is|are|was|were|=|equals|runs on|lives at|listens on|uses|defaults to|will be)\s", re.IGNORECASE
)
_DENIAL = re.compile(
    r"\b(?:not|never|no longer|no|cannot|without|(?:is|are|was|were|do|does|did|wo|ca|should|must|could|would|has|have)"
    r"n['’]t|avoid(?:s|ed|ing)?|stop(?:s|ped)? using|disabled?|forbidden|dislikes?|hates?)\b",
    re.IGNORECASE,
)
_DENYING_TERMS = frozenset(
    words.terms("not never no longer cannot without avoid stop disable forbidden dislike hate don do")
)
_STANCE = re.compile(
    r"\b(?P<against>(?:do not|don['’]t|does not|doesn['’]t|never|no longer|stopped|must not|should not) \w+(?:ing)?"
    r"|avoids?|dislikes?|hates?|refuses?|forbids?)\s+(?P<hated>[^.;\n]+)"
    r"|\b(?P<for>prefers?|likes?|loves?|enjoys?|always uses?|wants?|favou?rs?|uses?)\s+(?P<liked>[^.;\n]+)",
    re.IGNORECASE,
)
_SUCCESSION = re.compile(
    r"\binstead of (?P<a>[^.,;\n]+)|\brather than (?P<b>[^.,;\n]+)|\bno longer (?P<c>[^.,;\n]+)"
    r"|\b(?:replac(?:es|ed|ing)|supersed(?:es|ed|ing)) (?P<d>[^.,;\n]+?)(?= (?:with|by)\b|[.,;\n]|$)"
    r"|\b(?:switch|mov|migrat|chang|upgrad)(?:ed|ing|e)? (?:away )?from (?P<e>[^.,;\n]+?)(?= to\b|[.,;\n]|$)"
    r"|\bnot (?P<f>[^.,;\n]{1,80}?) any ?more\b",
    re.IGNORECASE,
)
_RETIRED_WORD = re.compile(r"\b(?:deprecated|obsolete|replaced|gone|retired)\b", re.IGNORECASE)
_RETIRED = re.compile(
    r"\b([^.,;\n]{1,80}?) (?:is|are|was|were) (?:now )?(?:deprecated|obsolete|replaced|gone|retired)\b", re.IGNORECASE
)
_VERBS = frozenset(words.terms("use using used prefer like run deploy have has support need want do the a"))
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d.,:]*\w*|\bv\d[\w.]*", re.IGNORECASE)
# A date makes two statements about two days, not one statement that changed.
_DATED = re.compile(
    r"\d{4}-\d{2}|\d{1,2}/\d{1,2}/\d{2,4}|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|\b(?:19|20)\d\d\b"
    r"|\b(?:sprint|week|day|step|chapter|phase|part|no\.?|issue|ticket|pr|number|version of) ?#?\d",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Relation:
    """What a newer statement is to an older one, how sure that is from 0 to 1, and why."""

    kind: LinkKind
    confidence: float
    reason: str


@dataclass(frozen=True, slots=True)
class _Reading:
    text: str
    terms: frozenset[str]
    subject: str
    # The subject as it is written, for people.
    heading: str
    value: str
    denies: bool
    against: frozenset[str]
    liked: frozenset[str]
    # What it says has passed: the terms of it, and the words that say so.
    gone: tuple[tuple[frozenset[str], str], ...]


def relate(newer: str, older: str) -> Relation | None:
    """What a newer statement is to an older one; None when the words do not tell."""
    new, old = _read(newer[:_TEXT_CHARS_MAX]), _read(older[:_TEXT_CHARS_MAX])
    if not new.terms or not old.terms:
        return None
    for rule in (_succeeds, _other_value, _denied, _opposed, _renumbered, _alike):
        if found := rule(new, old):
            return found
    return None


def announces(text: str) -> bool:
    """Whether a text says itself that it takes the place of something."""
    head = text[:_TEXT_CHARS_MAX]
    return (_SUCCESSION.search(head) or _RETIRED_WORD.search(head)) is not None


def subject(text: str) -> str:
    """What a statement of the form `Subject: value` is about, evened out; empty when it has no such form."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    found = _LABEL.match(first)
    if not found:
        return ""
    label = found["label"].strip(" *_`\"'")
    plain = " ".join(re.sub(r"[^\w\s./-]+", " ", label.casefold()).split())
    short = len(label) <= _SUBJECT_CHARS_MAX and len(plain.split()) <= _SUBJECT_WORDS_MAX
    return plain if short and plain not in _GENERIC and re.search(r"[^\W\d]", plain) else ""


def folded(text: str) -> str:
    """A text with what does not matter evened out: case, white space and a full stop at the end."""
    return " ".join(text.casefold().split()).rstrip(".! ")


def _succeeds(new: _Reading, old: _Reading) -> Relation | None:
    if old.denies or old.gone:
        return None
    for terms, phrase in new.gone:
        if terms <= old.terms:
            shared = len((new.terms & old.terms) - _VERBS) / max(1, len(old.terms - _VERBS))
            return Relation("supersedes", _sure(0.6 + 0.35 * shared), f'The newer one says so: "{phrase}".')
    return None


def _other_value(new: _Reading, old: _Reading) -> Relation | None:
    if not new.subject or new.subject != old.subject or folded(new.value) == folded(old.value):
        return None
    return Relation("contradicts", 0.8, f'Both say what "{new.heading}" is, and they differ.')


def _denied(new: _Reading, old: _Reading) -> Relation | None:
    if new.denies == old.denies:
        return None
    overlap = _overlap(new.terms - _DENYING_TERMS, old.terms - _DENYING_TERMS)
    if overlap < _SAME_BUT_FOR_DENIAL_MIN:
        return None
    return Relation("contradicts", _sure(0.5 + 0.45 * overlap), "One of them denies what the other says.")


def _opposed(new: _Reading, old: _Reading) -> Relation | None:
    object_ = (new.against & old.liked) | (new.liked & old.against)
    if not object_:
        return None
    return Relation("contradicts", 0.7, f'One is for and the other against "{min(object_)}".')


def _renumbered(new: _Reading, old: _Reading) -> Relation | None:
    if 2 * len(new.terms & old.terms) < max(len(new.terms), len(old.terms)):
        return None
    numbers = [[number.rstrip(".,:") for number in _NUMBER.findall(one.text)] for one in (new, old)]
    if not all(numbers) or numbers[0] == numbers[1] or _DATED.search(new.text) or _DATED.search(old.text):
        return None
    left, right = (words.question_terms(_NUMBER.sub(" ", one.text)) for one in (new, old))
    # In their order: the same words about other things are not the same statement.
    overlap = sum(a == b for a, b in zip(left, right, strict=False)) / max(1, len(left), len(right))
    if overlap < _SAME_BUT_FOR_NUMBERS_MIN or len(left) < 2:
        return None
    return Relation(
        "contradicts", _sure(0.75 * overlap), f"The same words with {numbers[0][0]} and with {numbers[1][0]}."
    )


def _alike(new: _Reading, old: _Reading) -> Relation | None:
    overlap = _overlap(new.terms, old.terms)
    if overlap < SIMILAR_MIN or new.denies != old.denies:
        return None
    return Relation("similar_to", _sure(overlap), f"They share {overlap:.0%} of their words.")


@lru_cache(maxsize=4_096)
def _read(text: str) -> _Reading:
    against: set[str] = set()
    liked: set[str] = set()
    for match in _STANCE.finditer(text):
        target = words.question_terms(match["hated"] or match["liked"])[:1]
        (against if match["against"] else liked).update(target)
    label, heading, value = _parts(text)
    return _Reading(
        text=text,
        terms=frozenset(words.question_terms(text)),
        subject=label,
        heading=heading,
        value=value,
        denies=_DENIAL.search(text) is not None,
        against=frozenset(against),
        liked=frozenset(liked),
        gone=tuple(_gone(text)),
    )


def _gone(text: str) -> Iterator[tuple[frozenset[str], str]]:
    # The second pattern begins with anything, so it is only tried where its last word is.
    for pattern in (_SUCCESSION, *((_RETIRED,) if _RETIRED_WORD.search(text) else ())):
        for match in pattern.finditer(text):
            said = next(group for group in match.groups() if group)
            if terms := frozenset(words.question_terms(said)) - _VERBS:
                yield terms, match[0].strip()[:80]


def _parts(text: str) -> tuple[str, str, str]:
    """What a statement is about, evened out and as written, and what it says of it; all empty when it is not plain."""
    if label := subject(text):
        found = _LABEL.match(text.lstrip())
        return label, label, found["value"] if found else ""
    if "\n" in text.strip() or _DENIAL.search(text) or not (copula := _COPULA.search(text)):
        return "", "", ""
    # One word is too little to be about the same thing: of Alice many things are true at once.
    head, value = words.question_terms(text[: copula.start()]), text[copula.end() :]
    if not 2 <= len(head) <= _SUBJECT_WORDS_MAX or len(words.question_terms(value)) > _VALUE_TERMS_MAX:
        return "", "", ""
    return " ".join(head), text[: copula.start()].strip(), value


def _overlap(left: frozenset[str], right: frozenset[str]) -> float:
    return len(left & right) / max(1, len(left | right))


def _sure(confidence: float) -> float:
    return round(min(0.99, max(0.0, confidence)), 2)
