"""Counts tool calls since the start and renders them in the text format of Prometheus.

Used only in the event loop's thread, so there are no locks.
"""

import time
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from commonplace.storage.rows.stats import Totals

BOUNDS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


@dataclass(slots=True)
class ToolCounts:
    """The calls, errors and durations of one tool."""

    errors: int = 0
    total_s: float = 0.0
    # One count for each bound, and a last one for slower calls.
    bucket_counts: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS_S) + 1))


class Metrics:
    """The counts of one server."""

    def __init__(self) -> None:
        self._started_s = time.monotonic()
        self._counts: dict[tuple[str, str], ToolCounts] = {}

    def observe(self, dialect: str, tool: str, took_s: float, failed: bool) -> None:
        """Count one finished call."""
        tally = self._counts.get((dialect, tool))
        if tally is None:
            tally = self._counts[dialect, tool] = ToolCounts()
        tally.errors += failed
        tally.total_s += took_s
        tally.bucket_counts[bisect_left(BOUNDS_S, took_s)] += 1

    def render(self, held: Totals, running: int) -> str:
        """All metrics as a page."""
        families = (
            ("calls_total", "counter", "Finished tool calls.", self._calls()),
            ("call_errors_total", "counter", "Tool calls that failed.", self._errors()),
            ("call_duration_seconds", "histogram", "Duration of tool calls.", self._durations()),
            ("calls_running", "gauge", "Tool calls and reads that are running.", [f" {running}"]),
            (
                "memories",
                "gauge",
                "Memories, not counting forgotten ones.",
                [f" {held.memory_count}"],
            ),
            (
                "jobs",
                "gauge",
                "Number of jobs by state.",
                [f'{{state="{name}"}} {n}' for name, n in held.job_counts.items()],
            ),
            ("store_bytes", "gauge", "Size of the store on disk.", [f" {held.store_bytes}"]),
            (
                "uptime_seconds",
                "gauge",
                "Time since the server started.",
                [f" {time.monotonic() - self._started_s:.3f}"],
            ),
        )
        return "".join(f"{line}\n" for family in families for line in _family(*family))

    def _calls(self) -> Iterator[str]:
        for labels, tally in self._sorted_counts():
            yield f"{{{labels}}} {sum(tally.bucket_counts)}"

    def _errors(self) -> Iterator[str]:
        for labels, tally in self._sorted_counts():
            yield f"{{{labels}}} {tally.errors}"

    def _durations(self) -> Iterator[str]:
        for labels, tally in self._sorted_counts():
            count = 0
            for bound, here in zip((*BOUNDS_S, "+Inf"), tally.bucket_counts, strict=True):
                count += here
                yield f'_bucket{{{labels},le="{bound}"}} {count}'
            yield f"_sum{{{labels}}} {tally.total_s:.6f}"
            yield f"_count{{{labels}}} {count}"

    def _sorted_counts(self) -> Iterator[tuple[str, ToolCounts]]:
        for (dialect, tool), tally in sorted(self._counts.items()):
            yield f'dialect="{dialect}",tool="{tool}"', tally


def _family(name: str, kind: str, text: str, samples: Iterable[str]) -> Iterator[str]:
    yield f"# HELP commonplace_{name} {text}"
    yield f"# TYPE commonplace_{name} {kind}"
    for sample in samples:
        yield f"commonplace_{name}{sample}"
