"""Takes erased statements out of the text they came from, sentence by sentence.

A sentence goes when it holds a word that only erased statements have. A statement whose every word
is also said by one that stays goes with the sentences that say nothing else. Pure.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from commonplace.language import analyzer as words

# One sign at a time, so that a long run of them is read once.
_BETWEEN = re.compile(r"((?<=[。！？])|(?<=[.!?])\s|\n)")


@dataclass(frozen=True, slots=True)
class ErasedStatement:
    """An erased statement in all the wordings it had, and whether the text must still hold it."""

    wordings: tuple[str, ...]
    present: bool = True


@dataclass(frozen=True, slots=True)
class RedactedText:
    """What is left of a text; None where a statement could not be found. `words` are those that
    must not stay.
    """

    text: str | None
    forbidden_words: frozenset[str]

    def contains_forbidden(self, text: str) -> bool:
        """Whether a text has a word that must not stay."""
        return bool(self.forbidden_words) and not self.forbidden_words.isdisjoint(words.terms(text))


def split_sentences(text: str) -> list[tuple[str, str]]:
    """The sentences and lines of a text, each with what separates it from the next."""
    pieces = _BETWEEN.split(text)
    return list(zip(pieces[::2], [*pieces[1::2], ""], strict=True))


def redact(text: str, erased: Sequence[ErasedStatement], kept: Iterable[str]) -> RedactedText:
    """A text without some statements, of which others are kept."""
    said = frozenset(term for one in kept for term in words.terms(one))
    pieces = split_sentences(text)
    terms = [frozenset(words.terms(one)) for one, _ in pieces]
    where: dict[str, set[int]] = {}
    for place, some in enumerate(terms):
        for term in some:
            where.setdefault(term, set()).add(place)
    gone: set[int] = set()
    own: set[str] = set()
    found = True
    for one in erased:
        hits, mine = _places(one, said, terms, where)
        found = found and bool(hits or not one.present)
        gone |= hits
        own |= mine
    left = "".join(one + end for place, (one, end) in enumerate(pieces) if place not in gone)
    return RedactedText(left.strip() if found else None, frozenset(own))


def _places(
    one: ErasedStatement,
    said: frozenset[str],
    terms: Sequence[frozenset[str]],
    where: dict[str, set[int]],
) -> tuple[set[int], set[str]]:
    """The sentences that tell of a statement, and its own words."""
    hits: set[int] = set()
    own: set[str] = set()
    for wording in one.wordings:
        wanted = frozenset(words.question_terms(wording))
        mine = wanted - said
        own |= mine
        hits.update(*(where[term] for term in mine & where.keys()))
        if not mine:
            every = frozenset(words.terms(wording))
            near = {place for term in wanted & where.keys() for place in where[term]}
            hits |= {place for place in near if terms[place] <= every}
    return hits, own
