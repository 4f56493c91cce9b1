"""Measures retrieval quality and writes docs/quality.md. Run by `make eval`.

`python -m evals` measures every public set and our own precision set; `python -m evals locomo-turn
beam` only prints these; `python -m evals precision` measures our own set alone; `--ablate` takes
out one ingredient after the other; `--reranker` shows what the reranker brings and costs.

The public sets stay where they are: COMMONPLACE_DATA names their folder, by default
`../shared/data`.
"""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat

from rich.console import Console
from rich.table import Table

from commonplace.evaluation import metrics
from commonplace.evaluation.metrics import Answer, Estimate, Measures, estimate_measures
from evals import page, precise, record, sets
from evals.precise import Asked
from evals.record import Part, Results
from evals.ways import ABLATIONS, BM25, OURS, UNREAD, VECTORS

PRECISION = "precision"
LONGEST_FIRST = (
    "realmem",
    "longmemeval-turn",
    "scifact",
    "locomo-turn",
    "longmemeval-session",
    "beam",
)


def main() -> int:
    """Measure, print and write; 2 when the sets are not there."""
    options = _options()
    module = sets.loaders()
    if module is None and options.sets != [PRECISION]:
        print(f"There are no evaluation sets in {sets.data_folder()}.", file=sys.stderr)
        print("Set COMMONPLACE_DATA to the folder that holds loaders.py.", file=sys.stderr)
        return 2
    known: list[str] = list(module.SETS) if module else []
    unknown = [name for name in options.sets if name not in (*known, PRECISION)]
    if unknown:
        print(f"No set is called {unknown[0]!r}.", file=sys.stderr)
        print(f"Use some of: {', '.join((*known, PRECISION))}.", file=sys.stderr)
        return 2
    chosen = [name for name in known if name in options.sets] if options.sets else known
    own = not options.sets or PRECISION in options.sets
    parts = _measured(chosen, own, options)
    # Some of the sets, or ablations on some of them, would put half a table in the place of a whole
    # one.
    whole = (
        chosen == known and own if _apart(options) else chosen in (known, []) and options.every == 1
    )
    if whole and not options.print_only:
        kept = {**record.kept(record.DOCS), **parts}
        record.keep(record.DOCS, kept)
        page.write(record.DOCS, kept)
        print("written to docs/quality.md", file=sys.stderr)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m evals",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "sets",
        nargs="*",
        metavar="SET",
        help=f"which sets, or {PRECISION}; everything when none is named",
    )
    parser.add_argument(
        "--ablate", action="store_true", help="take out one ingredient after the other"
    )
    parser.add_argument(
        "--reranker", action="store_true", help="ask with the reranker and without it"
    )
    parser.add_argument(
        "--every", type=int, default=1, metavar="N", help="ask only every N-th question of the sets"
    )
    parser.add_argument(
        "--misses", action="store_true", help="list the questions of our own set that went wrong"
    )
    parser.add_argument("--print-only", action="store_true", help="leave docs/quality.md as it is")
    parser.add_argument(
        "--jobs",
        type=int,
        default=min(2, os.cpu_count() or 1),
        help="how many processes measure side by side (%(default)s)",
    )
    return parser.parse_args()


def _measured(chosen: Sequence[str], own: bool, options: argparse.Namespace) -> dict[str, Part]:
    ways = _ways(options)
    parts: dict[str, Part] = {}
    results: Results = {}
    if chosen:
        found, sizes = _public(chosen, ways, options)
        results |= found
        parts[page.SETS] = _part(page.SETS, found, {"sizes": sizes})
        _show(found, {**metrics.RANKING, **metrics.PACE}, page.SETS)
    if own:
        asked = _own(ways, options.jobs)
        groups = _groups(asked)
        found = {
            group: {way: estimate_measures(a, metrics.PRECISION) for way, a in by.items()}
            for group, by in groups.items()
        }
        sizes = {group: len(by[OURS]) for group, by in groups.items()}
        results |= found
        parts[page.PRECISE] = _part(page.PRECISE, found, {"sizes": sizes})
        _show(found, metrics.PRECISION, page.PRECISE)
        if options.misses:
            _show_misses(asked[OURS])
    apart = _apart(options)
    return {apart: _part(apart, results, {"every": options.every})} if apart else parts


def _apart(options: argparse.Namespace) -> str:
    """The part of the record that a run has to itself, leaving those of the daily runs alone; ""
    for a daily one.
    """
    return page.ABLATED if options.ablate else page.READ if options.reranker else ""


def _ways(options: argparse.Namespace) -> tuple[str, ...]:
    daily = (OURS, BM25, VECTORS) if sets.is_there() else (OURS, VECTORS)
    return {page.ABLATED: (OURS, *ABLATIONS), page.READ: (OURS, UNREAD)}.get(_apart(options), daily)


def _part(name: str, found: Results, about: Mapping[str, object]) -> Part:
    return record.part(
        found, about, record.kept(record.DOCS).get(name, {}), record.committed().get(name, {})
    )


def _public(
    names: Sequence[str], ways: Sequence[str], options: argparse.Namespace
) -> tuple[Results, dict[str, list[int]]]:
    # The longest first, so that no process is left alone with it at the end.
    order = sorted(
        names,
        key=lambda name: LONGEST_FIRST.index(name) if name in LONGEST_FIRST else len(LONGEST_FIRST),
    )
    found: Results = {}
    sizes: dict[str, list[int]] = {}
    console = Console(stderr=True)
    with console.status("Measuring") as status:
        for name, measured in sets.measured(order, ways, options.jobs, options.every):
            answers = measured.answers
            found[name] = {
                way: estimate_measures(a, {**metrics.RANKING, **metrics.PACE})
                for way, a in answers.items()
            }
            sizes[name] = [measured.docs, len(answers[ways[0]])]
            status.update(f"Measuring; done: {', '.join(found)}")
    return {name: found[name] for name in names}, {name: sizes[name] for name in names}


def _own(ways: Sequence[str], processes: int) -> dict[str, list[Asked]]:
    out: dict[str, list[Asked]] = {way: [] for way in ways}
    with ProcessPoolExecutor(processes) as pool:
        for by_way in pool.map(precise.asked, precise.stores(), repeat(ways)):
            for way, asked in by_way.items():
                out[way] += asked
    return out


def _groups(asked: Mapping[str, Sequence[Asked]]) -> dict[str, dict[str, list[Answer]]]:
    """The answers of all questions, by half, by store and by kind."""
    tests = {
        "all": lambda one: True,
        **{
            f"{half} half": lambda one, half=half: one.question.half == half
            for half in reversed(precise.HALVES)
        },
        **{
            f"store {name}": lambda one, name=name: one.store == name
            for name in dict.fromkeys(one.store for one in asked[OURS])
        },
        **{
            f"kind {kind}": lambda one, kind=kind: one.question.kind == kind
            for kind in precise.KINDS
        },
        "unanswerable, near": lambda one: one.question.kind == "unanswerable" and one.question.near,
        "unanswerable, far": lambda one: (
            one.question.kind == "unanswerable" and not one.question.near
        ),
    }
    return {
        group: {way: [one.answer for one in many if test(one)] for way, many in asked.items()}
        for group, test in tests.items()
    }


def _show(found: Results, measures: Measures, part: str) -> None:
    former = record.kept(record.DOCS).get(part, {}).get("results", {})
    console = Console(width=None if sys.stdout.isatty() else 200)
    table = Table(box=None, pad_edge=False)
    table.add_column("questions" if part == page.PRECISE else "set", no_wrap=True)
    table.add_column("asked with", no_wrap=True)
    for measure in measures:
        table.add_column(measure, justify="right", no_wrap=True)
    for group, ways in found.items():
        for way, values in ways.items():
            before = former.get(group, {}).get(way, {})
            cells = [_cell(values.get(measure), before.get(measure)) for measure in measures]
            first = group if way == OURS else ""
            table.add_row(first, way, *cells, style="bold" if way == OURS else "dim")
    console.print(table)
    console.print(
        "In brackets the 95 % interval; behind it the change since the run that docs/quality.json"
        " holds.\n"
    )


def _cell(estimate: Estimate | None, before: Sequence[float] | None) -> str:
    if estimate is None:
        return ""
    pace = estimate.value > 1
    digits = 0 if pace else 3
    shown = f"{estimate.value:.{digits}f} ({estimate.low:.{digits}f}–{estimate.high:.{digits}f})"
    change = estimate.value - before[0] if before and not pace else 0.0
    return f"{shown} {change:+.3f}" if abs(change) >= 0.0005 else shown


def _show_misses(asked: Sequence[Asked]) -> None:
    for one in asked:
        question, answer = one.question, one.answer
        why = metrics.fault_of(answer)
        if why:
            print(f"{one.store}: {why}: {question.text}")
            print(f"    expected {', '.join(sorted(question.expected)) or 'nothing'}", end="")
            print(
                ", found"
                f" {', '.join(map(str, answer.found)) or 'nothing'}"
                f"{' (unsure)' if answer.unsure else ''}"
            )


if __name__ == "__main__":
    sys.exit(main())
