"""Starting costs what is used: what each command may import, and what it may not."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import commonplace
from commonplace.dialects import registry
from commonplace.faces.cli import cli
from commonplace.faces.cli.command_table import COMMAND_TABLE

# Runs the program with some arguments and leaves the names of what it imported in a file.
PROGRAM = """
import atexit, json, pathlib, sys
out = pathlib.Path(sys.argv.pop(1))
before = set(sys.modules)
def write_names():
    new = {name: one for name, one in sys.modules.items() if name not in before}
    files = {name: getattr(one, "__file__", None) or "" for name, one in new.items()}
    out.write_text(json.dumps(files))
atexit.register(write_names)
from commonplace.__main__ import main
sys.exit(main())
"""
FIRST = (
    '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion":'
    ' "2025-06-18"}}\n'
)
ROOT_ROOMS = {"clock", "errors", "interrupts", "lazy", "spelling"}
STORE = {
    *ROOT_ROOMS,
    *(
        "records",
        "app",
        "validation",
        "engine",
        "faces",
        "globs",
        "ids",
        "language",
        "limits",
        "reserved_metadata",
        "models",
        "filesystem",
        "records",
    ),
    *("settings", "storage"),
}
# By command: the rooms and root modules of ours, and the packages of others. Less is better; more
# needs a reason.
MAY_IMPORT: dict[tuple[str, ...], tuple[set[str], set[str]]] = {
    ("--version",): ({*ROOT_ROOMS, "faces"}, {"click"}),
    ("--help",): ({*ROOT_ROOMS, "faces"}, {"click"}),
    ("settings",): ({*STORE, "dialects", "vault"}, {"Stemmer", "apsw", "click", "platformdirs"}),
    ("add", "Staging listens on port 8080."): (STORE, {"Stemmer", "apsw", "click", "platformdirs"}),
    ("list",): (STORE, {"Stemmer", "apsw", "click", "platformdirs"}),
    ("recall", "which port?"): (
        {*STORE, "extract", "recall"},
        {"Stemmer", "apsw", "click", "numpy", "onnxruntime", "platformdirs", "tokenizers"},
    ),
}
# Before the first answer no model is loaded, and only the dialect that is made of notes knows their
# files.
SERVER = {*STORE, "dialects", "extract", "git_project", "recall"}


def run(tmp_path: Path, *args: str, given: str = "") -> tuple[str, set[str], set[str]]:
    """What the program printed in a store with one memory, and the rooms and packages that it
    imported.
    """
    engine = commonplace.open(tmp_path / "home")
    engine.remember("default", commonplace.Draft("Staging listens on port 8080."))
    engine.db.close()
    out = tmp_path / "modules.json"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(out), "--home", str(tmp_path / "home"), *args],
        input=given,
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(out.read_text())
    ours = {name.split(".")[1] for name in found if name.startswith("commonplace.")}
    theirs = {name.split(".")[0] for name, file in found.items() if "site-packages" in file}
    return (
        done.stdout,
        ours - {"__main__"},
        {name for name in theirs if not name.startswith("_")} - {"commonplace"},
    )


@pytest.mark.parametrize("args", MAY_IMPORT, ids=lambda args: args[0])
def test_a_command_imports_no_more_than_it_uses(tmp_path: Path, args: tuple[str, ...]) -> None:
    rooms, packages = MAY_IMPORT[args]

    printed, ours, theirs = run(tmp_path, *args)

    assert printed
    assert sorted(ours - rooms) == []
    assert sorted(theirs - packages) == []


@pytest.mark.parametrize("dialect", registry.NAMES)
def test_a_server_answers_first_without_ranking_models_or_the_official_sdk(
    tmp_path: Path, dialect: str
) -> None:
    printed, ours, theirs = run(tmp_path, "mcp", "--dialect", dialect, given=FIRST)

    assert json.loads(printed)["result"]["serverInfo"]["name"] == "commonplace"
    assert sorted(ours - SERVER - ({"vault"} if dialect in ("hindsight", "vault") else set())) == []
    assert sorted(theirs - {"Stemmer", "apsw", "click", "cronsim", "platformdirs"}) == []


@pytest.mark.parametrize("name", sorted(COMMAND_TABLE))
def test_the_overview_says_of_a_command_what_its_own_help_says(name: str) -> None:
    assert COMMAND_TABLE[name].help == cli.commands[name].get_short_help_str(66)
    assert cli.commands[name].name == name


def test_the_public_names_are_all_there_and_import_nothing_before_they_are_used() -> None:
    script = (
        "import sys, commonplace; before = [name for name in sys.modules if"
        " name.startswith('commonplace.')]; missing = [name for name in commonplace.__all__ if not"
        " hasattr(commonplace, name)]; print(before, missing)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert done.stdout == "[] []\n"
