"""Answers a question: finds candidates, collects their features, scores and reranks them, and drops
what is not relevant.

Reads the store, writes nothing, and knows no product and no protocol.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from commonplace.language import analyzer, conflicts
from commonplace.language.judgement import Judge
from commonplace.recall import (
    calibration,
    confidence,
    features,
    query_decomposition,
    scoring,
    supersession,
)
from commonplace.recall.calibration import CalibratedHit
from commonplace.recall.candidates import Candidates
from commonplace.recall.confidence import CandidateView, QueryInfo
from commonplace.recall.evidence import Evidence, HitFeatures
from commonplace.recall.rerank import Reranker, RerankPass
from commonplace.recall.scoring import Question, ScoredHit
from commonplace.recall.supersession import Pair
from commonplace.records.memory import Memory
from commonplace.records.query import Cursor, Dropped, Hit, Query, Recall
from commonplace.storage import text_index
from commonplace.storage.database import Database
from commonplace.storage.rows import memories

if TYPE_CHECKING:
    from commonplace.recall.vector_index import VectorIndex, VectorQuery

CHANNELS = ("keyword", "vector")

# Each channel finds at least so many candidates; so many times more where copies have taken the
# positions of others.
CANDIDATES_MIN, _WIDEN_FACTOR = 60, 8
COMPARED_MAX = 40  # So many of the best are compared; a memory further down replaces hardly any.
SURE_MAX, UNSURE_MAX = 10, 3  # So many hits are returned when the query has no limit.
# A reranker may take a hit for an answer that has hardly a word of the question. With the first of
# these probabilities it is returned alone, with the second beside others.
_READ_MIN_ALONE, _READ_MIN_BESIDE = 0.1, 0.02
COPIES_MAX = 20  # A hit names so many of its copies.
# A term in more texts than this is hardly evidence, and finding all of them takes long.
COUNT_MAX = 10_000
DIGITS, _FINE_DIGITS = 4, 6  # Near 1 the best differ by little.
_SCORE_ABOVE_ALL = 2.0
_BEYOND_LIMIT, _COPY = "beyond the limit", "another memory says the same"


@dataclass(frozen=True, slots=True)
class Models:
    """The models that a question is asked with; each of them may be missing."""

    semantics: "VectorIndex | None" = None
    reranker: Reranker | None = None
    judge: Judge = conflicts.judge


def run(db: Database, models: Models, bank_id: int, query: Query, now: int) -> Recall:
    """The memories of a bank that answer a question, best first; none when none is relevant."""
    return Search(db, models, bank_id, query, now).answer()


class Search:
    """The search for the answer to one question in one bank."""

    def __init__(self, db: Database, models: Models, bank_id: int, query: Query, now: int) -> None:
        self.db, self.bank_id, self.query, self.now = db, bank_id, query, now
        self.within = text_index.SearchScope(bank_id, query.filter, now)
        self.judge = models.judge
        self.semantics = semantics = models.semantics
        self.limit = max(CANDIDATES_MIN, query.limit or 0, query.depth)
        self.uses_keywords = "keyword" in query.channels
        self.identified = False
        terms = tuple(dict.fromkeys(scoring.shorten_terms(analyzer.question_terms(query.text))))
        if after := query.after:
            self.counts = dict(zip(terms, after.term_counts, strict=False))
            self.row_count, self.term_count = after.row_count, after.term_count
        else:
            self.counts = text_index.term_counts(db, terms, COUNT_MAX)
            self.row_count, self.term_count = text_index.index_size(db)
        self.question: Question = scoring.build_question(
            query.text, self.counts, self.row_count, self.term_count
        )
        self.vector_query: VectorQuery | None = (
            semantics.prepare_query(query.text, self.question.terms) if semantics else None
        )
        self.candidates = Candidates(db, self.within, query, self.question)
        self.reranker: Reranker | None = models.reranker if self._is_readable() else None

    def answer(self) -> Recall:
        """The hits, and with `explain` what was dropped."""
        scored = self.score_candidates()
        rated = self._rate(scored)
        kept, dropped = self._select(rated, is_silent=self._is_silent(scored, rated))
        ids = [one.scored.evidence.memory_id for one in kept]
        known = memories.by_ids(self.db, self.bank_id, ids)
        hits = tuple(
            self._hit(one, known[number])
            for one, number in zip(kept, ids, strict=True)
            if number in known
        )
        has_more = self.query.depth and kept and any(one.why == _BEYOND_LIMIT for one in dropped)
        following = self._place_after(kept[-1].scored) if has_more else None
        unsure = not any(one.is_sure for one in kept)
        return Recall(hits, tuple(dropped) if self.query.explain else (), following, unsure)

    def _rate(self, scored: list[ScoredHit]) -> list[CalibratedHit]:
        """The hits in their final order, with how sure they are."""
        if not self.query.depth:
            return calibration.calibrate(scored, *self.compare_best(scored))
        rest = _after_place(scored, self.query.after) if self.query.after else scored
        return [calibration.rate_by_relevance(one) for one in sorted(rest, key=_page_order)]

    def _is_silent(self, scored: list[ScoredHit], rated: list[CalibratedHit]) -> bool:
        """Whether nothing is close enough to the question for an answer."""
        # A later page follows an answer that was given, even if its best hit is gone since.
        if self.query.after:
            return False
        best = max((one.relevance for one in scored), default=0.0)
        if best >= scoring.answer_min(self._memory_count()):
            return False
        return not any(one.is_likely(_READ_MIN_ALONE) for one in rated)

    def _select(
        self, rated: list[CalibratedHit], *, is_silent: bool
    ) -> tuple[list[CalibratedHit], list[Dropped]]:
        """The hits that are returned, and the others with the reason."""
        unsure = not any(one.is_sure for one in rated)
        limit_unset = UNSURE_MAX if unsure else SURE_MAX
        limit = limit_unset if self.query.limit is None else self.query.limit
        kept: list[CalibratedHit] = []
        dropped: list[Dropped] = []
        for one in rated:
            why = self._confidence_reason(one, is_silent, unsure) or self._score_reason(one)
            if not why and len(kept) >= limit:
                why = _BEYOND_LIMIT
            if why:
                score = round(one.scored.score, DIGITS)
                dropped.append(Dropped(one.scored.evidence.memory_id, score, why))
            else:
                kept.append(one)
            dropped += self._dropped_copies(one.scored)
        return kept, dropped

    def _confidence_reason(self, one: CalibratedHit, is_silent: bool, unsure: bool) -> str:
        """Why a hit is dropped that is not sure enough; "" when it is."""
        is_unlimited = self.query.limit is None
        if is_unlimited and one.is_replaced:
            return "a newer memory replaced it"
        if one.is_sure:
            return ""
        if is_unlimited and not unsure:
            return "not surely an answer"
        return "nothing in the bank is close to the question" if is_silent else ""

    def _score_reason(self, one: CalibratedHit) -> str:
        """Why a hit is dropped whose score is too low; "" when it is high enough."""
        if (
            one.scored.relevance < scoring.HIT_MIN
            and not one.is_sure
            and not one.is_likely(_READ_MIN_BESIDE)
        ):
            return "not close enough to the question"
        return "below the minimum score" if one.scored.score < self.query.min_score else ""

    def score_candidates(self) -> list[ScoredHit]:
        """The candidates with their scores, best first."""
        found, after = self.gather_evidence(), self.query.after
        self.identified = after.identified if after else any(evidence.exact for evidence in found)
        scored = scoring.rank(found, self.identified)
        read = (
            self._rerank_pass(self.reranker).score_best(scored, self.candidates)
            if self.reranker
            else None
        )
        return scoring.rank(read, self.identified) if read else scored

    def compare_best(self, scored: list[ScoredHit]) -> tuple[list[HitFeatures], list[Pair]]:
        """The features of the best hits, and the pairs of hits of which the newer may have replaced
        the older.
        """
        unknown = frozenset(term for term, count in self.counts.items() if not count)
        best = scored[:COMPARED_MAX]
        views = self.candidates.views([one.evidence.memory_id for one in best])
        text, terms = self.query.text, self.question.terms
        names = confidence.distinguishing_terms(text, terms, views)
        is_identifier_only = confidence.is_identifier_only(self.question)
        info = QueryInfo(text, terms, unknown, names, is_identifier_only)
        pairs = self._find_pairs(best, views, may_change=not is_identifier_only)
        return confidence.confidence_features(info, scored, views), pairs

    def _find_pairs(
        self, best: list[ScoredHit], views: list[CandidateView], *, may_change: bool
    ) -> list[Pair]:
        """The pairs of hits; none where the question is only an identifier, which asks for the
        older states too, or is about an event.
        """
        text, terms = self.query.text, self.question.terms
        if not may_change or supersession.is_about_past_event(text):
            return []
        # A name that only the memories have may be the change itself, so only the names in the
        # question are left out.
        names = confidence.distinguishing_terms(text, terms, ())
        others = {term: weight for term, weight in terms.items() if term not in names}
        found = supersession.find_pairs(best, views, self.candidates.similarity_matrix, others)
        pairs = supersession.add_verdicts(found, views, self.judge)
        if self.reranker and any(one.evidence.features.read is not None for one in best):
            return self._rerank_pass(self.reranker).score_pairs(pairs, views, best)
        return pairs

    def _hit(self, one: CalibratedHit, memory: Memory) -> Hit:
        channels = one.scored.evidence.channels()
        if self.query.explain and not self.query.depth:
            channels["sure"] = round(one.confidence, DIGITS)
        copies = self.candidates.copies.get(memory.id, ())[:COPIES_MAX]
        return Hit(
            memory,
            round(one.scored.score, DIGITS if self.query.depth else _FINE_DIGITS),
            channels,
            copies,
        )

    def _dropped_copies(self, one: ScoredHit) -> list[Dropped]:
        others = self.candidates.copies.get(one.evidence.memory_id, ())
        return [Dropped(other, round(one.score, DIGITS), _COPY) for other in others]

    def start_place(self) -> Cursor:
        """The place before every hit of an answered question."""
        return Cursor(
            _SCORE_ABOVE_ALL,
            0,
            tuple(self.counts.values()),
            self.row_count,
            self.term_count,
            self.identified,
        )

    def _place_after(self, last: ScoredHit) -> Cursor:
        before = self.query.after or self.start_place()
        return replace(before, score=round(last.score, DIGITS), memory_id=last.evidence.memory_id)

    def _rerank_pass(self, reranker: Reranker) -> RerankPass:
        return RerankPass.sized_for(reranker, self.query.text, self._memory_count())

    def _memory_count(self) -> int:
        return (self.semantics.count(self.bank_id) if self.semantics else 0) or self.row_count

    def _is_readable(self) -> bool:
        """Whether a reranker can read the question: a short one with letters of a script that it
        knows, as the embedder does.
        """
        embedding = self.vector_query.embedding if self.vector_query else None
        if embedding is not None and embedding.is_character_level:
            return False
        text = self.query.text
        return len(text) <= scoring.ONE_QUESTION_CHARS and any(map(str.isalnum, text))

    def gather_evidence(self) -> list[Evidence]:
        """The evidence for each candidate. A question that compares things is also asked for each
        of these, except in pages.
        """
        found = self._gather_for_whole()
        asked = (
            query_decomposition.split_comparison(self.query.text) if not self.query.depth else ()
        )
        queries = [replace(self.query, text=part) for part in asked]
        parts = [
            Search(self.db, Models(self.semantics), self.bank_id, one, self.now)._gather_for_whole()
            for one in queries
        ]
        return query_decomposition.add_part_evidence(found, parts) if parts else found

    def _gather_for_whole(self) -> list[Evidence]:
        found = self._weigh_candidates()
        if 2 * sum(map(len, self.candidates.copies.values())) > self.limit:
            # Copies have taken the positions of other candidates.
            self.limit *= _WIDEN_FACTOR
            self.candidates = Candidates(self.db, self.within, self.query, self.question)
            found = self._weigh_candidates()
        return found

    def _weigh_candidates(self) -> list[Evidence]:
        exact = self._identifier_ids()
        numbers = list(dict.fromkeys((*exact, *self._keyword_ids(), *self._nearest_ids())))
        if self.vector_query:
            self.candidates.use_vectors(self.vector_query)
        return features.collect_evidence(self.candidates, numbers, exact)

    def _identifier_ids(self) -> list[int]:
        names = self.question.identifiers
        return self._matching_ids(text_index.all_of(names)) if names and self.uses_keywords else []

    def _keyword_ids(self) -> list[int]:
        chosen = rarest_terms(self.counts) if self.uses_keywords else []
        if chosen and self.counts[chosen[0]] >= COUNT_MAX:
            return text_index.newest_with_terms(
                self.db, self.within, [t for t, n in self.counts.items() if n], self.limit
            )
        return self._matching_ids(text_index.any_of(chosen)) if chosen else []

    def _matching_ids(self, match: str) -> list[int]:
        return text_index.keyword_ids(
            self.db, self.bank_id, match, self.query.filter, self.now, self.limit
        )

    def _nearest_ids(self) -> list[int]:
        return (
            self.vector_query.nearest(self.db, self.within, self.limit) if self.vector_query else []
        )


def _page_order(one: ScoredHit) -> tuple[float, int]:
    """The order of pages: the score is rounded as it is shown, because its last digits depend on
    other candidates.
    """
    return (-round(one.score, DIGITS), -one.evidence.memory_id)


def _after_place(scored: Iterable[ScoredHit], place: Cursor) -> list[ScoredHit]:
    """The hits after a place, without the best ones, which the first pages have shown."""
    last, best = (-place.score, -place.memory_id), dict(place.head)
    return [one for one in scored if _page_order(one) > last and one.evidence.memory_id not in best]


def rarest_terms(counts: dict[str, int]) -> list[str]:
    """The rarest terms, until together they are in too many texts to look up."""
    chosen: list[str] = []
    total = 0
    for term, count in sorted(counts.items(), key=lambda item: item[1]):
        total += count
        if chosen and total > COUNT_MAX:
            break
        if count:
            chosen.append(term)
    return chosen
