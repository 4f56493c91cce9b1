"""The same question has the same first hits in every tongue, and a list of bare keywords finds what
has them.
"""

import pytest

from commonplace.engine.engine import Engine
from commonplace.records.memory import Draft
from tests.conftest import StoppedClock
from tests.dialects.dialect_client import Client
from tests.one_memory.dialect_clients import ask

COOKIES = "Authentication uses signed session cookies that last a week."
STORE = "The session store is a PostgreSQL database on db-2."
BACKUP = "The staging database is restored from the backup every night at two."
TWICE = "On 2 September 2026 the shop was deployed twice by mistake."
TUESDAYS = "We deploy on Tuesdays, never before a holiday."
STOCK = "Item 14 is back in stock."
KNOWN = (
    *(COOKIES, STORE, BACKUP, TWICE, TUESDAYS, STOCK),
    "The staging database runs on port 5433.",
    "Leonor is allergic to peanuts.",
    "Peanuts are banned from the office kitchen.",
    "Bram, the dog, is walked at seven every morning.",
    "Newsletters go out on the first Tuesday of the month.",
    "The spare keys are with the neighbour, Mrs Okafor.",
    "The API key of the mailer is rotated every quarter.",
    "Ana moved to Oslo in June 2026.",
    "Ana lives in Oslo, before that in Lisbon.",
    "Lena deploys the shop when Ana is away.",
    "Item 4 is out of stock.",
    # Near ties, the older of which says it better.
    "Tom drinks green tea.",
    "Tim drinks a cup of green tea with milk.",
    "Nora keeps bees in Bern.",
    "Nils, a cousin of hers, keeps bees in Bern as well.",
)
# What is asked, and what must come first; None where only all tongues must agree.
QUESTIONS: dict[str, str | None] = {
    "authentication session database cookies": COOKIES,
    "cookies, session, authentication": COOKIES,
    "session store database": STORE,
    "deploy Tuesday holiday": TUESDAYS,
    "staging database backup": BACKUP,
    "is item 14 in stock?": STOCK,
    "what was deployed on 2 September 2026?": TWICE,
    "what happened in September 2026?": TWICE,
    "where does the staging database run?": KNOWN[6],
    "what is Leonor allergic to?": KNOWN[7],
    "where does Ana live?": None,
    "who deploys the shop?": None,
    "when do we deploy?": None,
    "item 4": KNOWN[16],
    "who drinks green tea?": None,
    "who keeps bees in Bern?": None,
    "keys": None,
    "peanuts": None,
}
MONTHS_2_MS = 60 * 86_400_000
WRITERS = ("engine", "hindsight", "every dialect in turn")


def found(clients: dict[str, Client], question: str) -> dict[str, list[str]]:
    """The texts that each searching tool finds, best first."""
    memories, vault = clients["memories"], clients["vault"]
    hits = {
        "search_memories": [
            one["content"] for one in ask(memories, "search_memories", query=question)["memories"]
        ],
        "get_context": [
            one["content"] for one in ask(memories, "get_context", query=question)["memories"]
        ],
        "powermem": [
            one["memory"]
            for one in ask(clients["powermem"], "search_memories", query=question)["results"]
        ],
        "recall": [
            one["text"] for one in ask(clients["hindsight"], "recall", query=question)["results"]
        ],
        "memstate": [
            one["summary"]
            for one in ask(clients["memstate"], "memstate_search", query=question)["data"][
                "results"
            ]
        ],
        "vault": [one["body"] for one in ask(vault, "memory_search", query=question)["results"]],
    }
    return hits


def _head(text: str) -> str:
    """As much of a text as a summary has."""
    return text[:60]


def write(engine: Engine, clients: dict[str, Client], clock: StoppedClock, writer: str) -> None:
    """Store all that is known, over three years: what is old ranks no lower in one tongue than in
    another.
    """
    for place, text in enumerate(KNOWN):
        clock.advance(MONTHS_2_MS)
        turn = place % 3 if writer == "every dialect in turn" else WRITERS.index(writer)
        if turn == 0:
            engine.remember("default", Draft(text))
        elif turn == 1:
            ask(clients["hindsight"], "sync_retain", content=text)
        else:
            ask(clients["powermem"], "add_memory", messages=text, infer=False)


@pytest.mark.parametrize("writer", WRITERS)
def test_the_same_question_has_the_same_first_hits_in_every_tongue(
    engine: Engine, clients: dict[str, Client], clock: StoppedClock, writer: str
) -> None:
    write(engine, clients, clock, writer)
    for question, first in QUESTIONS.items():
        hits = found(clients, question)
        best = [_head(text) for text in hits["search_memories"][:2]]
        for name, texts in hits.items():
            # Recall shows a question that asks for nothing but a time only what is of that time.
            fewer = len(texts) if name == "recall" and question.startswith("what happened") else 2
            assert [_head(text) for text in texts[:2]] == best[:fewer], (question, name)
        # An observation has the words of what it is made of.
        assert first is None or first in hits["search_memories"][0], question


def test_a_list_of_keywords_finds_everything_that_has_some_of_them(
    engine: Engine, clients: dict[str, Client], clock: StoppedClock
) -> None:
    write(engine, clients, clock, "engine")
    for name, texts in found(clients, "authentication session database cookies").items():
        assert texts[0] == COOKIES, name
        assert {STORE, BACKUP} <= set(texts), name
    # A single word of the list is enough where nothing has more of them.
    for name, texts in found(clients, "kubernetes newsletters terraform").items():
        assert texts[:1] == [KNOWN[10]], name
