"""What was told through several tongues is found once in each, and every tongue says which others
say the same.
"""

from typing import Any

from commonplace import ids
from commonplace.engine.engine import Engine
from tests.dialects.dialect_client import Client
from tests.one_memory.dialect_clients import ask

OIL = "The lamp oil is kept in the loft above the stable."
ASKED = "where is the lamp oil kept?"


def told_thrice(engine: Engine, clients: dict[str, Client]) -> list[int]:
    """The ids of one statement, told to three dialects, the newest first."""
    ask(clients["memories"], "add_memory", content=OIL)
    ask(clients["powermem"], "add_memory", messages=OIL, infer=False)
    ask(clients["hindsight"], "sync_retain", content=OIL)
    return [one.id for one in engine.list("default")]


def found(clients: dict[str, Client]) -> dict[str, list[dict[str, Any]]]:
    """What each dialect finds."""
    return {
        "memories": ask(clients["memories"], "search_memories", query=ASKED)["memories"],
        "powermem": ask(clients["powermem"], "search_memories", query=ASKED)["results"],
        "hindsight": ask(clients["hindsight"], "recall", query=ASKED)["results"],
        "memstate": ask(clients["memstate"], "memstate_search", query=ASKED)["data"]["results"],
    }


def test_one_statement_is_found_once_in_every_tongue(
    engine: Engine, clients: dict[str, Client]
) -> None:
    newest, *others = told_thrice(engine, clients)
    hits = found(clients)
    assert {name: len(some) for name, some in hits.items()} == dict.fromkeys(hits, 1)
    assert ids.parse(hits["memories"][0]["id"]) == newest
    assert hits["memories"][0]["copies"] == [ids.short_form(number) for number in others]
    assert hits["powermem"][0]["copies"] == others
    assert hits["hindsight"][0]["copies"] == [ids.uuid_form(number) for number in others]


def test_a_hit_without_copies_has_the_shape_it_always_had(
    engine: Engine, clients: dict[str, Client]
) -> None:
    ask(clients["memories"], "add_memory", content=OIL)
    assert all("copies" not in one for some in found(clients).values() for one in some)


def test_all_of_them_are_forgotten_by_the_ids_that_are_told(
    engine: Engine, clients: dict[str, Client]
) -> None:
    told_thrice(engine, clients)
    (hit,) = found(clients)["powermem"]
    for number in (hit["id"], *hit["copies"]):
        ask(clients["powermem"], "delete_memory", memory_id=number)
    assert found(clients) == {"memories": [], "powermem": [], "hindsight": [], "memstate": []}
