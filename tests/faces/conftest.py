"""The command line, run in this process or as the real program in a fresh home."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from commonplace.faces.cli import main
from tests.docs.loading import script


@dataclass(frozen=True)
class Answer:
    """What a run left behind."""

    code: int
    out: str
    err: str

    @property
    def ids(self) -> list[str]:
        return [word for word in self.out.split() if len(word) == 12 and word.startswith("m0")]


Run = Callable[..., Answer]


@pytest.fixture
def run(home: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the program inside this process, with a pipe on each side."""
    monkeypatch.setenv("COMMONPLACE_HOME", str(home))
    monkeypatch.setenv("LOGNAME", "ada")

    def invoke(*args: str, stdin: str = "") -> Answer:
        with CliRunner().isolation(input=stdin) as (out, err, _):
            code = main(args)
            sys.stdout.flush()
            return Answer(code, out.getvalue().decode(), err.getvalue().decode())

    return invoke


def fresh(folder: Path) -> dict[str, str]:
    """The environment of somebody who has never run the program."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("COMMONPLACE_", "XDG_"))
    }
    return kept | {
        "HOME": str(folder),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{kept['PATH']}",
    }


@pytest.fixture
def terminal(tmp_path: Path) -> Callable[..., str]:
    """Runs the real program with a terminal as its standard output; what appears on it."""

    def invoke(command: str, **environment: str) -> str:
        place = fresh(tmp_path) | {"COLUMNS": "80", "TERM": "xterm-256color"} | environment
        return script("sessions").run(command, str(tmp_path), place)

    return invoke


@pytest.fixture
def program(tmp_path: Path) -> Run:
    """Runs the real program in a process of its own, as a shell command, in a fresh HOME."""

    def invoke(command: str, **environment: Any) -> Answer:
        done = subprocess.run(
            command,
            shell=True,
            cwd=tmp_path,
            env=fresh(tmp_path) | environment,
            capture_output=True,
            check=False,
            timeout=60,
        )
        return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())

    return invoke
