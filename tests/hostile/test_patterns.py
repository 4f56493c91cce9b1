"""Regular expressions meet texts of callers while Python's lock is held: one that takes long stops
the whole server.
"""

import re

import pytest

from tests.hostile import pattern_timing, patterns

ROOMS = sorted({one.place.split(".")[1].split(":")[0] for one in patterns.found()})


@pytest.mark.parametrize("room", ROOMS)
def test_no_pattern_of_the_source_takes_longer_than_its_text_is_long(room: str) -> None:
    slow = {
        one.place: why
        for one in patterns.found()
        if one.place.split(".")[1].split(":")[0] == room
        for call in sorted(one.calls)
        for before, unit, end in patterns.hostile(one.pattern)
        if (why := pattern_timing.slow(one.pattern, call, before, unit, end))
    }
    assert slow == {}


def test_every_pattern_of_the_source_is_found() -> None:
    found = {one.place for one in patterns.found()}
    assert len(found) > 300
    assert "commonplace.extract.statement_splitting._SMALL_TALK" in found  # a name of a module
    assert "commonplace.extract.causality._PATTERNS[0]" in found  # one of a tuple
    assert any(
        place.startswith("commonplace.language.temporal_expressions._RULES[") for place in found
    )  # deeper
    assert any(
        place.startswith("commonplace.extract.slugs:") for place in found
    )  # inside a function


@pytest.mark.parametrize(
    ("pattern", "call"),
    [
        (r"(?:a|a)*$", "match"),
        (r"(?:sorry|(?:so )?sorry)(?: sorry)*(?:\s|sorry)*!", "match"),
        (r"(?:thanks for your(?: \w+){0,3}[\s.]+)+", "fullmatch"),
        (r"[\s.]+$", "search"),
        (r"(.+?) (?:is|are) gone", "search"),
        (r"^#\s+(.+?)\s*#*$", "match"),
        (r"x\s*,?\s+y", "search"),
    ],
)
def test_a_pattern_that_takes_too_long_is_found_out(pattern: str, call: str) -> None:
    made = re.compile(pattern)
    assert any(pattern_timing.slow(made, call, *shape) for shape in patterns.hostile(made))
