"""Packages stay small, and a sub-package imports only the siblings that are listed here."""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.test_house import FILES, PACKAGE, lazily_imported, trees

FILES_MAX = 18
# Packages with more modules, with the reason.
LARGE = {"recall": (25, "the issue about ranking rebuilds it")}
# Which siblings a sub-package may import. One that is not named here imports none.
SIBLINGS: dict[str, dict[str, set[str]]] = {
    "dialects": {"mem0": {"powermem"}},
    "engine": {
        "erasure": {"facts", "hooks", "reflect", "versions"},
        "facts": {"erasure", "links", "operations", "reflect", "versions"},
        "hooks": {"sessions"},
        "links": {"facts", "operations", "versions"},
        "operations": {"erasure", "facts", "links", "reflect", "sessions", "versions"},
        "reflect": {"erasure", "facts", "operations", "sessions"},
        "sessions": {"erasure", "links"},
        "versions": {"erasure"},
    },
    "faces": {
        "cli": {"connect", "hooks", "http", "mcp"},
        "connect": {"http"},
        "hooks": {"warm"},
        "http": {"mcp", "rest", "warm", "web"},
        "mcp": {"warm"},
        "rest": {"http", "mcp"},
        "web": {"cli", "connect", "http"},
    },
    "vault": {"folder": {"note_format"}, "note_format": {"folder"}},
}


def imported_modules(tree: ast.Module) -> Iterator[str]:
    """Every module of this project that a module imports, at any time."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
    yield from (module for module, _ in lazily_imported(tree))


def sibling_imports(package: str, path: str, tree: ast.Module) -> set[tuple[str, str]]:
    """The sub-package of a module, with each sibling that the module imports."""
    parts = path.split("/")
    if parts[0] != package or len(parts) < 3:
        return set()
    siblings = {file.parent.name for file in (PACKAGE / package).glob("*/__init__.py")}
    pattern = re.compile(rf"commonplace\.{package}\.(\w+)\b.*")
    found = {match[1] for name in imported_modules(tree) if (match := pattern.fullmatch(name))}
    return {(parts[1], other) for other in found & siblings - {parts[1]}}


def test_a_package_has_few_modules() -> None:
    sizes: dict[str, int] = {}
    for file in FILES:
        package = file.parent.relative_to(PACKAGE).as_posix()
        sizes[package] = sizes.get(package, 0) + (file.name != "__init__.py")

    assert {
        package: size
        for package, size in sizes.items()
        if size > LARGE.get(package, (FILES_MAX, ""))[0]
    } == {}


@pytest.mark.parametrize("package", SIBLINGS)
def test_a_subpackage_imports_only_the_siblings_that_are_listed(package: str) -> None:
    allowed = SIBLINGS[package]
    assert [
        f"{path} imports {other}"
        for path, tree in trees()
        for name, other in sibling_imports(package, path, tree)
        if other not in allowed.get(name, set())
    ] == []


def test_an_import_of_a_sibling_is_noticed_however_it_is_written() -> None:
    for text in (
        "from commonplace.engine.facts import retain",
        "from commonplace.engine import facts",
        "import commonplace.engine.facts.retain",
        "def f():\n    from commonplace.engine.facts.retain import retain",
        "load('commonplace.engine.facts.retain:retain')",
    ):
        tree = ast.parse(text)
        assert sibling_imports("engine", "engine/sessions/rules.py", tree) == {
            ("sessions", "facts")
        }
        assert sibling_imports("engine", "engine/facts/graph.py", tree) == set()
        assert sibling_imports("engine", "engine/memories.py", tree) == set()
