"""Recency decay shows in the explanation of a recall."""

from dataclasses import replace

from commonplace.engine.engine import Engine
from commonplace.records.memory import Draft
from commonplace.records.query import Query
from tests.conftest import StoppedClock

YEAR_MS = 365 * 86_400_000


def test_explain_lists_the_hits_that_decay_moved_below_the_limit(
    engine: Engine, clock: StoppedClock
) -> None:
    older = engine.remember("b", Draft("The lamp of the north hall is green and tall.")).memory
    clock.advance(YEAR_MS)
    newer = engine.remember("b", Draft("A lamp stands in the north hall.")).memory
    fading = replace(engine, half_life_days=30)
    answer = fading.recall("b", Query("lamp of the north hall", limit=1, explain=True))
    assert [hit.memory.id for hit in answer.hits] == [newer.id]
    assert [(one.memory_id, one.why) for one in answer.dropped] == [(older.id, "beyond the limit")]
    assert fading.recall("b", Query("lamp of the north hall", limit=1)).dropped == ()
