"""Searches the facts of a bank: first by the words and the meaning of the question, then by its
time span, then by links from the best results.

Each stage's score is kept, so that a caller can show it or require a minimum.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from commonplace.engine import recall as recalling
from commonplace.engine.facts import fact_ranking, graph
from commonplace.engine.facts.fact_query import DEPTHS, Question
from commonplace.engine.facts.fact_ranking import SEEDS_MAX, Finding, left_out
from commonplace.engine.links.replacements import find_replacements
from commonplace.engine.runtime import Runtime
from commonplace.language import analyzer, temporal_expressions
from commonplace.records.query import Dropped, PageRequest, Query, Recall
from commonplace.storage.rows import banks, memories

# A question of these terms and a time asks for everything that happened then.
_TERMS_ABOUT_TIME = frozenset(
    analyzer.terms(
        "what happen happened happening going on do did done go events occurred occur day time the"
        " a is was were are there in of anything something everything we i you us me my our"
    )
)
_IN_WINDOW_MAX = 50
_IN_WINDOW_SCORE = 0.2
_NEIGHBOURS_MAX = 10
_BELOW_CHANNEL_MINIMUM = "below the minimum keyword and semantic scores"
_OTHER_TIME = "not from the time asked about"
_BELOW_MINIMUM = "below the minimum score"


@dataclass(frozen=True, slots=True)
class FactSearchResult:
    """The findings, best first, and the memories left out, with the reason.

    `unsure` means that no finding is surely an answer, and none is from the question's time span.
    """

    found: tuple[Finding, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    unsure: bool = False


def search_facts(runtime: Runtime, bank: str, question: Question) -> FactSearchResult:
    """Search a bank for a question. The result is empty if nothing relevant is known."""
    bank_record = banks.find(runtime.db, bank)
    if bank_record is None or not question.text.strip():
        return FactSearchResult()
    return _FactSearch(runtime, bank, bank_record.id, question).run()


class _FactSearch:
    """One search: the question with its time span, and what was left out so far."""

    def __init__(self, runtime: Runtime, bank: str, bank_id: int, question: Question) -> None:
        self.runtime, self.bank, self.bank_id = runtime, bank, bank_id
        self.question = replace(question, text=analyzer.normalize_question(question.text))
        self.now = runtime.clock.now() if question.now is None else question.now
        self.window = question.window or temporal_expressions.first_span(
            self.question.text, self.now + question.zone_ms
        )
        self.dropped: list[Dropped] = []

    def run(self) -> FactSearchResult:
        """The findings of every stage, in the order of the stages."""
        candidates_max, follows_links = DEPTHS.get(self.question.depth, DEPTHS["high"])
        recalled = self._recall(candidates_max)
        copy_ids = set[int]().union(*(hit.copies for hit in recalled.hits))
        recalled_ids = copy_ids | {hit.memory.id for hit in recalled.hits}
        direct = self._rank_direct(recalled, recalled_ids)
        in_window = self._find_in_window(recalled_ids | _ids(direct))
        neighbours = (
            self._find_neighbours(direct, copy_ids | _ids(direct) | _ids(in_window))
            if follows_links and direct
            else []
        )
        found = self._mark_replaced(self._above_minimum([*direct, *in_window, *neighbours]))
        found_ids = _ids(found)
        # A later stage may have found what an earlier one left out.
        dropped = tuple(one for one in self.dropped if one.memory_id not in found_ids)
        unsure = recalled.unsure and not any(one.temporal for one in found)
        return FactSearchResult(found, dropped, unsure)

    def _mark_replaced(self, found: tuple[Finding, ...]) -> tuple[Finding, ...]:
        """The findings with the newer memories that replaced them."""
        ended = find_replacements(self.runtime, self.bank_id, [one.memory for one in found])
        return tuple(replace(one, replacement=ended.get(one.memory.id)) for one in found)

    def _recall(self, candidates_max: int) -> Recall:
        # The moment of the question anchors its relative times. It hides nothing written later.
        during = (self.window.start, self.window.end) if self.window else None
        query = Query(
            self.question.text, self.question.filter, candidates_max, during=during, explain=True
        )
        recalled = recalling.recall(self.runtime, self.bank, query)
        self.dropped += recalled.dropped
        return recalled

    def _rank_direct(self, recalled: Recall, recalled_ids: set[int]) -> list[Finding]:
        """The hits of recall, with other values of the same things, best first."""
        # The order is that of recall unless the caller gives a moment or a time span.
        is_weighted = self.question.now is not None or self.question.window is not None
        hits = [
            fact_ranking.to_finding(hit, self.window, self.now if is_weighted else None)
            for hit in recalled.hits
        ]
        ranked = fact_ranking.best_first(self.question.text, self._above_channel_minimum(hits))
        with_values = fact_ranking.add_other_values(
            self.runtime, self.bank_id, self.question.filter, ranked, recalled_ids
        )
        direct = fact_ranking.newest_first(self.runtime, with_values, self.now)
        if self._asks_only_for_time():
            # Words such as "what happened" and a date match anything with a date in it.
            timely = [one for one in direct if one.temporal]
            self.dropped += left_out(direct, timely, _OTHER_TIME)
            return timely
        return direct

    def _above_channel_minimum(self, hits: list[Finding]) -> list[Finding]:
        """The hits with their scores below the minimum removed, if one of the scores is left."""
        semantic_min = self.question.min_scores.get("semantic")
        keyword_min = self.question.min_scores.get("keyword")
        scored = [
            replace(
                one,
                semantic=_score_above(one.semantic, semantic_min),
                keyword=_score_above(one.keyword, keyword_min),
            )
            for one in hits
        ]
        if semantic_min is None and keyword_min is None:
            return scored
        kept = [one for one in scored if one.semantic is not None or one.keyword is not None]
        self.dropped += left_out(scored, kept, _BELOW_CHANNEL_MINIMUM)
        return kept

    def _asks_only_for_time(self) -> bool:
        """Whether the question names a time span and has no other words that mean anything."""
        if self.window is None or self.question.window is not None:
            return False
        text = self.question.text
        for span in temporal_expressions.find_spans(text, self.now):
            text = text.replace(span.words, " ")
        return not set(analyzer.question_terms(text)) - _TERMS_ABOUT_TIME

    def _find_in_window(self, known_ids: set[int]) -> list[Finding]:
        """Memories from the question's time span that are not known yet."""
        if self.window is None:
            return []
        within = replace(
            self.question.filter, happened_from=self.window.start, happened_before=self.window.end
        )
        page, now = PageRequest("happened", _IN_WINDOW_MAX), self.runtime.clock.now()
        return [
            Finding(one, _IN_WINDOW_SCORE, temporal=1.0)
            for one in memories.select(self.runtime.db, self.bank_id, within, page, now)
            if one.id not in known_ids
        ]

    def _find_neighbours(self, direct: list[Finding], known_ids: set[int]) -> list[Finding]:
        """Memories linked to the best direct findings, with a lower score than all of these."""
        lowest = min(one.final for one in direct)
        query = graph.NeighbourQuery(self.question.filter, frozenset(known_ids), self.question.text)
        seeds = [one.memory for one in direct[:SEEDS_MAX]]
        found = graph.find_neighbours(self.runtime, self.bank_id, seeds, query, _NEIGHBOURS_MAX)
        return [
            Finding(
                one.memory,
                lowest * one.weight / 2,
                graph=round(one.weight, 4),
                link_types=one.link_types,
            )
            for one in found
        ]

    def _above_minimum(self, every: list[Finding]) -> tuple[Finding, ...]:
        relevance_min = self.question.min_scores.get("reranker", 0)
        final_min = self.question.min_scores.get("final", 0)
        kept = tuple(
            one
            for one in every
            if (one.final if one.relevance is None else one.relevance) >= relevance_min
            and one.final >= final_min
        )
        self.dropped += left_out(every, kept, _BELOW_MINIMUM)
        return kept


def _ids(found: Iterable[Finding]) -> set[int]:
    return {one.memory.id for one in found}


def _score_above(score: float | None, least: float | None) -> float | None:
    if score is None or score <= 0 or (least is not None and score < least):
        return None
    return score
