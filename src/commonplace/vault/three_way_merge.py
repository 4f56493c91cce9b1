"""Merges two edits of one text line by line against their common version.

Lines are matched as in a patience diff: by lines that occur once on both sides. That takes about
linear time, whatever the texts are. Packages for this, such as merge3, match with difflib, which
takes cubic time at worst, so that a hostile text would hold up the process for hours.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

_DEPTH_MAX = 32  # Each level reads every line once.

# Indexes of equal lines: in the base, and in the other text.
_Pair: TypeAlias = tuple[int, int]
_Lines: TypeAlias = Sequence[str]


@dataclass(frozen=True, slots=True)
class Merged:
    """The merged text, and the number of conflicts."""

    text: str
    conflict_count: int = 0


def three_way_merge(base: str, ours: str, theirs: str) -> Merged:
    """Merge two edits of a text. In conflicts our lines stay; additions of both sides stay.

    Line ends are those of our text.
    """
    if ours in (base, theirs):
        return Merged(theirs)
    if theirs == base:
        return Merged(ours)
    crlf = "\r\n" in ours and ours.count("\r\n") == ours.count("\n")
    texts = [
        text.replace("\r\n", "\n").split("\n") if crlf else text.split("\n")
        for text in (base, ours, theirs)
    ]
    lines, conflict_count = _merge_lines(*texts)
    return Merged(("\r\n" if crlf else "\n").join(lines), conflict_count)


def _merge_lines(base: _Lines, ours: _Lines, theirs: _Lines) -> tuple[list[str], int]:
    in_ours, in_theirs = dict(_match_lines(base, ours)), dict(_match_lines(base, theirs))
    merged: list[str] = []
    conflict_count = at = at_ours = at_theirs = 0
    # Lines in all three texts; between two of them, one side changed something.
    common = [place for place in in_ours if place in in_theirs]
    for place in (*common, len(base)):
        end_ours, end_theirs = in_ours.get(place, len(ours)), in_theirs.get(place, len(theirs))
        if (at, at_ours, at_theirs) != (place, end_ours, end_theirs):
            lines, count = _resolve_lines(
                base[at:place], ours[at_ours:end_ours], theirs[at_theirs:end_theirs]
            )
            merged += lines
            conflict_count += count
        if place < len(base):
            merged.append(base[place])
        at, at_ours, at_theirs = place + 1, end_ours + 1, end_theirs + 1
    return merged, conflict_count


def _resolve_lines(base: _Lines, ours: _Lines, theirs: _Lines) -> tuple[_Lines, int]:
    """Merge the lines between two unchanged ones; returns them with the number of conflicts."""
    if theirs in (base, ours):
        return ours, 0
    if ours == base:
        return theirs, 0
    if not base:
        return _join_additions(ours, theirs), 0
    if len(base) == len(ours) == len(theirs):
        # Line by line, because both sides often tick off neighbouring items of a list.
        chosen = [
            their if our == old else our for old, our, their in zip(base, ours, theirs, strict=True)
        ]
        rows = zip(base, ours, theirs, strict=True)
        return chosen, int(any(old != our != their != old for old, our, their in rows))
    return ours, 1


def _join_additions(ours: _Lines, theirs: _Lines) -> list[str]:
    """Lines that both sides added: ours, then theirs; a common start and end come once."""
    start = _equal_count(ours, theirs)
    end = _equal_count(ours[start:][::-1], theirs[start:][::-1])
    return [*ours[: len(ours) - end], *theirs[start : len(theirs) - end], *ours[len(ours) - end :]]


def _match_lines(old: _Lines, new: _Lines) -> list[_Pair]:
    """Equal lines of two texts, in the order of both."""
    found: list[_Pair] = []
    waiting = [(0, len(old), 0, len(new), 0)]
    while waiting:
        low, high, new_low, new_high, depth = waiting.pop()
        start = _equal_count(old[low:high], new[new_low:new_high])
        found += [(low + step, new_low + step) for step in range(start)]
        low, new_low = low + start, new_low + start
        end = _equal_count(old[low:high][::-1], new[new_low:new_high][::-1])
        high, new_high = high - end, new_high - end
        found += [(high + step, new_high + step) for step in range(end)]
        if low == high or new_low == new_high or depth == _DEPTH_MAX:
            continue
        anchors = _anchors(old, new, (low, high), (new_low, new_high))
        for place, new_place in (*anchors, (high, new_high)) if anchors else ():
            waiting.append((low, place, new_low, new_place, depth + 1))
            low, new_low = place, new_place
        # Each part begins with an anchor, which the next round matches as its first equal line.
    return sorted(found)


def _anchors(old: _Lines, new: _Lines, within: _Pair, new_within: _Pair) -> list[_Pair]:
    """The longest sequence of lines that occur once in both parts, in the same order."""
    counts = Counter(old[slice(*within)])
    new_counts = Counter(new[slice(*new_within)])
    places = {new[at]: at for at in range(*new_within) if new_counts[new[at]] == 1}
    pairs = [
        (at, places[old[at]]) for at in range(*within) if counts[old[at]] == 1 and old[at] in places
    ]
    # The longest increasing run of indexes, by patience sorting.
    piles: list[int] = []
    tops: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        pile = bisect_left(piles, place)
        before.append(tops[pile - 1] if pile else -1)
        piles[pile : pile + 1] = [place]
        tops[pile : pile + 1] = [number]
    run: list[_Pair] = []
    number = tops[-1] if tops else -1
    while number >= 0:
        run.append(pairs[number])
        number = before[number]
    return run[::-1]


def _equal_count(first: _Lines, second: _Lines) -> int:
    count = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        count += 1
    return count
