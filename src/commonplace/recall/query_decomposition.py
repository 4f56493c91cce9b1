"""Decomposes a question that compares two things: how long between them, or which came first.

Each of the two is usually in a memory of its own. In a single search one outweighs the other, so
each is also searched for alone.
"""

import re
from collections.abc import Sequence

from commonplace.recall.evidence import Evidence
from commonplace.recall.scoring import ONE_QUESTION_CHARS, strength

# A memory whose evidence for a part of the question is this far below the best counts nothing.
_EVIDENCE_RANGE = 5.0
_PARTS_MAX, _WORDS_MIN = 4, 2
_END = re.compile(r"(?<![\s.?!])[\s.?!]++$")
# Each begins with the first of its words in a line, and no later one is tried: what follows the
# later one follows the first as well.
_LINES = re.IGNORECASE | re.MULTILINE
_BETWEEN = re.compile(r"^(?>.*?\bbetween )(?P<one>.+?) and (?P<other>.+)", _LINES)
_UNTIL = re.compile(
    r"^(?>.*?\b(?:since|after|before) )(?P<one>.+?) (?:when|until) (?P<other>.+)", _LINES
)
_WHEN = re.compile(
    r"^(?>(?>.*?\bhow (?:many|long)\b).+?\b(?:have|had|has) )(?P<one>.+?) when (?P<other>.+)",
    _LINES,
)
_WHICH = re.compile(
    r"^(?>(?>.*?\b(?:first|last|earlier|later|sooner|recently|more|most|less|longer|older|newer|better|cheaper|closer)\b)"
    r"(?:[^,:]++|[,:](?! ))*+[,:] )(?P<one>.+?),? or (?P<other>.+)",
    _LINES,
)


def split_comparison(question: str) -> Sequence[str]:
    """The things that a question compares; none when it asks about one."""
    plain = _END.sub("", question) if len(question) <= ONE_QUESTION_CHARS else ""
    for pattern in (_BETWEEN, _UNTIL, _WHEN, _WHICH):
        if match := pattern.search(plain):
            ones = match["one"].split(", ") if pattern is _WHICH else [match["one"]]
            found = [part.strip(" ,") for part in (*ones, match["other"])]
            return (
                found
                if len(found) <= _PARTS_MAX and all(len(one.split()) >= _WORDS_MIN for one in found)
                else ()
            )
    return ()


def add_part_evidence(
    found: Sequence[Evidence], of_parts: Sequence[Sequence[Evidence]]
) -> list[Evidence]:
    """The evidence for a whole question, with how close each memory comes to the best one for a
    part of it.
    """
    near = [_closeness_to_best(part) for part in of_parts]
    return [one.with_part(max(part.get(one.memory_id, 0.0) for part in near)) for one in found]


def _closeness_to_best(found: Sequence[Evidence]) -> dict[int, float]:
    """How close each memory comes to the best one, from 0 to 1."""
    strengths = {one.memory_id: strength(one.features) for one in found}
    best = max(strengths.values(), default=0.0)
    return {
        number: max(0.0, 1 - (best - strong) / _EVIDENCE_RANGE)
        for number, strong in strengths.items()
    }
