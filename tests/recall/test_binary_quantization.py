"""The sketches in memory: nearly the same answers as comparing everything, whatever came and
went.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace.recall.binary_quantization import (
    Bits,
    Ids,
    Sketches,
    question_planes,
    sketch_bytes,
    sketch_vectors,
)
from commonplace.records.query import Status

DIMENSIONS = 256


def vectors(numbers: list[int]) -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
    drawn = [np.random.default_rng(number).standard_normal(DIMENSIONS) for number in numbers]
    return np.array(drawn, dtype=np.float32).reshape(-1, DIMENSIONS)


def ids(numbers: list[int]) -> Ids:
    return np.array(numbers, dtype=np.int64)


def holding(numbers: list[int], live: list[bool] | None = None) -> Sketches:
    held = Sketches(DIMENSIONS)
    put(held, numbers, live)
    return held


def put(held: Sketches, numbers: list[int], live: list[bool] | None = None) -> None:
    held.put(
        ids(numbers),
        np.array(live or [True] * len(numbers), dtype=np.bool_),
        sketch_vectors(vectors(numbers)),
    )


def question(number: int) -> Bits:
    return question_planes(vectors([number])[0])


def nearest(held: Sketches, number: int, limit: int, status: Status = "live") -> list[int]:
    return held.view().nearest(question(number), limit, status)


@pytest.mark.parametrize("dimensions", [8, 64, 100, 256])
def test_a_sketch_has_two_bits_for_each_number(dimensions: int) -> None:
    row = sketch_vectors(
        np.random.default_rng(1).standard_normal((1, dimensions)).astype(np.float32)
    )
    assert row.nbytes == sketch_bytes(dimensions) == 2 * 8 * -(-dimensions // 64)


def test_the_nearest_comes_first_and_of_equals_the_newer() -> None:
    held = Sketches(DIMENSIONS)
    held.put(ids([1, 2, 3]), np.ones(3, dtype=np.bool_), sketch_vectors(vectors([7, 7, 9])))
    assert nearest(held, 7, 2) == [2, 1]


def test_a_vector_without_direction_is_found_last() -> None:
    held = holding([1, 2])
    held.put(
        ids([3]),
        np.ones(1, dtype=np.bool_),
        sketch_vectors(np.zeros((1, DIMENSIONS), dtype=np.float32)),
    )
    assert nearest(held, 1, 3)[0] == 1
    assert (
        len(held.view().nearest(question_planes(np.zeros(DIMENSIONS, dtype=np.float32)), 3, "live"))
        == 3
    )


def test_forgotten_memories_are_searched_separately() -> None:
    held = holding([1, 2], [True, False])
    assert nearest(held, 2, 5) == [1]
    assert nearest(held, 2, 5, "forgotten") == [2]
    assert nearest(held, 2, 5, "any") == [2, 1]


def test_only_allowed_memories_are_compared() -> None:
    held = holding(list(range(1, 51)))
    held.drop(ids([45]))
    assert held.view().nearest_among(question(41), 5, ids([999, 40, 41, 45])) == [41, 40]


def test_a_memory_with_several_sketches_is_found_by_its_nearest_one() -> None:
    held = holding([1, 2, 2, 5])
    assert nearest(held, 2, 5)[0] == 2
    assert sorted(nearest(held, 2, 5)) == [1, 2, 5]
    held.put(ids([2]), np.ones(1, dtype=np.bool_), sketch_vectors(vectors([30])))
    assert nearest(held, 30, 1) == [2]
    assert len(held) == 3


def test_a_view_does_not_see_what_comes_later() -> None:
    held = holding([1, 2, 9])
    before = held.view()
    put(held, [4, 5])
    assert before.nearest(question(4), 9, "live") != held.view().nearest(question(4), 9, "live")
    assert sorted(before.nearest(question(4), 9, "live")) == [1, 2, 9]
    assert nearest(held, 4, 1) == [4]


STEP = st.tuples(
    st.sampled_from(["put", "drop", "keep"]), st.lists(st.integers(1, 12), max_size=6, unique=True)
)


@settings(max_examples=50, deadline=None)
@given(st.lists(STEP, max_size=20))
def test_dropped_sketches_are_gone_and_the_others_stay(steps: list[tuple[str, list[int]]]) -> None:
    held, model = Sketches(DIMENSIONS), set[int]()
    for step, numbers in steps:
        if step == "put":
            put(held, numbers)
            model |= set(numbers)
        elif step == "drop":
            held.drop(ids(numbers))
            model -= set(numbers)
        else:
            held.drop_others(ids(numbers))
            model &= set(numbers)
        assert len(held) == len(model)
        assert set(nearest(held, 1, 100)) == model
        assert all(nearest(held, number, 1) == [number] for number in model)
