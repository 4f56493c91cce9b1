"""Takes a question apart that asks about two things at once: how long between them, or which of them came first.

Each is told of in a memory of its own. As one question, what is told of the one outweighs the other, so they are also
asked for one by one.
"""

import re
from collections.abc import Mapping, Sequence

from commonplace.recall.rank import Evidence, strength

_REACH = 5.0  # So much less evidence than the best has for a part of the question, and nothing is left of it.
_CHARS_MAX, _PARTS_MAX, _WORDS_MIN = 400, 4, 2
_END = re.compile(r"[\s.?!]+$")
_BETWEEN = re.compile(r"\bbetween (?P<one>.+?) and (?P<other>.+)", re.IGNORECASE)
_UNTIL = re.compile(r"\b(?:since|after|before) (?P<one>.+?) (?:when|until) (?P<other>.+)", re.IGNORECASE)
_WHEN = re.compile(r"\bhow (?:many|long)\b.+?\b(?:have|had|has) (?P<one>.+?) when (?P<other>.+)", re.IGNORECASE)
_WHICH = re.compile(
    r"\b(?:first|last|earlier|later|sooner|recently|more|most|less|longer|older|newer|better|cheaper|closer)\b"
    r"[^,:]*[,:] (?P<one>.+?),? or (?P<other>.+)",
    re.IGNORECASE,
)


def parts(question: str) -> Sequence[str]:
    """The things that a question compares; none when it asks about one."""
    plain = _END.sub("", question) if len(question) <= _CHARS_MAX else ""
    for pattern in (_BETWEEN, _UNTIL, _WHEN, _WHICH):
        if match := pattern.search(plain):
            ones = match["one"].split(", ") if pattern is _WHICH else [match["one"]]
            found = [part.strip(" ,") for part in (*ones, match["other"])]
            return found if len(found) <= _PARTS_MAX and all(len(one.split()) >= _WORDS_MIN for one in found) else ()
    return ()


def by_part(found: Sequence[Evidence], of_parts: Sequence[Sequence[Evidence]]) -> list[Evidence]:
    """The evidence for a whole question, with how near each memory comes to the best one for a part of it."""
    strengths = [{one.memory_id: strength(one.values) for one in part} for part in of_parts]
    return [one.with_value("part", _nearest(one.memory_id, strengths)) for one in found]


def _nearest(number: int, strengths: Sequence[Mapping[int, float]]) -> float:
    behind = [max(part.values()) - part[number] for part in strengths if number in part]
    return max(0.0, 1 - min(behind) / _REACH) if behind else 0.0
