"""The public sets are asked of the engine as their loaders say. A small folder stands in for
theirs.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
LOADERS = """
def lights():
    docs = {
        "a": "The red lamp hangs in the hall.",
        "b": "The green lamp hangs in the yard.",
        "c": "Fog lamps blink.",
    }
    questions = [
        ("1", "Where does the green lamp hang?", {"b"}, ""),
        ("2", "Who wrote Hamlet?", {"c"}, ""),
    ]
    yield "one", docs, questions


def earlier():
    docs = {
        "a": "Ada painted the door blue.",
        "b": "Ada painted the door green.",
        "c": "Ada painted the door white.",
    }
    # Only what stands before the second document may be ranked.
    yield "two", docs, [("1|1", "Which colour is the door that Ada painted?", {"a"}, "")]


class BM25:
    def __init__(self, docs):
        self.docs = docs

    def rank(self, query, k=50, skip=()):
        return [doc for doc in self.docs if doc not in skip][:k]


SETS = {"lights": lights, "earlier": earlier}
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "loaders.py").write_text(LOADERS)
    return tmp_path


def measured(data: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "evals", *words]
    environment = os.environ | {"COMMONPLACE_DATA": str(data)}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def test_each_set_is_asked_in_each_way_and_the_page_is_left_alone_by_some_of_them(
    data: Path,
) -> None:
    page = ROOT / "docs" / "quality.md"
    before = page.read_bytes()

    done = measured(data, "lights")

    rows = {" ".join(line.split()[:2]): line.split() for line in done.stdout.splitlines()}
    assert rows["lights Commonplace"][2:6] == ["0.500", "(0.000–1.000)", "0.500", "(0.000–1.000)"]
    # BM25 as it stands there names all in order: the right one second, or third.
    assert "0.417" in rows["plain BM25"]
    assert page.read_bytes() == before


def test_what_may_not_be_ranked_is_kept_out_inside_the_search(data: Path) -> None:
    done = measured(data, "earlier", "--print-only")

    row = next(line for line in done.stdout.splitlines() if line.startswith("earlier"))
    # Of equals the newest would come first, so every measure but silence is 1 only without the
    # later two.
    assert row.count("1.000 (1.000–1.000)") == 5


def test_what_is_missing_or_unknown_is_said(data: Path, tmp_path: Path) -> None:
    assert "Use some of: lights, earlier, precision." in measured(data, "nowhere").stderr
    missing = measured(tmp_path / "none")
    assert missing.returncode == 2
    assert "Set COMMONPLACE_DATA" in missing.stderr
