"""Shell completion, tried in a real bash on a pseudo terminal, and `commonplace help`."""

import os
import pty
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from commonplace.dialects import registry
from commonplace.engine.engine import Engine
from commonplace.faces.cli import cli
from commonplace.faces.connect.clients import CLIENTS
from commonplace.records.memory import Draft, Scope
from tests.faces.conftest import Run, fresh

BASH = shutil.which("bash")
TAB, TAKE_LINE = "\t", "\x14"
DEADLINE_S = 60

pytestmark = pytest.mark.skipif(sys.platform == "win32" or not BASH, reason="there is no bash")

Typed = Callable[[str], str]


@pytest.fixture
def typed(tmp_path: Path, home: Path) -> Iterator[Typed]:
    """Types into a bash that loaded the script; what stands on the line after it."""
    assert BASH
    line = tmp_path / "line"
    start = tmp_path / "start"
    start.write_text(
        'eval "$(commonplace completion bash)"\nbind -x \'"\\C-t": printf %s "$READLINE_LINE" >'
        f" {line}.part; "
        f"mv {line}.part {line}'\nbind 'set bell-style none'\n"
    )
    place = fresh(tmp_path) | {
        "COMMONPLACE_HOME": str(home),
        "TERM": "dumb",
        "INPUTRC": "/dev/null",
    }
    theirs, ours = pty.openpty()
    shell = subprocess.Popen(
        [BASH, "--noprofile", "--rcfile", start, "-i"],
        stdin=ours,
        stdout=ours,
        stderr=ours,
        cwd=tmp_path,
        env=place,
        start_new_session=True,
    )
    os.close(ours)

    def take(text: str) -> str:
        line.unlink(missing_ok=True)
        # Ctrl-U empties the line that the last call left.
        os.write(theirs, f"\x15{text}{TAKE_LINE}".encode())
        deadline = time.monotonic() + DEADLINE_S
        while not line.exists():
            assert time.monotonic() < deadline
            time.sleep(0.02)
        return line.read_text()

    try:
        yield take
    finally:
        with suppress(ProcessLookupError):
            os.killpg(shell.pid, signal.SIGKILL)
        shell.wait()
        os.close(theirs)


def test_commands_options_clients_and_dialects_are_completed(typed: Typed) -> None:
    assert typed(f"commonplace rec{TAB}") == "commonplace recall "
    assert typed(f"commonplace help vault sy{TAB}") == "commonplace help vault sync "
    assert typed(f"commonplace recall --expl{TAB}") == "commonplace recall --explain "
    assert typed(f"commonplace connect claude-d{TAB}") == "commonplace connect claude-desktop "
    assert typed(f"commonplace disconnect cur{TAB}") == "commonplace disconnect cursor "
    assert (
        typed(f"commonplace connect cursor --dialect power{TAB}")
        == "commonplace connect cursor --dialect powermem "
    )
    assert typed(f"commonplace mcp --dialect=mems{TAB}") == "commonplace mcp --dialect=memstate "
    assert typed(f"commonplace import --from chat{TAB}") == "commonplace import --from chatgpt "


def test_banks_tags_and_projects_of_the_store_are_completed(engine: Engine, typed: Typed) -> None:
    engine.remember(
        "default", Draft("A", tags=("infra", "team:ops", "a=b"), scope=Scope(project="web"))
    )
    engine.remember("archive", Draft("B", tags=("two words", "$HOME; ls *")))

    assert typed(f"commonplace list --bank arch{TAB}") == "commonplace list --bank archive "
    assert typed(f"commonplace banks delete arch{TAB}") == "commonplace banks delete archive "
    assert typed(f"commonplace recall x --tag inf{TAB}") == "commonplace recall x --tag infra "
    assert typed(f"commonplace list --project w{TAB}") == "commonplace list --project web "
    assert typed(f"commonplace list --tag team:o{TAB}") == "commonplace list --tag team:ops "
    assert typed(f"commonplace list --tag team:{TAB}") == "commonplace list --tag team:ops "
    assert typed(f"commonplace list --tag=a={TAB}") == "commonplace list --tag=a=b "
    # The tags are those of the bank that was named, and the shell reads each as one word.
    assert (
        typed(f"commonplace list --bank archive --tag inf{TAB}")
        == "commonplace list --bank archive --tag inf"
    )
    for beginning in ("tw", "'two w", "\\$HO"):
        tag = "two words" if "tw" in beginning else "$HOME; ls *"
        line = typed(f"commonplace list --bank archive --tag {beginning}{TAB}")
        assert shlex.split(line)[-1] == tag


def test_completion_makes_no_store_and_is_silent_where_something_is_wrong(
    program: Run, tmp_path: Path
) -> None:
    ask = (
        'COMP_WORDS="commonplace list --tag " COMP_WORD= _COMMONPLACE_COMPLETE=bash_complete'
        " commonplace"
    )
    missing = program(ask, COMMONPLACE_HOME=str(tmp_path / "none"))
    (tmp_path / "memory.db").write_text("no store at all")
    broken = program(ask, COMMONPLACE_HOME=str(tmp_path))
    misspelt = program(ask, COMMONPLACE_EMBEDDER="statik")

    assert [(answer.code, answer.out.strip()) for answer in (missing, broken, misspelt)] == [
        (0, "")
    ] * 3
    assert [answer.err for answer in (missing, broken, misspelt)] == [""] * 3
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_each_shell_is_printed(shell: str, program: Run) -> None:
    answer = program(f"commonplace completion {shell}")

    assert answer.code == 0
    assert f"_COMMONPLACE_COMPLETE={shell}_complete" in answer.out


def test_every_client_and_dialect_is_offered(program: Run) -> None:
    def offered(line: str) -> list[str]:
        out = program(
            f'COMP_WORDS="{line}" COMP_WORD= _COMMONPLACE_COMPLETE=bash_complete commonplace'
        ).out
        return [one.partition(",")[2] for one in out.splitlines()]

    assert offered("commonplace connect ") == sorted(client.name for client in CLIENTS)
    assert offered("commonplace serve --dialect ") == sorted(registry.NAMES)


def test_help_shows_what_the_option_shows(program: Run) -> None:
    assert program("commonplace help").out == program("commonplace --help").out
    assert program("commonplace help recall").out == program("commonplace recall --help").out
    assert (
        program("commonplace help vault sync").out == program("commonplace vault sync --help").out
    )


def test_a_misspelt_command_is_answered_with_the_nearest_name(program: Run) -> None:
    meant = {
        "recal x": "recall",
        "help recal": "recall",
        "vault synk": "sync",
        "help banks delet": "delete",
    }

    said = {line: program(f"commonplace {line}").err.splitlines()[0] for line in meant}

    assert [
        line for line, name in meant.items() if not said[line].endswith(f" Did you mean {name!r}?")
    ] == []
    assert "has no commands of its own" in program("commonplace help recall x").err


def test_every_command_is_in_the_overview(program: Run) -> None:
    overview = program("commonplace help").out

    assert [name for name in cli.commands if f"\n  {name} " not in overview] == []
    assert "More:" not in overview
