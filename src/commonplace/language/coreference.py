"""Puts the name in the place of a pronoun that can mean nobody else: "Ann moved. She is happy."
becomes two statements.

Careful on purpose: only he and she, only at the beginning of a sentence that leans on nothing else,
and only where the sentence before is about one person by name and names no second one. Everything
else stays joined to what it leans on.
"""

import re
from collections.abc import Sequence

from commonplace.language import entities

# What may stand before a pronoun that begins a sentence.
AT_A_TIME = (
    r"(?:previously|before that|after that|since then|currently|originally|at the moment|in"
    r" \d{4}|last year)"
)
_PRONOUN = re.compile(
    rf"(?P<first>{AT_A_TIME},? )?" r"(?P<word>he|she|his|her)(?P<short>['’](?:s|ll))?\s+(?=\S)",
    re.IGNORECASE,
)
_OWNING = ("his", "her")
# Somebody else whom a sentence speaks of without a name: "Her husband is a cook. She works at
# Acme."
_MEN = (
    "husband father dad brother son boyfriend uncle grandfather nephew grandson man boy guy".split()
)
_WOMEN = (
    "wife mother mum mom sister daughter girlfriend aunt grandmother niece granddaughter woman girl"
    " lady".split()
)
_EITHER = (
    "friend colleague coworker boss manager partner child kid baby doctor neighbour neighbor"
    " teacher cousin roommate flatmate dog cat customer client patient assistant mentor lawyer"
    " landlord user contractor candidate developer designer engineer employee person somebody"
    " someone student tenant driver guest nurse recruiter".split()
)
_SORTS = {"she": (_WOMEN, _EITHER), "he": (_MEN, _EITHER)}
# What somebody is said to be is nobody else: "Ann is a teacher."
_SAID_TO_BE = re.compile(
    r"(?:\b(?:is|was|became|becomes|as|being)|['’]s)\s+(?:(?:an?|the)\s+)?(?:[\w-]+\s+){0,2}$"
)
# "The user's name is Ann": Ann is meant from there on. Of a user without a name it is the user.
_USER = re.compile(
    r"(?P<user>(?:the )?(?:user|customer|client|patient))(?:['’]s (?:full )?name is"
    r" (?P<name>[^.,;]+)|(?!['’\w]))",
    re.IGNORECASE,
)
_SHORT = {"s": "is", "ll": "will"}
_LEANS = re.compile(
    r"\b(?:it|its|this|that|these|those|they|them|their|there|then|one)\b", re.IGNORECASE
)
# After these stands a place, a company or a time rather than somebody.
_PLACED = re.compile(
    r"\b(?:in|at|to|from|near|into|on|since|of|as|uses?|using|learn(?:s|ing)?|studies|studying|speaks?|plays?|leaving|"
    r"joined|address is|take the|takes the)\s+(?:the\s+|a\s+)?(?:[A-Z]\w* (?:de|of|la|du) )?$"
)
_NAME = re.compile(r"[^\W\d_a-z]\S*(?:\s[^\W\d_a-z]\S*){0,2}")


def resolved(sentences: Sequence[str]) -> list[str]:
    """Sentences that lean on each other, those that can stand by themselves on their own and the
    others joined.
    """
    out: list[str] = []
    person = sort = ""
    for place, sentence in enumerate(sentences):
        match = _PRONOUN.match(sentence)
        same = match is not None and sort in ("", _sort(match))  # Nobody is she first and he then.
        if out and person and match and same and not _LEANS.search(sentence[match.end() :]):
            out.append(_named(sentence, match, person))
            sort = _sort(match)
        elif out:
            out[-1] = f"{out[-1]} {sentence}"
            person = ""
            continue
        else:
            out.append(sentence)
            person, sort = _person(sentence), ""
        if place + 1 < len(sentences) and _is_doubtful(out[-1], person, sentences[place + 1]):
            person = ""
    return out


def _is_doubtful(said: str, person: str, after: str) -> bool:
    """Whether the pronoun that begins the next sentence may mean somebody else than the one some
    words are about.
    """
    match = _PRONOUN.match(after)
    if match is None:
        return False
    own, either = _SORTS[_sort(match)]
    about = _USER.match(said)
    plain = said[about.end() if about else 0 :].casefold().replace(person.casefold(), " ", 1)
    mentions = [one for one in re.finditer(r"[a-z]+", plain) if one[0] in own or one[0] in either]
    if any(not _SAID_TO_BE.search(plain[: one.start()]) for one in mentions):
        return True
    known = {*_MEN, *_WOMEN} - set(own)
    # A second name may be anybody's, unless the words say whose it is: "her husband Tom".
    return len(_people(said)) > 1 and not any(
        one[0] in known for one in re.finditer(r"[a-z]+", plain)
    )


def _sort(pronoun: re.Match[str]) -> str:
    return "she" if pronoun["word"].lower() in ("she", "her") else "he"


def _named(sentence: str, match: re.Match[str], person: str) -> str:
    rest, first = sentence[match.end() :], match["first"] or ""
    if first and person.startswith("The "):
        person = f"the {person[4:]}"
    if match["word"].lower() in _OWNING:
        return f"{first}{person}'s {rest}"
    short = _SHORT.get((match["short"] or "").strip("'’").lower(), "")
    return first + " ".join(part for part in (person, short, rest) if part)


def _person(sentence: str) -> str:
    """The name with which a sentence begins, if it is about somebody and about nobody else."""
    people = _people(sentence)
    if user := _USER.match(sentence):
        named = [name for name in people if user["name"] and user["name"].startswith(name)]
        return named[0] if named else "" if people or user["name"] else user["user"]
    match = _NAME.match(sentence)
    if match and (match[0].endswith(":") or sentence[match.end() :].startswith(":")):
        return ""  # Who speaks is not who is spoken of.
    return people[0] if match and len(people) == 1 and match[0].startswith(people[0]) else ""


def _people(sentence: str) -> list[str]:
    """The names in a sentence that may be somebody's: no digits, and not in the place of a
    place.
    """
    found = [
        name
        for name in entities.find(sentence)
        if re.fullmatch(r"[^\W\d_]+(?:[ '’-][^\W\d_]+)*", name)
    ]
    return [name for name in found if not _PLACED.search(sentence[: sentence.find(name)])]
