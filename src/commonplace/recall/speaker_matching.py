"""Knows whom of those who talk a question is about.

Questions name people by their name, their first name, a spelling of it, or what the other one calls
them. Who talks with an assistant says "I" and "you" instead.
"""

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

ASSISTANTS = frozenset(
    {"assistant", "ai", "agent", "bot", "model", "chatgpt", "claude", "gemini", "copilot"}
)
_USER_NAMES = frozenset({"user", "human", "me", "i"})
_NAME = re.compile(r"\b[^\W\d_a-z]\w+")
_SPELT_MIN, _SPELT_ALIKE = 4, 0.7  # Shorter names are too near to others.
_CALLED_MIN = 2  # Twice is no slip of the tongue.
_GREETINGS = frozenset("hi hey hello dear thanks you much morning night bye yes no oh wow".split())
# Whose words are asked for in a talk with an assistant: the first of these that fits says it.
_ABOUT_USER = re.compile(
    r"\b(?:did|have|had) i\b|\bi(?:'ve| have| had)? (?:said|mentioned|brought"
    r" up|told|asked|shared|described)\b",
    re.IGNORECASE,
)
_ABOUT_ASSISTANT = re.compile(
    r"\b(?:did|have|had) you\b|\byour"
    r" (?:advice|answers?|explanations?|recommendations?|suggestions?|tips)\b"
    r"|\byou(?:'ve| have| had)?"
    r" (?:said|told|advised|explained|gave|helped|listed|mentioned|offered|outlined|proposed"
    r"|provided|recommended|shared|suggested|wrote)\b",
    re.IGNORECASE,
)
_ABOUT_BOTH = re.compile(
    r"\bwe(?:'ve|'d| have| had)? (?:agreed|approached|covered|decided|discussed|planned|talked|went"
    r" through)\b"
    r"|\bour (?:\w+ )?(?:chats?|conversations?|discussions?|exchanges?|sessions?|talks?)\b"
    r"|\b(?:summary|summari[sz]e|recap)\b",
    re.IGNORECASE,
)
_SELF = re.compile(r"\b(?:i|me|my|mine|i'm|i've|i'd|i'll)\b", re.IGNORECASE)


def speakers_asked_about(question: str, talk: Sequence[tuple[str, str]]) -> frozenset[str]:
    """The speakers a question names; otherwise whose words are asked for. `said` is the talk: who
    said what.
    """
    plain = question.casefold()
    known = frozenset(speaker for speaker, _ in talk)
    named = frozenset(name for name in known if _has_name(plain, name))
    words = {
        word
        for word in _NAME.findall(question)
        if not any(word.casefold() in name.split() for name in named)
    }
    spelt = {word.casefold() for word in words}
    named |= {
        name
        for name in known - named
        if any(_is_misspelling(word, name.split(maxsplit=1)[0]) for word in spelt)
    }
    if len(known) == 2 and named != known:
        named |= {
            one for one in known - named if any(_is_called(word, one, talk) for word in words)
        }
    return named or known & _implied_speakers(question)


def _has_name(question: str, name: str) -> bool:
    return any(
        re.search(rf"\b{re.escape(part)}\b", question) for part in (name, name.split(maxsplit=1)[0])
    )


def _is_misspelling(word: str, name: str) -> bool:
    """Whether a word is a name, spelt otherwise."""
    alike = len(word) >= _SPELT_MIN <= len(name) and word[0] == name[0]
    return alike and SequenceMatcher(None, word, name).ratio() >= _SPELT_ALIKE


def _is_called(word: str, speaker: str, talk: Sequence[tuple[str, str]]) -> bool:
    """Whether one of two is called by a name that no label has: the other one calls so, and they
    themselves hardly.
    """
    callers = Counter(
        caller == speaker for caller, text in talk if word in text and _is_addressed(text, word)
    )
    return callers[False] >= _CALLED_MIN and callers[False] > _CALLED_MIN * callers[True]


def _is_addressed(text: str, name: str) -> bool:
    """Whether a name is called: after a greeting or thanks, or last in a sentence, after a comma or
    in a shout.
    """
    before, _, after = text.partition(name)
    *_, last = ("", *before.rstrip(" ,").lower().split())
    is_last = after[:1] in ("", ".", "!", "?")
    return last in _GREETINGS or (is_last and (before.endswith(", ") or after[:1] in ("!", "?")))


def _implied_speakers(question: str) -> frozenset[str]:
    """Who must have said it, seen from somebody who talks with an assistant."""
    if _ABOUT_USER.search(question):
        return _USER_NAMES
    if _ABOUT_ASSISTANT.search(question):
        return ASSISTANTS
    return (
        _USER_NAMES if _SELF.search(question) and not _ABOUT_BOTH.search(question) else frozenset()
    )
