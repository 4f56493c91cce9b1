"""Where each client keeps its hooks, and the change that adds ours or takes them out again.

The hooks of other programs in the same file keep every character.
"""

import copy
import json
import re
import shlex
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from commonplace.engine.hooks.hook_clients import (
    EVENTS,
    SECONDS_MAX,
    HookClient,
    HookEvent,
    hook_client,
)
from commonplace.errors import Conflict, Invalid, NotFound, Unsupported
from commonplace.faces.connect import json_text, opencode_plugin, toml_text
from commonplace.faces.connect.clients import Machine
from commonplace.faces.connect.edits import EditPlan, name_file_in_errors, read_file

Json = dict[str, Any]
# How much longer the client waits than the hook takes at most.
_MARGIN_S = 6
_OURS = re.compile(r"commonplace\b.*\bhook (?:session-start|prompt|stop|pre-compact|session-end)\b")


@dataclass(frozen=True, slots=True)
class HookFile:
    """One row: where a client keeps its hooks, and how it writes one down.

    Without `item` the file is a plugin of our own.
    """

    client: HookClient
    path: Callable[[Machine], Path]
    item: Callable[[str, int], Json] | None
    next_step: str
    comments: bool = False
    # Fields that a new file needs besides the hooks.
    fixed: Mapping[str, Any] | None = None


def _grouped(command: str, seconds: int) -> Json:
    return {"hooks": [{"type": "command", "command": command, "timeout": seconds}]}


def _gemini_item(command: str, seconds: int) -> Json:
    one = {"name": "commonplace", "type": "command", "command": command}
    return {"hooks": [{**one, "timeout": seconds * 1000}]}


def _cursor_item(command: str, seconds: int) -> Json:
    return {"command": command, "timeout": seconds}


def _copilot_item(command: str, seconds: int) -> Json:
    return {"type": "command", "bash": command, "powershell": command, "timeoutSec": seconds}


HOOK_FILES = (
    HookFile(
        hook_client("claude-code"),
        lambda machine: (
            machine.variable("CLAUDE_CONFIG_DIR", machine.home / ".claude") / "settings.json"
        ),
        _grouped,
        "Start a new `claude` session; `/hooks` lists them.",
    ),
    HookFile(
        hook_client("codex"),
        lambda machine: machine.variable("CODEX_HOME", machine.home / ".codex") / "hooks.json",
        _grouped,
        "Start `codex` and trust the hooks in `/hooks`; until then Codex runs none of them.",
    ),
    HookFile(
        hook_client("gemini"),
        lambda machine: (
            machine.variable("GEMINI_CLI_HOME", machine.home) / ".gemini" / "settings.json"
        ),
        _gemini_item,
        "Start a new `gemini` session; `/hooks` lists them.",
        comments=True,
    ),
    HookFile(
        hook_client("cursor"),
        lambda machine: machine.home / ".cursor" / "hooks.json",
        _cursor_item,
        "Restart Cursor; the Hooks tab of its settings lists them.",
        fixed={"version": 1},
    ),
    HookFile(
        hook_client("copilot"),
        lambda machine: (
            machine.variable("COPILOT_HOME", machine.home / ".copilot") / "hooks/commonplace.json"
        ),
        _copilot_item,
        "Start a new `copilot` session.",
        fixed={"version": 1},
    ),
    HookFile(
        hook_client("opencode"),
        lambda machine: (
            machine.variable("XDG_CONFIG_HOME", machine.home / ".config")
            / "opencode/plugins/commonplace.js"
        ),
        None,
        "Start a new `opencode` session.",
    ),
)


def hook_file(name: str) -> HookFile:
    """The row of a client."""
    found = next((one for one in HOOK_FILES if one.client.name == name), None)
    if found is None:
        known = ", ".join(one.client.name for one in HOOK_FILES)
        raise NotFound(f"There are no hooks for {name[:80]!r}.", hint=f"Choose one of: {known}.")
    return found


def commands(row: HookFile, program: Sequence[str], system: str) -> dict[HookEvent, str]:
    """The command line of each hook. It never changes, because Codex trusts a hook by its text."""
    join = subprocess.list2cmdline if system == "win32" else shlex.join
    return {
        event: join([*program, "hook", event, "--client", row.client.name])
        for event in EVENTS
        if event in row.client.events
    }


def plan(row: HookFile, program: Sequence[str], machine: Machine) -> EditPlan:
    """The change that installs our hooks. Nothing is written."""
    path = row.path(machine)
    before = read_file(path)
    with name_file_in_errors(path):
        if row.item is None:
            _require_own_plugin(before, path)
            after = opencode_plugin.source(program)
        else:
            after = _with_hooks(row, row.item, before or "", commands(row, program, machine.system))
    return EditPlan(row.client, path, before, after, None)


def hooks_text(row: HookFile, program: Sequence[str]) -> str:
    """The hooks of a client as a file of their own."""
    assert row.item is not None, f"{row.client.name} has a plugin"
    return _with_hooks(row, row.item, "", commands(row, program, "linux"))


def plan_removal(row: HookFile, machine: Machine) -> EditPlan:
    """The change that takes our hooks out again; an empty text removes the file."""
    path = row.path(machine)
    before = read_file(path)
    if before is None:
        return EditPlan(row.client, path, None, "", None)
    with name_file_in_errors(path):
        if row.item is None:
            _require_own_plugin(before, path)
            after = ""
        else:
            after = _without_hooks(row, before)
    return EditPlan(row.client, path, before, after, None, removes_file=not after)


def installed_events(row: HookFile, machine: Machine) -> tuple[str, ...]:
    """The client's events that run one of our hooks now."""
    text = read_file(row.path(machine))
    if text is None:
        return ()
    if row.item is None:
        return tuple(row.client.events.values()) if opencode_plugin.MARK in text else ()
    lists = json_text.lookup(_parse(row, text), ("hooks",))
    holder = cast("Json", lists) if isinstance(lists, dict) else {}
    return tuple(name for name in row.client.events.values() if _our_places(holder.get(name)) != [])


def trusted_count(row: HookFile, machine: Machine) -> int | None:
    """How many of our hooks the client trusts; None where it runs hooks without being asked."""
    if row.client.name != "codex":
        return None
    path = row.path(machine)
    text = read_file(path.with_name("config.toml"))
    try:
        state = json_text.lookup(toml_text.parse(text or ""), ("hooks", "state"))
    except Invalid:
        return 0
    states = cast("Json", state) if isinstance(state, dict) else {}
    return sum(name.startswith(f"{path}:") for name in states)


def _with_hooks(
    row: HookFile,
    item: Callable[[str, int], Json],
    text: str,
    wanted: Mapping[HookEvent, str],
) -> str:
    expected = copy.deepcopy(_parse(row, text))
    after = text
    for name, value in (row.fixed or {}).items():
        if name not in expected:
            after, expected[name] = json_text.with_value(after, (name,), value), value
    for event, command in wanted.items():
        keys = ("hooks", row.client.events[event])
        entry = item(command, round(SECONDS_MAX[event]) + _MARGIN_S)
        present = json_text.value_at(after, keys)
        places = _our_places(present)
        if [cast("list[Any]", present)[place] for place in places] == [entry]:
            continue
        for place in reversed(places):
            after = json_text.without_item(after, keys, place)
        after = json_text.with_item(after, keys, entry)
        kept = [] if not isinstance(present, list) else _others(cast("list[Any]", present))
        expected.setdefault("hooks", {})[keys[1]] = [*kept, entry]
    return _verified(row, after, expected)


def _without_hooks(row: HookFile, text: str) -> str:
    expected = copy.deepcopy(_parse(row, text))
    after = text
    for name in row.client.events.values():
        keys = ("hooks", name)
        present = json_text.value_at(after, keys)
        places = _our_places(present)
        if not places:
            continue
        kept = _others(cast("list[Any]", present))
        for place in reversed(places):
            after = json_text.without_item(after, keys, place)
        expected["hooks"][name] = kept
        if not kept:
            after = json_text.without(after, keys)
            del expected["hooks"][name]
    if after != text and expected["hooks"] == {}:
        after = json_text.without(after, ("hooks",))
        del expected["hooks"]
    if after != text and expected == dict(row.fixed or {}):
        return ""  # Nothing but what a file of ours begins with.
    return _verified(row, after, expected)


def _our_places(present: Any) -> list[int]:
    """Where in a list of hooks ours are."""
    if not isinstance(present, list):
        return []
    items = cast("list[Any]", present)
    return [place for place, one in enumerate(items) if _OURS.search(json.dumps(one))]


def _others(items: list[Any]) -> list[Any]:
    ours = set(_our_places(items))
    return [one for place, one in enumerate(items) if place not in ours]


def _parse(row: HookFile, text: str) -> Json:
    if text.strip() and not row.comments:
        try:
            found: Any = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise Invalid(
                f"The file is not plain JSON, which {row.client.title} requires: {error}.",
                hint="Correct it in an editor; nothing was changed.",
            ) from error
    else:
        found = json_text.parse(text).value
    if not isinstance(found, dict):
        raise Invalid("The file is not a JSON object.", hint="Correct it in an editor.")
    return cast("Json", found)


def _verified(row: HookFile, after: str, expected: Json) -> str:
    """Refuse a change that is not exactly the one that was meant."""
    if _parse(row, after) != expected:
        raise Unsupported(
            f"The hooks of {row.client.title} are written in a form that cannot be changed safely.",
            hint="Make the change in an editor.",
        )
    return after


def _require_own_plugin(text: str | None, path: Path) -> None:
    if text is not None and opencode_plugin.MARK not in text:
        raise Conflict(f"{path} is a file of another program.", hint="Move it away and try again.")
