"""Banks, memories, versions and links as plain values, without any input or output.

Moments are whole milliseconds since 1970 (see clock.py). An absent scope field is "" and never
None, so that scopes can be compared with `==`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Metadata: TypeAlias = Mapping[str, object]
Action: TypeAlias = Literal["remember", "revise", "forget", "restore"]
Change: TypeAlias = Literal["added", "revised", "unchanged", "restored", "forgotten", "purged"]
LinkKind: TypeAlias = Literal["similar_to", "contradicts", "supersedes", "caused_by"]


@dataclass(frozen=True, slots=True)
class Unset:
    """The type of a field that a change leaves as it is; None means "remove the value"."""


UNSET = Unset()


@dataclass(frozen=True, slots=True)
class Origin:
    """The author of a change, its dialect, its session and its reason."""

    who: str = ""
    dialect: str = ""
    session: str = ""
    reason: str = ""


# The prefixes of a project or an agent in the form of a tag.
LABEL_PREFIXES = ("project:", "agent:")


@dataclass(frozen=True, slots=True)
class Scope:
    """The owner of a memory. It never changes: a memory never moves to another project or user."""

    project: str = ""
    user: str = ""
    agent: str = ""
    run: str = ""

    @property
    def labels(self) -> tuple[str, ...]:
        """The project and the agent in the form of tags, such as `project:shop`, for dialects that
        have only tags.

        A run is not a label, because every conversation has its own.
        """
        named = zip(LABEL_PREFIXES, (self.project, self.agent), strict=True)
        return tuple(f"{prefix}{name}" for prefix, name in named if name)


@dataclass(frozen=True, slots=True)
class Bank:
    """An isolated set of memories. Searches, keys and links never cross its border."""

    id: int
    name: str
    title: str
    mission: str
    config: Metadata
    created_at: int


@dataclass(frozen=True, slots=True)
class BankEdit:
    """Changes to a bank. Configuration fields are merged, and None removes one."""

    title: str | Unset = UNSET
    mission: str | Unset = UNSET
    config: Metadata | Unset = UNSET


@dataclass(frozen=True, slots=True)
class Draft:
    """A statement to be stored. With a key it becomes the next version of the memory that has this
    key.
    """

    text: str
    title: str = ""
    kind: str = "note"
    key: str = ""
    tags: tuple[str, ...] = ()
    metadata: Metadata = field(default_factory=dict[str, object])
    paths: tuple[str, ...] = ()
    category: str = ""
    happened_at: int | None = None
    happened_until: int | None = None
    expires_at: int | None = None
    document_id: int | None = None
    scope: Scope = Scope()


@dataclass(frozen=True, slots=True)
class Edit:
    """The fields a revision changes; the others stay."""

    text: str | Unset = UNSET
    title: str | Unset = UNSET
    kind: str | Unset = UNSET
    tags: tuple[str, ...] | Unset = UNSET
    metadata: Metadata | Unset = UNSET
    paths: tuple[str, ...] | Unset = UNSET
    category: str | Unset = UNSET
    happened_at: int | None | Unset = UNSET
    happened_until: int | None | Unset = UNSET
    expires_at: int | None | Unset = UNSET


@dataclass(frozen=True, slots=True)
class Memory:
    """One statement in its current state."""

    id: int
    bank_id: int
    scope: Scope
    text: str
    title: str
    kind: str
    key: str
    tags: tuple[str, ...]
    metadata: Metadata
    paths: tuple[str, ...]
    category: str
    happened_at: int | None
    happened_until: int | None
    expires_at: int | None
    document_id: int | None
    version: int
    version_id: int
    created_at: int
    updated_at: int
    forgotten_at: int | None


@dataclass(frozen=True, slots=True)
class Version:
    """One state of a memory, never changed afterwards. Its id differs from the id of the memory."""

    id: int
    memory_id: int
    number: int
    action: Action
    revision: int
    text: str
    title: str
    kind: str
    key: str
    tags: tuple[str, ...]
    metadata: Metadata
    paths: tuple[str, ...]
    category: str
    happened_at: int | None
    happened_until: int | None
    expires_at: int | None
    document_id: int | None
    at: int
    origin: Origin

    @property
    def forgotten(self) -> bool:
        """Whether the memory was forgotten in this state."""
        return self.action == "forget"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a write, and the memory after it."""

    change: Change
    memory: Memory
    revision: int = 0


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """An idempotency key: within a session and a tool, the same key gives the same answer."""

    session: str
    tool: str
    key: str


@dataclass(frozen=True, slots=True)
class Revision:
    """One mutating call on a project."""

    number: int
    action: str
    at: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class Project:
    """A project as a list shows it."""

    name: str
    memory_count: int
    revision: int
    changed_at: int


@dataclass(frozen=True, slots=True)
class Link:
    """The relation of one memory to another, with a confidence and a reason. It goes from the newer
    memory to the older one.
    """

    kind: LinkKind
    from_id: int
    to_id: int
    confidence: float
    reason: str


@dataclass(frozen=True, slots=True)
class TagCount:
    """A tag and how many live memories have it."""

    tag: str
    count: int
