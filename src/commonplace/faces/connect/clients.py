"""The supported clients, as a table: the configuration file of each, and its form of a server
entry.

The documentation page is generated from the same rows. Only the existence of files is checked here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

from commonplace import spelling
from commonplace.errors import NotFound
from commonplace.faces.connect.keys import Key

Entry: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Machine:
    """What determines the paths of configuration files: the system, the home folder and the
    variables that clients use.
    """

    home: Path
    system: str
    environment: Mapping[str, str]

    def variable(self, name: str, default: Path) -> Path:
        """The folder in a variable, or the default."""
        given = self.environment.get(name, "").strip()
        return Path(given).expanduser() if given else default

    @property
    def settings_folder(self) -> Path:
        """The folder of this system for settings of programs."""
        if self.system == "darwin":
            return self.home / "Library" / "Application Support"
        if self.system == "win32":
            return self.variable("APPDATA", self.home / "AppData" / "Roaming")
        return self.variable("XDG_CONFIG_HOME", self.home / ".config")


class Named(Protocol):
    """A client, as far as a plan shows it."""

    @property
    def name(self) -> str:
        """Its name on the command line."""
        ...

    @property
    def title(self) -> str:
        """Its name for people."""
        ...


@dataclass(frozen=True, slots=True)
class Client:
    """A client. `keys` is the path in its file to the object with the servers by name."""

    name: str
    title: str
    path: Callable[[Machine], Path]
    keys: tuple[str, ...]
    local: Callable[[str, Sequence[str]], Entry]
    # Builds the entry of a server at a URL, with or without a key; None: not supported.
    remote: Callable[[str, Key | None], Entry] | None
    next_step: str
    format: Literal["json", "toml"] = "json"
    # Whether its JSON may have comments and trailing commas. Otherwise they make a file invalid.
    comments: bool = False
    # Another path to the servers, used if the file has it already.
    newer_keys: tuple[str, ...] = ()


def _plain_entry(command: str, args: Sequence[str]) -> Entry:
    return {"command": command, "args": list(args)}


def _typed_entry(command: str, args: Sequence[str]) -> Entry:
    return {"type": "stdio", "command": command, "args": list(args)}


def _single_list_entry(command: str, args: Sequence[str]) -> Entry:
    return {"type": "local", "command": [command, *args]}


def _url_entry(field: str, reference: str, **fixed: str) -> Callable[[str, Key | None], Entry]:
    def remote(url: str, key: Key | None) -> Entry:
        entry: Entry = {**fixed, field: url}
        if key:
            entry["headers"] = _bearer_header(key.value or reference.replace("NAME", key.variable))
        return entry

    return remote


def _bearer_header(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def _codex_entry(command: str, args: Sequence[str]) -> Entry:
    return {**_plain_entry(command, args), "required": True}


def _codex_url_entry(url: str, key: Key | None) -> Entry:
    entry: Entry = {"url": url, "required": True}
    if key:
        entry |= (
            {"http_headers": _bearer_header(key.value)}
            if key.value
            else {"bearer_token_env_var": key.variable}
        )
    return entry


def _claude_code_path(machine: Machine) -> Path:
    return machine.variable("CLAUDE_CONFIG_DIR", machine.home) / ".claude.json"


def _opencode_path(machine: Machine) -> Path:
    # opencode uses the same folder on every system.
    folder = machine.variable("XDG_CONFIG_HOME", machine.home / ".config") / "opencode"
    return next(
        (folder / name for name in ("opencode.jsonc", "opencode.json") if (folder / name).exists()),
        folder / "opencode.json",
    )


CLIENTS = (
    Client(
        name="claude-code",
        title="Claude Code",
        path=_claude_code_path,
        keys=("mcpServers",),
        local=_typed_entry,
        remote=_url_entry("url", "${NAME}", type="http"),
        next_step="Start a new `claude` session; `/mcp` shows the connection.",
    ),
    Client(
        name="claude-desktop",
        title="Claude Desktop",
        path=lambda machine: machine.settings_folder / "Claude" / "claude_desktop_config.json",
        keys=("mcpServers",),
        local=_plain_entry,
        remote=None,
        next_step="Quit Claude Desktop (closing the window is not enough) and start it again.",
    ),
    Client(
        name="cursor",
        title="Cursor",
        path=lambda machine: machine.home / ".cursor" / "mcp.json",
        keys=("mcpServers",),
        local=_plain_entry,
        remote=_url_entry("url", "${env:NAME}"),
        next_step="Restart Cursor, or enable the server under MCP in its settings.",
        comments=True,
    ),
    Client(
        name="vscode",
        title="VS Code",
        path=lambda machine: machine.settings_folder / "Code" / "User" / "mcp.json",
        keys=("servers",),
        local=_typed_entry,
        remote=_url_entry("url", "${env:NAME}", type="http"),
        next_step="VS Code notices the change; start the server with `MCP: List Servers`.",
        comments=True,
    ),
    Client(
        name="codex",
        title="Codex",
        path=lambda machine: (
            machine.variable("CODEX_HOME", machine.home / ".codex") / "config.toml"
        ),
        keys=("mcp_servers",),
        local=_codex_entry,
        remote=_codex_url_entry,
        next_step="Start a new `codex` session; `/mcp` shows the connection.",
        format="toml",
    ),
    Client(
        name="gemini",
        title="Gemini CLI",
        path=lambda machine: (
            machine.variable("GEMINI_CLI_HOME", machine.home) / ".gemini" / "settings.json"
        ),
        keys=("mcpServers",),
        local=_plain_entry,
        remote=_url_entry("url", "${NAME}", type="http"),
        next_step="Start a new `gemini` session; `/mcp` shows the connection.",
        comments=True,
    ),
    Client(
        name="windsurf",
        title="Windsurf",
        path=lambda machine: machine.home / ".codeium" / "windsurf" / "mcp_config.json",
        keys=("mcpServers",),
        local=_plain_entry,
        remote=_url_entry("serverUrl", "${env:NAME}"),
        next_step="Press Refresh in the MCP panel of Cascade.",
    ),
    Client(
        name="opencode",
        title="opencode",
        path=_opencode_path,
        keys=("mcp",),
        local=_single_list_entry,
        remote=_url_entry("url", "{env:NAME}", type="remote"),
        next_step="Start a new `opencode` session; `opencode mcp list` shows the connection.",
        comments=True,
        newer_keys=("mcp", "servers"),
    ),
)

# The fields that hold a key or the name of its variable.
KEY_FIELDS = ("headers", "bearer_token_env_var", "http_headers")
# The fields with which clients describe how to reach a server. All other fields are the user's.
TRANSPORT_FIELDS = ("type", "command", "args", "url", "httpUrl", "serverUrl", *KEY_FIELDS)
# Fields that are written once and then keep the user's value.
CHOICES = ("required",)


def client_named(name: str) -> Client:
    """The client with a name. Raises NotFound."""
    found = next((one for one in CLIENTS if one.name == name), None)
    if found is None:
        known = [one.name for one in CLIENTS]
        raise NotFound(f"There is no client called {name!r}.", hint=spelling.hint(name, known))
    return found
