"""Pages of an answer: first the best hits, ranked as for any question, then all other matches.

The order of the best hits depends on the other hits and on the reranker, so a cursor keeps their
ids. The score of the others depends only on the memory and the question. So a client that reads on
gets each of them once, whatever is written between two pages, and the order does not depend on the
size of the pages.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from commonplace.recall.pipeline import DIGITS, Models, Search
from commonplace.records.query import Cursor, Hit, Query, Recall
from commonplace.storage import text_index
from commonplace.storage.database import Database
from commonplace.storage.rows import memories

HEAD_SIZE = 10  # So many are the best.


def run(db: Database, models: Models, bank_id: int, query: Query, now: int) -> Recall:
    """A page of what a bank knows about a question, and where the next one begins, if there is
    one.
    """
    paging = _PagedSearch(db, models, bank_id, query, now)
    return (
        paging.page(paging.remaining_head(query.after), query.after)
        if query.after
        else paging.first_page()
    )


@dataclass(frozen=True, slots=True)
class _PagedSearch:
    """A question that is answered in pages."""

    db: Database
    models: Models
    bank_id: int
    query: Query
    now: int

    def first_page(self) -> Recall:
        """The first page."""
        asking = self._search(self.models, replace(self.query, depth=0, limit=HEAD_SIZE))
        best = asking.answer()
        if not best.hits:
            return best
        hits = [replace(hit, score=round(hit.score, DIGITS)) for hit in best.hits]
        place = replace(
            asking.start_place(), head=tuple((hit.memory.id, hit.score) for hit in hits)
        )
        return replace(self.page(hits, place), unsure=best.unsure)

    def page(self, ahead: Sequence[Hit], place: Cursor) -> Recall:
        """As many as a page has: of the best that are still to come, and then of the others.

        Of later pages nobody expects an answer, so there is nothing to doubt.
        """
        limit = self.query.limit or HEAD_SIZE
        if len(ahead) > limit:
            return Recall(tuple(ahead[:limit]), next=replace(place, ahead=len(ahead) - limit))
        place, room = replace(place, ahead=0), limit - len(ahead)
        # Of the others nothing is read, because what is said of one would depend on which others
        # there are.
        others = self._search(
            replace(self.models, reranker=None), replace(self.query, limit=room or 1, after=place)
        )
        rest = others.answer()
        if not room:
            return Recall(tuple(ahead), next=place if rest.hits else None)
        least = place.head[-1][1]
        capped = (replace(hit, score=min(hit.score, least)) for hit in rest.hits)
        return replace(rest, hits=(*ahead, *capped), unsure=False)

    def remaining_head(self, place: Cursor) -> list[Hit]:
        """The best that are still to come, without those that went away meanwhile."""
        coming = dict(place.head[len(place.head) - place.ahead :])
        passing = text_index.filter_ids(
            self.db, self.bank_id, list(coming), self.query.filter, self.now
        )
        known = memories.by_ids(
            self.db, self.bank_id, [number for number in coming if number in passing]
        )
        return [
            Hit(known[number], score, {}) for number, score in coming.items() if number in known
        ]

    def _search(self, models: Models, query: Query) -> Search:
        return Search(self.db, models, self.bank_id, query, self.now)
