"""Streams gather a memory chunk by chunk, survive a restart, and leave nothing half done."""

from pathlib import Path

import pytest

from commonplace.app import open_engine
from commonplace.engine import memories
from commonplace.engine.engine import Engine
from commonplace.engine.sessions import streams
from commonplace.errors import CommonplaceError, Invalid, NotFound, TooLarge
from commonplace.limits import STREAM_CHUNKS_MAX, STREAM_IDLE_MS_MAX, TEXT_BYTES_MAX
from commonplace.records.memory import Draft, Origin, Scope
from commonplace.settings import load
from tests.conftest import StoppedClock

RULE = Draft(
    "",
    kind="rule",
    tags=("style", "api"),
    paths=("src/**",),
    metadata={"a": [1]},
    scope=Scope(project="p"),
)


def test_chunks_become_one_memory_with_the_drafts_fields(engine: Engine) -> None:
    stream = streams.start_stream(engine, "b", RULE)
    for chunk in ("Use ", "", "tabs", " \n", "not spaces: äöü."):
        stream = streams.append_chunk(engine, "b", stream.id, chunk)

    outcome, ended = streams.finalize_stream(engine, "b", stream.id, Origin(who="me"))

    memory = outcome.memory
    assert (outcome.change, memory.text) == ("added", "Use tabs \nnot spaces: äöü.")
    assert (memory.kind, memory.tags, memory.paths) == ("rule", ("style", "api"), ("src/**",))
    assert (memory.metadata, memory.scope) == ({"a": [1]}, Scope(project="p"))
    assert (ended.chunk_count, ended.text_chars) == (5, len(memory.text))
    assert ended.text_bytes == len(memory.text.encode())
    assert memories.list_memories(engine, "b") == (memory,)


def test_a_finalized_stream_is_gone(engine: Engine) -> None:
    stream = streams.start_stream(engine, "b")
    streams.append_chunk(engine, "b", stream.id, "x")
    streams.finalize_stream(engine, "b", stream.id)

    for verb in (streams.get_stream, streams.finalize_stream, streams.cancel_stream):
        with pytest.raises(NotFound):
            verb(engine, "b", stream.id)
    assert memories.count(engine, "b") == 1


def test_a_stream_survives_a_restart(engine: Engine, home: Path, clock: StoppedClock) -> None:
    stream = streams.start_stream(engine, "b", RULE)
    streams.append_chunk(engine, "b", stream.id, "Before ")
    engine.db.close()

    again = open_engine(load({"COMMONPLACE_HOME": str(home)}), clock)
    streams.append_chunk(again, "b", stream.id, "after.")
    outcome, _ = streams.finalize_stream(again, "b", stream.id)
    again.db.close()

    assert (outcome.memory.text, outcome.memory.kind) == ("Before after.", "rule")


@pytest.mark.parametrize("chunks", [[], [""], ["  ", "\n"]])
def test_a_blank_stream_is_refused_and_stays_open(engine: Engine, chunks: list[str]) -> None:
    stream = streams.start_stream(engine, "b")
    for chunk in chunks:
        streams.append_chunk(engine, "b", stream.id, chunk)

    with pytest.raises(Invalid) as refusal:
        streams.finalize_stream(engine, "b", stream.id)

    assert refusal.value.hint
    streams.append_chunk(engine, "b", stream.id, "word")
    assert streams.finalize_stream(engine, "b", stream.id)[0].memory.text == "".join(
        [*chunks, "word"]
    )


def test_a_cancelled_stream_leaves_no_memory(engine: Engine) -> None:
    stream = streams.start_stream(engine, "b")
    full = streams.append_chunk(engine, "b", stream.id, "Thrown away")

    assert streams.cancel_stream(engine, "b", stream.id) == full

    with pytest.raises(NotFound):
        streams.append_chunk(engine, "b", stream.id, "more")
    assert memories.count(engine, "b") == 0


def test_the_text_limit_counts_bytes_over_all_chunks(engine: Engine) -> None:
    stream = streams.start_stream(engine, "b")
    half = "ä" * (TEXT_BYTES_MAX // 4)
    streams.append_chunk(engine, "b", stream.id, half)
    full = streams.append_chunk(engine, "b", stream.id, half)

    with pytest.raises(TooLarge) as refusal:
        streams.append_chunk(engine, "b", stream.id, "x")

    assert refusal.value.hint
    assert streams.get_stream(engine, "b", stream.id) == full
    assert streams.finalize_stream(engine, "b", stream.id)[0].memory.text == half * 2


def test_the_number_of_chunks_is_limited(engine: Engine) -> None:
    stream = streams.start_stream(engine, "b")
    with engine.db.transaction():
        for _ in range(STREAM_CHUNKS_MAX):
            streams.append_chunk(engine, "b", stream.id, "x")

    with pytest.raises(TooLarge):
        streams.append_chunk(engine, "b", stream.id, "x")

    assert streams.finalize_stream(engine, "b", stream.id)[0].memory.text == "x" * STREAM_CHUNKS_MAX


def test_a_stream_nobody_touched_for_a_day_is_gone(engine: Engine, clock: StoppedClock) -> None:
    idle = streams.start_stream(engine, "b")
    streams.append_chunk(engine, "b", idle.id, "old")
    clock.advance(STREAM_IDLE_MS_MAX - 1)
    busy = streams.start_stream(engine, "b")
    streams.append_chunk(engine, "b", idle.id, "still here")
    clock.advance(STREAM_IDLE_MS_MAX - 1)
    streams.append_chunk(engine, "b", busy.id, "busy")
    clock.advance(1)

    with pytest.raises(NotFound):
        streams.append_chunk(engine, "b", idle.id, "late")
    assert streams.expire_streams(engine, "b") == 1
    assert streams.expire_streams(engine, "b") == 0
    assert streams.get_stream(engine, "b", busy.id).chunk_count == 1


def test_starting_a_stream_throws_idle_ones_away(engine: Engine, clock: StoppedClock) -> None:
    streams.start_stream(engine, "b")
    clock.advance(STREAM_IDLE_MS_MAX)
    streams.start_stream(engine, "b")

    assert streams.expire_streams(engine, "b") == 0
    clock.advance(10)
    assert streams.expire_streams(engine, "b", idle_ms=10) == 1


@pytest.mark.parametrize(
    "draft",
    [
        Draft("already text"),
        Draft("", kind=""),
        Draft("", tags=tuple(f"t{i}" for i in range(10_000))),
        Draft("", metadata={"x": float("inf")}),
        Draft("", scope=Scope(project="a\x00")),
        Draft("", happened_at=10**18),
    ],
)
def test_a_bad_draft_is_refused_at_the_start(engine: Engine, draft: Draft) -> None:
    with pytest.raises(CommonplaceError) as refusal:
        streams.start_stream(engine, "b", draft)

    assert refusal.value.hint
    assert engine.list_banks() == ()


@pytest.mark.parametrize("chunk", ["nul \x00", "half \ud83d", "x" * (TEXT_BYTES_MAX + 1)])
def test_a_bad_chunk_is_refused_and_nothing_changes(engine: Engine, chunk: str) -> None:
    stream = streams.start_stream(engine, "b")

    with pytest.raises(CommonplaceError):
        streams.append_chunk(engine, "b", stream.id, chunk)

    assert streams.get_stream(engine, "b", stream.id) == stream


def test_streams_do_not_cross_the_wall(engine: Engine) -> None:
    stream = streams.start_stream(engine, "b")
    streams.append_chunk(engine, "b", stream.id, "x")
    streams.start_stream(engine, "c")

    for bank, number in (("c", stream.id), ("nowhere", stream.id), ("b", 99)):
        for verb in (streams.get_stream, streams.finalize_stream, streams.cancel_stream):
            with pytest.raises(NotFound):
                verb(engine, bank, number)
    assert streams.expire_streams(engine, "nowhere") == 0
    with pytest.raises(Invalid):
        streams.expire_streams(engine, "b", idle_ms=-1)
    assert streams.get_stream(engine, "b", stream.id).chunk_count == 1
