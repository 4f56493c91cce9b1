"""Removes erased statements from the text they came from, sentence by sentence.

A sentence is removed when it has a word that only erased statements have. For an erased statement
whose words are all in kept ones too, the sentences without any other word are removed. Pure.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from commonplace.language import analyzer as words

# One sign at a time, so that a long run of them is read once.
_BETWEEN = re.compile(r"((?<=[。！？])|(?<=[.!?])\s|\n)")


@dataclass(frozen=True, slots=True)
class ErasedStatement:
    """An erased statement in all its wordings, and whether the text must still contain it."""

    wordings: tuple[str, ...]
    present: bool = True


@dataclass(frozen=True, slots=True)
class RedactedText:
    """What is left of a text, None where a statement could not be found, and the words that must
    not remain.
    """

    text: str | None
    forbidden_words: frozenset[str]

    def contains_forbidden(self, text: str) -> bool:
        """Whether a text has a word that must not remain."""
        return bool(self.forbidden_words) and not self.forbidden_words.isdisjoint(words.terms(text))


def split_sentences(text: str) -> list[tuple[str, str]]:
    """The sentences and lines of a text, each with what separates it from the next."""
    pieces = _BETWEEN.split(text)
    return list(zip(pieces[::2], [*pieces[1::2], ""], strict=True))


def redact(text: str, erased: Sequence[ErasedStatement], kept: Iterable[str]) -> RedactedText:
    """A text without some statements, of which others are kept."""
    kept_terms = frozenset(term for one in kept for term in words.terms(one))
    pieces = split_sentences(text)
    terms = [frozenset(words.terms(one)) for one, _ in pieces]
    places_by_term = _index_terms(terms)
    removed: set[int] = set()
    forbidden: set[str] = set()
    all_found = True
    for one in erased:
        hits, own = _places(one, kept_terms, terms, places_by_term)
        all_found = all_found and bool(hits or not one.present)
        removed |= hits
        forbidden |= own
    left = "".join(one + end for place, (one, end) in enumerate(pieces) if place not in removed)
    return RedactedText(left.strip() if all_found else None, frozenset(forbidden))


def _index_terms(terms: Sequence[frozenset[str]]) -> dict[str, set[int]]:
    """The positions of the sentences that have each term."""
    found: dict[str, set[int]] = {}
    for place, own in enumerate(terms):
        for term in own:
            found.setdefault(term, set()).add(place)
    return found


def _places(
    one: ErasedStatement,
    kept_terms: frozenset[str],
    terms: Sequence[frozenset[str]],
    places_by_term: Mapping[str, set[int]],
) -> tuple[set[int], set[str]]:
    """The positions of the sentences that contain a statement, and the terms that only it has."""
    hits: set[int] = set()
    own: set[str] = set()
    for wording in one.wordings:
        wanted = frozenset(words.question_terms(wording))
        distinct = wanted - kept_terms
        own |= distinct
        hits.update(*(places_by_term[term] for term in distinct & places_by_term.keys()))
        if not distinct:
            every = frozenset(words.terms(wording))
            near = {
                place for term in wanted & places_by_term.keys() for place in places_by_term[term]
            }
            hits |= {place for place in near if terms[place] <= every}
    return hits, own
