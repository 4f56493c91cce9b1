"""`commonplace import` as a new user runs it: the program, a terminal, and then an editor."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters

from commonplace.engine.engine import Engine
from commonplace.faces.cli.commands.import_ import import_memories
from commonplace.importers import detection
from tests.docs.loading import script
from tests.importers import files


def ran(home: Path, *args: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "commonplace", "--home", str(home), *args]
    return subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=60)


def shaped(home: Path, *args: str) -> dict[str, object]:
    done = ran(home, "import", *args, "--json")
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def test_moving_house_takes_four_commands_and_the_editor_finds_everything(
    tmp_path: Path, home: Path
) -> None:
    rule = files.RULE | {"scope": "project", "project_id": "github.com/acme/app"}
    gone = {"id": "gone", "content": "Gone", "deleted_at": "2026-03-03 10:00:00"}
    path = tmp_path / "local.db"
    files.memories_sh(
        path, rule, {"id": "b", "content": "The harbour crane needs oil in May"}, gone
    ).close()

    told = shaped(home, str(path), "--dry-run")
    first = shaped(home, str(path))
    again = shaped(home, str(path))

    assert (told["from"], told["added"], told["left"]) == (
        "memories",
        2,
        {"deleted in the source": 1},
    )
    assert (first["added"], first["unchanged"]) == (2, 0)
    assert (again["added"], again["unchanged"], again["broken_count"]) == (0, 2, 0)
    assert "crane needs oil" in found_by_an_editor(
        home, "memories", "search_memories", {"query": "harbour crane"}
    )
    rules = found_by_an_editor(home, "memories", "get_rules", {"project_id": "github.com/acme/app"})
    assert "Use pnpm, never npm" in rules


def found_by_an_editor(home: Path, dialect: str, tool: str, arguments: dict[str, object]) -> str:
    """What the official client gets from a tool of a fresh server."""
    answers: list[str] = []

    async def visit() -> None:
        args = ["-m", "commonplace", "mcp", "--dialect", dialect]
        server = StdioServerParameters(
            command=sys.executable, args=args, env={"COMMONPLACE_HOME": str(home)}
        )
        with anyio.fail_after(60):
            async with Client(server) as client:
                answers.append((await client.call_tool(tool, arguments)).model_dump_json())

    anyio.run(visit)
    return answers[0]


def test_a_terminal_shows_a_table_and_says_what_to_do_next(tmp_path: Path) -> None:
    files.powermem(
        tmp_path / "pm.db", files.powermem_payload("Likes coffee", user_id="alice"), "{broken"
    )
    place = {
        "HOME": str(tmp_path),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    } | {
        "COLUMNS": "80",
        "TERM": "xterm-256color",
        "NO_COLOR": "1",
    }

    screen = script("sessions").run("commonplace import pm.db --dry-run", str(tmp_path), place)

    shown = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", screen)
    assert "From PowerMem into the bank default:" in shown
    assert re.search(r"would be added\s+1", shown)
    assert re.search(r"not readable\s+1\s+see below", shown)
    assert "memories row 777166475130568705: its payload is not JSON." in shown
    assert "Users in the source: alice (1)." in shown
    assert "--owner NAME" in shown
    assert "Nothing was changed. Repeat without --dry-run to import." in shown


def test_a_pipe_gets_lines_with_tabs_and_no_bar(tmp_path: Path, home: Path) -> None:
    files.written(tmp_path / "v" / "a.md", "Call the plumber.")

    done = ran(home, "import", str(tmp_path / "v"))

    assert done.stdout.decode() == "added\t1\t\n"
    assert done.stderr.decode() == "From Markdown notes into the bank default:\n"


def test_a_hindsight_bank_comes_back_under_its_own_name_unless_another_is_given(
    tmp_path: Path, home: Path
) -> None:
    fact = {"text": "Alice works at Google.", "fact_type": "world", "tags": []}
    files.hindsight(
        tmp_path / "b.zip", {"id": "d", "original_text": "Alice works at Google.", "facts": [fact]}
    )

    assert shaped(home, str(tmp_path / "b.zip"))["bank"] == "work"
    assert shaped(home, str(tmp_path / "b.zip"), "--bank", "other")["bank"] == "other"


def test_an_archive_is_still_imported_from_a_file_and_from_a_pipe(
    tmp_path: Path, home: Path
) -> None:
    assert ran(home, "add", "Kept.").returncode == 0
    archive = ran(home, "export").stdout
    (tmp_path / "a.jsonl").write_bytes(archive)

    piped = ran(tmp_path / "one", "import", "-", stdin=archive)
    read = ran(tmp_path / "two", "import", str(tmp_path / "a.jsonl"))

    assert (piped.returncode, read.returncode) == (0, 0)
    assert piped.stderr == read.stderr
    assert b"1 memory" in read.stderr


def test_an_archive_says_itself_where_things_belong(
    tmp_path: Path, home: Path, engine: Engine
) -> None:
    engine.export_to(tmp_path / "a.jsonl")

    done = ran(home, "import", str(tmp_path / "a.jsonl"), "--owner", "alice")

    assert (done.returncode, b"Repeat without --bank, --project and --owner." in done.stderr) == (
        2,
        True,
    )


def test_a_wrong_file_is_two_lines_and_an_exit_code(tmp_path: Path, home: Path) -> None:
    files.written(tmp_path / "letter.txt", "Dear all")

    done = ran(home, "import", str(tmp_path / "letter.txt"))

    assert done.returncode == 2
    assert len(done.stderr.decode().splitlines()) == 2
    assert "name its format with --from: archive, memories, powermem" in done.stderr.decode()
    assert not home.exists()


def test_the_help_names_every_source() -> None:
    listed = re.findall(r"^\s{4}(\w+)  ", import_memories.help or "", re.MULTILINE)
    listed += re.findall(r"^(\w+) {2,}", import_memories.help or "", re.MULTILINE)

    assert set(listed) == {*detection.BY_NAME, detection.ARCHIVE}


def test_notes_that_are_in_the_vault_anyway_do_not_come_twice(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.written(tmp_path / "all" / "vault" / "a.md", "Call the plumber.")
    files.written(tmp_path / "all" / "b.md", "Water the fern.")
    monkeypatch.setenv("COMMONPLACE_VAULT", str(tmp_path / "all" / "vault"))

    told = shaped(home, str(tmp_path / "all"))
    elsewhere = shaped(home, str(tmp_path / "all" / "vault"), "--bank", "other")

    assert (told["added"], elsewhere["added"]) == (1, 1)
    assert told["left"] == {"in the vault, which `commonplace vault sync` reads": 1}
