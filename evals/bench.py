"""Measures speed and size through the public API and writes docs/speed.md with a plot. Run by `make bench`.

Every row runs in a process of its own, so that one measurement does not warm another's caches. Numbers are medians; on
a busy machine compare rows with each other, not with another day.
"""

import argparse
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import commonplace
from commonplace.engine.context import ContextQuery
from commonplace.records import Draft, Query
from evals import hindsight_bench, serving, vault_bench
from evals.plot import Bar, bars
from evals.texts import Author

DOCS = Path(__file__).parent.parent / "docs"
BATCH = 10_000


def fill(home: str, count: int) -> float:
    """Store so many memories in batches; seconds taken by the writes alone."""
    engine, author, spent = commonplace.open(home), Author(), 0.0
    for start in range(0, count, BATCH):
        drafts = [Draft(text) for text in author.memories(min(BATCH, count - start))]
        begun = time.perf_counter()
        engine.remember_many("bench", drafts)
        spent += time.perf_counter() - begun
    engine.rebuild()
    engine.db.close()
    return spent


def opening(home: str, _: int) -> dict[str, float]:
    """From the first line of a program to an answered keyword recall on an existing store."""
    code = (
        "import time; t = time.perf_counter()\n"
        "import commonplace; from commonplace.records import Query\n"
        f"e = commonplace.open({home!r}); o = time.perf_counter() - t\n"
        "e.recall('bench', Query('port', channels=('keyword',))); print(o * 1000, (time.perf_counter() - t) * 1000)"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(7)]
    opened, answered = zip(*(map(float, run.stdout.split()) for run in runs), strict=True)
    return {"import and open": statistics.median(opened), "open and first keyword recall": statistics.median(answered)}


def single(home: str, count: int) -> dict[str, float]:
    """One remember with its commit, again and again."""
    engine, spent = commonplace.open(home), []
    for text in Author(seed=11).memories(500):
        begun = time.perf_counter()
        engine.remember("bench", Draft(text))
        spent.append(time.perf_counter() - begun)
    return _spread(f"remember, committed ({count:,} stored)", spent)


def batch(home: str, _: int) -> dict[str, float]:
    """Ten thousand memories in one transaction."""
    engine = commonplace.open(home)
    drafts = [Draft(text) for text in Author(seed=13).memories(BATCH)]
    begun = time.perf_counter()
    engine.remember_many("batch", drafts)
    return {"remember 10,000 in one batch": (time.perf_counter() - begun) * 1000}


def recall(home: str, count: int) -> dict[str, float]:
    """Questions about memories spread over the whole store, all channels."""
    engine, author = commonplace.open(home), Author()
    every = max(1, count // 200)
    questions = [author.question(text) for place, text in enumerate(author.memories(count)) if place % every == 0]
    begun = time.perf_counter()
    engine.recall("bench", Query(questions[0]))
    first, spent = (time.perf_counter() - begun) * 1000, []
    for question in questions[:200]:
        begun = time.perf_counter()
        engine.recall("bench", Query(question))
        spent.append(time.perf_counter() - begun)
    found = _spread(f"recall among {count:,}", spent) | {f"first recall in a process among {count:,}": first}
    return found | {f"resident memory at {count:,} (MB)": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def context(home: str, count: int) -> dict[str, float]:
    """What memories.sh's get_context asks for, with a question and without, beside twenty rules."""
    engine, author = commonplace.open(home), Author()
    engine.remember_many("bench", [Draft(f"Rule {number}: be kind.", kind="rule") for number in range(20)])
    questions = [author.question(text) for text in author.memories(200)]
    engine.context("bench", ContextQuery(questions[0]))
    found: dict[str, float] = {}
    for name, asked in (("a question", questions), ("no question", [""] * 200)):
        spent: list[float] = []
        for question in asked:
            begun = time.perf_counter()
            engine.context("bench", ContextQuery(question))
            spent.append(time.perf_counter() - begun)
        found |= _spread(f"context with {name} among {count:,}", spent)
    return found


MEASURES: dict[str, Callable[[str, int], dict[str, float]]] = {
    "opening": opening,
    "single": single,
    "batch": batch,
    "recall": recall,
    "context": context,
}
AIMS = {
    "import and open": 300,
    "remember, committed (10,000 stored), median": 5,
    "recall among 10,000, median": 10,
    "context with a question among 10,000, median": 30,
    "recall among 100,000, median": 30,
    "resident memory at 10,000 (MB)": 200,
    **hindsight_bench.AIMS,
    "stdio: spawn to first answer, median": 350,
    "http: resident memory, idle (MB)": 80,
}


def _spread(name: str, seconds: list[float]) -> dict[str, float]:
    ordered = sorted(1000 * one for one in seconds)
    return {f"{name}, median": statistics.median(ordered), f"{name}, p95": ordered[int(len(ordered) * 0.95)]}


def measure(sizes: list[int]) -> dict[str, float]:
    """All rows, each measured in its own process."""
    results: dict[str, float] = {}
    for count in sizes:
        home = tempfile.mkdtemp(prefix="commonplace-bench-")
        try:
            print(f"storing {count:,} memories", file=sys.stderr, flush=True)
            fill(home, count)
            results[f"store file at {count:,} (MB)"] = (Path(home) / "commonplace.db").stat().st_size / 1e6
            for name in ("recall", *(("context", "opening", "single", "batch") if count == 10_000 else ())):
                print(f"measuring {name} at {count:,}", file=sys.stderr, flush=True)
                command = [sys.executable, "-m", "evals.bench", "--one", name, home, str(count)]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                results |= json.loads(done.stdout)
        finally:
            shutil.rmtree(home)
    return results


def report(results: dict[str, float]) -> str:
    """The page, with the command that makes it."""
    rows = [f"| {name} | {value:,.2f} | {AIMS.get(name, '')} |" for name, value in sorted(results.items())]
    lines = [
        "# Speed",
        "",
        "Made by `make bench`; do not edit. Milliseconds unless the row says otherwise; medians of single runs.",
        "",
        f"Machine: {machine()}. Date: {datetime.now(UTC):%Y-%m-%d}. Commonplace {commonplace.__version__}.",
        "",
        "![Speed](speed.svg)",
        "",
        "| What | Measured | Aim, at most |",
        "|---|---:|---:|",
        *rows,
        "",
    ]
    return "\n".join(lines)


def machine() -> str:
    """What ran it, in a phrase."""
    names = [line.split(":", 1)[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    cpu = names[0] if names else platform.machine()
    return f"{os.cpu_count()} cores of {cpu}, {memory:.0f} GiB, Python {platform.python_version()}"


def _lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines() if Path(path).exists() else []


def main() -> None:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sizes", default="1000,10000,100000", help="How many memories, comma separated")
    parser.add_argument("--out", default=str(DOCS), help="Folder for speed.md and speed.svg")
    parser.add_argument("--one", nargs=3, metavar=("NAME", "HOME", "COUNT"), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        name, home, count = chosen.one
        print(json.dumps(MEASURES[name](home, int(count))))
        return
    results = measure([int(size) for size in chosen.sizes.split(",")])
    print("measuring hindsight", file=sys.stderr, flush=True)
    results |= hindsight_bench.measure()
    print("measuring the servers", file=sys.stderr, flush=True)
    results |= serving.measure()
    print("measuring the vault", file=sys.stderr, flush=True)
    results |= vault_bench.measure()
    out = Path(chosen.out)
    out.mkdir(parents=True, exist_ok=True)
    shown = [Bar(name, value, AIMS.get(name)) for name, value in sorted(results.items()) if "(MB)" not in name]
    (out / "speed.svg").write_text(bars("Milliseconds, logarithmic; the mark is the aim", shown))
    (out / "speed.md").write_text(report(results))
    width = max(map(len, results))
    for name, value in sorted(results.items()):
        aim = AIMS.get(name)
        print(
            f"{name:<{width}}  {value:>10,.2f}"
            + (f"   aim {aim:>4}  {'ok' if value <= aim else 'MISSED'}" if aim else "")
        )
    print(f"written to {out / 'speed.md'}", file=sys.stderr)


if __name__ == "__main__":
    main()
