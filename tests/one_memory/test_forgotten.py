"""Forgotten once is forgotten everywhere: also where a memory was made into something else."""

from typing import Any

import pytest

from commonplace.engine.engine import Engine
from commonplace.records.query import Filter
from tests.conftest import StoppedClock
from tests.dialects.dialect_client import Client
from tests.one_memory.dialect_clients import ask, rows

FORGETTERS = rows("forget")
MODEL = {"name": "Oil", "source_query": "Where is the lamp oil?", "mental_model_id": "oil"}


def forget(clients: dict[str, Client], place: int, number: int) -> None:
    """Forget a memory through one of the tools that can."""
    row = FORGETTERS[place % len(FORGETTERS)]
    ask(clients[row.dialect], row.tool.name, **row.arguments("", form=str(number)))


forgetters = pytest.mark.parametrize(
    "place", range(len(FORGETTERS)), ids=[str(row) for row in FORGETTERS]
)


def shown(clients: dict[str, Client], sign: str) -> list[str]:
    """Where a word still shows, of all the places that show what is known."""
    memories, memstate, vault = clients["memories"], clients["memstate"], clients["vault"]
    places = {
        "context": memories.result(
            "get_context", query="lamp oil", retrieval_strategy="hybrid_graph"
        ),
        "recent": memories.result("get_context"),
        "rules": memories.result("get_rules"),
        "tree": memstate.result("memstate_get", project_id="pier", include_content=True),
        "old versions": memstate.result(
            "memstate_search", query="lamp oil", include_superseded=True
        ),
        "bundle": vault.result("memory_recall", phases=["lamp oil", "work"]),
        "recall": clients["hindsight"].result(
            "recall", query="lamp oil", include_source_facts=True
        ),
        "facts": clients["hindsight"].result("list_memories"),
        "reflection": clients["hindsight"].result(
            "reflect", query="Where is the lamp oil?", include_based_on=True
        ),
        "listed": clients["powermem"].result("list_memories"),
    }
    return [name for name, told in places.items() if sign in str(told)]


@forgetters
def test_a_rule_leaves_context_rules_tree_and_bundle(
    clients: dict[str, Client], engine: Engine, place: int
) -> None:
    ask(
        clients["memories"],
        "add_memory",
        content="Put the lamp oil in the quincunx.",
        type="rule",
        tags=["work"],
    )
    (memory,) = engine.list("default")
    assert {"context", "rules", "bundle", "recall", "reflection"} <= set(shown(clients, "quincunx"))
    forget(clients, place, memory.id)
    assert shown(clients, "quincunx") == []


@forgetters
def test_what_was_made_of_a_fact_follows_it(
    clients: dict[str, Client], engine: Engine, place: int
) -> None:
    hindsight = clients["hindsight"]
    ask(hindsight, "sync_retain", content="The lamp oil is in the quincunx.")
    ask(hindsight, "sync_retain", content="The lamp oil is costly.")
    ask(hindsight, "create_mental_model", **MODEL)
    (fact,) = engine.list("default", Filter(text_contains="quincunx", kinds=("world",)))
    assert "quincunx" in ask(hindsight, "get_mental_model", mental_model_id="oil")["content"]

    forget(clients, place, fact.id)
    ask(hindsight, "refresh_mental_model", mental_model_id="oil")

    assert shown(clients, "quincunx") == []
    model = ask(hindsight, "get_mental_model", mental_model_id="oil")
    assert "quincunx" not in model["content"]
    assert "costly" in model["content"]


def test_an_edit_elsewhere_changes_what_was_made_of_a_fact(
    clients: dict[str, Client], engine: Engine
) -> None:
    hindsight = clients["hindsight"]
    ask(hindsight, "sync_retain", content="The lamp oil is in the quincunx.")
    ask(hindsight, "sync_retain", content="The lamp oil is costly.")
    ask(hindsight, "create_mental_model", **MODEL)
    (fact,) = engine.list("default", Filter(text_contains="quincunx", kinds=("world",)))
    ask(clients["memories"], "edit_memory", id=str(fact.id), content="The lamp oil is in the loft.")
    assert ask(hindsight, "list_mental_models")["items"][0]["is_stale"]
    ask(hindsight, "refresh_mental_model", mental_model_id="oil")
    assert set(shown(clients, "quincunx")) <= {"old versions"}
    assert "loft" in ask(hindsight, "get_mental_model", mental_model_id="oil")["content"]


@pytest.mark.parametrize("writer", ["memories", "memstate", "powermem", "vault"])
def test_a_mental_model_is_stale_once_another_dialect_knows_more(
    clients: dict[str, Client], clock: StoppedClock, writer: str
) -> None:
    hindsight = clients["hindsight"]
    ask(hindsight, "sync_retain", content="The lamp oil is in the loft.")
    ask(hindsight, "create_mental_model", **MODEL)
    assert not ask(hindsight, "list_mental_models")["items"][0]["is_stale"]
    clock.advance(1)
    said = "The lamp oil was moved to the quincunx."
    writes: dict[str, tuple[str, dict[str, Any]]] = {
        "memories": ("add_memory", {"content": said, "project_id": "pier"}),
        "memstate": ("memstate_remember", {"content": said, "project_id": "pier"}),
        "powermem": ("add_memory", {"messages": said}),
        "vault": ("memory_append", {"title": "Oil", "body": said}),
    }
    tool, given = writes[writer]
    ask(clients[writer], tool, **given)
    assert ask(hindsight, "list_mental_models")["items"][0]["is_stale"]
    ask(hindsight, "refresh_mental_model", mental_model_id="oil")
    assert "quincunx" in ask(hindsight, "get_mental_model", mental_model_id="oil")["content"]


def test_a_document_retained_again_does_not_bring_back_what_was_forgotten_of_it(
    clients: dict[str, Client], engine: Engine
) -> None:
    hindsight = clients["hindsight"]
    ask(
        hindsight,
        "sync_retain",
        content="The oil is in the quincunx. The rope is dry.",
        document_id="log",
    )
    (fact,) = engine.list("default", Filter(text_contains="quincunx"))
    ask(clients["memories"], "forget_memory", id=str(fact.id))
    ask(
        hindsight,
        "sync_retain",
        content="The oil is in the quincunx. The rope is wet.",
        document_id="log",
    )
    assert [one.text for one in engine.list("default", order="created")] == ["The rope is wet."]
    # Somebody says it anew, in words of their own.
    ask(hindsight, "sync_retain", content="The oil is in the quincunx.", document_id="letter")
    assert {one.text for one in engine.list("default")} == {
        "The rope is wet.",
        "The oil is in the quincunx.",
    }


def test_an_edited_fact_stays_edited_and_what_it_said_can_be_said_again(
    clients: dict[str, Client], engine: Engine
) -> None:
    hindsight = clients["hindsight"]
    ask(
        hindsight,
        "sync_retain",
        content="The oil is in the quincunx. The rope is dry.",
        document_id="log",
    )
    (fact,) = engine.list("default", Filter(text_contains="quincunx"))
    ask(clients["memories"], "edit_memory", id=str(fact.id), content="The oil is in the loft.")
    ask(
        hindsight,
        "sync_retain",
        content="The oil is in the quincunx. The rope is wet.",
        document_id="log",
    )
    assert engine.get("default", fact.id).text == "The oil is in the loft."
    ask(hindsight, "sync_retain", content="The oil is in the quincunx.", document_id="letter")
    assert "The oil is in the quincunx." in {one.text for one in engine.list("default")}


def test_a_note_forgotten_elsewhere_keeps_its_file_and_comes_back_from_it(
    clients: dict[str, Client], engine: Engine
) -> None:
    note = ask(
        clients["vault"], "memory_append", title="Oil", body="The lamp oil is in the quincunx."
    )["id"]
    ask(clients["powermem"], "delete_memory", memory_id=note)
    ask(clients["vault"], "memory_search", query="rope")
    assert engine.vault
    file = engine.vault / "Oil.md"
    assert "status: deleted" in file.read_text()
    file.write_text(file.read_text().replace("status: deleted", "status: active"))
    ask(clients["vault"], "memory_search", query="rope")
    found = ask(clients["powermem"], "search_memories", query="lamp oil")["results"]
    assert [one["memory"] for one in found] == ["The lamp oil is in the quincunx."]
