"""Finds what a text says was the cause of what: because, therefore, so, led to, caused by, due to,
as a result.

Pure, from the words alone, and only where they are plain: what merely came first is no cause.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from commonplace.extract.markdown_outline import split_sentences
from commonplace.language import analyzer as words

_TEXT_CHARS_MAX = 600
_STATEMENTS_MAX = 2_000
_TERMS_MIN = 2
_CLAUSE_WORDS_MIN = 3
_DENIED = re.compile(r"\b(?:not|never|hardly)(?:\s+\w+ly)?$|n['’]t$", re.IGNORECASE)
# A sentence that begins with one of these follows from the one before it.
_FOLLOWS = re.compile(
    r"(?:as an? (?:\w+"
    r" )?(?:result|consequence)|therefore|consequently|thus|hence|accordingly|because of"
    r" (?:this|that)|"
    r"due to (?:this|that)|for (?:this|that) reason|(?:this|that) is why|that['’]s"
    r" why|so)\b(?!\s+(?:far|that|of)\b)"
    r",?\s+(?P<rest>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_LEANS = re.compile(
    r"(?:it|its|it['’]s|this|that|these|those|they|their|he|his|she|her|them|him|there|then|which|who)\b",
    re.IGNORECASE,
)
_BY = (
    r"because of|because|due to|owing to|on account of|as an? (?:\w+ )?(?:result|consequence)"
    r" of|thanks to"
)
_MADE = (
    r"(?:has |have |had )?(?:caused|led to|resulted in|triggered|brought about)|causes|leads"
    r" to|results in|triggers|"
    r"brings about"
)
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        # They read a text whose words stand one space apart.
        rf"^(?:{_BY}) (?P<cause>[^,]++), (?P<effect>.+)$",
        r"^(?P<effect>.+?) (?:was|were|is|are|been|being) (?:\w+ly )?(?:caused|triggered|brought"
        r" about) by "
        r"(?P<cause>.+)$",
        r"^(?P<effect>.+?) (?:result(?:s|ed)|stem(?:s|med)|follow(?:s|ed)) from (?P<cause>.+)$",
        rf"^(?P<effect>.+?),? (?:{_BY}) (?P<cause>.+)$",
        r"^(?P<cause>.+?)(?:[,;] ?(?:and )?| and )"
        r"(?:therefore|consequently|thus|hence|as an? result|for (?:this|that) reason),?"
        r" (?P<effect>.+)$",
        (
            r"^(?P<cause>.+?)[,;] ?(?:and )?so"
            r" (?!that\b|far\b|much\b|many\b|called\b|long\b|as\b)(?P<effect>.+)$"
        ),
        rf"^(?P<cause>.+?) (?:{_MADE}) (?P<effect>.+)$",
    )
)
_ANY = re.compile(
    rf"\b(?:{_BY}|therefore|consequently|thus|hence|so|caused?|causes|leads? to|led"
    r" to|result(?:s|ed)?|stem(?:s|med)|"
    r"follow(?:s|ed) from|trigger(?:s|ed)|br(?:ings?|ought) about|reason)\b",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|would|could|did|does|went|ran|fell|broke|grew|came|got|made|lost|left|kept|sold|"
    r"\w{2,}(?:ed|n['’]t)|lives?|works?|needs?|wants?|costs?|uses?|takes?|runs?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Causation:
    """What a statement says was the cause, and of what; in its own words."""

    cause: str
    effect: str


def find_causation(text: str) -> Causation | None:
    """What one statement says of a cause and its effect."""
    plain = " ".join(text.split()).rstrip(".! ")
    if len(plain) > _TEXT_CHARS_MAX or not _ANY.search(plain):
        return None
    for pattern in _PATTERNS:
        match = pattern.match(plain)
        if match:
            # What follows from it in turn is no part of a cause.
            cause = re.split(r",\s+(?:so|therefore|thus|hence|and so|which)\b", match["cause"])[
                0
            ].strip(" ,;")
            effect = match["effect"].strip(" ,;")
            return (
                Causation(cause, effect)
                if cause and effect and not _DENIED.search(effect)
                else None
            )
    return None


def is_consequence(text: str) -> bool:
    """Whether a statement says that it follows from the one before it."""
    return _FOLLOWS.match(text.strip()) is not None


def split_consequences(text: str) -> list[str]:
    """A statement of several sentences, cut before one that follows from the others and can stand
    by itself.
    """
    if "\n" in text.strip() or not _ANY.search(text):
        return [text]
    out: list[str] = []
    for sentence in split_sentences(text):
        match = _FOLLOWS.match(sentence)
        if out and not (match and not _LEANS.match(match["rest"])):
            out[-1] = f"{out[-1]} {sentence}"
        else:
            out.append(sentence)
    return out or [text]


def cause_clause(text: str) -> str:
    """The cause that a statement names, as a sentence of its own where it is a whole one; otherwise
    empty.
    """
    found = find_causation(text)
    if found is None or len(found.cause.split()) < _CLAUSE_WORDS_MIN or _LEANS.match(found.cause):
        return ""
    match = re.search(r"\bbecause\s+(?!of\b)", text, re.IGNORECASE)
    if match is None or not _VERB.search(found.cause) or split_sentences(text) != [text.strip()]:
        return ""
    return found.cause[:1].upper() + found.cause[1:] + "."


def find_causes(texts: Sequence[str]) -> dict[int, tuple[int, ...]]:
    """Which statements are the causes of which, by their places, as far as the statements
    themselves say so.
    """
    found: dict[int, dict[int, None]] = {}
    every: list[frozenset[str]] | None = None
    for place, text in enumerate(texts[:_STATEMENTS_MAX]):
        if not _ANY.search(text[:_TEXT_CHARS_MAX]):
            continue
        every = every or [
            frozenset(words.terms(one[:_TEXT_CHARS_MAX])) for one in texts[:_STATEMENTS_MAX]
        ]
        if place and is_consequence(text):
            found.setdefault(place, {})[place - 1] = None
        if told := find_causation(text):
            causes = _holding(told.cause, every, place)
            found.setdefault(place, {}).update(dict.fromkeys(causes))
            for other in _holding(told.effect, every, place):
                if other not in causes:
                    found.setdefault(other, {}).update(dict.fromkeys(causes or [place]))
    # Nothing is the cause of its own cause.
    kept = {place: tuple(one for one in causes if one != place) for place, causes in found.items()}
    return {
        place: tuple(one for one in causes if place not in kept.get(one, ()) or one < place)
        for place, causes in kept.items()
        if causes
    }


def distinctive_terms(phrase: str) -> list[str]:
    """The terms that a statement of a cause must have to be the one that a phrase means; none where
    they say little.
    """
    terms = words.question_terms(phrase)
    return terms if len(terms) >= _TERMS_MIN else []


def _holding(phrase: str, every: Sequence[frozenset[str]], but: int) -> list[int]:
    terms = frozenset(distinctive_terms(phrase))
    return [place for place, one in enumerate(every) if terms and place != but and terms <= one]
