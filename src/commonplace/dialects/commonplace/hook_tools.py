"""The hooks as tools, for clients that call a tool of an MCP server at an event of a session.

They are not listed, because a model has no use for them.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from commonplace import engine
from commonplace.dialects.dialect import OTHER, Call, Reply, Tool, as_json, tool
from commonplace.dialects.parameters import About

if TYPE_CHECKING:
    from commonplace.engine.hooks.hook_clients import HookEvent

Client = Annotated[str, About("The client, by its name in `commonplace hook`.")]
SessionId = Annotated[str, About("The client's id of the session.")]
Folder = Annotated[str, About("The working folder.")]
Turn = Annotated[str, About("The client's id of the turn.")]
Agent = Annotated[str, About("The id of the subagent, if it is one.")]


@tool("writes", OTHER, title="Session starts")
def hook_session_start(
    call: Call,
    session_id: SessionId = "",
    cwd: Folder = "",
    source: Annotated[str, About("startup, resume, clear or compact.")] = "",
    agent_id: Agent = "",
    client: Client = "claude-code",
) -> Reply:
    """The brief that a session starts with, in the client's form."""
    payload = {"session_id": session_id, "cwd": cwd, "source": source, "agent_id": agent_id}
    return _answer(call, client, "session-start", payload)


@tool("writes", OTHER, title="Prompt")
def hook_prompt(
    call: Call,
    session_id: SessionId = "",
    prompt: Annotated[str, About("The prompt.")] = "",
    cwd: Folder = "",
    turn_id: Turn = "",
    agent_id: Agent = "",
    client: Client = "claude-code",
) -> Reply:
    """What surely answers a prompt, in the client's form."""
    payload = {"session_id": session_id, "prompt": prompt, "cwd": cwd}
    return _answer(call, client, "prompt", {**payload, "turn_id": turn_id, "agent_id": agent_id})


@tool("writes", OTHER, title="Turn ends")
def hook_stop(
    call: Call,
    session_id: SessionId = "",
    last_assistant_message: Annotated[str, About("The agent's answer.")] = "",
    cwd: Folder = "",
    turn_id: Turn = "",
    agent_id: Agent = "",
    client: Client = "claude-code",
) -> Reply:
    """Keep a turn."""
    payload = {"session_id": session_id, "last_assistant_message": last_assistant_message}
    more = {"cwd": cwd, "turn_id": turn_id, "agent_id": agent_id}
    return _answer(call, client, "stop", {**payload, **more})


@tool("writes", OTHER, title="Before compaction")
def hook_pre_compact(
    call: Call,
    session_id: SessionId = "",
    cwd: Folder = "",
    agent_id: Agent = "",
    client: Client = "claude-code",
) -> Reply:
    """Keep the open turn before the client compacts its context."""
    payload = {"session_id": session_id, "cwd": cwd, "agent_id": agent_id}
    return _answer(call, client, "pre-compact", payload)


@tool("writes", OTHER, title="Session ends")
def hook_session_end(
    call: Call,
    session_id: SessionId = "",
    cwd: Folder = "",
    reason: Annotated[str, About("Why the session ends.")] = "",
    agent_id: Agent = "",
    client: Client = "claude-code",
) -> Reply:
    """Close a session with a summary."""
    payload = {"session_id": session_id, "cwd": cwd, "reason": reason, "agent_id": agent_id}
    return _answer(call, client, "session-end", payload)


def _answer(call: Call, client: str, event: "HookEvent", payload: Mapping[str, str]) -> Reply:
    given = {**payload, "cwd": payload["cwd"] or call.folder}
    request = engine.hooks.launch.HookRequest(client, event, given, call.bank)
    answer = engine.hooks.launch.HookLauncher.of(call.engine).answer(request)
    return Reply(answer, as_json(answer))


def _unlisted(one: Tool) -> Tool:
    return replace(one, listed=False)


HOOK_TOOLS = tuple(
    map(
        _unlisted,
        (hook_session_start, hook_prompt, hook_stop, hook_pre_compact, hook_session_end),
    )
)
