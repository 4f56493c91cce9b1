"""Replaces an unambiguous pronoun with its name: "Ann moved. She is happy." becomes two
statements.

Careful on purpose. It resolves only he and she, only at the beginning of a sentence without other
references, and only where the sentence before names exactly one person. Every other sentence stays
joined to the one it depends on.
"""

import re
from collections.abc import Sequence

from commonplace.language import entities

# A time may precede the pronoun that begins a sentence.
TIME_PREFIX = (
    r"(?:previously|before that|after that|since then|currently|originally|at the moment|in"
    r" \d{4}|last year)"
)
_PRONOUN = re.compile(
    rf"(?P<first>{TIME_PREFIX},? )?" r"(?P<word>he|she|his|her)(?P<short>['’](?:s|ll))?\s+(?=\S)",
    re.IGNORECASE,
)
_POSSESSIVES = ("his", "her")
# Persons without a name: "Her husband is a cook. She works at Acme."
_MEN = (
    "husband father dad brother son boyfriend uncle grandfather nephew grandson man boy guy".split()
)
_WOMEN = (
    "wife mother mum mom sister daughter girlfriend aunt grandmother niece granddaughter woman girl"
    " lady".split()
)
_PERSONS = (
    "friend colleague coworker boss manager partner child kid baby doctor neighbour neighbor"
    " teacher cousin roommate flatmate dog cat customer client patient assistant mentor lawyer"
    " landlord user contractor candidate developer designer engineer employee person somebody"
    " someone student tenant driver guest nurse recruiter".split()
)
_NOUNS = {"she": (_WOMEN, _PERSONS), "he": (_MEN, _PERSONS)}
# The role of the named person is no second person: "Ann is a teacher."
_ROLE = re.compile(
    r"(?:\b(?:is|was|became|becomes|as|being)|['’]s)\s+(?:(?:an?|the)\s+)?(?:[\w-]+\s+){0,2}$"
)
# "The user's name is Ann": a pronoun after it means Ann. Without a name, it means the user.
_USER = re.compile(
    r"(?P<user>(?:the )?(?:user|customer|client|patient))(?:['’]s (?:full )?name is"
    r" (?P<name>[^.,;]+)|(?!['’\w]))",
    re.IGNORECASE,
)
_SHORT = {"s": "is", "ll": "will"}
_REFERENCES = re.compile(
    r"\b(?:it|its|this|that|these|those|they|them|their|there|then|one)\b", re.IGNORECASE
)
# A name after these is a place, a company or a time rather than a person.
_BEFORE_PLACE = re.compile(
    r"\b(?:in|at|to|from|near|into|on|since|of|as|uses?|using|learn(?:s|ing)?|studies|studying|speaks?|plays?|leaving|"
    r"joined|address is|take the|takes the)\s+(?:the\s+|a\s+)?(?:[A-Z]\w* (?:de|of|la|du) )?$"
)
_NAME = re.compile(r"[^\W\d_a-z]\S*(?:\s[^\W\d_a-z]\S*){0,2}")


def resolve_pronouns(sentences: Sequence[str]) -> list[str]:
    """Sentences with their pronouns resolved. A sentence with an unresolved reference is joined to
    the one before it.
    """
    out: list[str] = []
    person = gender = ""
    for index, sentence in enumerate(sentences):
        match = _only_pronoun(sentence)
        if not out:
            out.append(sentence)
            person = _person(sentence)
        # One person keeps one pronoun.
        elif person and match and gender in ("", _gender(match)):
            out.append(_replace_pronoun(sentence, match, person))
            gender = _gender(match)
        else:
            out[-1] = f"{out[-1]} {sentence}"
            person = ""
        following = sentences[index + 1] if index + 1 < len(sentences) else ""
        if person and _is_ambiguous(out[-1], person, following):
            person = ""
    return out


def _only_pronoun(sentence: str) -> re.Match[str] | None:
    """The pronoun at the beginning of a sentence that has no other reference."""
    match = _PRONOUN.match(sentence)
    if match is None or _REFERENCES.search(sentence[match.end() :]):
        return None
    return match


def _is_ambiguous(sentence: str, person: str, after: str) -> bool:
    """Whether the pronoun at the beginning of the next sentence may mean another person."""
    match = _PRONOUN.match(after)
    if match is None:
        return False
    same_gender, any_gender = _NOUNS[_gender(match)]
    user = _USER.match(sentence)
    plain = sentence[user.end() if user else 0 :].casefold().replace(person.casefold(), " ", 1)
    nouns = {*same_gender, *any_gender}
    mentions = [one for one in re.finditer(r"[a-z]+", plain) if one[0] in nouns]
    if any(not _ROLE.search(plain[: one.start()]) for one in mentions):
        return True
    other_gender = {*_MEN, *_WOMEN} - set(same_gender)
    # A second name may have either gender, unless a noun gives it: "her husband Tom".
    return len(_people(sentence)) > 1 and not any(
        one[0] in other_gender for one in re.finditer(r"[a-z]+", plain)
    )


def _gender(pronoun: re.Match[str]) -> str:
    return "she" if pronoun["word"].lower() in ("she", "her") else "he"


def _replace_pronoun(sentence: str, match: re.Match[str], person: str) -> str:
    rest, first = sentence[match.end() :], match["first"] or ""
    if first and person.startswith("The "):
        person = f"the {person[4:]}"
    if match["word"].lower() in _POSSESSIVES:
        return f"{first}{person}'s {rest}"
    short = _SHORT.get((match["short"] or "").strip("'’").lower(), "")
    return first + " ".join(part for part in (person, short, rest) if part)


def _person(sentence: str) -> str:
    """The name at the beginning of a sentence, if it is the only person in it."""
    people = _people(sentence)
    if user := _USER.match(sentence):
        return _user(user, people)
    match = _NAME.match(sentence)
    if match is None or match[0].endswith(":") or sentence[match.end() :].startswith(":"):
        return ""  # The speaker of a sentence is not its subject.
    return people[0] if len(people) == 1 and match[0].startswith(people[0]) else ""


def _user(user: re.Match[str], people: Sequence[str]) -> str:
    """The user of a sentence by name, or as "the user" where it has no name and no other person."""
    if user["name"]:
        return next((name for name in people if user["name"].startswith(name)), "")
    return "" if people else user["user"]


def _people(sentence: str) -> list[str]:
    """The names in a sentence that may be a person's: without digits, and not after a word for a
    place.
    """
    found = [
        name
        for name in entities.find_entities(sentence)
        if re.fullmatch(r"[^\W\d_]+(?:[ '’-][^\W\d_]+)*", name)
    ]
    return [name for name in found if not _BEFORE_PLACE.search(sentence[: sentence.find(name)])]
