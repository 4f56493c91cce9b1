"""The entry for a server at an address has the key that the server requires, or names its
variable.
"""

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from commonplace.errors import Invalid
from commonplace.faces.cli.commands.connect import connect
from commonplace.faces.connect import edits
from commonplace.faces.connect.clients import CLIENTS, Client, Machine, client_named
from commonplace.faces.connect.edits import ServerSpec
from commonplace.faces.connect.keys import Key
from tests.faces.http_client import server
from tests.faces.test_connect import read

KEY = "k-4f9a_Zz~Q"
BARE = {
    "XDG_CONFIG_HOME": "",
    "CODEX_HOME": "",
    "COMMONPLACE_API_KEY": "",
    "COMMONPLACE_HINDSIGHT_API_KEY": "",
}
AWAY = "https://memory.example"
REMOTE = [one for one in CLIENTS if one.remote]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path, "linux", {})


def run(home: Path, *args: str, **variables: str) -> Result:
    place = BARE | {"HOME": str(home), "COMMONPLACE_HOME": str(home / "store")} | variables
    return CliRunner(env=place).invoke(connect, args, catch_exceptions=False)


def entry(home: Path, name: str, *args: str, **variables: str) -> dict[str, Any]:
    return json.loads(run(home, name, "--json", *args, **variables).stdout)["entry"]


@pytest.mark.parametrize(
    ("url", "variables", "variable"),
    [
        ("http://127.0.0.1:8888/memstate/mcp", {}, ""),
        ("http://127.0.0.1:8888/vault/mcp", {}, "COMMONPLACE_TOKEN"),
        ("http://[::1]:8888/vault/mcp", {}, "COMMONPLACE_TOKEN"),
        ("http://127.0.0.1:8888/vault/mcp", {"COMMONPLACE_API_KEY": KEY}, "COMMONPLACE_API_KEY"),
        ("http://localhost:8888", {"COMMONPLACE_API_KEY": KEY}, "COMMONPLACE_API_KEY"),
        (
            "http://127.0.0.1:8888/hindsight/mcp",
            {"COMMONPLACE_HINDSIGHT_API_KEY": KEY},
            "COMMONPLACE_HINDSIGHT_API_KEY",
        ),
        ("http://127.0.0.1:8888/memstate/mcp", {"COMMONPLACE_HINDSIGHT_API_KEY": KEY}, ""),
        (f"{AWAY}/memories/mcp", {}, "COMMONPLACE_API_KEY"),
    ],
)
def test_the_entry_names_the_variable_with_the_key_that_the_server_asks_for(
    url: str, variables: dict[str, str], variable: str, tmp_path: Path
) -> None:
    found = entry(tmp_path, "cursor", "--http", url, **variables)

    assert found.get("headers") == (
        {"Authorization": f"Bearer ${{env:{variable}}}"} if variable else None
    )
    assert (
        entry(tmp_path, "codex", "--http", url, **variables).get("bearer_token_env_var", "")
        == variable
    )


def test_an_empty_variable_leaves_the_key_out(tmp_path: Path) -> None:
    assert "headers" not in entry(
        tmp_path, "cursor", "--http", f"{AWAY}/memstate/mcp", "--key-variable", ""
    )


def test_the_command_says_how_to_set_the_variable(tmp_path: Path) -> None:
    said = run(tmp_path, "gemini", "--http", "http://127.0.0.1:8888", "--dialect", "vault").stderr

    assert 'export COMMONPLACE_TOKEN="$(commonplace token)"' in said
    assert "--write-key" in said
    assert (
        "export MY_KEY=KEY"
        in run(tmp_path, "gemini", "--http", AWAY, "--key-variable", "MY_KEY").stderr
    )
    assert not (tmp_path / "store").exists(), "no token is made to name its variable"


def test_the_variable_of_the_token_is_no_misspelt_setting(tmp_path: Path) -> None:
    assert run(tmp_path, "cursor", "--http", AWAY, COMMONPLACE_TOKEN=KEY).exit_code == 0


@pytest.mark.parametrize("client", REMOTE, ids=lambda one: one.name)
def test_a_key_is_written_only_on_request_and_only_its_owner_can_read_the_file(
    client: Client, tmp_path: Path
) -> None:
    path = client.path(Machine(tmp_path, "linux", {}))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("" if client.format == "toml" else "{}")
    path.chmod(0o664)

    run(tmp_path, client.name, "--http", AWAY, "--write", COMMONPLACE_API_KEY=KEY)
    assert KEY not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o664
    made = run(
        tmp_path, client.name, "--http", AWAY, "--write-key", "--write", COMMONPLACE_API_KEY=KEY
    )

    assert f"Bearer {KEY}" in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert KEY not in made.output, "what is shown hides the key"
    assert KEY not in run(tmp_path, client.name, "--http", AWAY, "--json").output, (
        "also when it is taken out again"
    )
    assert read(client, path), "the client can read it"


def test_a_key_that_was_written_goes_when_the_address_changes(machine: Machine) -> None:
    for name in ("codex", "cursor"):
        client = client_named(name)
        edits.apply(
            edits.plan(client, ServerSpec("memstate", url=AWAY, key=Key("MY_KEY", KEY)), machine)
        )
        assert KEY in client.path(machine).read_text()

        edits.apply(
            edits.plan(client, ServerSpec("memstate", url="http://127.0.0.1:8888"), machine)
        )
        assert KEY not in client.path(machine).read_text()


def test_a_header_of_the_user_stays_while_the_address_does(machine: Machine) -> None:
    path = client_named("codex").path(machine)
    path.parent.mkdir()
    path.write_text(
        f'[mcp_servers.commonplace]\nurl = "{AWAY}/memstate/mcp"\nrequired = false # mine\n\n'
        '[mcp_servers.commonplace.http_headers]\nX-Client = "review"\n'
    )

    edits.apply(edits.plan(client_named("codex"), ServerSpec("memstate", url=AWAY), machine))

    assert "required = false # mine" in path.read_text()
    assert 'X-Client = "review"' in path.read_text()


@pytest.mark.parametrize("key", ["", 'a"b', "a b", "ключ", "a\nb"])
def test_a_key_that_no_header_can_carry_is_refused(key: str, tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="MY_KEY") as raised:
        run(
            tmp_path,
            "cursor",
            "--http",
            AWAY,
            "--key-variable",
            "MY_KEY",
            "--write-key",
            "--write",
            MY_KEY=key,
        )

    assert "MY_KEY" in raised.value.hint
    assert not (tmp_path / ".cursor").exists()


def test_an_assistant_connected_to_the_vault_is_let_in(tmp_path: Path) -> None:
    home = tmp_path / "store"
    with server(
        home, "serve", "--port", "0", "--dialect", "vault", module="commonplace"
    ) as running:
        assert "headers" not in entry(tmp_path, "cursor", "--http", f"{running.url}/memstate/mcp")
        options = ("cursor", "--http", running.url, "--dialect", "vault")
        named = entry(tmp_path, *options)["headers"]["Authorization"]
        run(tmp_path, *options, "--write-key", "--write")
        path = tmp_path / ".cursor" / "mcp.json"
        written = json.loads(path.read_text())["mcpServers"]["commonplace"]["headers"][
            "Authorization"
        ]

        assert running.ask("/vault/mcp", "ping").status == 401
        assert running.ask("/vault/mcp", "ping", authorization=written).status == 200
        token = (home / "vault-token").read_text().strip()
        assert named.replace("${env:COMMONPLACE_TOKEN}", token) == written
