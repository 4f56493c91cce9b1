"""`python -m interop.hooks`: a fact of one session is in what the model sees in the next.

The agents run with the hooks that `commonplace hooks install` writes, and a stand-in for their
model, which never calls a tool of ours. Asserted is what the stand-in received.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from commonplace.engine.hooks import hook_log
from commonplace.faces.connect import edits, hook_files
from commonplace.faces.connect.clients import Machine, client_named
from commonplace.faces.connect.edits import ServerSpec
from interop.agents import CLAUDE_QUIET, GEMINI_QUIET
from interop.model import Model, model
from interop.tools import Report, TrialFailed, environment, install, program, run, scratch

FACT = "The staging database listens on port 54329."
FIRST = f"{FACT} Reply with one word."
SECOND = "Say which port the staging database listens on."
WORD = "54329"


def install_hooks(client: str, home: Path) -> dict[str, str]:
    """The variables of a person who has set the hooks of a client up."""
    launcher = os.environ.get("INTEROP_PROGRAM") or str(
        Path(sys.executable).with_name("commonplace")
    )
    row = hook_files.hook_file(client)
    machine = Machine(home, sys.platform, {})
    edits.apply(hook_files.plan(row, (launcher, "--home", str(home / "store")), machine))
    # These runs have no person at the keyboard, which hooks leave alone unless they are told.
    return environment(home, {"COMMONPLACE_HOOKS": "all"})


def claude(home: Path, env: Mapping[str, str], standin: Model, prompt: str) -> str:
    variables = {"ANTHROPIC_BASE_URL": standin.url, "ANTHROPIC_API_KEY": "sk-ant-none"}
    command = [*program("claude"), "-p", prompt, "--output-format", "json"]
    return run(command, {**env, **CLAUDE_QUIET, **variables}, cwd=home / "work", timeout_s=120).both


def codex(home: Path, env: Mapping[str, str], standin: Model, prompt: str) -> str:
    provider = (
        f'{{name="s", base_url="{standin.url}/v1", wire_api="responses", env_key="STANDIN_KEY"}}'
    )
    options = [
        *("-c", 'model_provider="s"', "-c", f"model_providers.s={provider}"),
        *("-c", 'model="stand-in"', "--skip-git-repo-check"),
        *("--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"),
    ]
    command = [*program("codex"), "exec", *options, prompt]
    return run(command, {**env, "STANDIN_KEY": "none"}, cwd=home / "work", timeout_s=120).both


def gemini(home: Path, env: Mapping[str, str], standin: Model, prompt: str) -> str:
    variables = {"GOOGLE_GEMINI_BASE_URL": standin.url, "GEMINI_API_KEY": "none"}
    command = [*program("gemini"), "--approval-mode", "yolo", "-m", "gemini-2.5-flash"]
    return run(
        [*command, "-p", prompt],
        {**env, **GEMINI_QUIET, **variables},
        cwd=home / "work",
        timeout_s=120,
    ).both


def opencode(home: Path, env: Mapping[str, str], standin: Model, prompt: str) -> str:
    config = home / ".config" / "opencode" / "opencode.json"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(
        '{"provider": {"anthropic": {"options": {"apiKey": "none", "baseURL": "'
        + f'{standin.url}/v1"'
        + "}}}}"
    )
    command = [*program("opencode"), "run", "-m", "anthropic/claude-sonnet-4-5", prompt]
    return run(command, dict(env), cwd=home / "work", timeout_s=180).both


Agent = Callable[[Path, Mapping[str, str], Model, str], str]
AGENTS: Mapping[str, Agent] = {
    "claude-code": claude,
    "codex": codex,
    "gemini": gemini,
    "opencode": opencode,
}


def remembers(client: str, agent: Agent, home: Path) -> str:
    """Two sessions; the second must see what the first was told."""
    env = install_hooks(client, home)
    (home / "work").mkdir(parents=True, exist_ok=True)
    if client == "gemini":
        settings = home / ".gemini" / "settings.json"
        text = settings.read_text().rstrip().removesuffix("}").rstrip()
        settings.write_text(
            text + ',\n  "security": {"auth": {"selectedType": "gemini-api-key"}}\n}\n'
        )
    with model(()) as first:
        said = agent(home, env, first, FIRST)
    kept = [one for one in hook_log.read(home / "store", 100) if one.kept]
    if not kept:
        lines = [f"{one.event} {one.outcome} {one.message}" for one in reversed(_log(home))]
        raise TrialFailed(f"nothing was kept: {lines}; it said {said[-300:]!r}")
    with model(()) as second:
        said = agent(home, env, second, SECOND)
    seen = [one for one in second.sights if WORD in one.instructions]
    events = " ".join(dict.fromkeys(one.event for one in reversed(_log(home))))
    if not seen:
        raise TrialFailed(f"the model did not see it; events {events}; it said {said[-300:]!r}")
    count = max(one.instructions.count(WORD) for one in seen)
    if count > 1:
        raise TrialFailed(f"the memory is {count} times in one request")
    return f"seen in the second session; events: {events}"


def remembers_by_tools(home: Path) -> str:
    """The same with Claude Code calling the hooks as tools, which our server does not list."""
    launcher = str(Path(sys.executable).with_name("commonplace"))
    env = environment(home)
    (home / "work").mkdir(parents=True)
    wanted = ServerSpec("commonplace", program=(launcher, "--home", str(home / "store")))
    machine = Machine(home, sys.platform, {})
    edits.apply(edits.plan(client_named("claude-code"), wanted, machine))
    given = {"session_id": "${session_id}", "cwd": "${cwd}"}
    answer = {"last_assistant_message": "${last_assistant_message}"}
    hooks = {
        "UserPromptSubmit": _tool_hook("hook_prompt", {**given, "prompt": "${prompt}"}),
        "Stop": _tool_hook("hook_stop", given | answer),
    }
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(json.dumps({"hooks": hooks}))
    for prompt in (FIRST, SECOND):
        with model(()) as standin:
            said = claude(home, env, standin, prompt)
    if not any(WORD in one.instructions for one in standin.sights):
        raise TrialFailed(f"the model did not see it; it said {said[-300:]!r}")
    return "seen in the second session"


def _tool_hook(tool: str, given: Mapping[str, str]) -> list[dict[str, object]]:
    one = {"type": "mcp_tool", "server": "commonplace", "tool": tool, "input": given, "timeout": 10}
    return [{"hooks": [one]}]


def _log(home: Path) -> list[hook_log.LogLine]:
    return hook_log.read(home / "store", 100)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m interop.hooks", description=__doc__)
    parser.add_argument("--only", default="", help="only clients with this in their name")
    chosen = parser.parse_args()
    install()
    report = Report()
    for client, agent in AGENTS.items():
        if chosen.only in client:
            with report.guarded(client), scratch() as folder, suppress(FileNotFoundError):
                report.trial(
                    client,
                    "hooks",
                    lambda c=client, a=agent, h=folder: remembers(c, a, h / "home"),
                )
    if chosen.only in "claude-code":
        with scratch() as folder:
            report.trial(
                "claude-code", "hooks as tools", lambda: remembers_by_tools(folder / "home")
            )
    return report.finish("hooks")


if __name__ == "__main__":
    sys.exit(main())
