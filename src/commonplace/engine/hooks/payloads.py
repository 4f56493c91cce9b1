"""Reads what a client sends to a hook. Field names differ from client to client; the values
do not.
"""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from commonplace import git_project
from commonplace.engine.hooks.hook_clients import HookClient, HookEvent
from commonplace.errors import Invalid
from commonplace.extract.private_text import without_injected, without_private
from commonplace.limits import NAME_CHARS_MAX

_SESSION = ("session_id", "sessionId", "conversation_id", "conversationId", "sessionID")
_TURN = ("turn_id", "prompt_id", "generation_id", "turnId", "message_id")
_FOLDER = ("cwd", "workspace_root", "directory")
_PROMPT = ("prompt", "user_prompt", "userPrompt", "transformedPrompt")
_ANSWER = ("last_assistant_message", "prompt_response", "lastAssistantMessage", "response", "text")
# A subagent reports to the agent that started it, which is the one to be remembered.
_SUBAGENT = ("agent_id", "agentId", "parent_session_id", "subagent_id")


@dataclass(frozen=True, slots=True)
class HookCall:
    """One event of a client's session, with the text between `<private>` marks taken out."""

    event: HookEvent
    client: HookClient
    session: str
    turn: str = ""
    folder: str = ""
    prompt: str = ""
    # The prompt as it was sent, for clients that replace it.
    raw_prompt: str = ""
    answer: str = ""
    # Why the session starts or ends: startup, resume, clear, compact.
    source: str = ""
    is_subagent: bool = False

    @property
    def session_key(self) -> str:
        """A key for the session of this client that no other client's session can have."""
        return hashlib.sha256(f"{self.client.name}\0{self.session}".encode()).hexdigest()[:32]

    @property
    def project(self) -> str:
        """The project of the folder."""
        return project_of(self.folder)


def read_payload(client: HookClient, event: HookEvent, payload: object) -> HookCall:
    """The event that a payload describes. Raises Invalid where it has no session."""
    if not isinstance(payload, Mapping):
        raise Invalid("The payload is not a JSON object.", hint="Send what the client sent.")
    given = cast("Mapping[str, Any]", payload)
    session = _first_text(given, _SESSION)
    if not session:
        raise Invalid("The payload has no session id.", hint=f"Send one of: {', '.join(_SESSION)}.")
    prompt = _first_text(given, _PROMPT)
    return HookCall(
        event=event,
        client=client,
        session=session,
        turn=_first_text(given, _TURN),
        folder=_folder(given),
        prompt=without_private(without_injected(prompt)),
        raw_prompt=prompt,
        answer=without_private(without_injected(_first_text(given, _ANSWER))),
        source=_first_text(given, ("source", "reason", "trigger")),
        is_subagent=any(_first_text(given, (name,)) for name in _SUBAGENT),
    )


def project_of(folder: str) -> str:
    """The project of a folder: that of its git remote, or the path of its repository or itself.

    Worktrees of one repository have one project.
    """
    if not folder:
        return ""
    if remote := git_project.project_of_folder(folder):
        return _limited(remote)
    root = git_project.repository_root(folder) or Path(folder)
    home = os.path.expanduser("~")
    text = str(root)
    is_below = text == home or text.startswith(home + os.sep)
    return _limited("~" + text.removeprefix(home) if is_below else text)


def _limited(project: str) -> str:
    """A project name within the limit of names. The end of a path is the specific part."""
    plain = "".join(one for one in project if one.isprintable())
    if len(plain) <= NAME_CHARS_MAX:
        return plain
    digest = hashlib.sha256(plain.encode()).hexdigest()[:8]
    return f"{digest}…{plain[-NAME_CHARS_MAX + len(digest) + 1 :]}"


def _folder(given: Mapping[str, Any]) -> str:
    roots = given.get("workspace_roots")
    if isinstance(roots, list) and roots and isinstance(roots[0], str):
        return _clean(roots[0])
    return _first_text(given, _FOLDER)


def _first_text(given: Mapping[str, Any], names: tuple[str, ...]) -> str:
    for name in names:
        value = given.get(name)
        if isinstance(value, str) and value.strip():
            return _clean(value.strip())
    return ""


def _clean(text: str) -> str:
    """A text that the store accepts: without NUL characters and halves of characters."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()
