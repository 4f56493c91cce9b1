"""Splits a paragraph into sentences, word for word."""

import re

# A sentence begins with a capital of Latin, Greek or Cyrillic letters, a digit, or code.
_SENTENCE_END = re.compile(
    r"(?<=[.!?])[\"')\]”’»]*(\s+)(?=[\"'(\[“„«]?[A-Z0-9\u00c0-\u024f\u0386-\u03ab\u0400-\u042f]|`)|(?<=[。！？।])(\s*)"
)
# "Ursula K. Le Guin" and "am 12. April" go on after the dot.
_INITIAL = re.compile(r"(?:^|(?:^|[\s(])[A-Z][\w'’.-]*\s)[A-Z]\.$")
_OPENING = re.compile(
    r"(?:It|We|The|This|That|These|She|He|They|I|You|An?|In|On|At|But|And|So|If|There|My|Our)\b"
)
_ORDINAL = re.compile(r"(?:^|\s)\d{1,2}\.$")
_MONTH = re.compile(r"(?:Jan|Feb|M[aä]r|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)[a-zä]*\b")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|cf|vs|etc|no|mr|mrs|ms|dr|st|approx|resp)\.$", re.IGNORECASE
)
_QUOTED_CHARS_MAX = 200


def split_sentences(text: str) -> list[str]:
    """The sentences of a paragraph, word for word."""
    found, start = list[str](), 0
    for end in _SENTENCE_END.finditer(text):
        head = text[start : end.start(1) if end[1] else end.start()]
        if not _goes_on(head, text[end.end() :]):
            found.append(head.strip())
            start = end.end()
    return [one for one in (*found, text[start:].strip()) if one]


def _goes_on(head: str, rest: str) -> bool:
    """Whether a sentence goes on after the dot at the end of its head."""
    if head.count('"') % 2 and '"' in rest[:_QUOTED_CHARS_MAX]:
        return True
    if _ABBREVIATION.search(head[-12:]) or (
        _INITIAL.search(head[-40:]) and not _OPENING.match(rest)
    ):
        return True
    return _ORDINAL.search(head[-4:]) is not None and _MONTH.match(rest) is not None
