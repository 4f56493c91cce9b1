"""The order of hits that speak of the same thing."""

from collections.abc import Sequence
from dataclasses import replace

from commonplace.recall import rank, settling
from commonplace.recall.rank import Evidence, Scored

STRONG, WEAKER, WEAK = 0.7, 0.65, 0.3


def hits(*given: tuple[int, float]) -> list[Scored]:
    names = ("keyword", "coverage", "passage", "vector", "tokens", "passage tokens")
    return rank.ordered([Evidence(number, False, dict.fromkeys(names, value), True) for number, value in given])


def alike(*pairs: tuple[int, int]) -> settling.Likeness:
    def likeness(numbers: Sequence[int]) -> list[list[float]]:
        near = {pair for a, b in pairs for pair in ((a, b), (b, a))}
        return [[1.0 if a == b else 0.8 if (a, b) in near else 0.1 for b in numbers] for a in numbers]

    return likeness


def order(found: list[Scored], likeness: settling.Likeness) -> list[int]:
    return [one.evidence.memory_id for one in settling.newest_first(found, likeness)]


def test_what_was_said_last_comes_before_what_it_replaced() -> None:
    assert order(hits((1, STRONG), (2, WEAKER)), alike((1, 2))) == [2, 1]


def test_strangers_keep_their_order() -> None:
    assert order(hits((1, STRONG), (2, WEAKER)), alike()) == [1, 2]


def test_a_newer_one_that_hardly_answers_stays_behind() -> None:
    assert order(hits((1, STRONG), (2, WEAK)), alike((1, 2))) == [1, 2]


def test_the_older_one_is_never_moved_up() -> None:
    assert order(hits((2, STRONG), (1, WEAKER)), alike((1, 2))) == [2, 1]


def test_scores_still_fall_from_place_to_place() -> None:
    found = settling.newest_first(hits((1, STRONG), (2, WEAKER), (3, WEAKER - 0.01)), alike((1, 3)))
    assert [one.evidence.memory_id for one in found] == [3, 1, 2]
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


def test_long_texts_and_turns_keep_their_order() -> None:
    found = [replace(one, evidence=replace(one.evidence, is_statement=False)) for one in hits((1, STRONG), (2, WEAKER))]
    assert order(found, alike((1, 2))) == [1, 2]
