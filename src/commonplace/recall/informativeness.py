"""Measures how informative a turn or a message is; one that only thanks, agrees or promises answers
few questions.

Among people, later questions are about what somebody did, when, how often, with whom and under
which name. Messages to an assistant are mostly requests: there an aside is the most informative
part, and a reply to the assistant the least. The weights were fitted on public conversations (see
`evals`).
"""

import re

_MEAN = 0.55  # The average of a turn among people.
_WORD = re.compile(r"[a-z']+")
_FIRST_PERSON = frozenset("i me my i'm i've i'd".split())
_PAST_VERBS = frozenset(
    "was were had did got went made took saw came bought met told gave found won began said felt"
    " left kept wrote ran read ate".split()
)
_TIME_WORDS = frozenset(
    "last ago yesterday today tonight recently lately since just week weeks weekend month months"
    " years morning monday tuesday wednesday thursday friday saturday sunday january february march"
    " april june july august september october november december".split()
)
_NUMBER_WORDS = frozenset(
    "two three four five six seven eight nine ten twice dozen hundred".split()
)
_PROMISE = frozenset("i'll let's".split())
_REACTION = frozenset(
    "sound sounds wow thanks thank that's glad definitely congrats congratulations absolutely"
    " totally awesome amazing cool great nice yeah helpful keep hope luck".split()
)
_PAST = re.compile(r"[a-z]{3}ed\b")
_DIGIT = re.compile(r"\d")
_NAME = re.compile(r"[a-z,] [A-Z][a-z]")
_BY_THE_WAY = ("by the way", "btw", "speaking of", "oh, and", "oh and")
_REPLY = re.compile(
    r"\W*(?:that's|that|thanks|thank|i'll|i"
    r" think|those|these|sounds|great|yeah|yes|sure|okay|ok|got it|good|i like"
    r"|i love|i'd|wow|i didn't know|no)\b"
)
# What a question asks for; a turn that has it is more informative.
_ASKS_WHEN = re.compile(r"\b(?:when|how long|what (?:time|day|date|month|year))\b", re.IGNORECASE)
_ASKS_NUMBER = re.compile(r"\bhow (?:many|much|often|old)\b", re.IGNORECASE)
_ASKS_NAME = re.compile(r"\b(?:who|whom|where|which|name)\b", re.IGNORECASE)
_ASKS_TITLE = re.compile(
    r"\b(?:books?|movies?|films?|shows?|songs?|series|games?|albums?|novels?|authors?|read|watch(?:ed)?|play)\b",
    re.IGNORECASE,
)


class Informativeness:
    """How informative texts are for one question; 0 is average."""

    def __init__(self, question: str) -> None:
        self._time_weight = 0.95 if _ASKS_WHEN.search(question) else 0.3
        self._number_weight = 0.5 if _ASKS_NUMBER.search(question) else 0.25
        self._name_weight = 0.55 if _ASKS_NAME.search(question) else 0.2
        self._title_weight = 0.9 if _ASKS_TITLE.search(question) else 0.4

    def score_turn(self, text: str) -> float:
        """How informative a turn among people is, without the name of its speaker."""
        plain = text.replace("’", "'")
        words = set(_WORD.findall(plain.lower()))
        value = 0.5 * (not words.isdisjoint(_FIRST_PERSON)) - _MEAN
        value += 0.3 * (
            not words.isdisjoint(_PAST_VERBS) or ("ed" in plain and _PAST.search(plain) is not None)
        )
        value += self._time_weight * (not words.isdisjoint(_TIME_WORDS))
        value += self._number_weight * (
            not words.isdisjoint(_NUMBER_WORDS) or _DIGIT.search(plain) is not None
        )
        value += self._title_weight * ('"' in plain or "“" in plain)
        value += self._name_weight * (_NAME.search(plain) is not None)
        return (
            value - 0.3 * (not words.isdisjoint(_PROMISE)) - 0.2 * (not words.isdisjoint(_REACTION))
        )

    @staticmethod
    def score_request(text: str) -> float:
        """How much a message to an assistant has beside the request."""
        plain = text.replace("’", "'").lower()
        return 0.4 * any(words in plain for words in _BY_THE_WAY) - 0.5 * (
            _REPLY.match(plain) is not None
        )
