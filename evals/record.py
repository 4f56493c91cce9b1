"""Keeps what was measured in a small file beside the page, so that the next run can tell what
changed.

The file has a part for each thing that is measured on its own: the public sets, our own precision
set, the ablations. Each part says when it was made and on which commit.
"""

import json
import os
import platform
import re
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

import commonplace
from commonplace.evaluation.metrics import Estimate
from evals.ways import OURS

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
NAME = "quality.json"

# Set or group, then the way it was asked, then the measure.
Results: TypeAlias = dict[str, dict[str, dict[str, Estimate]]]
Part: TypeAlias = dict[str, Any]


def part(results: Results, about: Mapping[str, object], last_run: Part, last_commit: Part) -> Part:
    """A part of the record, made now, with the values that the last run and the last commit had in
    its place.
    """
    told = {
        group: {way: {m: _numbers(e) for m, e in found.items()} for way, found in ways.items()}
        for group, ways in results.items()
    }
    made = {
        "date": f"{datetime.now(UTC):%Y-%m-%d %H:%M}",
        "commit": _commit(),
        "version": commonplace.__version__,
    }
    before = {"run": _former(last_run), "commit": _former(last_commit)}
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return {**made, "machine": machine, **about, "results": told, "before": before}


def _former(given: Part) -> Part:
    """Only what was daily, and only the values: enough to tell a change by."""
    values = {
        group: {measure: numbers[0] for measure, numbers in ways.get(OURS, {}).items()}
        for group, ways in given.get("results", {}).items()
    }
    return {"date": given.get("date", ""), "commit": given.get("commit", ""), "values": values}


def results(given: Part) -> Results:
    """The results that a part holds."""
    return {
        group: {
            way: {m: Estimate(*numbers) for m, numbers in found.items()}
            for way, found in ways.items()
        }
        for group, ways in given.get("results", {}).items()
    }


def kept(folder: Path) -> dict[str, Part]:
    """What the last runs left in a folder."""
    file = folder / NAME
    return _read(file.read_text(encoding="utf-8")) if file.is_file() else {}


def committed() -> dict[str, Part]:
    """What the last commit holds; nothing where there is no git."""
    return _read(_git("show", f"HEAD:docs/{NAME}"))


def keep(folder: Path, record: Mapping[str, Part]) -> None:
    """Write the record, each result on a line of its own so that a diff shows what changed."""
    text = json.dumps(record, indent=1, ensure_ascii=False)
    short = re.sub(
        r"\[\s+([-0-9.,\s]+?)\s+\]", lambda found: f"[{' '.join(found[1].split())}]", text
    )
    (folder / NAME).write_text(short + "\n", encoding="utf-8")


def _numbers(estimate: Estimate) -> list[float]:
    return [
        round(estimate.value, 4),
        round(estimate.low, 4),
        round(estimate.high, 4),
        estimate.count,
    ]


def _read(text: str) -> dict[str, Part]:
    try:
        return json.loads(text)
    except ValueError:
        return {}


def _commit() -> str:
    changed = "+" if _git("status", "--porcelain", "--", "src") else ""
    return _git("rev-parse", "--short", "HEAD").strip() + changed


def _git(*words: str) -> str:
    try:
        done = subprocess.run(
            ["git", *words], cwd=ROOT, capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return done.stdout if done.returncode == 0 else ""
