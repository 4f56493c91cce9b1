"""Puts the name in the place of a pronoun that can mean nobody else: "Ann moved. She is happy." becomes two statements.

Careful on purpose: only he and she, only at the beginning of a sentence that leans on nothing else, and only where the
sentence before is about one person by name and names no second one. Everything else stays joined to what it leans on.
"""

import re
from collections.abc import Sequence

from commonplace.extract import entities

_PRONOUN = re.compile(r"(?P<word>he|she|his|her)(?P<short>['’](?:s|ll))?\s+(?=\S)", re.IGNORECASE)
_OWNING = ("his", "her")
_SHORT = {"s": "is", "ll": "will"}
_LEANS = re.compile(r"\b(?:it|its|this|that|these|those|they|them|their|there|then|one)\b", re.IGNORECASE)
# After these stands a place, a company or a time rather than somebody.
_PLACED = re.compile(
    r"\b(?:in|at|to|from|near|into|on|since|of|as|uses?|using|learns?|studies|speaks?|plays?)\s+(?:the\s+|a\s+)?$"
)
_NAME = re.compile(r"[^\W\d_a-z]\S*(?:\s[^\W\d_a-z]\S*){0,2}")


def resolved(sentences: Sequence[str]) -> list[str]:
    """Sentences that lean on each other, those that can stand by themselves on their own and the others joined."""
    out: list[str] = []
    person = ""
    for sentence in sentences:
        match = _PRONOUN.match(sentence)
        if out and person and match and not _LEANS.search(sentence):
            out.append(_named(sentence, match, person))
        elif out:
            out[-1] = f"{out[-1]} {sentence}"
            person = ""
            continue
        else:
            out.append(sentence)
            person = _person(sentence)
        if len(_people(out[-1])) > 1:  # Whoever comes next may mean the other one.
            person = ""
    return out


def _named(sentence: str, match: re.Match[str], person: str) -> str:
    rest = sentence[match.end() :]
    if match["word"].lower() in _OWNING:
        return f"{person}'s {rest}"
    short = _SHORT.get((match["short"] or "").strip("'’").lower(), "")
    return " ".join(part for part in (person, short, rest) if part)


def _person(sentence: str) -> str:
    """The name with which a sentence begins, if it is about somebody and about nobody else."""
    match = _NAME.match(sentence)
    people = _people(sentence)
    return people[0] if match and len(people) == 1 and match[0].startswith(people[0]) else ""


def _people(sentence: str) -> list[str]:
    """The names in a sentence that may be somebody's: no digits, and not in the place of a place."""
    found = [name for name in entities.find(sentence) if re.fullmatch(r"[^\W\d_]+(?:[ '’-][^\W\d_]+)*", name)]
    return [name for name in found if not _PLACED.search(sentence[: sentence.find(name)])]
