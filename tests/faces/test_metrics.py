"""The content of /metrics, parsed as a Prometheus server parses it."""

import re
from collections.abc import Iterator

import pytest

from commonplace.engine.banks import totals
from commonplace.engine.engine import Engine
from commonplace.engine.operations.jobs import enqueue
from commonplace.faces.http.metrics import BOUNDS_S, Metrics
from commonplace.records.memory import Draft
from tests.faces.http_client import Running, server

SAMPLE = re.compile(r"^(\w+)(\{(?:\w+=\"[^\"\\\n]*\",?)+\})? (-?[\d.e+-]+|\+Inf)$")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with server(tmp_path_factory.mktemp("home")) as one:
        yield one


def read(text: str) -> dict[str, float]:
    """Every sample by its name and labels; fails on a line that is none."""
    samples: dict[str, float] = {}
    for line in text.splitlines():
        if line.startswith(("# HELP ", "# TYPE ")):
            continue
        match = SAMPLE.match(line)
        assert match, line
        samples[match[1] + (match[2] or "")] = float(match[3])
    return samples


def test_calls_and_errors_are_counted_by_dialect_and_tool(running: Running) -> None:
    for _ in range(3):
        running.call("/test/mcp", "echo", {"text": "x"})
    running.ask_modern("/test/mcp", "tools/call", {"name": "refuse"})
    running.ask("/test/mcp", "tools/call", {"name": "erase"})
    running.ask("/test/mcp", "tools/call", {"name": "no_such_tool"})
    found = read(running.get("/metrics").body.decode())

    assert found['commonplace_calls_total{dialect="test",tool="echo"}'] == 3
    assert found['commonplace_call_errors_total{dialect="test",tool="echo"}'] == 0
    assert found['commonplace_call_errors_total{dialect="test",tool="refuse"}'] == 1
    assert found['commonplace_calls_total{dialect="test",tool="erase"}'] == 1
    assert found['commonplace_call_duration_seconds_count{dialect="test",tool="echo"}'] == 3
    assert (
        found['commonplace_call_duration_seconds_bucket{dialect="test",tool="echo",le="+Inf"}'] == 3
    )
    assert not any("no_such_tool" in name for name in found)


def test_what_the_store_holds_is_shown(running: Running) -> None:
    before = read(running.get("/metrics").body.decode())
    running.call("/test/mcp/one", "remember", {"text": "a"})
    running.call("/test/mcp/two", "remember", {"text": "b"})
    after = read(running.get("/metrics").body.decode())

    assert after["commonplace_memories"] - before["commonplace_memories"] == 2
    assert after["commonplace_store_bytes"] >= 4096
    assert after['commonplace_jobs{state="pending"}'] == 0
    assert after["commonplace_calls_running"] == 0
    assert after["commonplace_uptime_seconds"] > 0
    assert running.get("/metrics").headers["content-type"].startswith("text/plain; version=0.0.4")


def test_a_duration_falls_into_every_bucket_that_is_wide_enough(engine: Engine) -> None:
    metrics = Metrics()
    for took_s in (0.0001, 0.02, 99.0):
        metrics.observe("d", "t", took_s, False)
    found = read(metrics.render(totals(engine), 0))

    buckets = [
        found[f'commonplace_call_duration_seconds_bucket{{dialect="d",tool="t",le="{b}"}}']
        for b in BOUNDS_S
    ]
    assert buckets[0] == 1
    assert buckets[BOUNDS_S.index(0.025)] == buckets[-1] == 2
    assert found['commonplace_call_duration_seconds_bucket{dialect="d",tool="t",le="+Inf"}'] == 3
    assert found['commonplace_call_duration_seconds_sum{dialect="d",tool="t"}'] == pytest.approx(
        99.0201
    )


def test_totals_count_over_all_banks_and_leave_out_what_is_forgotten(engine: Engine) -> None:
    kept = engine.remember("one", Draft("kept")).memory
    gone = engine.remember("two", Draft("gone")).memory
    engine.forget("two", [gone.id])
    enqueue(engine, "one", "later", {})

    assert kept.id
    assert totals(engine).memory_count == 1
    assert totals(engine).job_counts == {
        "pending": 1,
        "running": 0,
        "completed": 0,
        "failed": 0,
        "cancelled": 0,
    }
