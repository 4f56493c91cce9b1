"""Every dialect shows which of its results a newer memory has replaced, and shows no other as
replaced.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from tests.conftest import StoppedClock
from tests.dialects.dialect_client import Client
from tests.one_memory.corrections import CORRECTIONS, LOOK_ALIKES, PLAIN, Case
from tests.one_memory.dialect_clients import ask

DAY_MS = 86_400_000
STRANGERS = (
    "The label printer speaks raw ZPL over TCP.",
    "Marit keeps bees behind the barn.",
    "The boiler is serviced every October.",
    "Receipts carry a QR code since spring.",
)
Clients = Mapping[str, Client]
Write = Callable[[Clients, str], object]
Results = list[dict[str, Any]]
Read = Callable[[Clients, str], Results]
# By path: the tool that writes a statement, and the tool that reads it again.
WRITERS: Mapping[str, Write] = {
    "hindsight": lambda to, text: ask(to["hindsight"], "sync_retain", content=text),
    "powermem": lambda to, text: ask(to["powermem"], "add_memory", messages=text),
    "powermem, not merged": lambda to, text: to["powermem"].result(
        "add_memory", messages=text, infer=False
    ),
    "memories": lambda to, text: ask(to["memories"], "add_memory", content=text),
    "memstate": lambda to, text: ask(
        to["memstate"], "memstate_remember", content=text, project_id="p"
    ),
    "vault": lambda to, text: ask(
        to["vault"], "memory_append", title=" ".join(text.split()[:4]), body=text
    ),
}
READERS: Mapping[str, Read] = {
    "hindsight": lambda to, text: ask(to["hindsight"], "recall", query=text)["results"],
    "powermem": lambda to, text: ask(to["powermem"], "search_memories", query=text, limit=5)[
        "results"
    ],
    "memories": lambda to, text: ask(to["memories"], "search_memories", query=text, limit=5)[
        "memories"
    ],
    "context": lambda to, text: ask(to["memories"], "get_context", query=text, limit=5)["memories"],
    "memstate": lambda to, text: ask(to["memstate"], "memstate_search", query=text, limit=5)[
        "data"
    ]["results"],
    "vault": lambda to, text: ask(to["vault"], "memory_search", query=text, top_k=5)["results"],
}
# What the rules do not notice: "stopped sending" is another form of the verb in "are sent".
MISSED = ["invoices"]
PATHS = (
    ("hindsight", "hindsight"),
    ("powermem", "powermem"),
    ("powermem, not merged", "powermem"),
    ("memories", "memories"),
    ("memories", "context"),
    ("memstate", "memstate"),
    ("vault", "vault"),
    ("memories", "hindsight"),
    ("memories", "memstate"),
    ("hindsight", "vault"),
)


def text_of(result: Mapping[str, Any]) -> str:
    """The text of a result, under the name it has in its dialect."""
    names = ("content", "text", "body", "summary")
    found = next((result[name] for name in names if name in result), result.get("memory"))
    assert isinstance(found, str), result
    return found


def find(results: Results, text: str) -> int | None:
    """The position of a statement among results."""
    return next((at for at, one in enumerate(results) if text_of(one).strip() == text), None)


def is_noticed(results: Results, case: Case) -> bool:
    """Whether the newer statement comes first and the older one is gone or marked."""
    newer, older = find(results, case.newer), find(results, case.older)
    if newer is None:
        return False
    return older is None or (newer < older and "replaced_by" in results[older])


def is_taken(results: Results, case: Case) -> bool:
    """Whether the older statement is gone, or one of the two is marked as replaced."""
    positions = [find(results, text) for text in (case.older, case.newer)]
    is_marked = any(at is not None and "replaced_by" in results[at] for at in positions)
    return positions[0] is None or is_marked


def tell(clients: Clients, clock: StoppedClock, write: Write, cases: Sequence[Case]) -> None:
    """Write every older statement, then every newer one, a day apart."""
    for text in (*STRANGERS, *(one.older for one in cases), *(one.newer for one in cases)):
        clock.advance(DAY_MS)
        write(clients, text)


@pytest.mark.parametrize(("writer", "reader"), PATHS, ids=str)
def test_every_correction_is_marked_and_comes_after_the_current_value(
    clients: Clients, clock: StoppedClock, writer: str, reader: str
) -> None:
    tell(clients, clock, WRITERS[writer], CORRECTIONS)
    missed = [
        str(one)
        for one in CORRECTIONS
        if not is_noticed(READERS[reader](clients, one.question), one)
    ]
    assert missed == MISSED


@pytest.mark.parametrize(("writer", "reader"), PATHS, ids=str)
def test_no_look_alike_is_taken_for_a_correction(
    clients: Clients, clock: StoppedClock, writer: str, reader: str
) -> None:
    tell(clients, clock, WRITERS[writer], LOOK_ALIKES)
    taken = [
        str(one) for one in LOOK_ALIKES if is_taken(READERS[reader](clients, one.question), one)
    ]
    assert taken == []


MARCH, JUNE = "2026-03-05T10:00:00Z", "2026-06-05T10:00:00Z"
WRITERS_WITH_TIME: Mapping[str, Callable[[Clients, str, str], object]] = {
    "hindsight": lambda to, text, at: ask(
        to["hindsight"], "sync_retain", content=text, timestamp=at
    ),
    "powermem": lambda to, text, at: ask(
        to["powermem"], "add_memory", messages=text, metadata={"timestamp": at}
    ),
    "memories": lambda to, text, at: ask(
        to["memories"], "add_memory", content=text, metadata={"timestamp": at}
    ),
}


@pytest.mark.parametrize("writer", WRITERS_WITH_TIME)
def test_an_import_of_older_chats_after_newer_ones_never_makes_the_past_current(
    clients: Clients, clock: StoppedClock, writer: str
) -> None:
    write = WRITERS_WITH_TIME[writer]
    for case in PLAIN:
        write(clients, case.newer, JUNE)
        clock.advance(DAY_MS)
    for case in PLAIN:
        write(clients, case.older, MARCH)
        clock.advance(DAY_MS)
    missed = {
        (reader, str(case))
        for reader, read in READERS.items()
        for case in PLAIN
        if not is_noticed(read(clients, case.question), case)
    }
    assert missed == set()
