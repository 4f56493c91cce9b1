"""Writes the table of docs/architecture.md: this code beside three well-known projects.

`python scripts/code_figures.py` measures this project again. `--beside NAME=FOLDER` also measures
the package in a folder and keeps its figures in docs/code_figures.json, so that they need not be
fetched again.
"""

import argparse
import ast
import json
import statistics
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeAlias

from walks import walks

from commonplace.settings import SETTINGS

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "commonplace"
PAGE = ROOT / "docs" / "architecture.md"
KEPT = ROOT / "docs" / "code_figures.json"
BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"
LINE_CHARS_MAX = 100
# Shorter functions have so few lines that one branch is a large part of them.
_DENSE_LINES_MIN = 8

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_BRANCHES = (
    ast.If,
    ast.IfExp,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ExceptHandler,
    ast.Assert,
    ast.match_case,
)


@dataclass(frozen=True)
class Figures:
    """What is measured of one package."""

    files: int
    lines: int
    median_file: int
    longest_file: int
    functions: int
    median_function: int
    longest_function: int
    mean_complexity: float
    complex_functions: float
    branches_a_line: float
    long_lines: int
    broad_excepts: int
    casts: int
    nodes: int


NAMES: Mapping[str, str] = {
    "files": "files",
    "lines": "lines",
    "median_file": "lines of the median file",
    "longest_file": "lines of the longest file",
    "functions": "functions",
    "median_function": "lines of the median function",
    "longest_function": "lines of the longest function",
    "mean_complexity": "mean cyclomatic complexity",
    "complex_functions": "functions with a complexity over 10 (%)",
    "branches_a_line": f"branches a line, in functions of {_DENSE_LINES_MIN} lines or more",
    "long_lines": f"lines over {LINE_CHARS_MAX} characters",
    "broad_excepts": "broad excepts",
    "casts": "casts",
    "nodes": "nodes of the syntax tree",
    # Only of this project: the others have neither our settings nor a recall.
    "settings": "settings",
    "recall_files": "files that one recall passes",
    "recall_functions": "functions that one recall passes",
}


def branch_count(function: Function) -> int:
    """How many branches a function has, without the functions and classes inside it."""
    return sum(_branches(node) for node in _own_nodes(function))


def complexity(function: Function) -> int:
    """The cyclomatic complexity of a function."""
    return 1 + branch_count(function)


def functions_of(tree: ast.AST) -> list[Function]:
    """Every function of a module, also those inside others."""
    return [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def line_count(function: Function) -> int:
    """How many lines a function has, from `def` to its end."""
    return (function.end_lineno or function.lineno) - function.lineno + 1


def _own_nodes(function: Function) -> Iterator[ast.AST]:
    waiting = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node
            waiting.extend(ast.iter_child_nodes(node))


def _branches(node: ast.AST) -> int:
    if isinstance(node, ast.BoolOp):
        return len(node.values) - 1
    if isinstance(node, ast.comprehension):
        return 1 + len(node.ifs)
    return int(isinstance(node, _BRANCHES))


def _is_broad(node: ast.AST) -> bool:
    if not isinstance(node, ast.ExceptHandler):
        return False
    return node.type is None or getattr(node.type, "id", "") in ("Exception", "BaseException")


def _is_cast(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "cast"


def measure(package: Path) -> Figures:
    """The figures of the package in a folder."""
    texts = [file.read_text(encoding="utf-8") for file in sorted(package.rglob("*.py"))]
    trees = [ast.parse(text) for text in texts]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    functions = [function for tree in trees for function in functions_of(tree)]
    lengths = [len(text.splitlines()) for text in texts]
    dense = [function for function in functions if line_count(function) >= _DENSE_LINES_MIN]
    complexities = [complexity(function) for function in functions]
    return Figures(
        files=len(texts),
        lines=sum(lengths),
        median_file=round(statistics.median(lengths)),
        longest_file=max(lengths),
        functions=len(functions),
        median_function=round(statistics.median(map(line_count, functions))),
        longest_function=max(map(line_count, functions)),
        mean_complexity=round(statistics.mean(complexities), 2),
        complex_functions=round(100 * sum(one > 10 for one in complexities) / len(functions), 1),
        branches_a_line=round(sum(map(branch_count, dense)) / sum(map(line_count, dense)), 2),
        long_lines=sum(len(line) > LINE_CHARS_MAX for text in texts for line in text.splitlines()),
        broad_excepts=sum(map(_is_broad, nodes)),
        casts=sum(map(_is_cast, nodes)),
        nodes=len(nodes),
    )


def own_figures() -> dict[str, float]:
    """The figures of this project, with those that the others do not have."""
    with tempfile.TemporaryDirectory() as folder:
        recall = walks(Path(folder))["A recall"]
    return {
        **asdict(measure(PACKAGE)),
        "settings": len(SETTINGS),
        "recall_files": len(recall.files),
        "recall_functions": len(recall.functions),
    }


def table(columns: Mapping[str, Mapping[str, float]]) -> str:
    """The figures of several packages side by side, in Markdown."""
    rows = [["", *columns], ["---", *["---:"] * len(columns)]]
    for name, label in NAMES.items():
        cells = (f"{one[name]:,}" if name in one else "–" for one in columns.values())
        rows.append([label, *cells])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def read_table(text: str) -> dict[str, str]:
    """The labels of a page's table, and what it says of this project."""
    rows = text.split(BEGIN)[1].split(END, maxsplit=1)[0].strip().splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return {row[0]: row[1] for row in cells}


def page() -> str:
    """The page with the table made anew."""
    kept: dict[str, dict[str, float]] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    before, rest = PAGE.read_text().split(BEGIN)
    after = rest.split(END)[1]
    made = table({"Commonplace": own_figures(), **kept})
    return f"{before}{BEGIN}\n{made}\n{END}{after}"


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--beside", action="append", default=[], metavar="NAME=FOLDER")
    chosen: list[str] = parser.parse_args().beside
    if chosen:
        named = (one.partition("=") for one in chosen)
        figures = {name: asdict(measure(Path(folder))) for name, _, folder in named}
        KEPT.write_text(json.dumps(figures, indent=2) + "\n")
    PAGE.write_text(page())


if __name__ == "__main__":
    main()
