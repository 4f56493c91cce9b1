"""What rests on facts follows them, whichever tongue changed them; what is erased is gone from the
files as well.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from commonplace.engine.engine import Engine
from commonplace.records.memory import Draft, Edit, Scope
from commonplace.records.query import Filter
from tests.conftest import StoppedClock
from tests.dialects.hindsight_client import Hindsight
from tests.dialects.memories_client import Memories
from tests.dialects.powermem_client import PowerMem
from tests.dialects.requirements import requirement

FACTS = "Dora lives in Rome. Dora works at Acme. Dora plays the xylophone."


def held(engine: Engine) -> bytes:
    """Everything in the store's folder, its log and all below it, in small letters."""
    files = [file for file in engine.db.path.parent.rglob("*") if file.is_file()]
    assert engine.db.path in files
    return b"".join(file.read_bytes() for file in files).lower()


def observed(hindsight: Hindsight) -> str:
    return " ".join(one["text"] for one in hindsight("list_memories", type="observation")["items"])


def content(hindsight: Hindsight) -> str:
    text: str = hindsight("get_mental_model", mental_model_id="dora")["content"]
    return text


def stale(hindsight: Hindsight) -> bool:
    mark: bool = hindsight("get_mental_model", mental_model_id="dora")["is_stale"]
    return mark


def settle(hindsight: Hindsight, *, auto: bool = True) -> dict[str, str]:
    """Three facts, their observation and a mental model of them; the facts' ids by their text."""
    numbers = hindsight.sync_retain(FACTS)
    more = {"mental_model_id": "dora", "trigger_refresh_after_consolidation": auto}
    hindsight("create_mental_model", name="Dora", source_query="What is known about Dora?", **more)
    assert "xylophone" in observed(hindsight)
    assert "xylophone" in content(hindsight)
    return dict(zip(FACTS.split(". "), numbers, strict=True))


def by_id(engine: Engine, bank: str, number: str) -> None:
    engine.forget(bank, [number])


def by_filter(engine: Engine, bank: str, _number: str) -> None:
    engine.forget_where(bank, Filter(text_pattern="*xylophone*", kinds=("world",)))


def by_revising(engine: Engine, bank: str, number: str) -> None:
    engine.revise(bank, number, Edit(text="Emil plays the cello."))


def by_tagging(engine: Engine, bank: str, number: str) -> None:
    engine.tag(bank, [number], add=["private"])


def through_memories(engine: Engine, _bank: str, number: str) -> None:
    Memories(engine)("forget_memory", id=number)


def through_powermem(engine: Engine, _bank: str, number: str) -> None:
    PowerMem(engine)("delete_memory", memory_id=number)


@requirement("hindsight:observations:follow", "hindsight:model:follow")
@pytest.mark.parametrize(
    "change", [by_id, by_filter, by_revising, by_tagging, through_memories, through_powermem]
)
@pytest.mark.parametrize("bank", ["", "default"], ids=["many banks", "one bank"])
def test_what_rests_on_a_fact_follows_whoever_changes_it(
    engine: Engine, bank: str, change: Callable[[Engine, str, str], None]
) -> None:
    hindsight = Hindsight(engine, bank)
    facts = settle(hindsight)
    change(engine, "default", facts["Dora plays the xylophone."])
    assert observed(hindsight) == "Dora works at Acme. Dora lives in Rome."
    assert "Acme" in content(hindsight)
    if change is not by_tagging:
        assert "xylophone" not in content(hindsight)
        assert [
            one for one in hindsight.found("Who plays the xylophone?") if "xylophone" in one
        ] == []
    assert stale(hindsight) is False


@requirement("hindsight:observations:follow")
def test_a_fact_that_comes_back_is_observed_again(hindsight: Hindsight, engine: Engine) -> None:
    facts, bank = settle(hindsight), hindsight.client.bank
    doomed = [facts["Dora plays the xylophone."], facts["Dora works at Acme"]]
    engine.forget(bank, doomed)
    assert hindsight("list_memories", type="observation")["total"] == 0
    engine.restore(bank, doomed)
    assert "xylophone" in observed(hindsight)
    assert "xylophone" in content(hindsight)
    engine.revise(bank, facts["Dora lives in Rome"], Edit(text="Dora lives in Berlin."))
    assert "Dora lives in Berlin." in observed(hindsight)
    assert "Rome" not in observed(hindsight)


@requirement("hindsight:model:follow")
def test_a_model_that_does_not_refresh_itself_is_marked_as_stale(
    hindsight: Hindsight, engine: Engine
) -> None:
    facts, bank = settle(hindsight, auto=False), hindsight.client.bank
    assert stale(hindsight) is False
    engine.tag(bank, [facts["Dora lives in Rome"]], add=["elsewhere"])
    assert stale(hindsight) is True
    hindsight("refresh_mental_model", mental_model_id="dora")
    engine.forget(bank, [facts["Dora plays the xylophone."]])
    assert (stale(hindsight), "xylophone" in content(hindsight)) == (True, True)
    hindsight("refresh_mental_model", mental_model_id="dora")
    assert (stale(hindsight), "xylophone" in content(hindsight)) == (False, False)


@requirement(
    "hindsight:observations:follow",
    "hindsight:model:follow",
    "hindsight:documents:nothing-survives",
)
def test_nothing_that_was_made_of_a_fact_survives_its_purge(
    hindsight: Hindsight, engine: Engine, clock: StoppedClock
) -> None:
    facts, bank = settle(hindsight, auto=False), hindsight.client.bank
    # The words are in the histories, too.
    for text in ("Dora has a dog.", "Dora has a cat."):
        clock.advance(1000)
        hindsight.sync_retain(text)
        hindsight("refresh_mental_model", mental_model_id="dora")
    engine.purge(bank, [facts["Dora plays the xylophone."]])
    assert b"ylophon" not in held(engine).replace(FACTS.lower().encode(), b"")
    assert "Dora works at Acme." in observed(hindsight)
    made = hindsight("get_mental_model", mental_model_id="dora")
    assert ("Acme" in made["content"], made["history"], made["is_stale"]) == (True, [], False)


@requirement("hindsight:banks:erased", "hindsight:documents:nothing-survives")
@pytest.mark.parametrize("tool", ["delete_bank", "clear_memories", "delete_document"])
def test_what_is_erased_is_gone_from_every_file(
    hindsight: Hindsight, engine: Engine, tool: str
) -> None:
    hindsight.sync_retain(FACTS, document_id="d")
    hindsight("retain", content=FACTS.replace("xylophone", "glockenspiel"), document_id="d")
    hindsight(
        "create_mental_model", name="m", source_query="What does Dora play?", mental_model_id="m"
    )
    hindsight("reflect", query="What does Dora play?")
    hindsight.found("What does Dora play?")
    assert b"glockenspiel" in held(engine)
    answer = hindsight(tool, **({"document_id": "d"} if tool == "delete_document" else {}))
    assert answer["memory_units_deleted"] >= 3
    for word in (b"xylophon", b"glockenspiel"):
        assert word not in held(engine)
    if tool != "delete_bank":
        assert "Nothing is known" in hindsight("get_mental_model", mental_model_id="m")["content"]


@requirement("hindsight:observations:follow")
def test_what_other_dialects_keep_can_be_the_ground_of_a_model(
    many: Hindsight, engine: Engine
) -> None:
    note = engine.remember(
        "default", Draft("The piano tuner is called Quennell.", kind="note")
    ).memory
    other = engine.remember(
        "default", Draft("Another Quennell tunes pianos.", scope=Scope(user="eve"))
    ).memory
    more = {"mental_model_id": "tuner", "trigger_refresh_after_consolidation": True}
    many("create_mental_model", name="Tuner", source_query="Who is the piano tuner?", **more)
    told = many("get_mental_model", mental_model_id="tuner")["content"]
    assert "Quennell" in told
    assert "Another" not in told
    engine.forget("default", [other.id])
    assert many("list_operations")["total"] == 1
    engine.purge("default", [note.id, other.id])
    assert "Quennell" not in many("get_mental_model", mental_model_id="tuner")["content"]
    assert b"quennell" not in held(engine)


@dataclass
class Slow:
    """A model that thinks for so long that a fact it was shown is erased meanwhile."""

    meanwhile: list[Callable[[], object]]

    def ask(self, _instructions: str, _text: str) -> Mapping[str, Any]:
        if not self.meanwhile:
            return {}
        self.meanwhile.pop()()
        return {"sentences": [{"text": "Dora plays the xylophone.", "sources": [1, 2, 3]}]}


@requirement("hindsight:model:follow")
def test_what_was_erased_while_a_model_thought_is_not_written(
    hindsight: Hindsight, engine: Engine
) -> None:
    facts, bank = settle(hindsight, auto=False), hindsight.client.bank
    doomed = facts["Dora plays the xylophone."]
    model = Slow([lambda: engine.purge(bank, [doomed])])
    slow = Hindsight(replace(engine, llm=lambda: model), bank if hindsight.single else "")
    slow("refresh_mental_model", mental_model_id="dora")
    assert model.meanwhile == []
    assert ("Acme" in content(hindsight), "xylophone" in content(hindsight)) == (True, False)


def test_the_folder_that_is_looked_through_is_the_store(engine: Engine, home: Path) -> None:
    assert engine.db.path.parent == home
