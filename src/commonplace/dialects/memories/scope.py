"""Resolves the arguments of a memories.sh call to a tenant, user and project, and declares these
parameters."""

from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from commonplace import engine, git_project, validation
from commonplace.dialects.dialect import Call
from commonplace.dialects.parameters import About
from commonplace.errors import Invalid
from commonplace.limits import NAME_CHARS_MAX
from commonplace.records.memory import Memory, Scope
from commonplace.records.query import Filter

Type: TypeAlias = Literal["rule", "decision", "fact", "note", "skill"]
Layer: TypeAlias = Literal["rule", "working", "long_term"]
Source: TypeAlias = Literal["argument", "git", "global"]
TYPES: tuple[Type, ...] = ("rule", "decision", "fact", "note", "skill")

TenantId = Annotated[
    str | None,
    About("AI SDK Project identifier for security/database routing.", 0, 200, multiuser=True),
]
UserId = Annotated[
    str | None,
    About("End-user scope identifier inside tenant_id.", 0, 200, multiuser=True),
]
ProjectId = Annotated[
    str | None,
    About(
        "Project/repo context such as github.com/user/repo. On stdio the git remote is used when"
        " omitted.",
        0,
        200,
    ),
]
Global = Annotated[bool, About("Store as global, for every project. Not with project_id.")]
Tags = Annotated[list[str] | None, About("Array of tags.", None, 100)]
IncludeTrace = Annotated[
    bool, About("Also return what found each result, its scores, and what was left out and why.")
]
SessionId = Annotated[str, About("Session ID from start_session.", 1, 200)]

_BOTH_SCOPES = "Cannot set both global=true and project_id. Choose one scope."


@dataclass(frozen=True, slots=True)
class Target:
    """A bank with a project and a user; "" if there is none. `source` is where the project came
    from.
    """

    bank: str
    project: str = ""
    user: str = ""
    source: Source = "global"

    @property
    def scope(self) -> Scope:
        """The scope of new memories."""
        return Scope(project=self.project, user=self.user)

    @property
    def visible_filter(self) -> Filter:
        """The memories that the caller may read: those of the project and global ones, of the user
        and the owner.
        """
        return engine.sessions.rules.visible_to(self.scope)

    @property
    def projects(self) -> tuple[str, ...]:
        """The projects that the caller may read."""
        return tuple(dict.fromkeys((self.project, "")))

    def owns(self, memory: Memory) -> bool:
        """Whether the caller may change a memory: only those of the user, in any project."""
        return memory.scope.user == self.user


def _project_of_folder(folder: str) -> str:
    """The project of a folder under git; "" if it has none, or a name that we do not accept."""
    found = git_project.project_of_folder(folder)
    return found if found and len(found) <= NAME_CHARS_MAX and found.isprintable() else ""


def _resolve_user(call: Call, user_id: str | None) -> str:
    """The user of a call; "" for the owner, also by name."""
    user = validation.name(user_id, what="user_id") if user_id is not None else ""
    return "" if user == call.owner else user


def resolve_target(
    call: Call,
    tenant_id: str | None = None,
    user_id: str | None = None,
    project_id: str | None = None,
    *,
    is_global: bool = False,
    detect: bool = True,
) -> Target:
    """The target of a call: the named project, else that of the caller's folder, else none."""
    bank = validation.name(tenant_id, what="tenant_id") if tenant_id is not None else call.bank
    user = _resolve_user(call, user_id)
    project = validation.line(project_id or "", what="project_id")
    if is_global and project:
        raise Invalid(_BOTH_SCOPES, hint="Leave out one of the two.")
    if project:
        return Target(bank, project, user, "argument")
    if detect and not is_global and (found := _project_of_folder(call.folder)):
        return Target(bank, found, user, "git")
    return Target(bank, "", user)


def limit_of(number: float | None, default: int, maximum: int) -> int:
    """A limit as in the original: the default if it is missing or below one, and at most the
    maximum.
    """
    return default if number is None or not number >= 1 else int(min(number, maximum))
