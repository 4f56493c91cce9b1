"""Measures speed and size through the public API and writes docs/speed.md with a plot. Run by `make
bench`.

Every row runs in a process of its own, so that one measurement does not warm another's caches.
Numbers are medians; on a busy machine compare rows with each other, not with another day.
"""

import argparse
import json
import os
import platform
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
from commonplace.engine.sessions.context import ContextQuery
from commonplace.records.memory import Draft
from evals import hindsight_bench, hooks_bench, rest_bench, scale, serving, vault_bench
from evals.plot import Bar, bars
from evals.scale import spread
from evals.texts import Author

DOCS = Path(__file__).parent.parent / "docs"
SCALE_ROWS = "speed.json"
_NO_SPAN = ("(count)", "(MB)", "(%)", "(a second)", "(times)")
SCALE_HOME = Path(tempfile.gettempdir()) / "commonplace-scale"


def opening(home: str, _: int) -> dict[str, float]:
    """From the first line of a program to an answered keyword recall on an existing store."""
    code = (
        "import time; t = time.perf_counter()\nimport commonplace; from commonplace.records.memory"
        f" import Query\ne = commonplace.open({home!r}); o = time.perf_counter() -"
        " t\ne.recall('bench', Query('port', channels=('keyword',))); print(o * 1000,"
        " (time.perf_counter() - t) * 1000)"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(7)
    ]
    opened, answered = zip(*(map(float, run.stdout.split()) for run in runs), strict=True)
    return {
        "import and open": statistics.median(opened),
        "open and first keyword recall": statistics.median(answered),
    }


def single(home: str, count: int) -> dict[str, float]:
    """One remember with its commit, again and again."""
    engine, spent = commonplace.open(home), []
    for text in Author(seed=11).memories(500):
        begun = time.perf_counter()
        engine.remember("bench", Draft(text))
        spent.append(time.perf_counter() - begun)
    return spread(f"remember, committed ({count:,} stored)", spent)


def context(home: str, count: int) -> dict[str, float]:
    """What memories.sh's get_context asks for, with a question and without, beside twenty rules."""
    engine, author = commonplace.open(home), Author()
    engine.remember_many(
        "bench", [Draft(f"Rule {number}: be kind.", kind="rule") for number in range(20)]
    )
    questions = [author.question(text) for text in author.memories(200)]
    engine.context("bench", ContextQuery(questions[0]))
    found: dict[str, float] = {}
    for name, asked in (("a question", questions), ("no question", [""] * 200)):
        spent: list[float] = []
        for question in asked:
            begun = time.perf_counter()
            engine.context("bench", ContextQuery(question))
            spent.append(time.perf_counter() - begun)
        found |= spread(f"context with {name} among {count:,}", spent)
    return found


MEASURES: dict[str, Callable[[str, int], dict[str, float]]] = {
    "opening": opening,
    "single": single,
    "context": context,
    **scale.MEASURES,
}
MORE = {10_000: ("context", "opening", "single", "ingest"), 100_000: ("filters", "exact")}
AIMS = {
    "import and open": 300,
    "remember, committed (10,000 stored), median": 5,
    "recall among 10,000, median": 10,
    "context with a question among 10,000, median": 30,
    "recall among 100,000, median": 30,
    "resident memory at 10,000 (MB)": 200,
    **hindsight_bench.AIMS,
    **hooks_bench.AIMS,
    **scale.AIMS,
    "stdio: spawn to first answer, median": 350,
    "http: resident memory, idle (MB)": 80,
}


def measure(sizes: list[int]) -> dict[str, float]:
    """All rows, each measured in its own process."""
    results: dict[str, float] = {}
    for count in sizes:
        home = tempfile.mkdtemp(prefix="commonplace-bench-")
        try:
            print(f"storing {count:,} memories", file=sys.stderr, flush=True)
            scale.fill(Path(home), count)
            results |= _measured(Path(home), count, ("recall", *MORE.get(count, ())))
        finally:
            shutil.rmtree(home)
    return results


def measure_scale(folder: Path) -> dict[str, float]:
    """The rows about a million memories, in one bank and in a thousand."""
    one, many = scale.one_bank(folder), scale.many_banks(folder)
    found = _measured(one, scale.COUNT, ("recall", "filters", "exact", "purged", "ingest"))
    return found | _measured(many, scale.COUNT, ("banks",))


def _measured(home: Path, count: int, names: tuple[str, ...]) -> dict[str, float]:
    results = {f"store file at {count:,} (MB)": (home / "commonplace.db").stat().st_size / 1e6}
    for name in names:
        print(f"measuring {name} at {count:,}", file=sys.stderr, flush=True)
        command = [sys.executable, "-m", "evals.bench", "--one", name, str(home), str(count)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        results |= json.loads(done.stdout)
    return results


def report(results: dict[str, float], scaled_on: str) -> str:
    """The page, with the commands that make it."""
    rows = [f"| {name} | {value:,.2f} | {_aim(name)} |" for name, value in sorted(results.items())]
    lines = [
        "# Speed",
        "",
        (
            "Made by `make bench`; do not edit. Milliseconds unless the row says otherwise; medians"
            " of single runs."
        ),
        "",
        (
            f"What is said about {scale.COUNT:,} memories was measured on {scaled_on} by `make"
            " bench ARGS=--scale`, which"
        ),
        "makes the stores for it first and keeps them.",
        "",
        (
            f"Machine: {machine()}. Date: {datetime.now(UTC):%Y-%m-%d}. Commonplace"
            f" {commonplace.__version__}."
        ),
        "",
        "![Speed](speed.svg)",
        "",
        "| What | Measured | Aim |",
        "|---|---:|---:|",
        *rows,
        "",
    ]
    return "\n".join(lines)


def _aim(name: str) -> str:
    if name in scale.RATES:
        return f"at least {scale.RATES[name]}"
    return f"at most {AIMS[name]}" if name in AIMS else ""


def _missed(name: str, value: float) -> bool:
    return value < scale.RATES.get(name, value) or value > AIMS.get(name, value)


def machine() -> str:
    """What ran it, in a phrase."""
    names = [
        line.split(":", 1)[1].strip()
        for line in _lines("/proc/cpuinfo")
        if line.startswith("model name")
    ]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    cpu = names[0] if names else platform.machine()
    return f"{os.cpu_count()} cores of {cpu}, {memory:.0f} GiB, Python {platform.python_version()}"


def _lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines() if Path(path).exists() else []


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="make bench", description=__doc__.splitlines()[0] if __doc__ else ""
    )
    parser.add_argument(
        "--sizes", default="1000,10000,100000", help="How many memories, comma separated"
    )
    parser.add_argument(
        "--scale",
        nargs="?",
        type=Path,
        const=SCALE_HOME,
        metavar="FOLDER",
        help="Measure a million memories as well; their stores are made, and kept, in this folder",
    )
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
    print("measuring REST", file=sys.stderr, flush=True)
    results |= rest_bench.measure()
    print("measuring the vault", file=sys.stderr, flush=True)
    results |= vault_bench.measure()
    print("measuring the hooks", file=sys.stderr, flush=True)
    results |= hooks_bench.measure()
    write(Path(chosen.out), results, measure_scale(chosen.scale) if chosen.scale else None)


def write(out: Path, results: dict[str, float], scaled: dict[str, float] | None) -> None:
    """The page and the picture; what is not measured every time is kept beside them."""
    out.mkdir(parents=True, exist_ok=True)
    today, kept = f"{datetime.now(UTC):%Y-%m-%d}", out / SCALE_ROWS
    if scaled is not None:
        kept.write_text(json.dumps({"date": today, "rows": scaled}, indent=1) + "\n")
    last = json.loads(kept.read_text()) if kept.exists() else {"date": "no day yet", "rows": {}}
    results |= last["rows"]
    if "recall among 10,000, p95" in results and "recall among 1,000,000, p95" in results:
        results[scale.GROWTH] = (
            results["recall among 1,000,000, p95"] / results["recall among 10,000, p95"]
        )
    spans = {name: value for name, value in sorted(results.items()) if not name.endswith(_NO_SPAN)}
    shown = [Bar(name, value, AIMS.get(name)) for name, value in spans.items()]
    (out / "speed.svg").write_text(bars("Milliseconds, logarithmic; the mark is the aim", shown))
    (out / "speed.md").write_text(report(results, last["date"]))
    width = max(map(len, results))
    for name, value in sorted(results.items()):
        aim = _aim(name)
        verdict = f"   {aim}  {'MISSED' if _missed(name, value) else 'ok'}" if aim else ""
        print(f"{name:<{width}}  {value:>10,.2f}{verdict}")
    print(f"written to {out / 'speed.md'}", file=sys.stderr)


if __name__ == "__main__":
    main()
