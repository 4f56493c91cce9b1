"""Counts tool calls since the start and renders them in the text format of Prometheus.

Used only in the event loop's thread, so there are no locks.
"""

import time
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from commonplace.storage.rows.stats import Totals

BOUNDS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
# Clients name themselves, so their number is bounded.
_CLIENTS_MAX = 100


@dataclass(slots=True)
class ToolCounts:
    """The calls, errors and durations of one tool."""

    errors: int = 0
    total_s: float = 0.0
    # One count for each bound, and a last one for slower calls.
    bucket_counts: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS_S) + 1))


@dataclass(slots=True)
class ClientCounts:
    """The calls of one client, by the name it gives itself."""

    calls: int = 0
    errors: int = 0
    last_at: int = 0


class Metrics:
    """The counts of one server."""

    def __init__(self) -> None:
        self._started_s = time.monotonic()
        self._counts: dict[tuple[str, str], ToolCounts] = {}
        self._clients: dict[str, ClientCounts] = {}

    def observe(self, dialect: str, tool: str, took_s: float, failed: bool) -> None:
        """Count one finished call."""
        tally = self._counts.get((dialect, tool))
        if tally is None:
            tally = self._counts[dialect, tool] = ToolCounts()
        tally.errors += failed
        tally.total_s += took_s
        tally.bucket_counts[bisect_left(BOUNDS_S, took_s)] += 1

    def observe_client(self, name: str, now: int, failed: bool) -> None:
        """Count one finished call of a client. Clients beyond the limit share one counter."""
        if name not in self._clients and len(self._clients) >= _CLIENTS_MAX:
            name = "others"
        tally = self._clients.setdefault(name, ClientCounts())
        tally.calls += 1
        tally.errors += failed
        tally.last_at = now

    def tool_rows(self) -> list[dict[str, object]]:
        """The counts of each tool for the page, the most used first."""
        rows: list[dict[str, object]] = []
        for (dialect, tool), tally in sorted(
            self._counts.items(), key=lambda one: -sum(one[1].bucket_counts)
        ):
            calls = sum(tally.bucket_counts)
            rows.append(
                {
                    "dialect": dialect,
                    "tool": tool,
                    "calls": calls,
                    "errors": tally.errors,
                    "mean_ms": 1000 * tally.total_s / calls,
                    "within": _quantile_text(tally.bucket_counts, calls),
                }
            )
        return rows

    def client_rows(self) -> list[dict[str, object]]:
        """The counts of each client for the page, the last active first."""
        rows = sorted(self._clients.items(), key=lambda one: -one[1].last_at)
        return [
            {"name": name, "calls": one.calls, "errors": one.errors, "last_at": one.last_at}
            for name, one in rows
        ]

    @property
    def uptime_s(self) -> float:
        """How long the server has been running."""
        return time.monotonic() - self._started_s

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


def _quantile_text(counts: list[int], total: int) -> str:
    """The bound that 95 of 100 calls stay within."""
    seen = 0
    for bound, count in zip(BOUNDS_S, counts, strict=False):
        seen += count
        if seen >= 0.95 * total:
            return f"{1000 * bound:g} ms" if bound < 1 else f"{bound:g} s"
    return f"over {BOUNDS_S[-1]:g} s"
