"""Measures retrieval quality on public question sets, beside plain BM25. `python -m evals [set ...] [--no-vectors]`.

The sets stay where they are: nothing of them may be copied into this repository. COMMONPLACE_DATA names their folder;
by default it is `../shared/data`, beside the repository.
"""

import argparse
import importlib.util
import os
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

from rich.console import Console
from rich.table import Table

import commonplace
from commonplace import Draft, Filter, Query
from commonplace.limits import BULK_MAX

DEFAULT_DATA = Path(__file__).parent.parent.parent / "shared" / "data"
PAGE = Path(__file__).parent.parent / "docs" / "quality.md"
METRICS = ("recall@5", "recall@10", "any@5", "ndcg@10", "mrr")


class Commonplace:
    """One fresh store in the shape the loaders score: everything in one bank, then questions."""

    channels: tuple[str, ...] = ("keyword", "vector")
    asked = 0
    spent_s = 0.0
    silent = 0

    def __init__(self, docs: Mapping[str, str]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="commonplace-eval-")
        self._engine = commonplace.open(self._folder.name)
        names, texts = list(docs), list(docs.values())
        self._names: dict[int, str] = {}
        for start in range(0, len(texts), BULK_MAX):
            drafts = [Draft(text) for text in texts[start : start + BULK_MAX]]
            written = self._engine.remember_many("eval", drafts)
            ids = [outcome.memory.id for outcome in written]
            self._names |= dict(zip(ids, names[start : start + BULK_MAX], strict=True))
        # What a background worker does in daily life; otherwise the first questions would pay for it.
        self._engine.rebuild()

    def rank(self, text: str, k: int, skip: Collection[str] = ()) -> list[str]:
        """The names of what is found, best first. What must be skipped is kept out by a filter, inside the search."""
        kept = tuple(number for number, name in self._names.items() if name not in skip) if skip else None
        query = Query(text, Filter(ids=kept), limit=k, channels=self.channels)
        begun = time.perf_counter()
        hits = self._engine.recall("eval", query).hits
        kind = type(self)
        kind.spent_s += time.perf_counter() - begun
        kind.asked += 1
        kind.silent += not hits
        return [self._names[hit.memory.id] for hit in hits]


def main() -> int:
    """Print the table; 2 when the sets are not there."""
    parser = argparse.ArgumentParser(prog="python -m evals", description=__doc__)
    parser.add_argument("sets", nargs="*", help="which sets; all when none is named")
    parser.add_argument("--no-vectors", action="store_true", help="search by keywords only")
    options = parser.parse_args()
    folder = Path(os.environ.get("COMMONPLACE_DATA", "") or DEFAULT_DATA)
    loaders = _loaders(folder)
    if loaders is None:
        print(f"There are no evaluation sets in {folder}.", file=sys.stderr)
        print("Set COMMONPLACE_DATA to the folder that holds loaders.py.", file=sys.stderr)
        return 2
    unknown = [name for name in options.sets if name not in loaders.SETS]
    if unknown:
        print(f"No set is called {unknown[0]!r}.", file=sys.stderr)
        print(f"Use some of: {', '.join(loaders.SETS)}.", file=sys.stderr)
        return 2
    if options.no_vectors:
        Commonplace.channels = ("keyword",)
    rows = _print(loaders, options.sets or list(loaders.SETS))
    if not options.sets and not options.no_vectors:
        PAGE.write_text(_page(rows))
        print(f"written to {PAGE.relative_to(PAGE.parent.parent)}", file=sys.stderr)
    return 0


def _print(loaders: ModuleType, names: Iterable[str]) -> list[tuple[str, ...]]:
    console = Console(width=None if sys.stdout.isatty() else 130)
    heads = ("set", "docs", "questions", *METRICS, "silent", "questions/s")
    table, rows = Table(*heads), [heads]
    for name in names:
        with console.status(f"Measuring {name}"):
            plain = loaders.score(loaders.SETS[name]())
            ours, silent, pace = _measured(loaders.score, loaders.SETS[name]())
        counts = (f"{ours['docs']:,}", f"{ours['queries']:,}")
        rows.append((name, *counts, *(f"{ours[m]:.3f}" for m in METRICS), f"{silent:.1%}", f"{pace:.0f}"))
        rows.append(("  plain BM25", "", "", *(f"{plain[m]:.3f}" for m in METRICS), "", ""))
        table.add_row(*rows[-2])
        table.add_row(*rows[-1], style="dim")
    console.print(table)
    return rows


def _page(rows: list[tuple[str, ...]]) -> str:
    lines = [
        "# Quality",
        "",
        "Made by `make eval` on the development halves of public question sets; do not edit. The weights were chosen",
        "on these same sets, so the numbers are fitted, not held out. No model, the embedder of the installation, one",
        "store per set or chat. recall@k is the share of right memories found, any@k whether one was; silent is how",
        "often nothing was answered. Every question here has an answer.",
        "",
        f"Date: {datetime.now(UTC):%Y-%m-%d}. Commonplace {commonplace.__version__}.",
        "",
        "| " + " | ".join(rows[0]) + " |",
        "|---|" + "---:|" * (len(rows[0]) - 1),
        *("| " + " | ".join(row) + " |" for row in rows[1:]),
        "",
    ]
    return "\n".join(lines)


def _measured(
    score: Callable[..., dict[str, float]], stores: Iterable[object]
) -> tuple[dict[str, float], float, float]:
    Commonplace.asked, Commonplace.spent_s, Commonplace.silent = 0, 0.0, 0
    found = score(stores, Commonplace)
    asked = max(1, Commonplace.asked)
    return found, Commonplace.silent / asked, asked / max(Commonplace.spent_s, 1e-9)


def _loaders(folder: Path) -> ModuleType | None:
    spec = importlib.util.spec_from_file_location("loaders", folder / "loaders.py")
    if spec is None or spec.loader is None or not (folder / "loaders.py").is_file():
        return None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    sys.exit(main())
