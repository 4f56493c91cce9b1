"""What writes notices a correction too: the add of PowerMem, the keypaths of Memstate, Hindsight's
observations, the conflicts of a context and the consolidation of memories.sh.
"""

from collections.abc import Mapping

import pytest

from commonplace.engine.engine import Engine
from tests.conftest import StoppedClock
from tests.dialects.dialect_client import Client
from tests.one_memory.corrections import CORRECTIONS, LOOK_ALIKES, Case
from tests.one_memory.dialect_clients import ask
from tests.one_memory.test_corrections import DAY_MS, WRITERS

Clients = Mapping[str, Client]


def write_pair(clients: Clients, clock: StoppedClock, writer: str, case: Case) -> None:
    """Write the older statement and, a day later, the newer one."""
    for text in (case.older, case.newer):
        clock.advance(DAY_MS)
        WRITERS[writer](clients, text)


def events(clients: Clients, clock: StoppedClock, case: Case) -> list[str]:
    """The event of PowerMem's add for the newer statement, with the text before."""
    clock.advance(DAY_MS)
    ask(clients["powermem"], "add_memory", messages=case.older)
    clock.advance(DAY_MS)
    added = ask(clients["powermem"], "add_memory", messages=case.newer)["data"]["results"]
    return [f"{one['event']} {one.get('previous_memory', '')}".strip() for one in added]


def keys(
    clients: Clients, clock: StoppedClock, case: Case, engine: Engine
) -> list[tuple[str, int]]:
    """The current texts of Memstate with their versions."""
    write_pair(clients, clock, "memstate", case)
    return [(one.text, one.version) for one in engine.list("default")]


def conflicts(clients: Clients, clock: StoppedClock, case: Case) -> int:
    """How many conflicts a context has that shows both statements."""
    write_pair(clients, clock, "memories", case)
    return len(ask(clients["memories"], "get_context", query=case.question).get("conflicts", []))


def merged(clients: Clients, clock: StoppedClock, case: Case, engine: Engine) -> list[str]:
    """The texts that a consolidation leaves."""
    write_pair(clients, clock, "memories", case)
    ask(clients["memories"], "consolidate_memories")
    return [one.text for one in engine.list("default")]


def observed(clients: Clients, clock: StoppedClock, case: Case, engine: Engine) -> list[str]:
    """The observations about the two facts."""
    write_pair(clients, clock, "hindsight", case)
    return [one.text for one in engine.list("default") if one.kind == "observation"]


REWORDED_VERB = "invoices"
NOTICED = [one for one in CORRECTIONS if one.name != REWORDED_VERB]


@pytest.mark.parametrize("case", NOTICED, ids=str)
def test_an_add_of_powermem_updates_and_keeps_the_old_text_as_a_version(
    clients: Clients, clock: StoppedClock, engine: Engine, case: Case
) -> None:
    assert events(clients, clock, case) == [f"UPDATE {case.older}"]
    (memory,) = engine.list("default")
    assert [one.text for one in engine.history("default", memory.id)] == [case.older, case.newer]


@pytest.mark.parametrize("case", LOOK_ALIKES, ids=str)
def test_an_add_of_powermem_updates_no_look_alike(
    clients: Clients, clock: StoppedClock, case: Case
) -> None:
    assert not any(one.startswith("UPDATE") for one in events(clients, clock, case))


@pytest.mark.parametrize("case", NOTICED, ids=str)
def test_a_remember_of_memstate_meets_the_old_key(
    clients: Clients, clock: StoppedClock, engine: Engine, case: Case
) -> None:
    assert keys(clients, clock, case, engine) == [(case.newer, 2)]


@pytest.mark.parametrize("case", LOOK_ALIKES, ids=str)
def test_a_remember_of_memstate_keeps_a_look_alike_under_its_own_key(
    clients: Clients, clock: StoppedClock, engine: Engine, case: Case
) -> None:
    assert (case.older, 1) in keys(clients, clock, case, engine)


@pytest.mark.parametrize("case", NOTICED, ids=str)
def test_a_context_names_the_conflict(clients: Clients, clock: StoppedClock, case: Case) -> None:
    assert conflicts(clients, clock, case) == 1


@pytest.mark.parametrize("case", LOOK_ALIKES, ids=str)
def test_a_context_names_no_conflict_of_look_alikes(
    clients: Clients, clock: StoppedClock, case: Case
) -> None:
    assert conflicts(clients, clock, case) == 0


@pytest.mark.parametrize("case", NOTICED, ids=str)
def test_a_consolidation_keeps_the_current_value(
    clients: Clients, clock: StoppedClock, engine: Engine, case: Case
) -> None:
    assert merged(clients, clock, case, engine) == [case.newer]


@pytest.mark.parametrize("case", LOOK_ALIKES, ids=str)
def test_a_consolidation_merges_no_look_alikes(
    clients: Clients, clock: StoppedClock, engine: Engine, case: Case
) -> None:
    assert set(merged(clients, clock, case, engine)) == {case.older, case.newer}


@pytest.mark.parametrize("case", CORRECTIONS, ids=str)
def test_no_observation_states_two_values_as_true(
    clients: Clients, clock: StoppedClock, engine: Engine, case: Case
) -> None:
    shown = observed(clients, clock, case, engine)
    assert not any(case.older in one.replace(f"Earlier: {case.older}", "") for one in shown)
