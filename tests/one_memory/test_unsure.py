"""Who asks for what nobody told is told so in every tongue: nothing is found, or what is found is
marked as unsure.
"""

from typing import Any

import pytest

from commonplace.engine.engine import Engine
from commonplace.records.memory import Draft
from tests.dialects.dialect_client import Client
from tests.one_memory.dialect_clients import ask

KNOWN = (
    "The staging database runs on port 5433.",
    "Leonor is allergic to peanuts.",
    "Bram, the dog, is walked at seven every morning.",
    "Newsletters go out on the first Tuesday of the month.",
    "The spare keys are with the neighbour, Mrs Okafor.",
)
ANSWERED, UNANSWERED = "what is Leonor allergic to?", "who feeds Bram when Leonor is away?"


@pytest.fixture(autouse=True)
def known(engine: Engine) -> None:
    """A store that knows a few things."""
    engine.remember_many("default", [Draft(one) for one in KNOWN])


def answers(clients: dict[str, Client], question: str) -> dict[str, dict[str, Any]]:
    """What each dialect says to a question, for programs."""
    return {
        "memories": ask(clients["memories"], "search_memories", query=question),
        "context": ask(clients["memories"], "get_context", query=question),
        "powermem": ask(clients["powermem"], "search_memories", query=question),
        "hindsight": ask(clients["hindsight"], "recall", query=question),
        "memstate": ask(clients["memstate"], "memstate_search", query=question)["data"],
        "vault": ask(clients["vault"], "memory_search", query=question),
    }


def test_what_comes_near_and_is_no_answer_is_marked_in_every_tongue(
    clients: dict[str, Client],
) -> None:
    said = answers(clients, UNANSWERED)
    assert {name: one.get("unsure") for name, one in said.items()} == dict.fromkeys(said, True)


def test_an_answer_has_the_shape_it_always_had(clients: dict[str, Client]) -> None:
    assert all("unsure" not in one for one in answers(clients, ANSWERED).values())


def test_where_nothing_is_found_there_is_nothing_to_doubt(clients: dict[str, Client]) -> None:
    assert all("unsure" not in one for one in answers(clients, "qzxv wkjh").values())


def test_a_person_reads_of_the_doubt_too(clients: dict[str, Client]) -> None:
    for tool in ("search_memories", "get_context"):
        told = clients["memories"].result(tool, query=UNANSWERED)["content"][0]["text"]
        # Before the hits: who reads on knows what to make of them.
        assert -1 < told.find("None of these is surely an answer.") < told.find("Bram, the dog"), (
            tool
        )
        assert (
            "None of these"
            not in clients["memories"].result(tool, query=ANSWERED)["content"][0]["text"]
        )


def test_the_score_of_what_is_no_answer_is_below_a_half_and_that_of_an_answer_is_not(
    clients: dict[str, Client],
) -> None:
    found = {
        question: ask(clients["powermem"], "search_memories", query=question)["results"]
        for question in (ANSWERED, UNANSWERED)
    }
    assert found[ANSWERED][0]["score"] >= 0.5
    assert all(one["score"] < 0.5 for one in found[UNANSWERED])
