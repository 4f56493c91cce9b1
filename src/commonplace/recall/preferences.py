"""Recognizes standing rules and preferences.

A question for advice seldom mentions them, and every good answer respects them. "Always name the
narrator when I ask about audiobooks" answers no question about audiobooks, but a suggestion should
follow it.
"""

import re

_RULE_CHARS_MAX, _PREFERENCE_CHARS_MAX = 300, 600  # Longer texts have such words by chance.
_FROM_NOW_ON = (
    "always",
    "never",
    "from now on",
    "in future",
    "going forward",
    "don't ever",
    "do not ever",
)
_RULE = re.compile(
    rf"(?:^|(?<=[.!?:\n]))[^\S\n]*+(?:please\s+|and\s+|but\s+)?(?:{'|'.join(_FROM_NOW_ON)}|when(?:ever)?|if)\b",
    re.IGNORECASE,
)
# The topic of a rule comes after these.
_ABOUT = re.compile(
    r"\b(?:when(?:ever)?|if|every time|each time)\s+(?:(?:i|we|you)"
    r" (?:ask|talk|write|work|speak)\w*"
    r"(?: you)?(?: about| for| on)?\s+)?(?P<about>[^,.;!?\n]{3,})",
    re.IGNORECASE,
)
_PREFERENCE = re.compile(
    r"\b(?:i|we)(?:'d| would| generally| usually| really| still| also| strongly| personally|"
    r" always| much)*"
    r" (?:prefer|rather|avoid|favou?r|like to stick|stick (?:to|with))\b"
    r"|\b(?:prefers|my preference|(?:can't|cannot) stand)\b"
    r"|\b(?:i|we)(?: really| just)? (?:dislike|hate|don't (?:like|enjoy|want))\b",
    re.IGNORECASE,
)
_ADVICE = re.compile(
    r"\b(?:suggest|recommend|advi[cs]e|tips?|ideas?)\b|\bshould (?:i|we)\b|\b(?:help|guide)"
    r" me\b|\bany thoughts\b"
    r"|\bwhat (?:would|could) (?:you|i|we|be)\b|\bwhat are some\b|\bbest way\b",
    re.IGNORECASE,
)


def asks_for_advice(question: str) -> bool:
    """Whether a question asks for advice, so that preferences matter."""
    return _ADVICE.search(question) is not None


def is_preference(text: str) -> bool:
    """Whether a text states a preference."""
    return len(text) <= _PREFERENCE_CHARS_MAX and _PREFERENCE.search(text) is not None


def is_rule(text: str) -> bool:
    """Whether a text states a standing rule."""
    if len(text) > _RULE_CHARS_MAX:
        return False
    plain = text.lower()
    # Few texts have any of these words, and looking for them is fast.
    return any(words in plain for words in _FROM_NOW_ON) and _RULE.search(text) is not None


def rule_topic(text: str) -> str:
    """The topic of a rule; empty when a text is no rule, or has no condition."""
    found = _ABOUT.search(text) if is_rule(text) else None
    return found["about"].strip() if found else ""
