"""Finds the causes that a text states: because, therefore, so, led to, caused by, due to, as a
result.

Pure, from clear words alone: what merely came first is no cause.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from commonplace.extract.sentences import split_sentences
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
    """A cause and its effect, in the words of the statement."""

    cause: str
    effect: str


def find_causation(text: str) -> Causation | None:
    """The cause and the effect that one statement names."""
    plain = " ".join(text.split()).rstrip(".! ")
    if len(plain) > _TEXT_CHARS_MAX or not _ANY.search(plain):
        return None
    for pattern in _PATTERNS:
        match = pattern.match(plain)
        if match:
            # A consequence of the effect is no part of the cause.
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
    """Whether a statement is a consequence of the one before it."""
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
    """Which statements are the causes of which, by position, where the statements themselves say
    so.
    """
    statements = texts[:_STATEMENTS_MAX]
    hinted = [n for n, text in enumerate(statements) if _ANY.search(text[:_TEXT_CHARS_MAX])]
    if not hinted:
        return {}
    terms = [frozenset(words.terms(text[:_TEXT_CHARS_MAX])) for text in statements]
    found: dict[int, dict[int, None]] = {}
    for position in hinted:
        for effect, cause in _stated_links(statements[position], position, terms):
            found.setdefault(effect, {})[cause] = None
    return _without_cycles(found)


def _stated_links(
    text: str, position: int, terms: Sequence[frozenset[str]]
) -> Iterator[tuple[int, int]]:
    """The effects and their causes, by position, that the statement at a position names."""
    if position and is_consequence(text):
        yield position, position - 1
    stated = find_causation(text)
    if stated is None:
        return
    causes = _statements_with(stated.cause, terms, position)
    yield from ((position, cause) for cause in causes)
    for effect in _statements_with(stated.effect, terms, position):
        if effect not in causes:
            yield from ((effect, cause) for cause in causes or [position])


def _without_cycles(found: Mapping[int, Iterable[int]]) -> dict[int, tuple[int, ...]]:
    """The causes of each effect, where nothing is the cause of itself or of its own cause."""
    causes = {
        effect: tuple(one for one in listed if one != effect) for effect, listed in found.items()
    }
    return {
        effect: tuple(one for one in listed if one < effect or effect not in causes.get(one, ()))
        for effect, listed in causes.items()
        if listed
    }


def distinctive_terms(phrase: str) -> list[str]:
    """The terms of a phrase that identify the statement it refers to; none where they are too few
    for that.
    """
    terms = words.question_terms(phrase)
    return terms if len(terms) >= _TERMS_MIN else []


def _statements_with(phrase: str, terms: Sequence[frozenset[str]], but: int) -> list[int]:
    """The positions of the statements, except one, that have all distinctive terms of a phrase."""
    wanted = frozenset(distinctive_terms(phrase))
    if not wanted:
        return []
    return [position for position, own in enumerate(terms) if position != but and wanted <= own]
