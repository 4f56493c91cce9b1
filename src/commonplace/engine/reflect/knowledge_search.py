"""Finds knowledge pages by their words, and by the memories that they were made from.

Recall also finds these memories by meaning.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from commonplace.engine.facts import fact_search
from commonplace.engine.facts.fact_query import Question
from commonplace.engine.reflect.knowledge import knowledge
from commonplace.engine.reflect.mental_model_rows import MentalModel
from commonplace.engine.runtime import Runtime
from commonplace.language import analyzer
from commonplace.records.query import Filter

# The threshold of every search.
_RELEVANCE_MIN = 0.5
# A page with this weighted share of the question's terms is relevant.
_COVERAGE_MIN = 0.34
_SNIPPET_CHARS_MAX = 300


@dataclass(frozen=True, slots=True)
class PageHit:
    """A page, its score from 0 to 1, and its line that matches the question best."""

    page: MentalModel
    score: float
    snippet: str


def search_knowledge(
    runtime: Runtime, bank: str, query: str, limit: int = 10
) -> tuple[PageHit, ...]:
    """The pages that match a query, best first. Empty if no page is relevant."""
    pages = knowledge(runtime, bank).pages
    if not pages or not query.strip():
        return ()
    wanted = _term_weights(query, pages)
    question = Question(query, Filter(users=("",)), "low")
    hits = fact_search.search_facts(runtime, bank, question).found
    relevance = {hit.memory.id: hit.relevance or 0.0 for hit in hits}
    found = [_score_page(page, wanted, relevance) for page in pages]
    best = sorted(
        (one for one in found if one.score > 0),
        key=lambda one: (-one.score, one.page.title.casefold()),
    )
    return tuple(best[:limit])


def _score_page(
    page: MentalModel, weights: dict[str, float], relevance: dict[int, float]
) -> PageHit:
    text_coverage = _coverage(f"{page.title} {page.query} {page.content}", weights)
    title_coverage = _coverage(page.title, weights)
    source_relevance = max((relevance.get(number, 0.0) for number in page.sources), default=0.0)
    by_words = 0.8 * text_coverage + 0.2 * title_coverage if text_coverage >= _COVERAGE_MIN else 0.0
    by_memories = source_relevance if source_relevance >= _RELEVANCE_MIN else 0.0
    return PageHit(
        page, round(1 - (1 - by_words) * (1 - by_memories), 6), _snippet(page.content, weights)
    )


def _term_weights(query: str, pages: Sequence[MentalModel]) -> dict[str, float]:
    """The weight of each term of the query. A term in fewer pages weighs more."""
    page_terms = [set(analyzer.terms(f"{one.title} {one.query} {one.content}")) for one in pages]
    terms = dict.fromkeys(analyzer.question_terms(query))
    return {
        term: math.log(1 + (len(pages) + 1) / (0.5 + sum(term in one for one in page_terms)))
        for term in terms
    }


def _coverage(text: str, weights: dict[str, float]) -> float:
    """The weighted share of the query's terms that a text contains."""
    total = sum(weights.values())
    text_terms = set(analyzer.terms(text))
    return (
        sum(weight for term, weight in weights.items() if term in text_terms) / total
        if total
        else 0.0
    )


def _snippet(content: str, weights: dict[str, float]) -> str:
    lines = [line.strip() for line in content.splitlines() if line.strip()]
    return max(lines, key=lambda line: _coverage(line, weights), default="")[:_SNIPPET_CHARS_MAX]
