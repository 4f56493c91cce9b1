"""Questions that compare two things: each of them is also searched for alone."""

from dataclasses import replace

import pytest

from commonplace.engine.engine import Engine
from commonplace.recall import query_decomposition
from commonplace.recall.pagination import HEAD_SIZE
from commonplace.records.memory import Draft
from commonplace.records.query import Query


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "How many days passed between my visit to the harbour and the concert in Leeds?",
            ["my visit to the harbour", "the concert in Leeds"],
        ),
        (
            "Which came first, the new boiler or the blue carpet?",
            ["the new boiler", "the blue carpet"],
        ),
        (
            "Who joined most recently, the plumber from Kiel, the cook or the night porter?",
            ["the plumber from Kiel", "the cook", "the night porter"],
        ),
        (
            "How long had it been since I bought the kiln when the first order came?",
            ["I bought the kiln", "the first order came"],
        ),
        (
            "How many weeks had I been learning Greek when we moved to Patras?",
            ["I been learning Greek", "we moved to Patras"],
        ),
    ],
)
def test_a_comparison_is_decomposed(question: str, parts: list[str]) -> None:
    assert list(query_decomposition.split_comparison(question)) == parts


@pytest.mark.parametrize(
    "question",
    [
        "What is the difference between tea and coffee?",
        "What did Anna and Ben talk about?",
        (
            "Which came first, the new boiler, the carpet, the red lamp, the grey sofa, a big shelf"
            " or the blue door?"
        ),
        "Is it open on Sunday, or not?",
        "between " * 2_000 + "and the rest of it",
        "",
    ],
)
def test_a_question_without_a_comparison_or_with_too_many_parts_stays_whole(question: str) -> None:
    assert not query_decomposition.split_comparison(question)


def test_a_memory_about_one_part_comes_before_one_with_words_of_both(engine: Engine) -> None:
    for said in (
        "Many days passed between the harbour fire and the visit of the inspector.",
        "How many days the harbour was closed, nobody counted.",
        "The harbour master visits Leeds on concert days.",
        "Walked around the harbour on Monday.",
        "Friday's concert was loud.",
    ):
        engine.remember("b", Draft(said))
    query = Query(
        "How many days passed between my walk around the harbour and the loud concert in Leeds?",
        limit=5,
    )
    found = {hit.memory.text: hit.channels["part"] for hit in engine.recall("b", query).hits}
    assert "Walked around the harbour on Monday." in list(found)[:2]
    assert found["Walked around the harbour on Monday."] == 1
    assert found["Friday's concert was loud."] > 0.9


def test_later_pages_of_a_comparison_are_scored_without_its_parts(
    engine: Engine,
) -> None:
    broken = [
        Draft(f"The stand mixer number {number} broke down on the second of May.")
        for number in range(20)
    ]
    engine.remember_many("b", broken)
    query = Query(
        "How long between the broken mixer and the new coffee maker?", limit=HEAD_SIZE, depth=50
    )
    first = engine.recall("b", query)
    assert all("part" in hit.channels for hit in first.hits)
    second = engine.recall("b", replace(query, after=first.next))
    assert second.hits
    assert all("part" not in hit.channels for hit in second.hits)
