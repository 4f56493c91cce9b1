"""Reads memories as what people said to each other: who speaks, and what was said before and after.

A turn is a text that begins with a speaker's name and a colon, after a date in brackets if there is
one. Turns that were written one after the other, by speakers who speak again, are a conversation.
An answer is often only understood with what was said around it, so a turn is held against a
question together with its surroundings.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

TURNS_REACH = 3  # How many turns before and after belong to a turn's surroundings,
MEMORIES_REACH = 6  # and how many memories on either side are looked at for them.
EXPANDED_MAX = 30  # Around so many of the best candidates, what was said is looked at.
TEXT_CHARS_MAX = 2_000
_ENDING_CHARS = 120  # So much of what was said before tells what a turn replies to.
_LABEL = (
    r"(?:[(\[][^)\]\n]{0,60}[)\]]\s*)?\*{0,2}(?P<name>[^\W\d_][\w .'’-]{0,30}?)\*{0,2}:\*{0,2}\s"
)
_TURN = re.compile(_LABEL)
_LINE = re.compile(rf"^[^\S\n]*+{_LABEL}", re.MULTILINE)
_SENTENCE = re.compile(r"[^.!?。！？]+[.!?。！？]*")
# Who goes on with something says more than one sentence, and one of these words.
_SENTENCES = re.compile(r"(?<![.!?])[.!?]++(?:\s|$)")
_CONTINUATION = re.compile(
    r"\b(?:now|today|next|current|currently|latest|recent|recently|still|just|ready|back|continue|let's|again|yesterday"
    r"|hi|hello|hey|okay|ok|alright)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Turn:
    """Who says a text, which share of its sentences are questions, whose memory it is, and with
    what it was written.
    """

    speaker: str
    question_share: float
    scope: str = ""
    origin: int = 0


class Conversation:
    """Turns by memory id, and which one comes after which."""

    def __init__(self, turns: Mapping[int, Turn], runs: Iterable[Sequence[int]]) -> None:
        self._turns = turns
        pairs = {first: second for run in runs for first, second in pairwise(run)}
        kept = {first: second for first, second in pairs.items() if self._is_joined(first, second)}
        self._after, self._before = kept, {second: first for first, second in kept.items()}

    def surroundings(self, number: int) -> list[tuple[int, int]]:
        """What was said around a memory, each with how many turns away it is; none unless its
        speaker speaks again.
        """
        found = [*self._walk(number, self._before), *self._walk(number, self._after)]
        turn = self._turns.get(number)
        speaks_again = turn and any(
            self._turns[other].speaker == turn.speaker for other, _ in found
        )
        return found if speaks_again else []

    def _is_joined(self, first: int, second: int) -> bool:
        one, other = self._turns.get(first), self._turns.get(second)
        return one is not None and other is not None and one.scope == other.scope

    def previous(self, number: int) -> int | None:
        """The memory in which somebody spoke just before."""
        return self._before.get(number)

    def _walk(self, number: int, links: Mapping[int, int]) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        distance = 0
        while number in links:
            last, number = number, links[number]
            distance += not self._is_same_turn(last, number)
            if distance > TURNS_REACH:
                break
            found.append((number, distance))
        return found

    def _is_same_turn(self, first: int, second: int) -> bool:
        """Whether two belong to one turn: sentences of it that are memories of their own, or
        messages in a row.
        """
        one, other = self._turns[first], self._turns[second]
        return one.speaker == other.speaker and one.origin == other.origin


def parse_turn(text: str, scope: str = "", origin: int = 0) -> Turn | None:
    """A text as a turn; None when it names no speaker, or several, as the record of a whole talk
    does.
    """
    label = _TURN.match(text)
    if label is None or len(_LINE.findall(text)) > 1:
        return None
    sentences = _SENTENCE.findall(text[label.end() :])
    asking = sum(sentence.endswith(("?", "？")) for sentence in sentences)
    return Turn(label["name"].strip().casefold(), asking / max(1, len(sentences)), scope, origin)


def strip_speaker(text: str) -> str:
    """A turn without its date and the name of its speaker."""
    label = _TURN.match(text)
    return text[label.end() :] if label else text


def join_previous(before: str, text: str) -> str:
    """A turn behind the end of what was said before it: "It came to 900" answers only who knows
    what was asked.
    """
    first, last = _strip_date(before), _strip_date(text)
    if len(first) > _ENDING_CHARS:
        name, ending = first[: first.find(":") + 1], first[-_ENDING_CHARS:].split(" ", 1)[-1]
        first = f"{name} {ending}"
    return f"{first} {last}"


def _strip_date(text: str) -> str:
    label = _TURN.match(text)
    return text[label.start("name") :] if label else text


def is_continuation(question: str) -> bool:
    """Whether somebody goes on with what was last talked about, rather than asking about the
    past.
    """
    return len(_SENTENCES.findall(question)) > 1 and _CONTINUATION.search(question) is not None
