"""Finds knowledge pages: by their words, and by the memories they rest on, which recall also finds
by meaning.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from commonplace.engine.facts import fact_search
from commonplace.engine.facts.fact_search import Question
from commonplace.engine.reflect.knowledge import knowledge
from commonplace.engine.reflect.mental_model_rows import MentalModel
from commonplace.engine.runtime import Parts
from commonplace.language import analyzer
from commonplace.records.query import Filter

# One half is just sure enough, as in every search.
_SURE_MIN = 0.5
# A page that has this share of what a question asks for is worth showing.
_WORDS_MIN = 0.34
_SNIPPET_CHARS_MAX = 300


@dataclass(frozen=True, slots=True)
class PageFound:
    """A page, how well it answers from 0 to 1, and its line that comes nearest to the question."""

    page: MentalModel
    score: float
    snippet: str


def search_knowledge(parts: Parts, bank: str, query: str, limit: int = 10) -> tuple[PageFound, ...]:
    """The pages about a question, best first. Empty means that no page is about it."""
    pages = knowledge(parts, bank).pages
    if not pages or not query.strip():
        return ()
    wanted = _weights(query, pages)
    hits = fact_search.ask(parts, bank, Question(query, Filter(users=("",)), "low"))
    relevance = {hit.memory.id: hit.relevance or 0.0 for hit in hits}
    found = [_judged(page, wanted, relevance) for page in pages]
    best = sorted(
        (one for one in found if one.score > 0),
        key=lambda one: (-one.score, one.page.title.casefold()),
    )
    return tuple(best[:limit])


def _judged(page: MentalModel, wanted: dict[str, float], relevance: dict[int, float]) -> PageFound:
    words = _share(f"{page.title} {page.query} {page.content}", wanted)
    named = _share(page.title, wanted)
    rests = max((relevance.get(number, 0.0) for number in page.sources), default=0.0)
    by_words = 0.8 * words + 0.2 * named if words >= _WORDS_MIN else 0.0
    by_memories = rests if rests >= _SURE_MIN else 0.0
    return PageFound(
        page, round(1 - (1 - by_words) * (1 - by_memories), 6), _snippet(page.content, wanted)
    )


def _weights(query: str, pages: Sequence[MentalModel]) -> dict[str, float]:
    """The terms of a question, each with what it counts: the more, the fewer pages have it."""
    held = [set(analyzer.terms(f"{one.title} {one.query} {one.content}")) for one in pages]
    terms = dict.fromkeys(analyzer.question_terms(query))
    return {
        term: math.log(1 + (len(pages) + 1) / (0.5 + sum(term in one for one in held)))
        for term in terms
    }


def _share(said: str, wanted: dict[str, float]) -> float:
    """Which share of what is asked for a text has."""
    total = sum(wanted.values())
    held = set(analyzer.terms(said))
    return sum(weight for term, weight in wanted.items() if term in held) / total if total else 0.0


def _snippet(content: str, wanted: dict[str, float]) -> str:
    lines = [line.strip() for line in content.splitlines() if line.strip()]
    return max(lines, key=lambda line: _share(line, wanted), default="")[:_SNIPPET_CHARS_MAX]
