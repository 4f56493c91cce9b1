"""What the package imports is declared, so that an installation from the wheel alone has it."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

from commonplace.faces.cli import cli
from tests.docs.loading import script

ROOT = Path(__file__).parent.parent.parent
UNIMPORTED = {
    "cryptography",  # mcp needs it; the line says which version some platforms can install
    "httptools",  # uvicorn takes it where it is installed
    "tzdata",  # zoneinfo reads it where the system has no time zones
    "uvloop",  # uvicorn takes it where it is installed
}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def declared() -> set[str]:
    lines: list[str] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "dependencies"
    ]
    return {normal(re.split(r"[^\w.-]", line, maxsplit=1)[0]) for line in lines}


def imported() -> set[str]:
    names: set[str] = set()
    for file in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names.add(node.module)
    return (
        {name.split(".", maxsplit=1)[0] for name in names}
        - set(sys.stdlib_module_names)
        - {"commonplace"}
    )


def test_every_package_that_is_imported_is_declared_and_no_other() -> None:
    distributions = packages_distributions()
    used = {normal(distributions[name][0]) for name in imported()}

    assert sorted(used - declared()) == []
    assert sorted(declared() - used) == sorted(UNIMPORTED)


def test_everything_declared_is_locked() -> None:
    locked = {
        normal(name)
        for name in re.findall(r"^[a-zA-Z][\w.-]*", (ROOT / "requirements.txt").read_text(), re.M)
    }

    assert sorted(declared() - locked) == []


def test_the_pages_name_the_pythons_and_platforms_that_are_checked() -> None:
    wheels = script("wheels")
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["classifiers"]

    assert f"| | {' | '.join(f'Python {python}' for python in wheels.PYTHONS)} |\n" in page
    assert re.findall(r"^\| (\w.*?) \|", page, re.MULTILINE) == list(wheels.PLATFORMS)
    assert [line[-4:] for line in classifiers if " 3." in line] == list(wheels.PYTHONS)


def test_every_command_and_target_of_the_install_page_exists() -> None:
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)

    assert set(re.findall(r"`make ([a-z]+)`", page)) - set(targets) == set()
    assert set(re.findall(r"\bcommonplace ([a-z]+)", page)) - set(cli.commands) == set()
