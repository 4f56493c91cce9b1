"""Says how sure it is that a hit answers the question, from 0 to 1. Only arithmetic.

A score says how much speaks for a hit, and many hits of one question may have a good one. Whether a
hit is *right* shows when it is held against the question once more, and against the other
candidates:

  out of line      how far its evidence is from what the candidates of this question usually have
  reached …        which share of the question's tokens it reaches, at several degrees of nearness
  names missing    which share of the names and figures in the question it does not have
  known missing    which share of the question it lacks though other memories have it, so that it is
                   about something else
  unknown missing  the same of words that no memory has, which may only be said otherwise
  kind missing     whether it lacks what is asked for: a time, a number, a name, a place, or
                   something of a type
  long, turn       whether it is a long text, or said in a conversation
  behind           how far its reranker score is below the best: most questions have one answer
  named            whether it has the identifiers of a question that consists of nothing else, such
                   as a ticket number

Where a reranker has read the best hits, what it says counts most, and all else weighs otherwise.

The weights are in `fitted.py`, which `evals/fit_sureness.py` writes.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from commonplace.language import analyzer
from commonplace.recall import answer_types, dialogue, scoring
from commonplace.recall import weights as fitted
from commonplace.recall.scoring import ScoredHit

TOP = 25  # So many of the best are held against the question once more.
REACH_DEGREES = (0.35, 0.45, 0.6, 0.75, 0.95)
REACH_NAMES = tuple(f"reached {degree:.0%}" for degree in REACH_DEGREES)
_LONG_TERMS = 60
_SPREAD_MIN = 0.3
# In parts of our own stores with so few candidates, two fifths of the cut still gave seven right
# answers of ten.
_FEW, _MANY, _FEW_SHARE = 20, 60, 0.4
_BEHIND_MAX = 0.05  # Who is so far behind is no further: several may be right.
_UNRELATED = [
    1.0
] * 10  # The evidence for memories that have nothing to do with a question: a small store has none.


@dataclass(frozen=True, slots=True)
class QueryInfo:
    """What a question asks for: its text, its terms with their weights, those that no memory has,
    those of names, and whether it has nothing but identifiers.
    """

    text: str
    terms: Mapping[str, float]
    unknown_terms: frozenset[str]
    name_terms: frozenset[str]
    is_identifier_only: bool = False


@dataclass(frozen=True, slots=True)
class CandidateView:
    """A candidate, looked at closely: its text, its terms, which of the question's it has, how near
    its tokens come.
    """

    text: str
    terms: frozenset[str]
    found_terms: frozenset[str]
    token_reach: Sequence[float] = ()


def name_terms(question: str, terms: Mapping[str, float]) -> frozenset[str]:
    """The terms of a question that are written as names are."""
    return (
        frozenset(
            term
            for name in answer_types.capitalized_words(question)
            for term in analyzer.question_terms(name)
        )
        & terms.keys()
    )


def distinguishing_terms(
    question: str, terms: Mapping[str, float], views: Sequence[CandidateView]
) -> frozenset[str]:
    """The terms of a question that tell one thing from its like: names, also what only the texts
    write as a name, and what has a figure. Van 3 is not van 4, nor class 5A class 5B.
    """
    known = (name_terms(one, terms) for one in (question, *(look.text for look in views[:TOP])))
    return frozenset(term for term in terms if any(map(str.isdecimal, term))).union(*known)


def is_identifier_only(question: scoring.Question) -> bool:
    """Whether a question has nothing but identifiers, and the parts of them."""
    parts = {term for name in question.identifiers for term in analyzer.question_terms(name)}
    others = question.terms.keys() - parts
    return bool(parts) and all(
        any(term in name for name in question.identifiers) for term in others
    )


def confidence_features(
    query: QueryInfo, found: Sequence[ScoredHit], views: Sequence[CandidateView]
) -> list[dict[str, float]]:
    """What is held against the question, for each of the best hits; nothing where tokens are not
    known.
    """
    if not views or not views[0].token_reach:
        return []
    strengths = [one.strength for one in found] + _UNRELATED
    middle = math.fsum(strengths) / len(strengths)
    squares = math.fsum((strong - middle) ** 2 for strong in strengths)
    spread = math.sqrt(squares / len(strengths)) + _SPREAD_MIN
    sorts = answer_types.asked_types(query.text)
    best_read = max(
        (one.evidence.values["read"] for one in found[:TOP] if "read" in one.evidence.values),
        default=0.0,
    )
    total = sum(query.terms.values()) or 1.0
    out: list[dict[str, float]] = []
    for one, look in zip(found[:TOP], views[:TOP], strict=True):
        missing = query.terms.keys() - look.found_terms
        body = dialogue.strip_speaker(look.text) if "speaker" in one.evidence.values else look.text
        has = all(sort.is_in(body, query.text) for sort in sorts)
        values = {
            **one.evidence.values,
            "out of line": (one.strength - middle) / spread,
            "names missing": len(query.name_terms & missing) / len(query.name_terms)
            if query.name_terms
            else 0.0,
            "known missing": sum(query.terms[term] for term in missing - query.unknown_terms)
            / total,
            "unknown missing": sum(query.terms[term] for term in missing & query.unknown_terms)
            / total,
            "kind missing": float(not has or one.evidence.values.get("kind") == 0),
            "named": float(query.is_identifier_only and one.evidence.exact),
            "turn": float("speaker" in one.evidence.values),
            "long": min(1.0, len(look.terms) / _LONG_TERMS),
        }
        values |= dict(zip(REACH_NAMES, look.token_reach, strict=True))
        if "read" in values:
            values["behind"] = min(_BEHIND_MAX, best_read - values["read"])
        out.append(values)
    return out


def probability(values: Mapping[str, float]) -> float:
    """How likely a hit with such values is right."""
    weights, start = (
        (fitted.READ, fitted.READ_START) if "read" in values else (fitted.SURE, fitted.SURE_START)
    )
    return scoring.logistic(start + sum(weights[name] * values.get(name, 0.0) for name in weights))


def min_probability(values: Mapping[str, float], count: int) -> float:
    """How likely a hit with such values must be right to be returned when no limit is named, one of
    so many candidates.

    Where there are few, hardly anything comes near by chance.
    """
    share = _FEW_SHARE + (1 - _FEW_SHARE) * min(1.0, max(0.0, (count - _FEW) / (_MANY - _FEW)))
    return share * (fitted.READ_MIN if "read" in values else fitted.SURE_MIN)
