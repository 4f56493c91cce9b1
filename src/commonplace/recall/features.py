"""Weighs candidates: reads what is stored of them, and of what was said around them, and gathers
the evidence.
"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from commonplace.recall import (
    answer_types,
    confidence,
    deduplication,
    dialogue,
    preferences,
    scoring,
    speaker_matching,
    type_lexicon,
)
from commonplace.recall.confidence import Look
from commonplace.recall.dialogue import Conversation, Turn
from commonplace.recall.informativeness import Telling
from commonplace.recall.scoring import Evidence, Question, Words
from commonplace.records.query import Query
from commonplace.storage import memories, text_index, vector_rows
from commonplace.storage.database import Database
from commonplace.storage.text_index import Within

if TYPE_CHECKING:
    from commonplace.recall.late_interaction import Nearness
    from commonplace.recall.vector_index import Asking

Values: TypeAlias = dict[str, float]

_TERMS_CHARS_MAX = 300_000  # How much of a memory is weighed; all of it is searched.
_LOOKED_TERMS = 200  # What is longer is not a statement that another one could replace.
_RECENT_SHARE = 0.15
_MESSAGE_CHARS = 1_500  # What is longer is no message.
_RULE_NEAR = 0.2  # As near as this is what any rule is about.
SPELT_SHARE = 0.4  # How much meaning counts in a question that the embedder can only spell; words count for the rest,
_SPELT_NEAR, _SPELT_RISE = 0.42, 0.5  # as much as texts with so many of the words are usually near.
_COMPANY_MAX, _COMPANY_BEST, _COMPANY_TERMS = 60, 10, 100


class Weighing:
    """The evidence for the candidates of one question: memories by id, in the order they were
    read.
    """

    def __init__(self, db: Database, within: Within, query: Query, asked: Question) -> None:
        self._db, self._within, self._query, self._asked = db, within, query, asked
        self._by_words = "keyword" in query.channels
        self._asking: Asking | None = None
        self._near: Nearness | None = None
        self._places: dict[int, int] = {}
        self._words: dict[int, Words] = {}
        self._values: dict[int, Values] = {}
        self._exact: set[int] = set()
        self._moments: dict[int, int] = {}
        self._titles: dict[int, str] = {}
        self._texts: dict[int, str] = {}
        self._terms: dict[int, str] = {}
        self._stored: dict[int, bytes] = {}
        self._replies: dict[int, int] = {}
        # What stands for others that say the same, and those others.
        self.copies: dict[int, tuple[int, ...]] = {}

    def by_meaning(self, asking: "Asking") -> None:
        """Weigh meaning too."""
        self._asking = asking

    def evidence(self, candidates: Sequence[int], named: Sequence[int]) -> list[Evidence]:
        """What speaks for each candidate, and for what was said around the best of them."""
        self._exact.update(named)
        self._read(candidates)
        # Pages follow each other by score, so there a score must not depend on what else was found.
        if not self._query.depth:
            self._weigh_telling(self._hear(self._spoken(candidates)))
            self._collapse()
            self._weigh_company()
            self._weigh_recent()
            self._weigh_time()
            self._weigh_standing()
            self._weigh_kind()
            self._weigh_answer()
        return [
            Evidence(number, number in self._exact, values, self._is_statement(number))
            for number, values in self._values.items()
        ]

    def likeness(self, numbers: Sequence[int], others: Sequence[int]) -> list[list[float]]:
        """How near memories are to others, a row for each; 0 where nothing is known of their
        meaning.
        """
        if self._near is None:
            return [[0.0] * len(others) for _ in numbers]
        return self._near.likeness(
            *([self._places[number] for number in each] for each in (numbers, others))
        )

    def looks(self, numbers: Sequence[int]) -> list[Look]:
        """Memories, looked at closely; the best of them token by token, where tokens are known."""
        places = [self._places[number] for number in numbers[: confidence.TOP]]
        reached = self._near.reached(places, confidence.DEGREES) if self._near else []
        rows = dict(zip(numbers, reached, strict=False))
        return [
            Look(
                self._texts.get(number, ""),
                self._few_terms(number),
                self._words[number].found,
                rows.get(number, ()),
            )
            for number in numbers
        ]

    def told(self, number: int) -> str:
        """How a memory begins, under its title if it has one."""
        title, told = self._titles.get(number), self._texts.get(number, "")
        return f"{title}\n{told}" if title else told

    def replying(self, number: int) -> str:
        """A turn behind the end of what was said before it; any other memory as it begins."""
        before = self._replies.get(number)
        return (
            self.told(number)
            if before is None
            else dialogue.replying(self._texts[before], self._texts[number])
        )

    def excerpt(self, number: int) -> str:
        """What comes nearest to the question in a long memory."""
        stored = self._stored.get(number)
        return self._asking.excerpt(stored) if self._asking and stored else ""

    def _few_terms(self, number: int) -> frozenset[str]:
        return (
            frozenset(self._terms[number].split())
            if self._words[number].length <= _LOOKED_TERMS
            else frozenset()
        )

    def _read(self, numbers: Sequence[int]) -> None:
        """Weigh more memories by themselves; what is not in the text index is left out."""
        stored = self._encoded(numbers)
        read = text_index.stored_terms(self._db, numbers, _TERMS_CHARS_MAX)
        fresh = [number for number in read if stored is None or number in stored]
        if stored is not None and self._asking and fresh:
            self._stored |= stored
            near = self._asking.nearness([stored[number] for number in fresh])
            self._near = self._near.with_more(near) if self._near else near
        for number in fresh:
            self._places[number] = len(self._places)
            self._words[number] = scoring.words(self._asked, read[number])
            self._terms[number] = read[number]
            self._values[number] = self._own(number)
            if scoring.has_identifiers(self._asked, read[number]):
                self._exact.add(number)

    def _encoded(self, numbers: Sequence[int]) -> dict[int, bytes] | None:
        if self._asking is None:
            return None
        bank_id, semantics = self._within.bank_id, self._asking.semantics
        stored = vector_rows.of(self._db, bank_id, semantics.name, numbers)
        missing = [number for number in numbers if number not in stored]
        if missing:
            # Written a moment ago and not embedded yet, or embedded by another embedder: done here,
            # for this question.
            fresh = memories.by_ids(self._db, bank_id, missing)
            stored |= dict(zip(fresh, semantics.encode(list(fresh.values())), strict=True))
        return stored

    def _own(self, number: int) -> Values:
        said, near, values = self._words[number], self._near, Values()
        if self._by_words:
            values |= {"keyword": said.keyword, "coverage": said.coverage, "passage": said.passage}
        if near is not None:
            place = self._places[number]
            meant = {
                "vector": float(near.vector[place]),
                "tokens": float(near.tokens[place]),
                "passage tokens": float(near.passage[place]),
                "section tokens": float(near.section[place]),
            }
            values |= self._spelt(meant, scoring.by_words(said)) if self._is_spelt else meant
        return values

    @property
    def _is_spelt(self) -> bool:
        return self._by_words and self._asking is not None and self._asking.meaning.is_spelt

    def _spelt(self, meant: Values, by_words: float) -> Values:
        """How near something is in meaning where the embedder can say little of it: words, if any,
        say the rest.
        """
        if not by_words:
            return meant
        usual = (1 - SPELT_SHARE) * (_SPELT_NEAR + _SPELT_RISE * by_words)
        return {name: SPELT_SHARE * near + usual for name, near in meant.items()}

    def _is_statement(self, number: int) -> bool:
        return self._words[number].length <= scoring.STATEMENT_TERMS and not self._is_turn(number)

    def _is_turn(self, number: int) -> bool:
        return "speaker" in self._values[number]

    def _spoken(self, numbers: Sequence[int]) -> dict[int, Turn]:
        begun = text_index.beginnings(
            self._db, self._within.bank_id, numbers, dialogue.TEXT_CHARS_MAX
        )
        self._moments |= {number: one.at for number, one in begun.items()}
        self._titles |= {number: one.title for number, one in begun.items() if one.title}
        self._texts |= {number: one.text for number, one in begun.items()}
        found = {
            number: dialogue.turn_of(one.text, one.scope, one.origin)
            for number, one in begun.items()
        }
        return {number: turn for number, turn in found.items() if turn}

    def _hear(self, spoken: dict[int, Turn]) -> dict[int, Turn]:
        """Weigh what was said around the best candidates: it helps them, and may itself be the
        answer.

        Returned is what belongs to a talk.
        """
        best = sorted(spoken.keys() & self._values.keys(), key=self._strength, reverse=True)[
            : dialogue.EXPANDED_MAX
        ]
        if not best:
            return {}
        within = self._within
        runs = text_index.surroundings(self._db, within.bank_id, best, dialogue.MEMORIES_REACH)
        unread = list(
            dict.fromkeys(number for run in runs for number in run if number not in self._values)
        )
        allowed = text_index.passing(self._db, within.bank_id, unread, within.chosen, within.now)
        more = self._spoken([number for number in unread if number in allowed])
        self._read(list(more))
        heard = {number: turn for number, turn in (spoken | more).items() if number in self._values}
        conversation = Conversation(heard, runs)
        windows = {number: around for number in heard if (around := conversation.around(number))}
        talking = {heard[number].speaker for number in windows}
        talk = {number: turn for number, turn in heard.items() if turn.speaker in talking}
        said = [(turn.speaker, self._texts[number]) for number, turn in talk.items()]
        about = speaker_matching.asked_about(self._query.text, said)
        for number, turn in talk.items():
            self._values[number]["speaker"] = float(turn.speaker in about)
        self._weigh_around(windows)
        self._replies = {
            number: before
            for number in windows
            if (before := conversation.before(number)) is not None
        }
        return talk

    def _weigh_telling(self, talk: Mapping[int, Turn]) -> None:
        """Whether something is told, or only asked or answered; who asks an assistant tells about
        themselves by it.
        """
        among_people = speaker_matching.ASSISTANTS.isdisjoint(
            turn.speaker for turn in talk.values()
        )
        telling = Telling(self._query.text)
        for number, values in self._values.items():
            said, turn = self._texts.get(number, ""), talk.get(number)
            told = 0.0
            if turn and among_people:
                values["asking"] = turn.asking
                told = telling.to_people(dialogue.body(said))
            elif turn.speaker not in speaker_matching.ASSISTANTS if turn else _is_message(said):
                told = telling.to_assistant(dialogue.body(said))
            # Nearly everything outside of talks tells as much as usual, which is not worth a line.
            if told:
                values["telling"] = told

    def _weigh_around(self, windows: Mapping[int, Sequence[tuple[int, int]]]) -> None:
        """How much more a turn and those around it say together than it says alone: in words, as a
        whole, in tokens.
        """
        near = self._near.around(self._places, windows) if self._near and windows else {}
        for number, around in windows.items():
            values, together = self._values[number], Values()
            if self._by_words:
                every = self._words[number].found.union(
                    *(self._words[other].found for other, _ in around)
                )
                together["coverage"] = scoring.coverage(self._asked, every)
            if near:
                vector, tokens = near[number]
                meant: Values = {"vector": vector, "tokens": tokens}
                together |= self._spelt(meant, together["coverage"]) if self._is_spelt else meant
            values |= {
                f"{name} around": max(0.0, value - values[name]) for name, value in together.items()
            }

    def _collapse(self) -> None:
        """Leave one of what says the same: the newest, or the newest of the time that is asked
        for.
        """
        alike: dict[str, list[int]] = {}
        for number in self._values:
            alike.setdefault(deduplication.evened(self._texts[number]), []).append(number)
        several = [number for group in alike.values() if len(group) > 1 for number in group]
        known = memories.by_ids(self._db, self._within.bank_id, several) if several else {}
        for group in deduplication.grouped(known.values()):
            first, *others = sorted(
                group, key=lambda number: (self._is_timely(number), number), reverse=True
            )
            self.copies[first] = tuple(others)
            for other in others:
                del self._values[other]

    def _is_timely(self, number: int) -> bool:
        during = self._query.during
        return during is not None and during[0] <= self._moments[number] < during[1]

    def _weigh_company(self) -> None:
        """How near a long text is to the best of the others: what was talked about at length comes
        up several times.
        """
        if self._near is None or self._near.meaning.is_spelt:
            return
        lengths = {
            number: self._words[number].length
            for number in self._values
            if not self._is_turn(number)
        }
        strengths = {
            n: self._strength(n)
            for n, length in lengths.items()
            if length > scoring.STATEMENT_TERMS
        }
        chosen = sorted(strengths, key=lambda number: strengths[number], reverse=True)[
            :_COMPANY_MAX
        ]
        if not chosen:
            return
        odds = [
            math.exp(strengths[number] - strengths[chosen[0]]) for number in chosen[:_COMPANY_BEST]
        ]
        whole = sum(odds)
        shares = [one / whole for one in odds] + [0.0] * (len(chosen) - len(odds))
        for number, near in zip(
            chosen, self._near.company([self._places[n] for n in chosen], shares), strict=True
        ):
            self._values[number]["company"] = near * min(1.0, lengths[number] / _COMPANY_TERMS) ** 2

    def _weigh_recent(self) -> None:
        if not self._values or not dialogue.goes_on(self._query.text):
            return
        span = _RECENT_SHARE * len(self._values)
        for place, number in enumerate(sorted(self._values, reverse=True)):
            self._values[number]["recent"] = math.exp(-place / span)

    def _weigh_time(self) -> None:
        if self._query.during:
            for number, values in self._values.items():
                values["time"] = float(self._is_timely(number))

    def _weigh_standing(self) -> None:
        """What an answer should keep to: preferences when advice is asked for, and rules about what
        is asked.
        """
        for_advice = preferences.asks_for_advice(self._query.text)
        rules: dict[int, str] = {}
        for number, values in self._values.items():
            said = self._texts.get(number, "")
            if for_advice and preferences.is_preference(said):
                values["preference"] = 1.0
            if about := preferences.about(said):
                rules[number] = about
        if rules and self._asking:
            for number, near in zip(
                rules, self._asking.likeness(list(rules.values())), strict=True
            ):
                self._values[number]["rule"] = max(0.0, near - _RULE_NEAR)

    def _weigh_kind(self) -> None:
        """Whether something of the kind is named that the question asks for. Nearly all of a long
        text does that.
        """
        if members := type_lexicon.asked_for(self._query.text):
            for number, values in self._values.items():
                length = self._words[number].length
                named = (
                    members.named(self._terms[number], length) if length <= _LOOKED_TERMS else 0.0
                )
                if named or members.is_kind_named:
                    values["kind"] = named

    def _weigh_answer(self) -> None:
        """Whether a statement has the time, the price or the number asked for; in talks, telling
        sees to that.
        """
        sorts = [sort for sort in answer_types.asked_for(self._query.text) if sort.has]
        for number, values in self._values.items() if sorts else ():
            if self._is_statement(number):
                said = self._texts.get(number, "")
                values["answer"] = float(all(sort.is_in(said, self._query.text) for sort in sorts))

    def _strength(self, number: int) -> float:
        return scoring.strength(self._values[number])


def _is_message(text: str) -> bool:
    return len(text) <= _MESSAGE_CHARS and "\n" not in text
