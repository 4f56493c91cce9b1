"""What the pages and the messages tell people to type works."""

import ast
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from commonplace.faces.cli import cli
from tests.docs.loading import ROOT
from tests.faces.conftest import fresh

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SOURCES = sorted((ROOT / "src" / "commonplace").rglob("*.py"))
MEMORY_ID = re.compile(r"\bm0[0-9a-hjkmnp-tv-z]{7,10}\b")
_TYPED = re.compile(r"`(commonplace(?: [^`\n]*)?)`|^ *(?:\$ )?(commonplace(?: .*)?)$", re.MULTILINE)


def shown(text: str) -> Iterator[str]:
    """The commands of ours in a text: between backticks, or alone on a line."""
    for quoted, line in _TYPED.findall(text):
        yield quoted or line.partition("  #")[0].removesuffix("&").strip()


def said(file: Path) -> Iterator[str]:
    """The texts in a source file, with a word in place of each value."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "VALUE"
                for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def fault(command: str) -> str:
    """Why the program would not take a command; empty if it would."""
    words = re.split(r" [|>] ", command, maxsplit=1)[0]
    part: click.Command = cli
    try:
        rest = shlex.split(words)[1:]
        while True:
            _, rest, _ = part.make_parser(click.Context(part)).parse_args(rest)
            if not isinstance(part, click.Group) or not rest or rest[0].isupper():
                return ""
            found = part.get_command(click.Context(part), rest[0])
            if found is None:
                return f"{command}: there is no command {rest[0]}"
            part, rest = found, rest[1:]
    except click.UsageError as error:
        return f"{command}: {error.format_message()}"


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("commonplace nonsense", "no command nonsense"),
        ("commonplace add --nonsense x", "--nonsense"),
        ("commonplace vault nonsense", "no command nonsense"),
        ("commonplace add One --tag", "requires an argument"),
        ("commonplace --home ./elsewhere import a.jsonl", ""),
        ("commonplace", ""),
    ],
)
def test_a_command_that_would_be_refused_is_noticed(command: str, why: str) -> None:
    assert why in fault(command)
    assert bool(why) == bool(fault(command))


def test_every_command_on_the_pages_is_one_the_program_takes() -> None:
    commands = [
        (file.name, command)
        for file in PAGES
        for command in shown(file.read_text(encoding="utf-8"))
    ]

    assert len(commands) > 150
    assert [f"{name}: {why}" for name, command in commands if (why := fault(command))] == []


def test_every_command_in_a_message_is_one_the_program_takes() -> None:
    commands = [
        (file.name, command) for file in SOURCES for text in said(file) for command in shown(text)
    ]

    assert len(commands) > 50
    assert [f"{name}: {why}" for name, command in commands if (why := fault(command))] == []


def test_every_target_of_make_on_the_pages_exists() -> None:
    targets = set(
        re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    )
    named = {
        target
        for file in (*PAGES, ROOT / "AGENTS.md")
        for target in re.findall(
            r"`make ([a-z]+)`|^make ([a-z]+)", file.read_text(encoding="utf-8"), re.MULTILINE
        )
        for target in target
        if target
    }

    assert {"run", "test"} <= named <= targets


@pytest.mark.skipif(sys.platform == "win32", reason="the lines are for a shell")
def test_the_ten_lines_of_the_readme_do_what_they_say(tmp_path: Path) -> None:
    text = (
        (ROOT / "README.md")
        .read_text(encoding="utf-8")
        .partition("## Ten lines")[2]
        .partition("```")[2]
    )
    lines = re.findall(r"^\$ (.*)", text.partition("```")[0], re.MULTILINE)
    place, printed, memory_id = fresh(tmp_path), list[str](), ""

    assert lines.pop(0) == "alias commonplace=.venv/bin/commonplace"
    for line in lines:
        command = MEMORY_ID.sub(memory_id, line)
        done = subprocess.run(
            command,
            shell=True,
            cwd=tmp_path,
            env=place,
            input=b"y\n",
            capture_output=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, (line, done.stderr.decode())
        printed.append(done.stdout.decode() + done.stderr.decode())
        memory_id = memory_id or MEMORY_ID.findall(printed[-1])[0]

    add, recall, revise, history, forget, purge, connect, backup, doctor = printed
    assert add.startswith("Remembered ")
    assert "Staging listens on port 8080." in recall
    assert "(version 2)" in revise
    assert "moved" in history
    assert "(version 3)" in forget
    assert "Erased" in purge
    assert "Repeat with --write" in connect
    assert "memory.db" in backup
    assert doctor.startswith("All is well")
    assert not [
        file for file in tmp_path.rglob("*") if file.is_file() and b"port 8080" in file.read_bytes()
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="make and its shell are not there")
def test_make_setup_ends_with_commands_that_work(tmp_path: Path) -> None:
    told = subprocess.run(
        # Nothing is installed: the package counts as being there.
        ["make", "--no-print-directory", "-o", ".venv/.package", "setup"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        timeout=60,
    ).stdout.decode()
    commands = [line.partition("  #")[0].strip() for line in told.splitlines()]

    assert all("  # " in line for line in told.splitlines())
    assert [command.partition(" ")[0] for command in commands] == [".venv/bin/commonplace"] * 2 + [
        "make"
    ]
    assert [fault(command.removeprefix(".venv/bin/")) for command in commands[:-1]] == ["", ""]
    for command in commands[:-1]:
        typed = command.removeprefix(".venv/bin/")
        done = subprocess.run(
            typed, shell=True, cwd=tmp_path, env=fresh(tmp_path), check=False, timeout=60
        )
        assert done.returncode == 0, command
    targets = re.findall(
        r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert commands[-1].split()[1] in targets
