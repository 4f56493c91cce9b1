"""Finds the speakers of a conversation that a question is about.

Questions have the name of a speaker, a first name, a spelling of it, or the name by which another
speaker calls them. Questions about a conversation with an assistant have "I" and "you" instead.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

ASSISTANTS = frozenset(
    {"assistant", "ai", "agent", "bot", "model", "chatgpt", "claude", "gemini", "copilot"}
)
_USER_NAMES = frozenset({"user", "human", "me", "i"})
_NAME = re.compile(r"\b[^\W\d_a-z]\w+")
_NAME_CHARS_MIN, _SPELLING_MATCH_MIN = 4, 0.7  # Shorter names are too similar to others.
_CALLED_MIN = 2  # Once may be a mistake.
_GREETINGS = frozenset("hi hey hello dear thanks you much morning night bye yes no oh wow".split())
# Which speaker a question about a conversation with an assistant asks for; the first match counts.
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
    """The speakers that a question names; otherwise those whose words it asks for. `talk` is each
    turn as its speaker and its text.
    """
    known = frozenset(speaker for speaker, _ in talk)
    named = frozenset(name for name in known if _has_name(question.casefold(), name))
    words = _other_names(question, named)
    named |= _misspelled(words, known - named)
    if len(known) == 2:
        named |= {
            one for one in known - named if any(_is_called(word, one, talk) for word in words)
        }
    return named or known & _implied_speakers(question)


def _other_names(question: str, named: Iterable[str]) -> set[str]:
    """The words of a question that are written as names, without those of the speakers named."""
    parts = {part for name in named for part in name.split()}
    return {word for word in _NAME.findall(question) if word.casefold() not in parts}


def _misspelled(words: Iterable[str], names: Iterable[str]) -> frozenset[str]:
    """The names whose first name is one of some words in another spelling."""
    spelled = {word.casefold() for word in words}
    return frozenset(
        name
        for name in names
        if any(_is_misspelling(word, name.split(maxsplit=1)[0]) for word in spelled)
    )


def _has_name(question: str, name: str) -> bool:
    return any(
        re.search(rf"\b{re.escape(part)}\b", question) for part in (name, name.split(maxsplit=1)[0])
    )


def _is_misspelling(word: str, name: str) -> bool:
    """Whether a word is another spelling of a name."""
    alike = len(word) >= _NAME_CHARS_MIN <= len(name) and word[0] == name[0]
    return alike and SequenceMatcher(None, word, name).ratio() >= _SPELLING_MATCH_MIN


def _is_called(word: str, speaker: str, talk: Sequence[tuple[str, str]]) -> bool:
    """Whether one of two speakers has a name that no label has: the other one uses it to address
    them.
    """
    callers = Counter(
        caller == speaker for caller, text in talk if word in text and _is_addressed(text, word)
    )
    return callers[False] >= _CALLED_MIN and callers[False] > _CALLED_MIN * callers[True]


def _is_addressed(text: str, name: str) -> bool:
    """Whether a text addresses somebody by a name: after a greeting or thanks, or last in a
    sentence, after a comma or before an exclamation mark.
    """
    before, _, after = text.partition(name)
    *_, last = ("", *before.rstrip(" ,").lower().split())
    is_last = after[:1] in ("", ".", "!", "?")
    return last in _GREETINGS or (is_last and (before.endswith(", ") or after[:1] in ("!", "?")))


def _implied_speakers(question: str) -> frozenset[str]:
    """The speakers that a question about a conversation with an assistant asks for."""
    if _ABOUT_USER.search(question):
        return _USER_NAMES
    if _ABOUT_ASSISTANT.search(question):
        return ASSISTANTS
    return (
        _USER_NAMES if _SELF.search(question) and not _ABOUT_BOTH.search(question) else frozenset()
    )
