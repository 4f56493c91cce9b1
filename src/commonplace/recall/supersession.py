"""Finds which hits a newer memory has replaced, and puts the newer one first.

Nothing here knows which of two memories is true. But where two of them are about one thing and the
newer one looks like a change, the newer one is more often how things are. It comes before the older
one, also when it has less of the question's words itself, and is as sure an answer. What tells a
change:

  like            how near the two are in meaning
  behind nearest  how much less that is than with the newer memory that is nearest to the older one
  shared          which share of the older one's words both have, rare ones counting more
  rarest shared   how rare the rarest of these is: a change often names what was before
  same kind       whether both tell a figure, or neither does: a price is replaced by a price
  same figure     whether they have a figure in common, and may say the same
  between         how many of the hits were written between the two: what was written at one time goes together
  longer          how much longer it is: a change comes with its reason
  change          whether it says "now", "no longer" and the like, and `told` whether by it what is asked
  verdict         what the judge of `language.conflicts` says of the two texts
  words lost      which share of the question the older one has and it has not
  strength        how much speaks for it as an answer; `weaker` and `behind best` how much less than for others
  place           where it stands among the hits, and `older's place` where the older one does
  read            what the reranker says, where there is one, of the pairs that may be a change

Exceptions and plans change nothing, nothing that comes later changes when something happened, and a
rule stands until another rule or a change. What lacks the name that is asked for, or a word of the
question although it has most others of the older one, is a sibling of it: production's port
replaces nothing of staging. What has no price, or nothing of the kind, where one is asked for,
replaces none that has. Long texts and what people say to each other stay where they are. Only a
reranker that has read both may know better, if they are near the best; of siblings, and of what
lacks the price, it must be quite sure, and rather sure of what lacks a word of the question and
tells of no change. The weights are in `fitted.py`, which `evals/fit_sureness.py` writes.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from commonplace.language import analyzer, conflicts
from commonplace.language.judgement import Judge, Judgement, Statement
from commonplace.recall import preferences, scoring, weights
from commonplace.recall.confidence import Look
from commonplace.recall.scoring import Evidence, Scored

TOP = 5  # For so many of the best it is asked whether something newer has replaced them.
NEAR = 12  # So many may have replaced one that they are not tied to, if somebody reads them.
# What a reader says of what is no change, of what may be one, and of what surely is one.
_DENIED, _MAYBE, _SURELY = -0.2, 0.125, 0.22
_LIKE_MIN = 0.15
_OWN_WORDS_MIN = 0.95
_SIBLINGS_SHARE = 0.4
_MEMORIES_USUAL = (
    60  # Words are as rare as among so many, so that a small store knows rare ones too.
)
_WEIGHT_USUAL = 4.0
# What asks when something was, but not when it was for the last time.
_EVENT = re.compile(r"\b(?:when|how long ago)\b[^.?!]{0,60}\b(?:did|was|were|had)\b", re.IGNORECASE)
_LAST = re.compile(r"\b(?:last|latest|newest|most recent(?:ly)?)\b", re.IGNORECASE)
_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
# What a change tells of, though it has none of the words that are asked with.
_TOLD: Sequence[tuple[re.Pattern[str], frozenset[str]]] = tuple(
    (re.compile(rf"\b(?:{change})", re.IGNORECASE), frozenset(analyzer.terms(asked)))
    for change, asked in (
        ("moved|moves|relocat", "live lives home address city town flat apartment based"),
        ("left|leaves|join|quit|hired|retired", "work works job employer company team"),
        ("switch|migrat|replac|drop|adopt", "use uses used run runs"),
        ("sold|sells|bought|buys|traded", "drive drives own owns car bike have"),
    )
)

Likeness: TypeAlias = Callable[[Sequence[int], Sequence[int]], Sequence[Sequence[float]]]


@dataclass(frozen=True, slots=True)
class Pair:
    """A newer and an older memory, by their places among the hits, and what says that the one
    replaced the other.

    They are tied when signs alone may tell a change, and doubtful when the newer looks like a
    sibling of the older.
    """

    newer: int
    older: int
    values: Mapping[str, float]
    is_tied: bool = True
    is_doubtful: bool = False
    # What the judge says of the two, without the question.
    verdict: Judgement | None = None

    @property
    def sure(self) -> float:
        """How likely the newer one replaced the older one. Without reading, only what is tied to it
        can have.
        """
        if self.verdict is not None and self.verdict.ends_older():
            return max(self.verdict.confidence, self._signs)
        return self._signs

    @property
    def _signs(self) -> float:
        said = self.values.get("read")
        if said is None:
            return self.likely if self.is_tied else 0.0
        if said < self._said_least:
            return 0.0
        return self._weighed(weights.SUPERSEDING_READ, weights.SUPERSEDING_READ_START)

    @property
    def _said_least(self) -> float:
        """What a reader must say of it: more where a word of the question is lost and none tells of
        a change.
        """
        if self.is_doubtful:
            return _SURELY
        return _MAYBE if self.values["words lost"] > 0 and not self.values["change"] else _DENIED

    @property
    def likely(self) -> float:
        """How likely it is before anything is read, and whatever ties them."""
        return self._weighed(weights.SUPERSEDING, weights.SUPERSEDING_START)

    def _weighed(self, weights: Mapping[str, float], start: float) -> float:
        return scoring.logistic(start + sum(weights[name] * self.values[name] for name in weights))


@dataclass(frozen=True, slots=True)
class _Seen:
    """What is compared of a memory."""

    look: Look
    figures: frozenset[str]
    is_change: bool
    is_passing: bool
    is_rule: bool

    @classmethod
    def of(cls, look: Look) -> "_Seen":
        is_change, is_passing = (
            conflicts.hints_at_change(look.text),
            conflicts.is_exception(look.text),
        )
        return cls(
            look,
            frozenset(_FIGURE.findall(look.text)),
            is_change,
            is_passing,
            preferences.is_rule(look.text),
        )

    def leaves(self, old: "_Seen") -> bool:
        """Whether it leaves an older one as it was: what passes does, and a rule ends with a rule
        or a change.
        """
        return self.is_passing or (old.is_rule and not self.is_rule and not self.is_change)


def asks_for_a_past_event(question: str) -> bool:
    """Whether a question asks when something happened, which nothing that comes later changes."""
    return _EVENT.search(question) is not None and _LAST.search(question) is None


def pairs(
    found: Sequence[Scored], looks: Sequence[Look], likeness: Likeness, asked: Mapping[str, float]
) -> Iterator[Pair]:
    """Each of the best hits with each newer candidate that is anything like it and is tied to it,
    or is near the best.

    `asked` are the terms of the question, names left out, with their weights: where somebody has
    moved says nothing about what they eat.
    """
    places = [place for place, one in enumerate(found) if one.evidence.is_statement or place < NEAR]
    if not places or places[0] >= TOP:
        return
    numbers = [one.evidence.memory_id for one in found]
    alike = likeness(numbers[:TOP], numbers)
    written = {number: place for place, number in enumerate(sorted(numbers))}
    counts = Counter(term for look in looks for term in look.terms)
    seen: dict[int, _Seen] = {}
    for older in (place for place in places if place < TOP):
        # Words like `the` tie nothing together, and in a small store they are as rare as any.
        own = looks[older].terms.intersection(analyzer.question_terms(looks[older].text))
        weights = {term: math.log(_MEMORIES_USUAL / (counts[term] + 1)) for term in own}
        whole = sum(weights.values()) or 1.0
        later = [place for place in places if numbers[place] > numbers[older]]
        nearest = max((alike[older][place] for place in later), default=0.0)
        telling = _telling(looks[older], asked)
        for newer in later:
            like, old, new = alike[older][newer], found[older], found[newer]
            if not _may_replace(new.evidence, old.evidence):
                continue
            shared, lost = own & looks[newer].terms, looks[older].found - looks[newer].found
            if (
                not asked.keys() >= lost
            ):  # Whoever lacks the name that is asked for is somebody else.
                continue
            told = any(change.search(looks[newer].text) for change in telling)
            is_tied = new.evidence.is_statement and old.evidence.is_statement and like >= _LIKE_MIN
            is_tied = is_tied and _tied(shared, told, looks[newer], looks[older], asked)
            if not is_tied and newer >= NEAR:
                continue
            seen |= {place: _Seen.of(looks[place]) for place in (newer, older) if place not in seen}
            if seen[newer].leaves(seen[older]):
                continue
            values = {
                "like": like,
                "behind nearest": nearest - like,
                "shared": sum(map(weights.__getitem__, shared)) / whole,
                "rarest shared": max(map(weights.__getitem__, shared), default=0.0) / _WEIGHT_USUAL,
                "between": (written[numbers[newer]] - written[numbers[older]] - 1) / len(numbers),
                "strength": new.strength,
                "weaker": old.strength - new.strength,
                "behind best": found[0].strength - new.strength,
                "place": math.log(newer + 1),
                "older's place": math.log(older + 1),
                "told": float(told),
                "words lost": (
                    sum(asked.get(term, 0.0) for term in lost) / (sum(asked.values()) or 1.0)
                ),
            }
            is_sibling = (
                values["words lost"] > 0
                and values["shared"] > _SIBLINGS_SHARE
                and not seen[newer].is_change
            )
            is_doubtful = is_sibling or _lacks_what_is_asked(new.evidence, old.evidence)
            if newer < NEAR or not is_doubtful:
                values |= _compared(seen[newer], seen[older])
                yield Pair(newer, older, values, is_tied and not is_doubtful, is_doubtful)


def judged(pairs: Iterable[Pair], looks: Sequence[Look], judge: Judge) -> list[Pair]:
    """The same pairs; those of the best hits with what the judge says of the two, whatever is
    asked.
    """
    return [
        (
            replace(
                one,
                verdict=judge(Statement(looks[one.older].text), Statement(looks[one.newer].text)),
            )
            if one.newer < NEAR
            else one
        )
        for one in pairs
    ]


def _compared(new: _Seen, old: _Seen) -> dict[str, float]:
    return {
        "same kind": float(bool(new.figures) == bool(old.figures)),
        "same figure": float(not new.figures.isdisjoint(old.figures)),
        "longer": math.log((len(new.look.terms) + 1) / (len(old.look.terms) + 1)),
        "change": float(new.is_change),
    }


def _tied(
    shared: frozenset[str], told: bool, new: Look, old: Look, asked: Mapping[str, float]
) -> bool:
    """Whether two memories share more than the names in the question, or the newer one has told
    what was asked about.

    Who asks with one word looks for what has it.
    """
    if len(asked) == 1 and old.found == frozenset(asked) and not new.found:
        return False
    return told or any(term in asked or term not in old.found for term in shared)


def _telling(old: Look, asked: Mapping[str, float]) -> list[re.Pattern[str]]:
    """What tells by a change what was asked about: who has moved lives elsewhere."""
    lacking = asked.keys() & old.found
    return [change for change, words in _TOLD if not words.isdisjoint(lacking)]


def _may_replace(new: Evidence, old: Evidence) -> bool:
    """Whether one has no less than the other of the name and the time that are asked for.

    Who asks in the older one's own words means that one.
    """
    if old.values.get("vector", 0.0) >= _OWN_WORDS_MIN or new.exact < old.exact:
        return False
    return new.values.get("time", 0.0) >= old.values.get("time", 0.0)


def _lacks_what_is_asked(new: Evidence, old: Evidence) -> bool:
    """Whether the older one has the price or the thing that is asked for, and the newer has not."""
    return any(
        old.values.get(name, 0.0) > 0 and new.values.get(name) == 0 for name in ("kind", "answer")
    )
