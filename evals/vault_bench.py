"""Measures the vault: a folder of notes taken into a store, and a start on one that has them. A
part of `make bench`.

Every measurement runs in a process of its own, as a server's first look would.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from commonplace.app import open_engine
from commonplace.dialects.dialect import Call
from commonplace.dialects.vault import DIALECT
from commonplace.engine.engine import Engine
from commonplace.settings import load
from commonplace.vault.sync import sync
from commonplace.vault.vault import vault_of
from evals.texts import Author

NOTES = 10_000
LOOKS, SEARCHES, APPENDS = 7, 50, 50


def measure(count: int = NOTES) -> dict[str, float]:
    """Every row about the vault, in milliseconds."""
    with tempfile.TemporaryDirectory(prefix="commonplace-vault-") as home:
        _write(Path(home) / "vault", count)
        cold = _in_a_process("cold", home)
        rows = {f"vault: cold index of {count:,} notes": cold["ms"]}
        warm = [_in_a_process("warm", home)["ms"] for _ in range(LOOKS)]
        rows[f"vault: warm start with {count:,} notes, median"] = statistics.median(warm)
        calls = _in_a_process("calls", home)
        return rows | {
            f"vault: {name} among {count:,} notes, median": value for name, value in calls.items()
        }


def _write(root: Path, count: int) -> None:
    """Notes as people keep them: some in folders, some with frontmatter and some without."""
    for number, text in enumerate(Author(seed=5).memories(count)):
        folder = root / f"folder {number % 20}" if number % 3 else root
        folder.mkdir(parents=True, exist_ok=True)
        head = (
            f"---\ntitle: Note {number}\ntags: [t{number % 50}, kept]\n---\n\n"
            if number % 2
            else ""
        )
        (folder / f"note {number}.md").write_text(f"{head}{text}\n")


def _in_a_process(name: str, home: str) -> dict[str, float]:
    command = [sys.executable, "-m", "evals.vault_bench", name, home]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def _started(home: str) -> tuple[Engine, float]:
    """An engine whose store is in step with its folder, and how long that took."""
    begun = time.perf_counter()
    engine = open_engine(load({"COMMONPLACE_HOME": home}))
    sync(vault_of(engine))
    return engine, (time.perf_counter() - begun) * 1000


def _calls(home: str) -> dict[str, float]:
    engine, _ = _started(home)
    engine.rebuild()
    author = Author(seed=5)
    questions = [author.question(text) for text in author.memories(SEARCHES)]
    asked: dict[str, list[tuple[str, dict[str, object]]]] = {
        "memory_search": [
            ("memory_search", {"query": question}) for question in ("warm up", *questions)
        ],
        "memory_append": [
            ("memory_append", {"title": f"New {n}", "body": "New."}) for n in range(APPENDS)
        ],
    }
    found: dict[str, float] = {}
    for name, calls in asked.items():
        spent: list[float] = []
        for tool, given in calls:
            begun = time.perf_counter()
            assert not DIALECT.call(tool, given, Call(engine, "default")).is_error
            spent.append(time.perf_counter() - begun)
        found[name] = statistics.median(spent) * 1000
    return found


def main() -> None:
    name, home = sys.argv[1:]
    print(json.dumps(_calls(home) if name == "calls" else {"ms": _started(home)[1]}))


if __name__ == "__main__":
    main()
