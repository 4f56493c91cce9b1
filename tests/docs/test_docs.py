"""The reference agrees with the code, and the first session prints what its page shows."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from commonplace.engine.engine import Engine
from commonplace.errors import CommonplaceError
from commonplace.faces.cli import cli
from commonplace.settings import SETTINGS
from tests.docs.loading import script

ROOT = Path(__file__).parent.parent.parent
REFERENCE = ROOT / "docs" / "reference"


def page(name: str) -> str:
    return (REFERENCE / name).read_text(encoding="utf-8")


def test_the_reference_agrees_with_the_code(tmp_path: Path) -> None:
    # In a process of its own: click remembers the help option of a command that another test ran by
    # itself.
    command = [sys.executable, str(ROOT / "scripts" / "reference.py"), str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)

    assert sorted(file.name for file in tmp_path.iterdir()) == sorted(
        file.name for file in REFERENCE.iterdir()
    )
    for file in tmp_path.iterdir():
        assert page(file.name) == file.read_text(encoding="utf-8"), f"{file.name}: run `make docs`"


def test_every_setting_is_documented() -> None:
    assert [row.name for row in SETTINGS if f"`{row.variable}`" not in page("settings.md")] == []


def test_every_command_is_documented_with_an_example() -> None:
    commands = page("commands.md")

    assert [name for name in cli.commands if f"\n## {name}\n" not in commands] == []
    assert [name for name in cli.commands if f"\n    commonplace {name}" not in commands] == []


def test_every_error_kind_is_documented_with_its_codes() -> None:
    rows = [
        f"| `{kind.__name__}` | {kind.status} | {kind.exit_code} |"
        for kind in CommonplaceError.__subclasses__()
    ]

    assert [row for row in rows if row not in page("errors.md")] == []


def test_every_verb_is_documented_with_a_sentence() -> None:
    verbs = [
        name
        for name in list(vars(Engine))
        if callable(getattr(Engine, name)) and not name.startswith("_")
    ]

    assert "recall" in verbs
    assert [
        name
        for name in verbs
        if not re.search(rf"### {name}\n\n```python\n{name}\([^`]*```\n\n\w", page("verbs.md"))
    ] == []


def test_every_link_between_the_pages_leads_somewhere() -> None:
    broken = [
        f"{file.name}: {target}"
        for file in (ROOT / "docs").rglob("*.md")
        for target in re.findall(r"\]\(([^)#:]+)\)", file.read_text(encoding="utf-8"))
        if not (file.parent / target).exists()
    ]
    assert broken == []


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo terminal")
def test_the_first_session_prints_what_the_page_shows() -> None:
    start = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")

    # What is the same but for ids and times is left as it is on the page.
    assert script("sessions").rerun(start, os.environ) == start


def test_the_times_of_the_first_session_are_those_of_one_run() -> None:
    start = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    printed = [line for line in start.splitlines() if not line.startswith(("$ ", "Hint:"))]

    assert len({day for line in printed for day in re.findall(r"\d{4}-\d\d-\d\d", line)}) == 1
