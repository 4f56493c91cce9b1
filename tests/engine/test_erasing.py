"""What is erased is erased: no row, document or file of the store still says it."""

from pathlib import Path

import pytest

from commonplace.engine.add_messages import MessageBatch
from commonplace.engine.engine import Engine
from commonplace.engine.facts.retain_request import RetainRequest
from commonplace.errors import NotFound
from commonplace.extract.statement_splitting import Message
from commonplace.records.memory import Draft, Edit, Scope
from commonplace.records.query import Filter
from commonplace.records.work import EventDraft, SessionDraft, SnapshotDraft

TOLD = "My PIN is quux. I live in Rome."


def tell(engine: Engine, text: str, user: str = "") -> list[int]:
    told = engine.add_messages("b", MessageBatch((Message("user", text),), scope=Scope(user=user)))
    return [one.memory.id for one in told.outcomes]


def in_files(engine: Engine, word: str) -> list[str]:
    home = engine.db.path.parent
    needle = word.encode()
    return [
        path.name
        for path in Path(home).rglob("*")
        if path.is_file() and needle in path.read_bytes().lower()
    ]


def test_a_document_goes_with_the_last_of_its_memories(engine: Engine) -> None:
    numbers = tell(engine, TOLD)
    assert engine.list_documents("b").total == 1
    assert in_files(engine, "quux")

    engine.purge("b", numbers)

    assert engine.list_documents("b").total == 0
    assert in_files(engine, "quux") == []


def test_a_document_that_carries_others_loses_the_sentences_of_what_was_erased(
    engine: Engine,
) -> None:
    numbers = tell(engine, TOLD)
    (secret,) = (n for n in numbers if "quux" in engine.get("b", n).text)

    engine.purge("b", [secret])

    (listed,) = engine.list_documents("b").items
    assert engine.get_document("b", listed.name).text == "I live in Rome."
    assert in_files(engine, "quux") == []


def test_a_forgotten_memory_keeps_its_document_until_it_is_erased_too(engine: Engine) -> None:
    numbers = tell(engine, TOLD)
    engine.forget("b", numbers)
    assert in_files(engine, "quux")

    engine.purge_where("b", Filter(status="forgotten"))

    assert engine.list_documents("b").total == 0
    assert in_files(engine, "quux") == []


@pytest.mark.parametrize("user", ["", "bob"])
def test_a_telling_for_another_user_is_erased_with_its_memories(engine: Engine, user: str) -> None:
    tell(engine, TOLD, user)

    engine.purge_where("b", Filter(users=(user,)))

    assert engine.list_documents("b").total == 0
    assert in_files(engine, "quux") == []


def test_an_edited_memory_takes_its_first_wording_out_of_its_document(engine: Engine) -> None:
    numbers = tell(engine, TOLD)
    (secret,) = (n for n in numbers if "quux" in engine.get("b", n).text)

    engine.revise("b", secret, Edit(text="The PIN was changed to zork."))

    engine.purge("b", [secret])

    (listed,) = engine.list_documents("b").items
    assert engine.get_document("b", listed.name).text == "I live in Rome."


def test_where_an_erased_fact_cannot_be_found_only_the_other_facts_are_left_of_a_document(
    engine: Engine,
) -> None:
    """A model tells facts in words of its own, which the text does not have."""
    engine.retain("b", RetainRequest("Mein Geheimwort heißt quux. Ana lives in Rome.", "diary"))
    document = engine.get_document("b", "diary")

    foreign = engine.remember("b", Draft("The secret password", document_id=document.id)).memory

    engine.purge("b", [foreign.id])

    left = engine.get_document("b", "diary").text
    assert "Ana lives in Rome" in left
    assert left != document.text


def test_facts_stay_when_text_is_appended_to_a_document_that_lost_some(engine: Engine) -> None:
    kept = engine.retain("b", RetainRequest("Ana lives in Rome. The door code is quux.", "diary"))
    (secret,) = (n for n in kept.memory_ids if "quux" in engine.get("b", n).text)
    engine.purge("b", [secret])

    engine.retain("b", RetainRequest("Ben works in Oslo.", "diary", append=True))

    texts = {one.text for one in engine.list("b", Filter(kinds=("world",)))}
    assert {"Ana lives in Rome.", "Ben works in Oslo."} == texts
    assert in_files(engine, "quux") == []


def test_what_a_document_took_back_is_erased_without_touching_what_it_says_now(
    engine: Engine,
) -> None:
    engine.retain("b", RetainRequest("The door code is quux. Ana lives in Rome.", "diary"))
    engine.retain("b", RetainRequest("The alarm is silent. Ana lives in Rome.", "diary"))

    engine.purge_where("b", Filter(status="forgotten"))

    assert engine.get_document("b", "diary").text == "The alarm is silent. Ana lives in Rome."
    assert in_files(engine, "quux") == []


def test_a_fact_that_two_documents_say_leaves_both(engine: Engine) -> None:
    engine.retain("b", RetainRequest("The door code is quux. Ana lives in Rome.", "one"))
    done = engine.retain("b", RetainRequest("The door code is quux. Ben works in Oslo.", "two"))
    (secret,) = (n for n in done.memory_ids if "quux" in engine.get("b", n).text)

    engine.purge("b", [secret])

    assert engine.get_document("b", "one").text == "Ana lives in Rome."
    assert engine.get_document("b", "two").text == "Ben works in Oslo."
    assert in_files(engine, "quux") == []


@pytest.mark.parametrize(
    "line",
    [
        "The gate code is quux.",
        "Noted: remember that the gate code is quux.",
        "- The gate code is quux",
    ],
)
def test_what_was_noted_in_a_session_before_goes_with_the_memory(engine: Engine, line: str) -> None:
    session = engine.start_session("b", SessionDraft())
    for text in (f"It rains. {line}", "The gate code is quuxotic."):
        engine.checkpoint_session("b", session.id, EventDraft(text))
    engine.publish_snapshot("b", session.id, SnapshotDraft())
    memory = engine.remember("b", Draft("The gate code is quux.")).memory

    engine.purge("b", [memory.id])

    events = engine.recent_events("b", session.id)
    assert [one.text.strip() for one in events] == ["It rains.", "The gate code is quuxotic."]
    assert not in_files(engine, "quux.")


def test_a_single_word_that_is_erased_takes_no_sentence_of_others(engine: Engine) -> None:
    session = engine.start_session("b", SessionDraft())
    engine.checkpoint_session("b", session.id, EventDraft("The train to Rome is late."))
    memory = engine.remember("b", Draft("Rome")).memory

    engine.purge("b", [memory.id])

    [event] = engine.recent_events("b", session.id)
    assert event.text == "The train to Rome is late."


def test_an_absorbed_text_goes_with_its_keys(engine: Engine) -> None:
    outcomes = engine.absorb("b", Scope(project="shop"), "# Pins\n\nThe PIN is quux.")

    engine.purge("b", [one.memory.id for one in outcomes])

    assert engine.list_documents("b").total == 0
    assert in_files(engine, "quux") == []


def test_a_purge_of_something_unknown_erases_nothing(engine: Engine) -> None:
    numbers = tell(engine, TOLD)

    with pytest.raises(NotFound):
        engine.purge("b", [numbers[0], 12345])

    assert engine.count("b") == len(numbers)
    assert engine.list_documents("b").total == 1
