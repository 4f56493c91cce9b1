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

# Runs the program with some arguments and writes the names of the imported modules to a file.
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
    *("app", "engine", "faces", "globs", "ids", "language", "limits", "models", "records"),
    *("reserved_metadata", "settings", "storage", "validation"),
}
# By command: the packages and root modules of this program, and the packages of others. An entry
# that is added needs a reason.
MAY_IMPORT: dict[tuple[str, ...], tuple[set[str], set[str]]] = {
    ("--version",): ({*ROOT_ROOMS, "faces"}, {"click"}),
    ("--help",): ({*ROOT_ROOMS, "faces"}, {"click"}),
    ("settings",): (
        {*STORE, "dialects", "filesystem", "vault"},
        {"Stemmer", "apsw", "click", "platformdirs"},
    ),
    ("add", "Staging listens on port 8080."): (STORE, {"Stemmer", "apsw", "click", "platformdirs"}),
    ("list",): (STORE, {"Stemmer", "apsw", "click", "platformdirs"}),
    ("recall", "which port?"): (
        {*STORE, "recall"},
        {"Stemmer", "apsw", "click", "numpy", "onnxruntime", "platformdirs", "tokenizers"},
    ),
}
# What a server imports before its first answer, and what some dialects import besides: Hindsight's
# tools have the YAML of knowledge pages and the schedules of mental models in their descriptions.
SERVER = ({*STORE, "dialects"}, {"apsw", "click", "platformdirs"})
BESIDES: dict[str, tuple[set[str], set[str]]] = {
    "hindsight": ({"filesystem", "vault"}, {"cronsim"}),
    "memories": ({"git_project"}, set()),
}
# Modules of the packages above that a first answer does not need, though some tools do.
LATER = (
    *("commonplace.engine.memories", "commonplace.engine.recall", "commonplace.engine.documents"),
    *("commonplace.language.analyzer", "commonplace.storage.text_index", "commonplace.vault.sync"),
)


def run(tmp_path: Path, *args: str, given: str = "") -> tuple[str, set[str]]:
    """What the program printed in a store with one memory, and the modules that it imported: its
    own, and those of installed packages.
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
    own = "commonplace."
    return done.stdout, {
        name for name, file in found.items() if name.startswith(own) or "site-packages" in file
    }


def grouped(modules: set[str]) -> tuple[set[str], set[str]]:
    """The packages and root modules of this program, and the packages of others."""
    own = {name.split(".")[1] for name in modules if name.startswith("commonplace.")}
    others = {name.split(".")[0] for name in modules}
    return own - {"__main__"}, {name for name in others if name[0] != "_"} - {"commonplace"}


@pytest.mark.parametrize("args", MAY_IMPORT, ids=lambda args: args[0])
def test_a_command_imports_no_more_than_it_uses(tmp_path: Path, args: tuple[str, ...]) -> None:
    own_allowed, others_allowed = MAY_IMPORT[args]

    printed, modules = run(tmp_path, *args)
    own, others = grouped(modules)

    assert printed
    assert sorted(own - own_allowed) == []
    assert sorted(others - others_allowed) == []


@pytest.mark.parametrize("dialect", registry.NAMES)
def test_a_server_answers_first_without_recall_extraction_models_or_the_official_sdk(
    tmp_path: Path, dialect: str
) -> None:
    printed, modules = run(tmp_path, "mcp", "--dialect", dialect, given=FIRST)
    own, others = grouped(modules)
    more_own, more_others = BESIDES.get(dialect, (set[str](), set[str]()))

    assert json.loads(printed)["result"]["serverInfo"]["name"] == "commonplace"
    assert sorted(own - SERVER[0] - more_own) == []
    assert sorted(others - SERVER[1] - more_others) == []
    assert sorted(modules & set(LATER)) == []


@pytest.mark.parametrize("name", sorted(COMMAND_TABLE))
def test_the_overview_and_a_commands_own_help_describe_it_alike(name: str) -> None:
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
