"""The candidates of one question: what the store knows about each, and its own features.

`features` and `conversation_features` add the features that depend on other candidates.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from commonplace.recall import confidence, dialogue, scoring
from commonplace.recall.confidence import CandidateView
from commonplace.recall.dialogue import Turn
from commonplace.recall.evidence import Features
from commonplace.recall.scoring import Question, WordMatch
from commonplace.records.query import Query
from commonplace.storage import text_index
from commonplace.storage.database import Database
from commonplace.storage.rows import memories, vector_rows
from commonplace.storage.text_index import SearchScope

if TYPE_CHECKING:
    from commonplace.recall.late_interaction import Similarities
    from commonplace.recall.vector_index import VectorQuery

COMPARED_TERMS_MAX = 200  # A longer text is not a statement that another one could replace.
_TERMS_CHARS_MAX = 300_000  # Only this much of a memory is scored; all of it is searched.
# The weight of vectors for a question whose tokens are single characters. Words have the rest: they
# are mapped to the similarity that texts with so many of the words usually have.
CHARACTER_LEVEL_SHARE = 0.4
_USUAL_SIMILARITY, _USUAL_RISE = 0.42, 0.5


class Candidates:
    """The candidates of one question by memory id, in the order they were added."""

    def __init__(self, db: Database, within: SearchScope, query: Query, question: Question) -> None:
        self.db, self.within, self.query, self.question = db, within, query, question
        self.uses_keywords = "keyword" in query.channels
        self.vector_query: VectorQuery | None = None
        # The rows of `similarities` belong to the memories at these positions.
        self.similarities: Similarities | None = None
        self.positions: dict[int, int] = {}
        self.matches: dict[int, WordMatch] = {}
        self.features: dict[int, Features] = {}
        self.terms: dict[int, str] = {}
        self.texts: dict[int, str] = {}
        # Memories that have every identifier of the question.
        self.exact: set[int] = set()
        # For a turn of a conversation, the memory with the turn before it.
        self.previous: dict[int, int] = {}
        # For each memory that has copies, the ids of these, which are no candidates any more.
        self.copies: dict[int, tuple[int, ...]] = {}
        self._moments: dict[int, int] = {}
        self._titles: dict[int, str] = {}
        self._encoded_by_id: dict[int, bytes] = {}

    def use_vectors(self, vector_query: "VectorQuery") -> None:
        """Score the candidates by their vectors too."""
        self.vector_query = vector_query

    def add(self, numbers: Sequence[int]) -> None:
        """Add memories with their own features. What is not in the text index is left out."""
        encoded = self._encoded(numbers)
        terms = text_index.stored_terms(self.db, numbers, _TERMS_CHARS_MAX)
        fresh = [number for number in terms if encoded is None or number in encoded]
        if encoded is not None:
            self._add_similarities(fresh, encoded)
        for number in fresh:
            self.positions[number] = len(self.positions)
            self.matches[number] = scoring.match_words(self.question, terms[number])
            self.terms[number] = terms[number]
            self.features[number] = self._own_features(number)
            if scoring.has_identifiers(self.question, terms[number]):
                self.exact.add(number)

    def _add_similarities(self, numbers: Sequence[int], encoded: Mapping[int, bytes]) -> None:
        if self.vector_query is None or not numbers:
            return
        self._encoded_by_id |= encoded
        near = self.vector_query.similarities([encoded[number] for number in numbers])
        self.similarities = self.similarities.extend(near) if self.similarities else near

    def read_turns(self, numbers: Sequence[int]) -> dict[int, Turn]:
        """Read how memories begin; returns those that are turns of a conversation."""
        excerpts = text_index.excerpts(
            self.db, self.within.bank_id, numbers, dialogue.TEXT_CHARS_MAX
        )
        self._moments |= {number: one.at for number, one in excerpts.items()}
        self._titles |= {number: one.title for number, one in excerpts.items() if one.title}
        self.texts |= {number: one.text for number, one in excerpts.items()}
        turns = {
            number: dialogue.parse_turn(one.text, one.scope, one.origin)
            for number, one in excerpts.items()
        }
        return {number: turn for number, turn in turns.items() if turn}

    def strength(self, number: int) -> float:
        """The weighted sum of a candidate's evidence so far."""
        return scoring.strength(self.features[number])

    def is_turn(self, number: int) -> bool:
        """Whether a candidate belongs to a conversation."""
        return self.features[number].speaker is not None

    def is_statement(self, number: int) -> bool:
        """Whether a candidate is a short text of its own."""
        return self.matches[number].length <= scoring.STATEMENT_TERMS and not self.is_turn(number)

    def is_timely(self, number: int) -> bool:
        """Whether a candidate is of the time that the question is about."""
        during = self.query.during
        return during is not None and during[0] <= self._moments[number] < during[1]

    def similarity_matrix(self, numbers: Sequence[int], others: Sequence[int]) -> list[list[float]]:
        """The similarity of memories to others, a row for each; all 0 without vectors."""
        if self.similarities is None:
            return [[0.0] * len(others) for _ in numbers]
        return self.similarities.similarity_matrix(
            *([self.positions[number] for number in each] for each in (numbers, others))
        )

    def views(self, numbers: Sequence[int]) -> list[CandidateView]:
        """What is compared of some candidates; for the best of them with the reach of their tokens,
        where tokens are known.
        """
        positions = [self.positions[number] for number in numbers[: confidence.TOP]]
        reach = (
            self.similarities.token_reach(positions, confidence.REACH_DEGREES)
            if self.similarities
            else []
        )
        rows = dict(zip(numbers, reach, strict=False))
        return [
            CandidateView(
                self.texts.get(number, ""),
                self._statement_terms(number),
                self.matches[number].found_terms,
                rows.get(number, ()),
            )
            for number in numbers
        ]

    def text_with_title(self, number: int) -> str:
        """The beginning of a memory, under its title if it has one."""
        title, text = self._titles.get(number), self.texts.get(number, "")
        return f"{title}\n{text}" if title else text

    def text_with_previous(self, number: int) -> str:
        """A turn after the end of the turn before it; any other memory with its title."""
        previous = self.previous.get(number)
        return (
            self.text_with_title(number)
            if previous is None
            else dialogue.join_previous(self.texts[previous], self.texts[number])
        )

    def excerpt(self, number: int) -> str:
        """The passage of a long memory that is most similar to the question."""
        encoded = self._encoded_by_id.get(number)
        return self.vector_query.excerpt(encoded) if self.vector_query and encoded else ""

    def blend_with_words(self, similarities: Sequence[float], word_score: float) -> list[float]:
        """Similarities as they are; for a question that the embedder knows only by its characters,
        blended with a score of words, if there is any.
        """
        if not (self._is_character_level and word_score):
            return list(similarities)
        usual = (1 - CHARACTER_LEVEL_SHARE) * (_USUAL_SIMILARITY + _USUAL_RISE * word_score)
        return [CHARACTER_LEVEL_SHARE * similarity + usual for similarity in similarities]

    @property
    def _is_character_level(self) -> bool:
        query = self.vector_query
        return self.uses_keywords and query is not None and query.embedding.is_character_level

    def _statement_terms(self, number: int) -> frozenset[str]:
        is_short = self.matches[number].length <= COMPARED_TERMS_MAX
        return frozenset(self.terms[number].split()) if is_short else frozenset()

    def _encoded(self, numbers: Sequence[int]) -> Mapping[int, bytes] | None:
        if self.vector_query is None:
            return None
        bank_id, index = self.within.bank_id, self.vector_query.index
        encoded = vector_rows.vectors_of(self.db, bank_id, index.name, numbers)
        missing = [number for number in numbers if number not in encoded]
        if missing:
            # A memory that was just written, or that another embedder embedded, is embedded here,
            # for this question only.
            fresh = memories.by_ids(self.db, bank_id, missing)
            encoded |= dict(zip(fresh, index.encode(list(fresh.values())), strict=True))
        return encoded

    def _own_features(self, number: int) -> Features:
        match, features = self.matches[number], Features()
        if self.uses_keywords:
            features.keyword = match.keyword
            features.coverage = match.coverage
            features.passage = match.passage
        if self.similarities is not None:
            own = self.similarities.of(self.positions[number])
            blended = self.blend_with_words(own, scoring.word_score(match))
            features.vector, features.tokens = blended[0], blended[1]
            features.passage_tokens, features.section_tokens = blended[2], blended[3]
        return features
