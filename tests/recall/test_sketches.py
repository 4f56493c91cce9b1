"""The vectors in memory: the same answers as a plain scan, whatever came and went."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace.recall import sketches
from commonplace.recall.sketches import Sketches, unit


def rows(numbers: list[int]) -> "sketches.Floats":
    drawn = [np.random.default_rng(n).standard_normal(8) for n in numbers]
    return unit(np.array(drawn, dtype=np.float32).reshape(-1, 8))


def test_the_nearest_come_first_and_of_equals_the_newer() -> None:
    held = Sketches(8)
    same = rows([7, 7, 9])
    held.put([1, 2, 3], [True, True, True], same)
    assert held.nearest(same[0], 2, "live") == [2, 1]


def test_forgotten_memories_are_asked_for_apart() -> None:
    held = Sketches(8)
    held.put([1, 2], [True, False], rows([1, 2]))
    assert held.nearest(rows([2])[0], 5, "live") == [1]
    assert held.nearest(rows([2])[0], 5, "forgotten") == [2]
    assert set(held.nearest(rows([2])[0], 5, "any")) == {1, 2}


def test_only_the_allowed_ones_are_looked_at() -> None:
    held = Sketches(8)
    held.put(list(range(1, 51)), [True] * 50, rows(list(range(1, 51))))
    assert held.nearest(rows([1])[0], 5, [40, 41, 999]) in ([40, 41], [41, 40])


def test_it_grows_beyond_a_block() -> None:
    held = Sketches(8)
    count = sketches._BLOCK_ROWS + 10
    held.put(range(1, count + 1), [True] * count, rows(list(range(1, count + 1))))
    assert len(held) == count
    assert held.nearest(rows([count])[0], 1, "live") == [count]


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["put", "drop", "keep"]), st.lists(st.integers(1, 12), max_size=6)), max_size=20)
)
def test_it_holds_what_was_put_and_not_dropped(steps: list[tuple[str, list[int]]]) -> None:
    held, model = Sketches(8), set[int]()
    for step, numbers in steps:
        if step == "put":
            held.put(numbers, [True] * len(numbers), rows(numbers))
            model |= set(numbers)
        elif step == "drop":
            held.drop(numbers)
            model -= set(numbers)
        else:
            held.keep(numbers)
            model &= set(numbers)
        assert set(held.nearest(rows([1])[0], 100, "live")) == model
        assert all(held.nearest(rows([number])[0], 1, "live") == [number] for number in model)
