"""Reads memories as what people said to each other: who speaks, and what was said before and after.

A turn is a text that begins with a speaker's name and a colon, after a date in brackets if there is one. Turns that
were written one after the other, by speakers who speak again, are a conversation. An answer is often only understood
with what was said around it, so a turn is held against a question together with its surroundings.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

REACH = 3  # How many turns before and after belong to a turn's surroundings.
EXPANDED_MAX = 30  # Around so many of the best candidates, what was said is looked at.
TEXT_CHARS_MAX = 2_000
_LABEL = r"(?:[(\[][^)\]\n]{0,60}[)\]]\s*)?\*{0,2}(?P<name>[^\W\d_][\w .'’-]{0,30}?)\*{0,2}:\*{0,2}\s"
_TURN = re.compile(_LABEL)
_LINE = re.compile(rf"^\s*{_LABEL}", re.MULTILINE)
_SENTENCE = re.compile(r"[^.!?。！？]+[.!?。！？]*")
# Who goes on with something says more than one sentence, and one of these words.
_SENTENCES = re.compile(r"[.!?]+(?:\s|$)")
_GOING_ON = re.compile(
    r"\b(?:now|today|next|current|currently|latest|recent|recently|still|just|ready|back|continue|let's|again|yesterday"
    r"|hi|hello|hey|okay|ok|alright)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Turn:
    """Who says a text, which share of its sentences are questions, and whose memory it is."""

    speaker: str
    asking: float
    scope: str = ""


class Conversation:
    """Turns by memory id, and which one comes after which."""

    def __init__(self, turns: Mapping[int, Turn], runs: Iterable[Sequence[int]]) -> None:
        self._turns = turns
        pairs = {first: second for run in runs for first, second in pairwise(run)}
        kept = {first: second for first, second in pairs.items() if self._joined(first, second)}
        self._after, self._before = kept, {second: first for first, second in kept.items()}

    def around(self, number: int) -> list[tuple[int, int]]:
        """The turns around one, each with how far away it is; none unless its speaker speaks again among them."""
        found = [*self._steps(number, self._before), *self._steps(number, self._after)]
        turn = self._turns.get(number)
        speaks_again = turn and any(self._turns[other].speaker == turn.speaker for other, _ in found)
        return found if speaks_again else []

    def _joined(self, first: int, second: int) -> bool:
        one, other = self._turns.get(first), self._turns.get(second)
        return one is not None and other is not None and one.scope == other.scope

    def _steps(self, number: int, links: Mapping[int, int]) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        for distance in range(1, REACH + 1):
            if number not in links:
                break
            number = links[number]
            found.append((number, distance))
        return found


def turn_of(text: str, scope: str = "") -> Turn | None:
    """A text as a turn; None when it names no speaker, or several, as the record of a whole talk does."""
    label = _TURN.match(text)
    if label is None or len(_LINE.findall(text)) > 1:
        return None
    sentences = _SENTENCE.findall(text[label.end() :])
    asking = sum(sentence.endswith(("?", "？")) for sentence in sentences)
    return Turn(label["name"].strip().casefold(), asking / max(1, len(sentences)), scope)


def body(text: str) -> str:
    """A turn without its date and the name of its speaker."""
    label = _TURN.match(text)
    return text[label.end() :] if label else text


def goes_on(question: str) -> bool:
    """Whether somebody goes on with what was last talked about, rather than asking about the past."""
    return len(_SENTENCES.findall(question)) > 1 and _GOING_ON.search(question) is not None
