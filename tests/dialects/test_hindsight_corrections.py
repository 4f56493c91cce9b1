"""Hindsight's tools that correct one memory and take one out of use, with many banks and with
one.
"""

from typing import Any

import pytest

from commonplace.dialects import registry
from commonplace.engine.engine import Engine
from commonplace.records.memory import Draft, Scope
from tests.conftest import StoppedClock
from tests.dialects.dialect_client import Client
from tests.dialects.hindsight_client import Hindsight
from tests.dialects.memories_client import Memories
from tests.dialects.requirements import requirement

both = pytest.mark.parametrize("bank", ["", "default"], ids=["many banks", "one bank"])
STRANGER = "00000000-0000-4000-8000-000000000000"
FACTS = "Dora plays the xylophone. Dora works at Acme. Dora lives in Rome."


def observed(hindsight: Hindsight) -> list[str]:
    return [one["text"] for one in hindsight("list_memories", type="observation")["items"]]


def memory(hindsight: Hindsight, number: str) -> dict[str, Any]:
    return hindsight("get_memory", memory_id=number)


@requirement("hindsight:update:fields")
def test_an_update_changes_what_is_given_and_nothing_else(
    hindsight: Hindsight, clock: StoppedClock
) -> None:
    [number] = hindsight.sync_retain(
        "Lena won the regatta in Kiel.", context="sport", tags=["team"], document_id="news"
    )
    before = memory(hindsight, number)
    assert "edited_at" not in before
    clock.advance(60_000)

    given = {
        "text": "Lena won the regatta in Bergen.",
        "context": "sailing",
        "occurred_start": "2026-03-01T00:00:00Z",
        "occurred_end": "2026-03-02T00:00:00Z",
        "mentioned_at": "2026-03-05T00:00:00Z",
        "fact_type": "experience",
        "entities": ["Lena", "Bergen"],
    }
    answer = hindsight("update_memory", memory_id=number, **given)

    shown = {**given, "type": given["fact_type"]}
    del shown["fact_type"]
    for name in ("occurred_start", "occurred_end", "mentioned_at"):
        shown[name] = str(given[name]).replace("Z", ".000Z")
    assert {name: answer[name] for name in shown} == shown
    assert answer["edited_at"] > before["consolidated_at"]
    kept = ("id", "tags", "document_id", "metadata", "state")
    assert {name: answer.get(name) for name in kept} == {name: before.get(name) for name in kept}
    assert memory(hindsight, number) == answer
    [item] = [one for one in hindsight.facts() if one["id"] == number]
    assert (item["text"], item["edited_at"]) == (answer["text"], answer["edited_at"])


@requirement("hindsight:update:fields")
def test_an_empty_string_clears_a_date_and_a_context(
    hindsight: Hindsight, clock: StoppedClock
) -> None:
    [number] = hindsight.sync_retain(
        "Ines visited the dentist yesterday.", timestamp="2026-03-12T09:00:00Z", context="health"
    )
    cleared = dict.fromkeys(("occurred_start", "occurred_end", "context", "mentioned_at"), "")
    answer = hindsight("update_memory", memory_id=number, **cleared)
    assert not {"occurred_start", "occurred_end", "context"} & set(answer)
    # Everything was said some time: at the latest when it was stored.
    assert answer["mentioned_at"] == answer["consolidated_at"]


@requirement("hindsight:update:follows")
def test_recall_entities_and_observations_follow_an_update(hindsight: Hindsight) -> None:
    numbers = dict(zip(FACTS.split(". "), hindsight.sync_retain(FACTS), strict=True))
    number = numbers["Dora works at Acme"]
    assert "Acme" in observed(hindsight)[0]

    answer = hindsight("update_memory", memory_id=number, text="Dora works at Globex.")

    assert answer["entities"] == ["Dora", "Globex"]
    assert "Dora works at Globex." in hindsight.found("Where does Dora work?")
    assert "Globex" in observed(hindsight)[0]
    assert "Acme" not in observed(hindsight)[0]
    # A document that is retained again does not bring back what was corrected.
    assert "Acme" not in str(hindsight.found("Where does Dora work?"))


@requirement("hindsight:update:follows")
def test_a_document_retained_again_keeps_a_correction(hindsight: Hindsight) -> None:
    [number] = hindsight.sync_retain("The office is in Oslo.", document_id="log")
    hindsight("update_memory", memory_id=number, text="The office is in Bergen.")
    hindsight.sync_retain("The office is in Oslo. The door is red.", document_id="log")
    assert {one["text"] for one in hindsight.facts()} == {
        "The office is in Bergen.",
        "The door is red.",
    }


@requirement("hindsight:update:refused")
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "Nothing to update. Give at least one of: text, context"),
        ({"text": "   "}, "text"),
        ({"occurred_start": "soon"}, "Invalid occurred_start format 'soon'. Use ISO 8601"),
        (
            {"occurred_start": "2026-03-02", "occurred_end": "2026-03-01"},
            "The end is before the start",
        ),
        ({"occurred_start": "2027-03-02"}, "The end is before the start"),
        ({"entities": [""]}, "entity is empty"),
        ({"entities": [f"Name {turn}" for turn in range(101)]}, "at most 100 entities"),
    ],
)
def test_an_update_that_makes_no_sense_is_refused_and_changes_nothing(
    hindsight: Hindsight, given: dict[str, Any], words: str
) -> None:
    [number] = hindsight.sync_retain(
        "Ines visited the dentist yesterday.", timestamp="2026-03-12T09:00:00Z"
    )
    before = memory(hindsight, number)
    assert words in hindsight("update_memory", memory_id=number, **given)["error"]
    assert memory(hindsight, number) == before


@requirement("hindsight:update:refused")
def test_only_a_memory_that_is_there_and_is_no_observation_is_updated(
    hindsight: Hindsight, engine: Engine
) -> None:
    numbers = hindsight.sync_retain(FACTS)
    [observation] = [one["id"] for one in hindsight("list_memories", type="observation")["items"]]
    assert (
        "facts it comes from"
        in hindsight("update_memory", memory_id=observation, text="No.")["error"]
    )
    assert hindsight("update_memory", memory_id=STRANGER, text="No.") == {
        "error": f"Memory '{STRANGER}' not found"
    }
    assert "not a valid UUID" in hindsight("update_memory", memory_id="seven", text="No.")["error"]
    assert "fact_type" in hindsight.failure(
        "update_memory", memory_id=numbers[0], fact_type="observation"
    )
    hindsight("invalidate_memory", memory_id=numbers[0])
    assert (
        "Restore it first" in hindsight("update_memory", memory_id=numbers[0], text="No.")["error"]
    )
    assert [version.text for version in engine.history(hindsight.client.bank, numbers[0])][
        -1
    ] != "No."


@requirement("hindsight:update:elsewhere")
@both
def test_what_another_dialect_wrote_is_updated_with_its_kind_and_its_metadata(
    engine: Engine, bank: str
) -> None:
    memories, hindsight = Memories(engine), Hindsight(engine, bank)
    stored = memories(
        "add_memory", content="Use tabs.", type="rule", metadata={"by": "ada"}, category="style"
    )
    number = stored["memory"]["id"]
    answer = hindsight("update_memory", memory_id=number, text="Use spaces.", fact_type="world")
    assert (answer["text"], answer["type"], answer["context"]) == ("Use spaces.", "world", "style")
    after = memories("list_memories")["memories"][0]
    assert (after["content"], after["type"], after["metadata"]) == (
        "Use spaces.",
        "rule",
        {"by": "ada"},
    )
    hindsight("update_memory", memory_id=number, entities=["Spaces"], context="layout")
    after = memories("list_memories")["memories"][0]
    assert (after["type"], after["category"], after["metadata"]) == (
        "rule",
        "layout",
        {"by": "ada"},
    )
    assert memory(hindsight, number)["entities"] == ["Spaces"]


@requirement("hindsight:invalidate:hides")
def test_an_invalidated_memory_is_hidden_with_its_reason_and_comes_back(
    hindsight: Hindsight, clock: StoppedClock
) -> None:
    numbers = dict(zip(FACTS.split(". "), hindsight.sync_retain(FACTS), strict=True))
    number = numbers["Dora works at Acme"]
    clock.advance(1_000)

    answer = hindsight("invalidate_memory", memory_id=number, reason="She left.")

    assert (answer["state"], answer["invalidation_reason"]) == ("invalidated", "She left.")
    assert answer["invalidated_at"] > answer["consolidated_at"]
    assert memory(hindsight, number) == answer
    assert "Acme" not in str(
        [hindsight.found("Where does Dora work?"), hindsight.facts(), observed(hindsight)]
    )
    assert "Acme" not in hindsight("reflect", query="Where does Dora work?")["text"]
    # Twice is no mistake, and the first reason stays.
    assert hindsight("invalidate_memory", memory_id=number, reason="Again.") == answer

    back = hindsight("invalidate_memory", memory_id=number, restore=True)
    assert back["state"] == "valid"
    assert not {"invalidation_reason", "invalidated_at", "edited_at"} & set(back)
    assert "Dora works at Acme." in hindsight.found("Where does Dora work?")
    assert "Acme" in observed(hindsight)[0]
    assert hindsight("invalidate_memory", memory_id=number, restore=True) == back
    for restore in (False, True):
        answer = hindsight("invalidate_memory", memory_id=STRANGER, restore=restore)
        assert answer == {"error": f"Memory '{STRANGER}' not found"}


@requirement("hindsight:corrections:walls")
def test_neither_tool_reaches_another_bank_or_another_user(engine: Engine) -> None:
    there, here = Hindsight(engine, "there"), Hindsight(engine, "here")
    [other] = there.sync_retain("Sesame opens it.")
    here.sync_retain("Nothing opens it.")
    theirs = engine.remember("here", Draft("Sesame is a seed.", scope=Scope(user="bo"))).memory.id
    for number in (other, str(theirs)):
        for tool, given in (("update_memory", {"text": "No."}), ("invalidate_memory", {})):
            assert here(tool, memory_id=number, **given) == {
                "error": f"Memory '{number}' not found"
            }
        assert here("get_memory", memory_id=number) == {"error": f"Memory '{number}' not found"}
    assert (memory(there, other)["state"], engine.get("here", theirs).version) == ("valid", 1)


@requirement("hindsight:corrections:walls")
def test_an_allowlist_holds_for_both_tools(hindsight: Hindsight) -> None:
    [number] = hindsight.sync_retain("Sesame opens it.")
    hindsight("update_bank", config_updates={"mcp_enabled_tools": ["recall", "get_memory"]})
    for tool, given in (("update_memory", {"text": "No."}), ("invalidate_memory", {})):
        assert hindsight.failure(tool, memory_id=number, **given) == f"Unknown tool: '{tool}'"
    assert hindsight("get_memory", memory_id=number)["state"] == "valid"


@requirement("hindsight:corrections:history")
@both
def test_every_correction_stays_in_the_history_with_its_author(engine: Engine, bank: str) -> None:
    hindsight = Hindsight(engine, bank)
    [number] = hindsight.sync_retain("The office is in Oslo.")
    hindsight("update_memory", memory_id=number, text="The office is in Bergen.")
    hindsight("invalidate_memory", memory_id=number, reason="Closed.")
    hindsight("invalidate_memory", memory_id=number, restore=True)
    told = engine.history("default", number)
    assert [one.action for one in told] == ["remember", "revise", "forget", "restore"]
    assert {one.origin.dialect for one in told} == {"hindsight"}
    assert told[2].origin.reason == "Closed."
    memstate = Client(engine, registry.single_bank("memstate"))
    past = memstate.result("memstate_history", memory_id=str(number))["structuredContent"]
    assert "Oslo" in str(past)
