"""Turns a question into hits: take it apart, find candidates, weigh the evidence, keep what is
relevant.

Reads the store; writes nothing; knows no product and no protocol.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from commonplace.language import analyzer, conflicts
from commonplace.language.judgement import Judge
from commonplace.recall import calibration, confidence, query_decomposition, scoring, supersession
from commonplace.recall.calibration import Judged
from commonplace.recall.confidence import Asked
from commonplace.recall.features import Weighing
from commonplace.recall.rerank import Reading, Reranker
from commonplace.recall.scoring import Evidence, Question, Scored
from commonplace.recall.supersession import Pair
from commonplace.records.memory import Memory
from commonplace.records.query import Dropped, Hit, Place, Query, Recall
from commonplace.storage import memories, text_index
from commonplace.storage.database import Database

if TYPE_CHECKING:
    from commonplace.recall.vector_index import Asking, Semantics

CHANNELS = ("keyword", "vector")

CANDIDATES_MIN, _WIDER = (
    60,
    8,
)  # So many times as many where copies have taken the places of others.
CLOSELY_MAX = 40  # So many of the best are looked at closely; what replaced one of them is hardly ever further down.
SURE_MAX, UNSURE_MAX = 10, 3  # How many are returned to who says nothing of a limit.
# Whoever has read a hit may take it for an answer though it has hardly a word of the question: as
# likely as the first of these, it is shown where nothing would be; as likely as the second, beside
# others.
_MAYBE, _HARDLY = 0.1, 0.02
COPIES_MAX = 20  # So many of those that say the same are told.
COUNT_MAX = (
    10_000  # A term in more texts than this says little, and finding all of them takes long.
)
DIGITS, _FINE_DIGITS = 4, 6  # Near 1 the best differ by little.
_ABOVE = 2.0  # No score is as high.
_BEYOND, _COPY = "beyond the limit", "another memory says the same"


@dataclass(frozen=True, slots=True)
class Models:
    """The models that a question is asked with; each of them may be missing."""

    semantics: "Semantics | None" = None
    reranker: Reranker | None = None
    judge: Judge = conflicts.judge


def run(db: Database, models: Models, bank_id: int, query: Query, now: int) -> Recall:
    """What a bank knows about a question, best first; nothing when nothing is relevant."""
    return Search(db, models, bank_id, query, now).answer()


class Search:
    """One question on its way through one bank."""

    def __init__(self, db: Database, models: Models, bank_id: int, query: Query, now: int) -> None:
        self.db, self.bank_id, self.query, self.now = db, bank_id, query, now
        self.within = text_index.Within(bank_id, query.filter, now)
        self.judge = models.judge
        self.semantics = semantics = models.semantics
        self.limit = max(CANDIDATES_MIN, query.limit or 0, query.depth)
        self.by_words = "keyword" in query.channels
        self.identified = False
        terms = tuple(dict.fromkeys(scoring.bounded(analyzer.question_terms(query.text))))
        if after := query.after:
            self.counts = dict(zip(terms, after.term_counts, strict=False))
            self.row_count, self.term_count = after.row_count, after.term_count
        else:
            self.counts = text_index.term_counts(db, terms, COUNT_MAX)
            self.row_count, self.term_count = text_index.extent(db)
        self.asked: Question = scoring.question(
            query.text, self.counts, self.row_count, self.term_count
        )
        self.asking: Asking | None = (
            semantics.asking(query.text, self.asked.terms) if semantics else None
        )
        self.weighing = Weighing(db, self.within, query, self.asked)
        # A reranker reads what is written in Latin letters, as the embedder does, and is not asked
        # for marks alone.
        is_spelt = self.asking is not None and self.asking.meaning.is_spelt
        reads = (
            not is_spelt
            and len(query.text) <= scoring.ONE_QUESTION_CHARS
            and any(map(str.isalnum, query.text))
        )
        self.reranker: Reranker | None = models.reranker if reads else None

    def answer(self) -> Recall:
        """The hits, and with `explain` what was left out."""
        after = self.query.after
        scored = self.scored()
        if self.query.depth:
            rest = _following(scored, after) if after else scored
            judged = [calibration.plainly(one) for one in sorted(rest, key=_rank)]
        else:
            judged = calibration.judged(scored, *self.considered(scored))
        # Who goes on has been answered before, whatever has become of the best hit since.
        silent = (
            not after and max((one.relevance for one in scored), default=0.0) < self._answer_min()
        )
        silent = silent and not any(one.is_likely(_MAYBE) for one in judged)
        unsure = not any(one.is_sure for one in judged)
        kept: list[Judged] = []
        dropped: list[Dropped] = []
        for one in judged:
            why = self._why_not(one, silent, unsure, len(kept))
            if why:
                dropped.append(
                    Dropped(one.scored.evidence.memory_id, round(one.scored.score, DIGITS), why)
                )
            else:
                kept.append(one)
            dropped += self._copies(one.scored)
        known = memories.by_ids(
            self.db, self.bank_id, [one.scored.evidence.memory_id for one in kept]
        )
        hits = [
            self._hit(one, known[number])
            for one in kept
            if (number := one.scored.evidence.memory_id) in known
        ]
        more = self.query.depth and kept and any(one.why == _BEYOND for one in dropped)
        following = self._place(kept[-1].scored) if more else None
        unsure = not any(one.is_sure for one in kept)
        return Recall(tuple(hits), tuple(dropped) if self.query.explain else (), following, unsure)

    def scored(self) -> list[Scored]:
        """The candidates with their scores, best first."""
        found, after = self.evidence(), self.query.after
        self.identified = after.identified if after else any(evidence.exact for evidence in found)
        scored = scoring.ordered(found, self.identified)
        read = self._reading(self.reranker).read(scored, self.weighing) if self.reranker else None
        return scoring.ordered(read, self.identified) if read else scored

    def considered(self, scored: list[Scored]) -> tuple[list[dict[str, float]], list[Pair]]:
        """How the best hits stand to the question, and which of the hits may have replaced
        which.
        """
        unknown = frozenset(term for term, count in self.counts.items() if not count)
        best = scored[:CLOSELY_MAX]
        looks = self.weighing.looks([one.evidence.memory_id for one in best])
        question, terms = self.query.text, self.asked.terms
        apart = confidence.telling_apart(question, terms, looks)
        asked = Asked(question, terms, unknown, apart, confidence.is_name(self.asked))
        # What only the memories write as a name may be what has changed, so here the question's own
        # names count.
        named = confidence.telling_apart(question, terms, ())
        about = {term: weight for term, weight in terms.items() if term not in named}
        # Who asks for whatever names a thing wants to know what it was, too.
        may_change = not asked.is_name and not supersession.asks_for_a_past_event(question)
        pairs = supersession.pairs(best, looks, self.weighing.likeness, about) if may_change else ()
        pairs = supersession.judged(pairs, looks, self.judge)
        if self.reranker and any("read" in one.evidence.values for one in best):
            pairs = self._reading(self.reranker).compared(pairs, looks, best)
        return confidence.features(asked, scored, looks), pairs

    def _hit(self, one: Judged, memory: Memory) -> Hit:
        channels = one.scored.evidence.channels()
        if self.query.explain and not self.query.depth:
            channels["sure"] = round(one.sure, DIGITS)
        copies = self.weighing.copies.get(memory.id, ())[:COPIES_MAX]
        return Hit(
            memory,
            round(one.scored.score, DIGITS if self.query.depth else _FINE_DIGITS),
            channels,
            copies,
        )

    def _copies(self, one: Scored) -> list[Dropped]:
        others = self.weighing.copies.get(one.evidence.memory_id, ())
        return [Dropped(other, round(one.score, DIGITS), _COPY) for other in others]

    def start(self) -> Place:
        """The place before everything, once the question was answered."""
        return Place(
            _ABOVE, 0, tuple(self.counts.values()), self.row_count, self.term_count, self.identified
        )

    def _place(self, last: Scored) -> Place:
        before = self.query.after or self.start()
        return replace(before, score=round(last.score, DIGITS), memory_id=last.evidence.memory_id)

    def _why_not(self, one: Judged, silent: bool, unsure: bool, kept_count: int) -> str:
        limit = self.query.limit
        if limit is None and one.is_replaced:
            return "a newer memory replaced it"
        if limit is None and not unsure:
            if not one.is_sure:
                return "not surely an answer"
        elif silent and not one.is_sure:
            return "nothing in the bank is close to the question"
        if (
            one.scored.relevance < scoring.HIT_MIN
            and not one.is_sure
            and not one.is_likely(_HARDLY)
        ):
            return "not close enough to the question"
        if one.scored.score < self.query.min_score:
            return "below the minimum score"
        most = (UNSURE_MAX if unsure else SURE_MAX) if limit is None else limit
        return _BEYOND if kept_count >= most else ""

    def _answer_min(self) -> float:
        return scoring.answer_min(self._count())

    def _reading(self, reranker: Reranker) -> Reading:
        return Reading.among(reranker, self.query.text, self._count())

    def _count(self) -> int:
        return (self.semantics.count(self.bank_id) if self.semantics else 0) or self.row_count

    def evidence(self) -> list[Evidence]:
        """What speaks for each candidate; where the question compares things, and no page is asked
        for, for each.
        """
        found = self._whole()
        asked = query_decomposition.parts(self.query.text) if not self.query.depth else ()
        queries = [replace(self.query, text=part) for part in asked]
        parts = [
            Search(self.db, Models(self.semantics), self.bank_id, one, self.now)._whole()
            for one in queries
        ]
        return query_decomposition.by_part(found, parts) if parts else found

    def _whole(self) -> list[Evidence]:
        found = self._weighed()
        if 2 * sum(map(len, self.weighing.copies.values())) > self.limit:
            # What was told again and again has taken the place of what else there is.
            self.limit *= _WIDER
            self.weighing = Weighing(self.db, self.within, self.query, self.asked)
            found = self._weighed()
        return found

    def _weighed(self) -> list[Evidence]:
        named = self._by_identifiers()
        candidates = list(dict.fromkeys((*named, *self._by_keywords(), *self._by_meaning())))
        if self.asking:
            self.weighing.by_meaning(self.asking)
        return self.weighing.evidence(candidates, named)

    def _by_identifiers(self) -> list[int]:
        names = self.asked.identifiers
        return self._matching(text_index.all_of(names)) if names and self.by_words else []

    def _by_keywords(self) -> list[int]:
        chosen = rarest(self.counts) if self.by_words else []
        if chosen and self.counts[chosen[0]] >= COUNT_MAX:
            return text_index.together_ids(
                self.db, self.within, [t for t, n in self.counts.items() if n], self.limit
            )
        return self._matching(text_index.any_of(chosen)) if chosen else []

    def _matching(self, match: str) -> list[int]:
        return text_index.keyword_ids(
            self.db, self.bank_id, match, self.query.filter, self.now, self.limit
        )

    def _by_meaning(self) -> list[int]:
        return self.asking.nearest(self.db, self.within, self.limit) if self.asking else []


def _rank(one: Scored) -> tuple[float, int]:
    """What pages are ordered by: the score as it is shown, because its last digits depend on what
    else is weighed.
    """
    return (-round(one.score, DIGITS), -one.evidence.memory_id)


def _following(scored: Iterable[Scored], place: Place) -> list[Scored]:
    """What comes after a place, and is none of the best, which were shown before all others."""
    last, best = (-place.score, -place.memory_id), dict(place.head)
    return [one for one in scored if _rank(one) > last and one.evidence.memory_id not in best]


def rarest(counts: dict[str, int]) -> list[str]:
    """The terms worth looking up: the rarest ones, until together they are in very many texts."""
    chosen: list[str] = []
    total = 0
    for term, count in sorted(counts.items(), key=lambda item: item[1]):
        total += count
        if chosen and total > COUNT_MAX:
            break
        if count:
            chosen.append(term)
    return chosen
