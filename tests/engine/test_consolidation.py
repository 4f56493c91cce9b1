"""Consolidation as an engine verb: what it keeps, and what it leaves alone."""

import pytest

from commonplace.engine.engine import Engine
from commonplace.engine.links.dedupe import ConsolidationOptions
from commonplace.errors import Invalid
from commonplace.records.memory import Draft, Origin, Scope
from commonplace.records.query import Filter
from tests.conftest import StoppedClock

BANK = "b"


def test_a_chain_of_truths_ends_in_the_newest(engine: Engine, clock: StoppedClock) -> None:
    for number in range(5):
        engine.remember(BANK, Draft(f"Port: {number}"))
        clock.advance(1)
    engine.remember(BANK, Draft("port:   4"))
    done = engine.consolidate(BANK, Filter(), Origin(who="nightly"))
    assert (done.input_count, len(done.merges), len(done.loser_ids), done.conflict_count) == (
        6,
        1,
        5,
        4,
    )
    (kept,) = engine.list(BANK)
    assert kept.text == "port:   4"
    last = engine.history(BANK, done.loser_ids[0])[-1]
    assert (last.action, last.origin.who) == ("forget", "nightly")


def test_users_and_agents_are_kept_apart(engine: Engine) -> None:
    for scope in (Scope(), Scope(user="ada"), Scope(agent="a"), Scope(run="r")):
        engine.remember(BANK, Draft("Same", scope=scope))
    assert engine.consolidate(BANK, Filter()).merges == ()


def test_a_dry_run_and_a_real_one_agree(engine: Engine) -> None:
    for text in ("Port: 1", "Port: 2", "Same", "same ", "Other"):
        engine.remember(BANK, Draft(text))
    dry = engine.consolidate(BANK, Filter(), run=ConsolidationOptions(dry_run=True))
    real = engine.consolidate(BANK, Filter())
    assert (dry.merges, dry.input_count) == (real.merges, real.input_count)


def test_a_bad_filter_is_refused_dry_or_not_and_leaves_no_audit_row(engine: Engine) -> None:
    for dry_run in (True, False):
        with pytest.raises(Invalid):
            engine.consolidate(
                BANK, Filter(text_pattern=" "), run=ConsolidationOptions(dry_run=dry_run)
            )
    assert engine.list_jobs(BANK).total == 0


def test_forgotten_and_expired_memories_take_no_part(engine: Engine, clock: StoppedClock) -> None:
    gone = engine.remember(BANK, Draft("Same")).memory.id
    engine.remember(BANK, Draft("Same", expires_at=clock.now() + 1))
    engine.remember(BANK, Draft("Same"))
    engine.forget(BANK, [gone])
    clock.advance(10)
    assert engine.consolidate(BANK, Filter()).input_count == 1


def test_a_memory_that_came_back_is_merged_again(engine: Engine) -> None:
    first = engine.remember(BANK, Draft("Same")).memory.id
    engine.remember(BANK, Draft("Same"))
    engine.consolidate(BANK, Filter())
    engine.restore(BANK, [first])
    again = engine.consolidate(BANK, Filter())
    # Brought back last, so it is the newest now.
    assert again.merges[0].winner_id == first
