"""A sample of `make hostile`: no hostile text stops a tool of a real server, whichever parameter
has it.
"""

import itertools
from pathlib import Path

import pytest

from commonplace.limits import TEXT_BYTES_MAX
from tests.hostile.hostile_texts import SHAPES
from tests.hostile.sweep import LEAST_CHARS, MOST_CHARS, Growth, doubled, listening
from tests.hostile.tool_parameters import Aim, aims, looks

# What is linear takes a tenth of a second; what is not took minutes.
_FREEZE_S = 10.0
_SHORT, _LONG = 4_000, 48_000


def test_no_tool_and_no_other_caller_waits_for_a_hostile_text(tmp_path: Path) -> None:
    shapes = itertools.cycle(SHAPES.items())
    slow: dict[str, float] = {}
    with listening(tmp_path / "home") as (speaker, pulse):
        for aim in (*aims(), *looks()):
            for chars in (_SHORT, _LONG) if _carries_words(aim) else (_SHORT,):
                name, shape = next(shapes)
                seconds, _ = speaker.take(aim, shape(chars))
                if seconds > _FREEZE_S:
                    slow[f"{aim}, {name}, {chars}"] = seconds
        waited, failures = pulse.take()
    assert slow == {}
    assert failures == []
    assert waited < _FREEZE_S


def _carries_words(aim: object) -> bool:
    """Whether a parameter has the words of what is written or asked."""
    return isinstance(aim, Aim) and any(does.text == aim.parameter.name for does in aim.tool.roles)


@pytest.mark.parametrize(
    "word", ["sync_retain content", "add_memory content", "search_memories query", "recall query"]
)
def test_the_parameters_are_found_in_the_tables(word: str) -> None:
    assert any(word in str(aim) for aim in aims())


def test_every_shape_has_the_length_that_is_asked_for() -> None:
    assert len(SHAPES) >= 60
    for name, shape in SHAPES.items():
        assert 990 <= len(shape(1_000)) <= 1_000, name
        assert 0 < len(shape(4_000).strip()) <= 4_000, name


def test_the_sweep_reaches_the_longest_text_that_is_taken() -> None:
    sizes = doubled(LEAST_CHARS, MOST_CHARS)
    assert sizes[-1] == TEXT_BYTES_MAX
    assert sizes[0] < 2 * LEAST_CHARS
    assert [chars // 2 for chars in sizes[1:]] == sizes[:-1]


@pytest.mark.parametrize(
    ("seconds", "linear"),
    [
        ({1_000: 0.1, 2_000: 0.2, 4_000: 0.4}, True),
        ({1_000: 0.1, 2_000: 0.4, 4_000: 1.6}, False),
        ({1_000: 0.001, 2_000: 0.004, 4_000: 0.016}, True),  # too short to tell
    ],
)
def test_what_grows_faster_than_the_text_is_told_from_what_does_not(
    seconds: dict[int, float], linear: bool
) -> None:
    assert Growth(seconds).is_linear == linear
