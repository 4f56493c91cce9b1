"""Ctrl-C ends the program at any moment with exit code 130 and no traceback."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.faces.conftest import fresh

WAIT_S = 30
pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows has no signals to send")


@contextmanager
def started(folder: Path, *command: str, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """A program whose input stays open."""
    # A program that is started where Ctrl-C is ignored ignores it too, as in a shell's background.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=fresh(folder) | environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    signal.signal(signal.SIGINT, before)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def interrupted(process: subprocess.Popen[bytes]) -> tuple[int, str]:
    process.send_signal(signal.SIGINT)
    assert process.stderr
    err = process.stderr.read().decode()
    return process.wait(WAIT_S), err


@pytest.mark.parametrize(
    ("program", "module"),
    [
        ((str(Path(sys.executable).with_name("commonplace")), "recall", "x"), "click"),
        ((sys.executable, "-m", "commonplace", "recall", "x"), "click"),
        ((sys.executable, "-m", "commonplace.mcp"), "platformdirs"),
    ],
)
def test_while_the_program_is_being_loaded(
    tmp_path: Path, program: tuple[str, ...], module: str
) -> None:
    # A module that takes its time, in front of the one that the program loads.
    (tmp_path / "slow").mkdir()
    (tmp_path / "slow" / f"{module}.py").write_text(
        f"open({str(tmp_path / 'loading')!r}, 'w')\nimport time\ntime.sleep(60)"
    )

    with started(tmp_path, *program, PYTHONPATH=str(tmp_path / "slow")) as process:
        wait_until((tmp_path / "loading").exists)

        assert interrupted(process) == (130, "")


@pytest.mark.parametrize("args", [("import", "-"), ("add", "-")])
def test_while_a_command_runs(tmp_path: Path, args: tuple[str, ...]) -> None:
    ready = tmp_path / "ready"
    # Says when the command has begun to read its input, which does not end.
    code = (
        "import io, pathlib, sys\n"
        "class Slow(io.FileIO):\n"
        "    def readinto(self, room):\n"
        f"        pathlib.Path({str(ready)!r}).touch()\n"
        "        return super().readinto(room)\n"
        "sys.stdin = io.TextIOWrapper(io.BufferedReader(Slow(0, closefd=False)))\n"
        "from commonplace.__main__ import main\n"
        f"sys.argv[1:] = {list(args)!r}\n"
        "sys.exit(main())"
    )
    with started(tmp_path, sys.executable, "-c", code) as process:
        wait_until(ready.exists)

        code_, err = interrupted(process)

    assert code_ == 130
    assert err.strip().splitlines() == [
        "Error: Stopped.",
        "Hint:  Everything that was reported as done is saved; the rest is not.",
    ]


def test_while_it_serves(tmp_path: Path) -> None:
    with started(tmp_path, sys.executable, "-m", "commonplace", "serve", "--port", "0") as process:
        assert process.stderr
        while b"Ctrl+C" not in process.stderr.readline():
            assert process.poll() is None

        code, err = interrupted(process)

    assert code == 130
    assert "Traceback" not in err


def test_where_another_library_turned_it_into_an_error_of_its_own(tmp_path: Path) -> None:
    # SQLite calls our functions, and says that the function failed instead of what was raised in
    # it.
    code = (
        "import sqlite3, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from commonplace import interrupts\n"
        "from commonplace.faces.cli import cli, main\n"
        "import click\n"
        "@cli.command('swallow')\n"
        "def swallow():\n"
        "    db = sqlite3.connect(':memory:')\n"
        "    db.create_function('stop', 0, lambda: signal.raise_signal(signal.SIGINT))\n"
        "    db.execute('select stop()')\n"
        "sys.exit(interrupts.run(lambda: lambda: main(['swallow'])))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=fresh(tmp_path), capture_output=True, check=False
    )

    assert (done.returncode, done.stderr.decode().strip().splitlines()[0]) == (
        130,
        "Error: Stopped.",
    )
