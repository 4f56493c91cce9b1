"""The agents people use, connected by `commonplace connect`, with a stand-in for their model."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from commonplace.dialects import registry
from commonplace.faces.connect import edits
from commonplace.faces.connect.clients import Machine, client_named
from commonplace.faces.connect.edits import ServerSpec
from interop.model import FINAL, Model, ModelRequest, model
from interop.scripts import SCRIPTS, Script
from interop.tools import TrialFailed, environment, program, run

PROMPT = "Write down how the database is reached, then read it back."
NAME = "commonplace"
KEY_VARIABLE = "COMMONPLACE_API_KEY"


@dataclass(frozen=True, slots=True)
class Connection:
    """How an agent reaches the server: an address, or nothing if it starts one itself."""

    dialect: str
    launcher: tuple[str, ...]
    url: str = ""
    # What opens the server; the client finds it in the variable KEY_VARIABLE.
    key: str = ""

    @property
    def tools(self) -> list[str]:
        """The tools it should be shown, in their order."""
        return [one.name for one in registry.find(self.dialect).tools.values() if one.listed]

    @property
    def wanted(self) -> ServerSpec:
        variable = KEY_VARIABLE if self.key else ""
        return ServerSpec(self.dialect, program=self.launcher, url=self.url, key_variable=variable)


def connect_client(client: str, way: Connection, home: Path) -> dict[str, str]:
    """The variables of a person whose client was connected as `commonplace connect --write` does
    it.
    """
    env = environment(home, {"COMMONPLACE_HOME": str(home / "store"), KEY_VARIABLE: way.key})
    edits.apply(edits.plan(client_named(client), way.wanted, Machine(home, sys.platform, {})))
    return env


def work(home: Path) -> Path:
    folder = home / "work"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


# Does it connect?


def claude_lists(way: Connection, home: Path) -> str:
    env = connect_client("claude-code", way, home) | CLAUDE_QUIET
    ran = run([*program("claude"), "mcp", "list"], env, cwd=work(home))
    return _line_with(ran.both, NAME, "Connected")


def gemini_lists(way: Connection, home: Path) -> str:
    env = connect_client("gemini", way, home) | GEMINI_QUIET
    ran = run([*program("gemini"), "mcp", "list"], env, cwd=work(home))
    return _line_with(ran.both, NAME, "Connected")


def opencode_lists(way: Connection, home: Path) -> str:
    ran = run(
        [*program("opencode"), "mcp", "list"], connect_client("opencode", way, home), cwd=work(home)
    )
    return _line_with(ran.both, NAME, "connected")


def codex_lists(way: Connection, home: Path) -> str:
    """The codex app server, asked for the tools of our server."""
    env = connect_client("codex", way, home)
    messages = [
        {
            "id": 1,
            "method": "initialize",
            "params": {"clientInfo": {"name": "interop", "version": "1"}},
        },
        {"method": "initialized"},
        {"id": 2, "method": "mcpServerStatus/list", "params": {}},
    ]
    command = [*program("codex"), "app-server"]
    with subprocess.Popen(
        command,
        env=env,
        cwd=work(home),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write("".join(json.dumps(one) + "\n" for one in messages).encode())
            process.stdin.flush()
            for line in process.stdout:
                answer = json.loads(line)
                if answer.get("id") == 2:
                    break
            else:
                raise TrialFailed("the app server ended without an answer")
        finally:
            process.kill()
    servers = {one["name"]: one for one in answer.get("result", {}).get("data", [])}
    tools = sorted(servers.get(NAME, {}).get("tools", {}))
    expected = sorted(way.tools)
    if tools != expected:
        raise TrialFailed(f"the app server shows {tools}: {json.dumps(answer)[:300]}")
    return f"{len(tools)} tools"


# What would the model see?


def claude_works(way: Connection, home: Path) -> str:
    script = SCRIPTS[way.dialect]
    env = connect_client("claude-code", way, home) | CLAUDE_QUIET
    allowed = ",".join(f"mcp__{NAME}__{tool}" for tool in registry.find(way.dialect).tools)
    with model(script.steps) as standin:
        env |= {"ANTHROPIC_BASE_URL": standin.url, "ANTHROPIC_API_KEY": "sk-ant-none"}
        command = [
            *program("claude"),
            "-p",
            PROMPT,
            "--allowedTools",
            allowed,
            "--output-format",
            "json",
        ]
        ran = run(command, env, cwd=work(home), timeout_s=120)
        return check_run(standin, script, way, ran.both)


def codex_works(way: Connection, home: Path) -> str:
    script = SCRIPTS[way.dialect]
    env = connect_client("codex", way, home)
    with model(script.steps) as standin:
        provider = (
            f'{{name="s", base_url="{standin.url}/v1", wire_api="responses",'
            ' env_key="STANDIN_KEY"}'
        )
        options = [
            "-c",
            'model_provider="s"',
            "-c",
            f"model_providers.s={provider}",
            "-c",
            'model="stand-in"',
        ]
        flags = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
        command = [*program("codex"), "exec", *options, *flags, PROMPT]
        ran = run(command, env | {"STANDIN_KEY": "none"}, cwd=work(home), timeout_s=120)
        return check_run(standin, script, way, ran.both)


def gemini_works(way: Connection, home: Path) -> str:
    script = SCRIPTS[way.dialect]
    settings = home / ".gemini" / "settings.json"
    settings.parent.mkdir(parents=True)
    # With an address for its model, it would otherwise want a gateway to log in to.
    settings.write_text(
        '{\n  // chosen by hand\n  "security": {"auth": {"selectedType": "gemini-api-key"}}\n}\n'
    )
    env = connect_client("gemini", way, home) | GEMINI_QUIET
    with model(script.steps) as standin:
        env |= {"GOOGLE_GEMINI_BASE_URL": standin.url, "GEMINI_API_KEY": "none"}
        command = [
            *program("gemini"),
            "--approval-mode",
            "yolo",
            "-m",
            "gemini-2.5-flash",
            "-p",
            PROMPT,
        ]
        ran = run(command, env, cwd=work(home), timeout_s=120)
        return check_run(standin, script, way, ran.both)


def check_run(standin: Model, script: Script, way: Connection, said: str) -> str:
    """Whether the model was shown what it needs: tools, their limits, the instructions and the
    results.
    """
    dialect = registry.find(way.dialect)
    main = [
        sight
        for sight in standin.sights
        if any(tool.endswith(script.steps[0].tool) for tool in sight.tools)
    ]
    if not main:
        raise TrialFailed(
            f"no request had our tools; {len(standin.requests)} requests; it said {said[-500:]!r}"
        )
    first, last = main[0], main[-1]
    for tool in script.at_hand:
        _require_tool(first, tool, dialect.tools[tool].description)
    opening = dialect.instructions.partition(".")[0]
    everything = " ".join((first.instructions + " ".join(first.tools.values())).split())
    if opening not in everything:
        raise TrialFailed(f"the instructions are missing: {opening!r}")
    if len(last.results) != len(script.steps):
        raise TrialFailed(
            f"{len(last.results)} of {len(script.steps)} results came back; it said {said[-500:]!r}"
        )
    for step, result in zip(script.steps, last.results, strict=True):
        if missing := [words for words in step.shown if words not in result]:
            raise TrialFailed(f"the result of {step.tool} lacks {missing}: {result[:400]!r}")
    if FINAL not in said:
        raise TrialFailed(f"the agent did not end with the model's words: {said[-300:]!r}")
    return f"{len(first.tools)} tools shown, instructions, {len(last.results)} results"


def _require_tool(sight: ModelRequest, tool: str, description: str) -> None:
    name = next((one for one in sight.tools if one == tool or one.endswith(f"_{tool}")), None)
    if name is None:
        raise TrialFailed(f"{tool} is not at hand: {sorted(sight.tools)[:40]}")
    opening = description.partition(".")[0]
    if opening not in " ".join(sight.tools[name].split()):
        raise TrialFailed(f"{tool} has lost its description: {sight.tools[name][:200]!r}")
    schema: Any = sight.schemas[name] or {}
    if not schema.get("properties"):
        raise TrialFailed(f"{tool} has lost its arguments: {schema}")


def _line_with(said: str, *words: str) -> str:
    # These commands end with 0 whatever happened, so the words decide.
    found = next((line for line in said.splitlines() if all(word in line for word in words)), None)
    if found is None:
        raise TrialFailed(f"no line with {' and '.join(words)}: {said[-500:]!r}")
    return found.strip()


CLAUDE_QUIET: Mapping[str, str] = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
}
GEMINI_QUIET: Mapping[str, str] = {
    "GEMINI_CLI_TRUST_WORKSPACE": "true",
    "GEMINI_TELEMETRY_ENABLED": "false",
}

CONNECTING: Mapping[str, Callable[[Connection, Path], str]] = {
    "Claude Code": claude_lists,
    "Codex app server": codex_lists,
    "Gemini CLI": gemini_lists,
    "opencode": opencode_lists,
}
WORKING: Mapping[str, Callable[[Connection, Path], str]] = {
    "Claude Code": claude_works,
    "Codex": codex_works,
    "Gemini CLI": gemini_works,
}
