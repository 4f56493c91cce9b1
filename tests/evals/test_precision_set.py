"""Our own precision set is what its README says, and a slip in a file is found."""

import copy
from collections import Counter
from typing import Any

import pytest

from commonplace.clock import parse_moment
from evals import precise
from evals.fit_sureness import FITTING
from evals.precise import Store, asked, problems
from evals.ways import OURS

GOOD: dict[str, Any] = {
    "name": "small",
    "about": "Two friends.",
    "now": "2026-03-01",
    "memories": [
        {"id": "old", "time": "2026-01-01", "text": "Ada's lighthouse key hangs in the kitchen."},
        {"id": "new", "time": "2026-02-01", "text": "Ada's lighthouse key hangs in the hall now."},
        {"id": "fog", "time": "2026-02-01", "text": "Fog signals sound every ninety seconds."},
    ],
    "questions": [
        {
            "text": "Where does Ada's lighthouse key hang?",
            "kind": "changed",
            "half": "dev",
            "expected": ["new"],
            "superseded": ["old"],
        },
        {
            "text": "How often do fog signals sound?",
            "kind": "plain",
            "half": "held-out",
            "expected": ["fog"],
        },
        {
            "text": "Who painted the Sistine Chapel?",
            "kind": "unanswerable",
            "half": "dev",
            "near": False,
            "expected": [],
        },
    ],
}


@pytest.fixture(scope="module")
def stores() -> list[Store]:
    return precise.stores()


def test_there_are_enough_stores_and_questions(stores: list[Store]) -> None:
    questions = [question for store in stores for question in store.questions]

    assert len(stores) >= 3
    assert all(75 <= len(store.memories) <= 150 for store in stores)
    assert len(questions) >= 180
    assert all(
        count >= 0.32 * len(questions) for count in Counter(q.kind for q in questions).values()
    )


def test_each_half_has_every_kind_in_every_store_and_some_stores_are_held_out_as_a_whole(
    stores: list[Store],
) -> None:
    held_out = {("held-out", kind) for kind in precise.KINDS}
    both = held_out | {("dev", kind) for kind in precise.KINDS}
    found = {store.name: {(q.half, q.kind) for q in store.questions} for store in stores}

    assert {name for name, halves in found.items() if halves == held_out} == {"choir", "platform"}
    assert all(halves in (held_out, both) for halves in found.values())


def test_the_stores_for_fitting_share_no_question_with_the_set(stores: list[Store]) -> None:
    fitting = precise.stores(FITTING)
    asked_there = {question.text for store in fitting for question in store.questions}

    assert {question.half for store in fitting for question in store.questions} == {"dev"}
    assert asked_there.isdisjoint(question.text for store in stores for question in store.questions)


def test_one_changed_fact_is_in_one_half_only(stores: list[Store]) -> None:
    # Otherwise what was chosen on the one half would be known in the other.
    halves: dict[tuple[str, frozenset[str]], set[str]] = {}
    for store in stores:
        for question in store.questions:
            if question.kind == "changed":
                halves.setdefault((store.name, question.expected), set()).add(question.half)

    assert [fact for fact, found in halves.items() if len(found) > 1] == []


def test_a_good_file_has_no_problems() -> None:
    assert problems(GOOD) == []


@pytest.mark.parametrize(
    ("place", "change", "problem"),
    [
        (("memories", 1), {"id": "old"}, "two memories"),
        (("memories", 0), {"time": "2026-02-20"}, "order"),
        (("memories", 2), {"time": "2026-04-01"}, "later than now"),
        (("questions", 0), {"expected": ["nowhere"]}, "no memory is called 'nowhere'"),
        (("questions", 0), {"expected": ["old"], "superseded": ["new"]}, "newer than"),
        (("questions", 0), {"also_fine": ["new"]}, "named twice"),
        (("questions", 0), {"superseded": []}, "superseded does not go with its kind"),
        (("questions", 1), {"expected": []}, "expected does not go with its kind"),
        (("questions", 1), {"half": "third"}, "kind or half"),
        (("questions", 1), {"near": True}, "near does not go with its kind"),
        (("questions", 2), {"expected": ["fog"]}, "expected does not go with its kind"),
        (("questions", 2), {"text": "How often do fog signals sound?"}, "there twice"),
    ],
)
def test_a_slip_in_a_file_is_found(
    place: tuple[str, int], change: dict[str, object], problem: str
) -> None:
    given = copy.deepcopy(GOOD)
    given[place[0]][place[1]] |= change

    assert any(problem in found for found in problems(given))


def test_a_store_is_written_at_its_own_times_and_asked_at_its_own_now() -> None:
    store = precise.read(GOOD)

    answers = {one.question.text: one.answer for one in asked(store, [OURS])[OURS]}

    assert store.now == parse_moment("2026-03-01")
    assert {"old", "new"} >= set(answers["Where does Ada's lighthouse key hang?"].found) >= {"new"}
    assert answers["How often do fog signals sound?"].found[0] == "fog"
    assert answers["Who painted the Sistine Chapel?"].expected == frozenset()
