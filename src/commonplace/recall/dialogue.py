"""Parses memories as turns of a conversation: the speaker, and the turns before and after.

A turn is a text that begins with a speaker's name and a colon, after a date in brackets if there is
one. Turns that were written one after the other, by speakers who occur again, are a conversation.
An answer often needs its surroundings, so a turn is compared with a question together with them.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

# The surroundings of a turn: so many turns before and after, among so many memories.
TURNS_REACH, MEMORIES_REACH = 3, 6
EXPANDED_MAX = 30  # The surroundings of so many of the best candidates are read.
TEXT_CHARS_MAX = 2_000
_ENDING_CHARS = 120  # This much of the previous turn shows what a turn replies to.
_LABEL = (
    r"(?:[(\[][^)\]\n]{0,60}[)\]]\s*)?\*{0,2}(?P<name>[^\W\d_][\w .'’-]{0,30}?)\*{0,2}:\*{0,2}\s"
)
_TURN = re.compile(_LABEL)
_LINE = re.compile(rf"^[^\S\n]*+{_LABEL}", re.MULTILINE)
_SENTENCE = re.compile(r"[^.!?。！？]+[.!?。！？]*")
# A continuation has more than one sentence, and one of these words.
_SENTENCES = re.compile(r"(?<![.!?])[.!?]++(?:\s|$)")
_CONTINUATION = re.compile(
    r"\b(?:now|today|next|current|currently|latest|recent|recently|still|just|ready|back|continue|let's|again|yesterday"
    r"|hi|hello|hey|okay|ok|alright)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Turn:
    """The speaker of a text, the share of its sentences that are questions, the scope of its
    memory, and the import or call that wrote it.
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
        """The memories around one, each with its distance in turns; none unless its speaker occurs
        again.
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
        """The memory with the turn before."""
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
        """Whether two memories belong to one turn: its sentences, or messages in a row."""
        one, other = self._turns[first], self._turns[second]
        return one.speaker == other.speaker and one.origin == other.origin


def parse_turn(text: str, scope: str = "", origin: int = 0) -> Turn | None:
    """A text as a turn; None when it has no speaker, or several, as the record of a whole
    conversation.
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
    """A turn after the end of the previous one: "It came to 900" makes sense only with the
    question.
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
    """Whether a question continues the last subject, rather than asking about the past."""
    return len(_SENTENCES.findall(question)) > 1 and _CONTINUATION.search(question) is not None
