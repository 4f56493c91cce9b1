"""Patterns with wildcards come from callers and are held against every text: none may take long."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace import globs
from commonplace.engine.engine import Engine
from commonplace.errors import TooLarge
from commonplace.limits import PATTERN_CHARS_MAX
from commonplace.records.memory import Draft
from commonplace.records.query import Filter


@pytest.mark.parametrize(
    "pattern", ["a" * 998 + "b", "a?" * 499 + "b", "?" * 998 + "b", "*a" * 499 + "b", "a*?" * 300]
)
def test_a_long_pattern_over_a_long_text_is_answered_within_a_moment(
    engine: Engine, pattern: str
) -> None:
    engine.remember("b", Draft("a" * 999_000))
    started = time.thread_time()
    count = engine.count("b", Filter(text_pattern=pattern))
    assert time.thread_time() - started < 5
    assert count == (not pattern.endswith("b"))


def test_a_pattern_that_is_too_long_is_refused_with_its_limit(engine: Engine) -> None:
    with pytest.raises(TooLarge, match=f"{PATTERN_CHARS_MAX:,}"):
        engine.count("b", Filter(text_pattern="a" * PATTERN_CHARS_MAX + "b"))


@settings(deadline=None)
@given(st.text("ab*?İ", max_size=8), st.text("abAİ", max_size=12))
def test_a_long_text_fits_what_a_short_one_fits(pattern: str, text: str) -> None:
    wild = globs._compile_glob(pattern)
    assert wild._matches_long(globs._lower_same_length(text)) == wild.matches(text)


@settings(deadline=None)
@given(st.text("ab%_\\", max_size=8), st.text("ab%A", max_size=12))
def test_so_it_does_with_the_signs_of_sql(pattern: str, text: str) -> None:
    wild = globs._compile_like(pattern)
    assert wild._matches_long(text) == wild.matches(text)
