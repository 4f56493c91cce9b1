"""What forgets or erases many at once does so for every dialect, and only what it says."""

from typing import Any

import pytest

from commonplace.dialects import registry
from commonplace.engine.engine import Engine
from tests.dialects.dialect_client import Client
from tests.one_memory.dialect_clients import DialectClients, Statement, ask, new_statement, rows

ALL: set[str] = set(registry.NAMES)
# Each tool that sweeps: what it is given, and whose memories are gone after it.
SWEEPS: dict[str, tuple[dict[str, Any], set[str]]] = {
    "memories.bulk_forget_memories": ({"all": True}, ALL),
    "memories.vacuum_memories": ({}, set()),
    "memories.consolidate_memories": ({}, set()),
    "memstate.memstate_delete_project": ({"project_id": "pier"}, {"memories", "memstate"}),
    "powermem.delete_all_memories": ({}, ALL),
    "mem0.delete_all_memories": ({}, ALL),
    "mem0.delete_entities": ({"agent_id": "lamp"}, {"mem0"}),
    "hindsight.delete_document": ({"document_id": "log"}, {"hindsight"}),
    "hindsight.clear_memories": ({}, ALL),
    "hindsight.delete_bank": ({}, ALL),
}
ERASING = ("hindsight.delete_document", "hindsight.clear_memories", "hindsight.delete_bank")


def written(clients: dict[str, Client]) -> dict[str, Statement]:
    """One statement of each dialect."""
    made = {name: new_statement() for name in registry.NAMES}
    texts = {name: one.text for name, one in made.items()}
    ask(clients["commonplace"], "remember", text=texts["commonplace"])
    ask(clients["vault"], "memory_append", title="Oil", body=texts["vault"])
    ask(clients["memories"], "add_memory", content=texts["memories"], project_id="pier")
    ask(
        clients["memstate"],
        "memstate_set",
        project_id="pier",
        keypath="oil",
        value=texts["memstate"],
    )
    ask(clients["powermem"], "add_memory", messages=texts["powermem"])
    ask(clients["mem0"], "add_memory", text=texts["mem0"], agent_id="lamp")
    ask(clients["hindsight"], "sync_retain", content=texts["hindsight"], document_id="log")
    return made


def seen(clients: dict[str, Client], writer: str, what: Statement) -> dict[str, bool]:
    """By tool, whether a statement shows where it should."""
    project = "pier" if writer in ("memories", "memstate") else ""
    speaker = DialectClients(lambda name, tool, given: str(clients[name].result(tool, **given)))
    return speaker.finds(what, project) | speaker.lists(what, project)


def test_every_sweep_is_known_here() -> None:
    assert {str(row) for row in rows("sweep")} == set(SWEEPS)


@pytest.mark.parametrize("name", SWEEPS)
def test_a_sweep_takes_what_it_says_from_everybody_and_nothing_else(
    engine: Engine, clients: dict[str, Client], name: str
) -> None:
    made = written(clients)
    dialect, tool = name.split(".")
    given, gone = SWEEPS[name]
    numbers = {
        one: memory.id
        for memory in engine.list("default")
        for one in made
        if made[one].marker in memory.text
    }
    ask(clients[dialect], tool, **given)
    for writer, what in made.items():
        there = seen(clients, writer, what)
        assert there == dict.fromkeys(there, writer not in gone), writer
    kept = {memory.id for memory in engine.list("default", limit=100)}
    assert kept == {number for writer, number in numbers.items() if writer not in gone}
    for writer in gone if name not in ERASING else ():
        engine.restore("default", [numbers[writer]])
        there = seen(clients, writer, made[writer])
        assert there == dict.fromkeys(there, True), writer


def test_what_was_forgotten_in_one_tongue_is_erased_by_the_vacuum_of_another(
    engine: Engine, clients: dict[str, Client]
) -> None:
    made = written(clients)
    for memory in engine.list("default"):
        ask(clients["powermem"], "delete_memory", memory_id=memory.id)
    assert ask(clients["memories"], "vacuum_memories")["purged"] == len(made)
    for writer, what in made.items():
        assert not any(seen(clients, writer, what).values())
        deleted = clients["vault"].result(
            "memory_search", query=what.question, include_deleted=True
        )
        assert what.marker not in str(deleted)
