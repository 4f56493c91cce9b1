"""Connecting a client changes one entry of one file, and disconnecting changes it back."""

import json
import os
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace.errors import CommonplaceError, Conflict, Forbidden, Invalid, NotFound, Unsupported
from commonplace.faces.cli.commands.connect import connect, disconnect, launch_command
from commonplace.faces.connect import edits, json_text
from commonplace.faces.connect.clients import CLIENTS, Client, Machine, client_named
from commonplace.faces.connect.edits import EditPlan, ServerSpec
from commonplace.faces.connect.keys import Key

ROOT = Path(__file__).parents[2]
PROGRAM = "/opt/commonplace/bin/commonplace"
WANTED = ServerSpec(dialect="memstate", program=(PROGRAM,))
REMOTE = ServerSpec(dialect="memstate", url="http://127.0.0.1:8888/memstate/mcp")
ARGS = ["mcp", "--dialect", "memstate"]

JSON_WITH_NEIGHBOURS = (
    '{\n    "theme": "dark",\n    "KEYS": {\n        "other": {"command": "x"}\n    },\n    "last":'
    " [1, 2]\n}\n"
)
COMMENTED = """// My servers.
{
\t"KEYS": {
\t\t"other": { "command": "x", }, // keep me
\t\t/* and me */
\t},
}
"""
TOML = """# Mine.
model = "gpt"   # the good one

[mcp_servers.other]
command = "x"
args = [
  "a",
]

# Below is the profile.
[profiles.fast]
model = "small"
"""


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path, "linux", {})


def planned(name: str, machine: Machine, wanted: ServerSpec = WANTED) -> EditPlan:
    return edits.plan(client_named(name), wanted, machine)


def removal(name: str, machine: Machine) -> EditPlan:
    return edits.plan_removal(client_named(name), "commonplace", machine)


def written(name: str, machine: Machine, text: str) -> Path:
    path = client_named(name).path(machine)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.replace("KEYS", client_named(name).keys[0]).encode())
    return path


def read(client: Client, path: Path) -> dict[str, Any]:
    text = path.read_bytes().decode()
    return tomllib.loads(text) if client.format == "toml" else json_text.parse(text).value


def everything(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


ENTRIES: dict[str, dict[str, Any]] = {
    "claude-code": {
        "mcpServers": {"commonplace": {"type": "stdio", "command": PROGRAM, "args": ARGS}}
    },
    "claude-desktop": {"mcpServers": {"commonplace": {"command": PROGRAM, "args": ARGS}}},
    "cursor": {"mcpServers": {"commonplace": {"command": PROGRAM, "args": ARGS}}},
    "vscode": {"servers": {"commonplace": {"type": "stdio", "command": PROGRAM, "args": ARGS}}},
    "codex": {"mcp_servers": {"commonplace": {"command": PROGRAM, "args": ARGS, "required": True}}},
    "gemini": {"mcpServers": {"commonplace": {"command": PROGRAM, "args": ARGS}}},
    "windsurf": {"mcpServers": {"commonplace": {"command": PROGRAM, "args": ARGS}}},
    "opencode": {"mcp": {"commonplace": {"type": "local", "command": [PROGRAM, *ARGS]}}},
}
PATHS = {
    "claude-code": (".claude.json", ".claude.json"),
    "claude-desktop": (
        ".config/Claude/claude_desktop_config.json",
        "Library/Application Support/Claude/claude_desktop_config.json",
    ),
    "cursor": (".cursor/mcp.json", ".cursor/mcp.json"),
    "vscode": (".config/Code/User/mcp.json", "Library/Application Support/Code/User/mcp.json"),
    "codex": (".codex/config.toml", ".codex/config.toml"),
    "gemini": (".gemini/settings.json", ".gemini/settings.json"),
    "windsurf": (".codeium/windsurf/mcp_config.json", ".codeium/windsurf/mcp_config.json"),
    "opencode": (".config/opencode/opencode.json", ".config/opencode/opencode.json"),
}


@pytest.mark.parametrize("client", CLIENTS, ids=lambda one: one.name)
def test_a_new_file_holds_the_entry_as_the_client_writes_it(
    client: Client, machine: Machine
) -> None:
    plan = edits.plan(client, WANTED, machine)
    assert not plan.path.exists(), "a plan writes nothing"

    assert edits.apply(plan) is None

    assert plan.path == machine.home / PATHS[client.name][0]
    assert read(client, plan.path) == ENTRIES[client.name]
    assert stat.S_IMODE(plan.path.stat().st_mode) == 0o600


@pytest.mark.parametrize("client", CLIENTS, ids=lambda one: one.name)
def test_each_system_has_its_own_place_for_the_file(client: Client, tmp_path: Path) -> None:
    assert client.path(Machine(tmp_path, "darwin", {})) == tmp_path / PATHS[client.name][1]
    roaming = str(tmp_path / "Roaming")
    assert str(client.path(Machine(tmp_path, "win32", {"APPDATA": roaming}))).startswith(
        str(tmp_path)
    )


def test_a_client_that_was_told_another_folder_is_looked_for_there(tmp_path: Path) -> None:
    moved = {
        name: str(tmp_path / name)
        for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME")
    }
    machine = Machine(tmp_path, "linux", moved)

    assert (
        client_named("claude-code").path(machine) == tmp_path / "CLAUDE_CONFIG_DIR" / ".claude.json"
    )
    assert client_named("codex").path(machine) == tmp_path / "CODEX_HOME" / "config.toml"
    assert (
        client_named("gemini").path(machine)
        == tmp_path / "GEMINI_CLI_HOME" / ".gemini" / "settings.json"
    )
    assert (
        client_named("vscode").path(machine)
        == tmp_path / "XDG_CONFIG_HOME" / "Code" / "User" / "mcp.json"
    )


@pytest.mark.parametrize(
    "client", [one for one in CLIENTS if one.format == "json"], ids=lambda one: one.name
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_json_neighbours_keep_their_place_and_their_layout(
    client: Client, machine: Machine, newline: str
) -> None:
    path = written(client.name, machine, JSON_WITH_NEIGHBOURS.replace("\n", newline))
    before = path.read_bytes()

    backup = edits.apply(planned(client.name, machine))

    after = path.read_bytes().decode()
    kept = [line for line in before.decode().split("\n") if line.strip(",\r") in after]
    assert len(kept) == len(before.decode().split("\n")), "every old line is still there"
    assert read(client, path)["last"] == [1, 2]
    assert backup is not None
    assert (backup.parent, backup.read_bytes()) == (path.parent, before)
    edits.apply(removal(client.name, machine))
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "client", [one for one in CLIENTS if one.comments], ids=lambda one: one.name
)
def test_comments_and_final_commas_survive_both_ways(client: Client, machine: Machine) -> None:
    path = written(client.name, machine, COMMENTED)
    before = path.read_text()

    edits.apply(planned(client.name, machine))

    assert "// keep me" in path.read_text()
    assert "\n\t\t/* and me */\n" in path.read_text()
    assert '\n\t\t"commonplace": {\n\t\t\t"' in path.read_text(), (
        "the entry is indented as its neighbours are"
    )
    assert read(client, path)[client.keys[0]]["other"] == {"command": "x"}
    edits.apply(removal(client.name, machine))
    assert path.read_text() == before


def test_toml_keeps_every_line_and_comment_both_ways(machine: Machine) -> None:
    path = written("codex", machine, TOML)

    edits.apply(planned("codex", machine))

    assert path.read_text().startswith(TOML)
    assert read(client_named("codex"), path)["mcp_servers"]["commonplace"] == {
        "command": PROGRAM,
        "args": ARGS,
        "required": True,
    }
    edits.apply(removal("codex", machine))
    assert path.read_text() == TOML


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "{}",
        '{"a":1}',
        '{"KEYS":{}}',
        '{"KEYS": {"a": {}}}',
        '{ "KEYS" : { } }',
        '{\n  "KEYS": {\n  }\n}',
        '\ufeff{\n  "KEYS": {}\n}\n',
        '{"a": "// no comment", "KEYS": {"b": {"command": "}"}}}',
    ],
)
def test_any_layout_gets_the_entry_and_loses_it_again(machine: Machine, text: str) -> None:
    path = written("cursor", machine, text)
    expected = json_text.parse(path.read_text()).value

    edits.apply(planned("cursor", machine))
    entry = json_text.value_at(path.read_text(), ("mcpServers", "commonplace"))
    edits.apply(removal("cursor", machine))

    assert entry == {"command": PROGRAM, "args": ARGS}
    assert json_text.parse(path.read_text()).value == {"mcpServers": {}} | expected


_NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=6)
_DOCUMENTS = st.dictionaries(
    _NAMES,
    st.recursive(
        st.none() | st.booleans() | st.integers() | _NAMES,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3),
        max_leaves=8,
    ),
    max_size=4,
)


@settings(max_examples=200, deadline=None)
@given(
    document=_DOCUMENTS,
    servers=st.none() | _DOCUMENTS,
    indent=st.sampled_from([None, 1, 2, 4, "\t"]),
)
def test_setting_and_removing_a_member_leaves_any_document_as_it_was(
    document: dict[str, Any], servers: dict[str, Any] | None, indent: int | str | None
) -> None:
    whole = document | ({} if servers is None else {"servers": servers})
    text = json.dumps(whole, indent=indent, ensure_ascii=False)
    keys = ("servers", "commonplace")

    there = json_text.with_value(text, keys, {"command": "c", "args": ["a"]})
    gone = json_text.without(there, keys)

    assert json.loads(there) == whole | {
        "servers": (servers or {}) | {"commonplace": {"command": "c", "args": ["a"]}}
    }
    assert json.loads(gone) == whole | {
        "servers": {k: v for k, v in (servers or {}).items() if k != "commonplace"}
    }
    if servers is not None and "commonplace" not in servers:
        assert gone == text


@pytest.mark.parametrize("client", CLIENTS, ids=lambda one: one.name)
def test_connecting_twice_is_connecting_once(client: Client, machine: Machine) -> None:
    edits.apply(planned(client.name, machine))
    before = everything(machine.home)

    again = planned(client.name, machine)
    assert not again.changes
    assert edits.apply(again) is None

    assert everything(machine.home) == before


def test_disconnecting_what_is_not_connected_changes_nothing(machine: Machine) -> None:
    assert edits.apply(removal("cursor", machine)) is None
    assert everything(machine.home) == {}


@pytest.mark.parametrize("name", ["cursor", "codex"])
def test_a_new_dialect_replaces_the_old_and_keeps_what_the_user_added(
    name: str, machine: Machine
) -> None:
    edits.apply(planned(name, machine))
    client = client_named(name)
    path = client.path(machine)
    if client.format == "toml":
        path.write_text(
            path.read_text()
            + 'startup_timeout_sec = 20 # slow\n\n[mcp_servers.commonplace.env]\nA = "b"\n'
        )
    else:
        path.write_text(path.read_text().replace('"args"', '"env": {"A": "b"},\n      "args"'))

    edits.apply(
        planned(name, machine, ServerSpec(dialect="vault", program=(PROGRAM,), bank="home"))
    )

    entry = read(client, path)[client.keys[0]]["commonplace"]
    assert entry["args"] == ["mcp", "--dialect", "vault", "--bank", "home"]
    assert entry["env"] == {"A": "b"}
    assert client.format == "json" or "startup_timeout_sec = 20 # slow" in path.read_text()
    edits.apply(removal(name, machine))
    assert read(client, path).get(client.keys[0], {}) == {}


@pytest.mark.parametrize("client", [one for one in CLIENTS if one.remote], ids=lambda one: one.name)
def test_an_address_takes_the_place_of_a_command_and_names_the_key_by_its_variable(
    client: Client, machine: Machine
) -> None:
    edits.apply(planned(client.name, machine))

    edits.apply(
        planned(client.name, machine, ServerSpec("memstate", url=REMOTE.url, key=Key("MY_KEY")))
    )

    text = client.path(machine).read_text()
    entry = read(client, client.path(machine))[client.keys[0]]["commonplace"]
    assert REMOTE.url in text
    assert "MY_KEY" in text
    assert "command" not in entry
    edits.apply(planned(client.name, machine))
    assert read(client, client.path(machine)) == ENTRIES[client.name]


@pytest.mark.parametrize(
    ("bank", "path"), [("", "/memstate/mcp"), ("a b/c", "/memstate/mcp/a%20b%2Fc")]
)
def test_an_address_without_a_path_gets_that_of_the_dialect_and_bank(
    bank: str, path: str, machine: Machine
) -> None:
    plan = planned(
        "cursor", machine, ServerSpec("memstate", url="http://127.0.0.1:8888", bank=bank)
    )

    assert plan.entry == {"url": f"http://127.0.0.1:8888{path}"}


def test_two_entries_under_two_names_do_not_touch_each_other(machine: Machine) -> None:
    edits.apply(planned("codex", machine))
    edits.apply(
        planned("codex", machine, ServerSpec(dialect="vault", program=(PROGRAM,), name="notes"))
    )

    edits.apply(removal("codex", machine))

    assert list(
        read(client_named("codex"), client_named("codex").path(machine))["mcp_servers"]
    ) == ["notes"]


def test_the_newer_layout_of_opencode_is_used_where_the_file_has_it(machine: Machine) -> None:
    path = written(
        "opencode", machine, '{"mcp": {"servers": {"a": {"type": "local", "command": ["x"]}}}}'
    )

    edits.apply(planned("opencode", machine))

    assert set(json.loads(path.read_text())["mcp"]["servers"]) == {"a", "commonplace"}


def test_a_commented_opencode_file_is_preferred_over_a_second_one(machine: Machine) -> None:
    folder = machine.home / ".config" / "opencode"
    folder.mkdir(parents=True)
    (folder / "opencode.jsonc").write_text("{}")

    assert client_named("opencode").path(machine).name == "opencode.jsonc"


BROKEN = [
    ("cursor", '{"mcpServers": {', Invalid),
    ("cursor", '{"mcpServers": {}} extra', Invalid),
    ("cursor", '{"mcpServers": []}', Invalid),
    ("cursor", '{"mcpServers": 7}', Invalid),
    ("cursor", '["mcpServers"]', Invalid),
    ("cursor", '{"a": 01}', Invalid),
    ("cursor", '{"a": "\\x"}', Invalid),
    ("cursor", "[" * 500 + "]" * 500, Invalid),
    ("cursor", '{"mcpServers": {}, "mcpServers": {}}', Invalid),
    ("cursor", '{"mcpServers": {"commonplace": {"command": "other"}}}', Conflict),
    ("cursor", '{"mcpServers": {"commonplace": "text"}}', Conflict),
    ("claude-code", '{"a": 1, /* no */ "mcpServers": {}}', Invalid),
    ("claude-desktop", '{"mcpServers": {},}', Invalid),
    ("codex", "[mcp_servers", Invalid),
    ("codex", "mcp_servers = 3\n", Invalid),
    ("codex", 'mcp_servers = { other = { command = "x" } }\n', Unsupported),
    ("codex", 'mcp_servers.commonplace.command = "x"\n', Conflict),
    (
        "codex",
        f'[mcp_servers]\ncommonplace = {{ command = "{PROGRAM}", args = ["mcp"] }}\n',
        Unsupported,
    ),
]


@pytest.mark.parametrize(("name", "text", "error"), BROKEN)
def test_a_file_that_cannot_be_changed_safely_is_left_alone(
    name: str, text: str, error: type[CommonplaceError], machine: Machine
) -> None:
    written(name, machine, text)
    before = everything(machine.home)

    with pytest.raises(error) as raised:
        edits.apply(planned(name, machine))

    assert raised.value.hint
    assert "The file" not in raised.value.message
    assert everything(machine.home) == before


def test_text_that_only_looks_like_our_table_is_not_taken_for_it(machine: Machine) -> None:
    text = 'notes = """\n[mcp_servers.commonplace]\ncommand = "x"\n"""\n\n'
    text += f'[mcp_servers.commonplace]\ncommand = "{PROGRAM}"\nargs = ["mcp"]\n'
    written("codex", machine, text)

    with pytest.raises(CommonplaceError):
        edits.apply(removal("codex", machine))

    assert client_named("codex").path(machine).read_text() == text


def test_bytes_that_are_no_text_are_left_alone(machine: Machine) -> None:
    path = machine.home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_bytes(b"\xff\xfe{}")

    with pytest.raises(Invalid):
        planned("cursor", machine)


def test_a_folder_in_the_place_of_the_file_is_named(machine: Machine) -> None:
    (machine.home / ".cursor" / "mcp.json").mkdir(parents=True)

    with pytest.raises(Invalid, match="cannot be read"):
        planned("cursor", machine)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_place_without_permission_is_named(machine: Machine) -> None:
    written("cursor", machine, "{}").parent.chmod(0o500)

    with pytest.raises(Forbidden):
        edits.apply(planned("cursor", machine))


def test_a_full_or_read_only_disk_leaves_the_file_whole(machine: Machine) -> None:
    # /proc takes no files, whoever asks.
    with pytest.raises(CommonplaceError) as raised:
        edits.apply(planned("cursor", Machine(Path("/proc"), "linux", {})))

    assert raised.value.hint


def test_a_file_changed_since_the_plan_is_not_overwritten(machine: Machine) -> None:
    path = written("cursor", machine, "{}")
    plan = planned("cursor", machine)
    path.write_text('{"new": 1}')

    with pytest.raises(Conflict):
        edits.apply(plan)

    assert path.read_text() == '{"new": 1}'


def test_a_linked_file_stays_a_link_and_keeps_its_mode(machine: Machine) -> None:
    real = machine.home / "dotfiles.json"
    real.write_text("{}")
    real.chmod(0o640)
    link = machine.home / ".cursor" / "mcp.json"
    link.parent.mkdir()
    link.symlink_to(real)

    backup = edits.apply(planned("cursor", machine))

    assert link.is_symlink()
    assert "commonplace" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert backup is not None
    assert stat.S_IMODE(backup.stat().st_mode) == 0o640


def test_older_copies_are_never_overwritten(machine: Machine) -> None:
    written("cursor", machine, "{}")
    first = edits.apply(planned("cursor", machine))
    second = edits.apply(removal("cursor", machine))

    assert first is not None
    assert second is not None
    assert first != second
    assert first.read_text() == "{}"


@pytest.mark.parametrize(
    ("wanted", "error"),
    [
        (ServerSpec("memstate", url="ftp://x/mcp"), Invalid),
        (ServerSpec("memstate", url="127.0.0.1:8888"), Invalid),
        (ServerSpec("memstate", url="http://a b/mcp"), Invalid),
        (ServerSpec("memstate", url=REMOTE.url, key=Key("sk-secret-key")), Invalid),
        (ServerSpec("memstate", url=REMOTE.url, bank="home"), Invalid),
        (ServerSpec("memstate", key=Key("MY_KEY")), Invalid),
        (ServerSpec("memstate", name="a.b"), Invalid),
        (ServerSpec("memstate", name='x"]'), Invalid),
    ],
)
def test_bad_wishes_are_refused_before_anything_is_read(
    wanted: ServerSpec, error: type[CommonplaceError], machine: Machine
) -> None:
    with pytest.raises(error):
        planned("codex", machine, wanted)


def test_claude_desktop_says_that_it_takes_no_address(machine: Machine) -> None:
    with pytest.raises(Unsupported, match="Claude Desktop"):
        planned("claude-desktop", machine, REMOTE)


def test_an_unknown_client_is_answered_with_the_known_ones() -> None:
    with pytest.raises(NotFound) as raised:
        client_named("emacs")
    assert "claude-code" in raised.value.hint


# The command line.


@pytest.fixture
def run(tmp_path: Path) -> Any:
    runner = CliRunner(
        env={"HOME": str(tmp_path), "XDG_CONFIG_HOME": "", "CODEX_HOME": "", "COMMONPLACE_HOME": ""}
    )

    def invoke(command: Any, *args: str) -> Any:
        return runner.invoke(command, args, catch_exceptions=False)

    return invoke


def test_the_change_is_shown_first_and_made_only_on_request(run: Any, tmp_path: Path) -> None:
    shown = run(connect, "cursor", "--dialect", "memstate")
    assert '+    "commonplace": {' in shown.stdout
    assert "--write" in shown.stderr
    assert everything(tmp_path) == {}

    made = run(connect, "cursor", "--dialect", "memstate", "--write")
    assert made.stdout == shown.stdout
    entry = json.loads((tmp_path / ".cursor" / "mcp.json").read_text())["mcpServers"]["commonplace"]
    assert entry["args"][-3:] == ["mcp", "--dialect", "memstate"]
    assert Path(entry["command"]).is_absolute()

    gone = run(disconnect, "cursor", "--write")
    assert '-    "commonplace": {' in gone.stdout
    assert "commonplace" not in (tmp_path / ".cursor" / "mcp.json").read_text()


def test_a_dialect_nobody_speaks_is_refused(run: Any, tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="klingon"):
        run(connect, "cursor", "--dialect", "klingon", "--write")
    assert everything(tmp_path) == {}


def test_programs_get_the_change_as_json(run: Any, tmp_path: Path) -> None:
    made = json.loads(run(connect, "codex", "--dialect", "memstate", "--write", "--json").stdout)

    assert (made["client"], made["changes"], made["written"], made["backup"]) == (
        "codex",
        True,
        True,
        None,
    )
    assert made["entry"]["args"][-1] == "memstate"
    assert (
        json.loads(run(connect, "codex", "--dialect", "memstate", "--json").stdout)["changes"]
        is False
    )


def test_the_overview_says_who_is_connected(run: Any, machine: Machine) -> None:
    run(connect, "codex", "--write")
    written("gemini", machine, "{")

    rows = run(connect).stdout.split("\n\n")[0].splitlines()
    states = {row.split("\t")[0]: row.split("\t")[1] for row in rows}

    assert len(states) == len(CLIENTS)
    assert states["codex"] == "connected"
    assert states["gemini"] == "file is broken"
    assert states["windsurf"] == "not found"


def test_the_store_in_use_is_written_down_because_a_client_does_not_know_the_shell(
    run: Any, tmp_path: Path
) -> None:
    made = json.loads(run(connect, "cursor", "--home", str(tmp_path / "store"), "--json").stdout)

    words = [made["entry"]["command"], *made["entry"]["args"]]
    assert words[words.index("--home") + 1] == str(tmp_path / "store")


def test_the_written_command_starts_this_installation() -> None:
    command = subprocess.run(
        [*launch_command(), "--version"], capture_output=True, text=True, check=True, cwd="/"
    )
    assert command.stdout.startswith("commonplace ")


def test_the_program_is_found_beside_its_python(tmp_path: Path) -> None:
    module = "commonplace.faces.cli.commands.connect"
    code = f"from {module} import launch_command; print(launch_command()[0])"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert found.stdout.strip() == str(Path(sys.executable).with_name("commonplace"))


def test_the_page_shows_every_client_as_the_program_would_write_it() -> None:
    script = ROOT / "scripts" / "connect_page.py"
    made = subprocess.run([sys.executable, script, "-"], capture_output=True, text=True, check=True)

    assert (ROOT / "docs" / "connect.md").read_text() == made.stdout
    assert all(f"commonplace connect {client.name} " in made.stdout for client in CLIENTS)
