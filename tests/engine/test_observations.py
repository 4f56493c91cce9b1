"""Observations gather what is said of one subject, and follow it whoever changes it."""

from commonplace.engine.engine import Engine
from commonplace.engine.erasure import deletion
from commonplace.engine.facts import observations
from commonplace.engine.facts.fact_metadata import fact_metadata_of
from commonplace.engine.facts.retain_request import RetainRequest
from commonplace.engine.operations import maintenance
from commonplace.records.memory import BankEdit, Memory
from commonplace.records.query import Filter
from commonplace.storage.rows import derivations
from tests.conftest import StoppedClock

BANK = "b"


def told(engine: Engine) -> list[Memory]:
    return list(engine.list(BANK, Filter(kinds=(observations.KIND,))))


def test_the_newest_is_there_however_much_was_said(engine: Engine, clock: StoppedClock) -> None:
    said = [f"Dora likes number {number}." for number in range(100)]
    engine.retain(BANK, RetainRequest("\n".join(said)))
    clock.advance(1000)
    engine.retain(
        BANK,
        RetainRequest("Dora lives in a rather large house by the sea with many dogs and a garden."),
    )
    [one] = told(engine)
    assert one.text.startswith("Dora lives in a rather large house")
    assert len(fact_metadata_of(one).sources) == 20


def test_of_the_user_each_thing_they_do_is_observed_by_itself(
    engine: Engine, clock: StoppedClock
) -> None:
    for text in (
        "User prefers Python for scripts. User lives in Rome. The user is tired. User has a cold.",
        "The user now prefers Rust for services. I like tea. User likes tea.",
        "User lives in Berlin.",
        "I like cake.",
    ):
        clock.advance(1000)
        engine.retain(BANK, RetainRequest(text))
    assert sorted(one.text for one in told(engine)) == [
        "I like cake. I like tea.",
        "The user now prefers Rust for services. User prefers Python for scripts.",
        "User lives in Berlin. Earlier: User lives in Rome.",
    ]


def test_a_number_that_moved_on_is_told_as_earlier(engine: Engine, clock: StoppedClock) -> None:
    for text in (
        "Project Apollo uses Postgres 14. Dora visited room 5.",
        "Project Apollo uses Postgres 16.1. Dora visited room 6.",
    ):
        clock.advance(1000)
        engine.retain(BANK, RetainRequest(text))
    assert "Project Apollo uses Postgres 16.1. Earlier: Project Apollo uses Postgres 14." in [
        one.text for one in told(engine)
    ]
    assert not any("room" in one.text and "Earlier" in one.text for one in told(engine))


def test_other_tags_and_other_banks_are_other_observations(engine: Engine) -> None:
    for tags in ((), ("work",), ("home",)):
        engine.retain(BANK, RetainRequest("Dora lives in Rome. Dora likes tea.", tags=tags))
    engine.retain("other", RetainRequest("Dora lives in Oslo. Dora likes jam."))
    assert sorted(one.tags for one in told(engine)) == [(), ("home",), ("work",)]
    assert {one.text for one in told(engine)} == {"Dora likes tea. Dora lives in Rome."}


def test_what_was_changed_behind_the_table_of_verbs_is_followed_when_the_server_is_idle(
    engine: Engine,
) -> None:
    done = engine.retain(BANK, RetainRequest("Dora lives in Rome. Dora likes tea. Dora has a dog."))
    deletion.forget(engine, BANK, done.memory_ids[:1])
    assert "Rome" in told(engine)[0].text
    assert engine.unpropagated_count(BANK) == 1
    maintenance.run_idle_tasks(engine)
    assert "Rome" not in told(engine)[0].text
    assert engine.unpropagated_count(BANK) == 0


def test_a_change_leaves_one_version_and_the_same_again_none(engine: Engine) -> None:
    done = engine.retain(BANK, RetainRequest("Dora lives in Rome. Dora likes tea. Dora has a dog."))
    [one] = told(engine)
    engine.forget(BANK, done.memory_ids[:1])
    engine.forget(BANK, done.memory_ids[:1])
    maintenance.run_idle_tasks(engine)
    [after] = told(engine)
    assert (after.id, after.version) == (one.id, one.version + 1)
    assert engine.history(BANK, one.id)[-1].origin.who == "consolidation"


def test_where_observations_are_switched_off_none_are_made_anew(engine: Engine) -> None:
    done = engine.retain(BANK, RetainRequest("Dora lives in Rome. Dora likes tea. Dora has a dog."))
    engine.update_bank(BANK, BankEdit(config={"enable_observations": False}))
    engine.purge(BANK, done.memory_ids[:1])
    # It rested on what is gone, and nobody wants another.
    assert told(engine) == []


def test_what_rests_on_what_is_known_again_after_a_rebuild(engine: Engine) -> None:
    done = engine.retain(BANK, RetainRequest("Dora lives in Rome. Dora likes tea. Dora has a dog."))
    with engine.db.transaction():
        derivations.drop(engine.db, [one.id for one in told(engine)])
    engine.rebuild()
    engine.forget(BANK, done.memory_ids[:1])
    assert [one.text for one in told(engine)] == ["Dora has a dog. Dora likes tea."]


def test_what_had_no_place_comes_in_when_another_goes(engine: Engine, clock: StoppedClock) -> None:
    for number in range(25):
        clock.advance(1000)
        engine.retain(
            BANK, RetainRequest(f"Dora has a friend called Number{number}.", name=f"d{number}")
        )
    [full] = told(engine)
    assert (len(fact_metadata_of(full).sources), "Number4." in full.text) == (20, False)
    engine.forget(BANK, fact_metadata_of(full).sources[:1])
    [after] = told(engine)
    assert (len(fact_metadata_of(after).sources), "Number4." in after.text) == (20, True)
    engine.erase_document(BANK, "d10")
    [last] = told(engine)
    assert (len(fact_metadata_of(last).sources), "Number3." in last.text) == (20, True)
