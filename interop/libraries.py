"""The official TypeScript clients and the inspector's command line."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from interop.agents import Connection
from interop.scripts import SCRIPTS
from interop.tools import HERE, TrialFailed, environment, node, program, run

_TOOL_ERROR, _NOT_PORTABLE = 5, 6  # how the inspector ends


def typescript(way: Connection, home: Path, library: str, mode: str) -> str:
    """A conversation of a TypeScript client: tools, calls, both halves of a result, and a tool that
    is not there.
    """
    script = SCRIPTS[way.dialect]
    target: dict[str, Any] = {"url": way.url} if way.url else {"command": _command(way)}
    calls = [(step.tool, step.arguments) for step in script.steps]
    asked = {"library": library, "mode": mode, "calls": calls, **target}
    env = environment(home, {"COMMONPLACE_HOME": str(home / "store")})
    ran = run([str(node()), str(HERE / "typescript.mjs"), json.dumps(asked)], env, cwd=HERE)
    if ran.code or not ran.out:
        raise TrialFailed(f"exit {ran.code}: {ran.both[-600:]}")
    said = json.loads(ran.out)
    if said["tools"] != way.tools:
        raise TrialFailed(f"it lists {said['tools']}")
    if not said["instructions"]:
        raise TrialFailed("it got no instructions")
    for step, result in zip(script.steps, said["results"], strict=True):
        if bool(result["error"]) != step.wrong:
            raise TrialFailed(f"{step.tool} answered {result}")
        for half in (str(result["text"]), json.dumps(result["structured"], ensure_ascii=False)):
            if missing := [words for words in step.shown if words not in half]:
                raise TrialFailed(
                    f"a half of the result of {step.tool} lacks {missing}: {half[:300]}"
                )
    expected = "2026-07-28" if mode == "auto" else "2025-11-25"
    # The older library does not tell its revision on standard input and output.
    if said["version"] not in (expected, None if library == "sdk" and not way.url else expected):
        raise TrialFailed(f"it speaks {said['version']} instead of {expected}")
    if not said["refused"]:
        raise TrialFailed("a tool that does not exist answered")
    return (
        f"{said['version'] or expected}, {len(said['tools'])} tools, {len(said['results'])} calls,"
        " both halves"
    )


def inspector_lists(way: Connection, home: Path, era: str) -> str:
    """Every tool, and no schema that some client cannot read."""
    ran = _inspect(way, home, era, ["--method", "tools/list", "--strict"])
    if ran.code == _NOT_PORTABLE:
        raise TrialFailed(f"schemas that are not portable: {ran.err[-900:]}")
    if ran.code:
        raise TrialFailed(f"exit {ran.code}: {ran.both[-600:]}")
    tools = [tool["name"] for tool in json.loads(ran.out)["result"]["tools"]]
    if tools != way.tools:
        raise TrialFailed(f"it lists {tools}")
    warned = " ".join(ran.err.split())
    return f"{len(tools)} tools, every schema portable{'; ' + warned if warned else ''}"


def inspector_calls(way: Connection, home: Path, era: str) -> str:
    """The dialect's script, one call after the other."""
    script = SCRIPTS[way.dialect]
    for step in script.steps:
        given = step.arguments.items()
        pairs = [
            f"{key}={value if isinstance(value, str) else json.dumps(value)}"
            for key, value in given
        ]
        ran = _inspect(
            way,
            home,
            era,
            ["--method", "tools/call", "--tool-name", step.tool, "--tool-arg", *pairs],
        )
        if ran.code != (_TOOL_ERROR if step.wrong else 0):
            raise TrialFailed(f"{step.tool}: exit {ran.code}: {ran.both[-600:]}")
        if missing := [words for words in step.shown if words not in ran.out]:
            raise TrialFailed(f"the result of {step.tool} lacks {missing}: {ran.out[:400]}")
    return f"{len(script.steps)} calls"


def _inspect(way: Connection, home: Path, era: str, options: Sequence[str]) -> Any:
    home.mkdir(parents=True, exist_ok=True)
    env = environment(
        home,
        {"COMMONPLACE_HOME": str(home / "store"), "MCP_CATALOG_PATH": str(home / "catalog.json")},
    )
    # A server that is started gets nothing of our environment unless it is named.
    kept = ["-e", f"COMMONPLACE_HOME={home / 'store'}"]
    where = [way.url, "--transport", "http"] if way.url else [*_command(way), *kept]
    command = [
        *program("mcp-inspector"),
        "--cli",
        *where,
        "--protocol-era",
        era,
        "--format",
        "json",
        *options,
    ]
    return run(command, env, cwd=home)


def _command(way: Connection) -> list[str]:
    return [*way.launcher, "mcp", "--dialect", way.dialect]
