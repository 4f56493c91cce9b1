"""Finds which hits a newer memory has replaced, and puts the newer one first.

Nothing here knows which of two memories is true. But where two of them are about one thing and the newer one sounds
like a change (it shares rare words with the older one, is near to it in meaning, says "now" or "no longer"), the newer
one is more often how things are. It comes before the older one, also when it has less of the question's words itself,
and is as sure an answer. Long texts and what people say to each other stay where they are. The weights are in
`fitted.py`, which `evals/fit_sureness.py` writes.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from commonplace import text
from commonplace.recall import fitted, rank
from commonplace.recall.rank import Evidence, Scored
from commonplace.recall.sureness import MONTHS, Look

TOP = 5  # For so many of the best it is asked whether something newer has replaced them.
_LIKE_MIN = 0.15
_OWN_WORDS_MIN = 0.95
_PRIOR = 20
_WEIGHT_USUAL = 4.0
_DAYS = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_CHANGE = re.compile(
    rf"\b(?:now|no longer|any ?more|instead|from (?:now on|today|{_DAYS}|{MONTHS})|as of|chang(?:ed|es)|mov(?:ed|es)"
    r"|switch(?:ed|es)|renamed|replac(?:ed|es)|dropped|gives? up|gave up|quit|took over|takes over|retired"
    r"|clos(?:ed|es)|sold|rais(?:ed|es)|lowered|cancell?ed|postponed|new|since|after all|back|these days|left|broke up"
    r"|is out|history|only|jetzt|nicht mehr|stattdessen|neue[rsnm]?|umgezogen|seit|ahora|ya no|nuev[oa]|desde)\b"
    r"|现在|不再|改|换|搬|新",
    re.IGNORECASE,
)
# What a change tells of, though it has none of the words that are asked with.
_TOLD: Sequence[tuple[re.Pattern[str], frozenset[str]]] = tuple(
    (re.compile(rf"\b(?:{change})", re.IGNORECASE), frozenset(text.terms(asked)))
    for change, asked in (
        ("moved|moves|relocat", "live lives home address city town flat apartment based"),
        ("left|leaves|join|quit|hired|retired", "work works job employer company team"),
        ("switch|migrat|replac|drop|adopt", "use uses used run runs"),
        ("sold|sells|bought|buys|traded", "drive drives own owns car bike have"),
    )
)
_UNTOLD_MAX = 0.6

Likeness: TypeAlias = Callable[[Sequence[int], Sequence[int]], Sequence[Sequence[float]]]


@dataclass(frozen=True, slots=True)
class Pair:
    """A newer and an older memory, by their places among the hits, and what says that the one replaced the other."""

    newer: int
    older: int
    values: Mapping[str, float]

    @property
    def sure(self) -> float:
        """How likely the newer one replaced the older one."""
        weights = fitted.SUPERSEDING
        return rank.logistic(fitted.SUPERSEDING_START + sum(weights[name] * self.values[name] for name in weights))


def pairs(
    found: Sequence[Scored], looks: Sequence[Look], likeness: Likeness, asked: Mapping[str, float]
) -> Iterator[Pair]:
    """Each of the best hits with each newer candidate that is anything like it and tells of what is asked about.

    `asked` are the terms of the question, names left out, with their weights: where somebody has moved says nothing
    about what they eat.
    """
    statements = [place for place, one in enumerate(found) if one.evidence.is_statement]
    if not statements or statements[0] >= TOP:
        return
    numbers = [one.evidence.memory_id for one in found]
    alike = likeness(numbers[:TOP], numbers)
    counts = Counter(term for look in looks for term in look.terms)
    known = {term for look in looks[:TOP] for term in look.terms}
    weights = {term: math.log((len(looks) + _PRIOR) / (counts[term] + 1)) for term in known}
    changes: dict[int, float] = {}
    for older in (place for place in statements if place < TOP):
        old, like, terms = found[older], alike[older], looks[older].terms
        whole = sum(weights[term] for term in terms) or 1.0
        for newer in statements:
            if like[newer] < _LIKE_MIN or not _may_replace(found[newer].evidence, old.evidence):
                continue
            if not _tells(looks[newer], looks[older].found, asked):
                continue
            if newer not in changes:
                changes[newer] = float(_CHANGE.search(looks[newer].text) is not None)
            shared = [weights[term] for term in looks[newer].terms & terms]
            values = {
                "like": like[newer],
                "shared": sum(shared) / whole,
                "rarest shared": max(shared, default=0.0) / _WEIGHT_USUAL,
                "change": changes[newer],
                "weaker": old.strength - found[newer].strength,
                "strength": found[newer].strength,
            }
            yield Pair(newer, older, values)


def _tells(new: Look, had: frozenset[str], asked: Mapping[str, float]) -> bool:
    """Whether a memory has, or tells in other words, most of what another one has of a question."""
    lacking = [term for term in had if term in asked and term not in new.found]
    if not lacking:
        return True
    most = _UNTOLD_MAX * sum(asked.get(term, 0.0) for term in had)
    if sum(map(asked.__getitem__, lacking)) <= most:
        return True
    may_tell = [(change, words) for change, words in _TOLD if not words.isdisjoint(lacking)]
    told = frozenset[str]().union(*(words for change, words in may_tell if change.search(new.text)))
    return sum(asked[term] for term in lacking if term not in told) <= most


def _may_replace(new: Evidence, old: Evidence) -> bool:
    """Whether one is newer than the other, and no less of the name and of the time that the question speaks of.

    Both must be statements: in a talk the newer of two turns that are alike is seldom the better answer. And who asks
    in the older one's own words means that one.
    """
    if new.memory_id <= old.memory_id or old.values.get("vector", 0.0) >= _OWN_WORDS_MIN or new.exact < old.exact:
        return False
    return new.values.get("time", 0.0) >= old.values.get("time", 0.0)
