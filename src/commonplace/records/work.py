"""Documents, sessions, reminders, streams and jobs as plain values, without any input or output.

Moments are whole milliseconds since 1970. An absent scope field is "", as in records/memory.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeAlias, TypeVar

from commonplace.records.memory import UNSET, Metadata, Unset

DocumentChange: TypeAlias = Literal["added", "replaced", "unchanged"]
SessionStatus: TypeAlias = Literal["active", "closed", "compacted"]
EndStatus: TypeAlias = Literal["closed", "compacted"]
Role: TypeAlias = Literal["user", "assistant", "tool"]
EventKind: TypeAlias = Literal["message", "checkpoint", "summary", "event"]
Trigger: TypeAlias = Literal["new_session", "reset", "manual", "auto_compaction"]
JobState: TypeAlias = Literal["pending", "running", "completed", "failed", "cancelled"]

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class ResultPage(Generic[Item]):
    """A part of a list, and the length of the whole list."""

    items: tuple[Item, ...] = ()
    total: int = 0


@dataclass(frozen=True, slots=True)
class DocumentDraft:
    """A source text to be stored under a name. Fields that are not set keep their value when the
    document exists.
    """

    name: str
    text: str
    title: str | Unset = UNSET
    tags: tuple[str, ...] | Unset = UNSET
    metadata: Metadata | Unset = UNSET


@dataclass(frozen=True, slots=True)
class Document:
    """A source text of memories. Lists leave the text empty and give its length."""

    id: int
    bank_id: int
    name: str
    title: str
    text: str
    text_chars: int
    sha256: str
    tags: tuple[str, ...]
    metadata: Metadata
    memory_count: int
    created_at: int
    updated_at: int


@dataclass(frozen=True, slots=True)
class SessionDraft:
    """A session to be started."""

    title: str = ""
    client: str = ""
    project: str = ""
    user: str = ""
    metadata: Metadata = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class Session:
    """A period of work of one agent, with its events in order."""

    id: int
    bank_id: int
    project: str
    user: str
    title: str
    client: str
    metadata: Metadata
    status: SessionStatus
    event_count: int
    started_at: int
    active_at: int
    ended_at: int | None


@dataclass(frozen=True, slots=True)
class SessionFilter:
    """A set of sessions; None means "any"."""

    status: SessionStatus | None = None
    projects: tuple[str, ...] | None = None
    users: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class EventDraft:
    """An event to be added to a session."""

    text: str
    role: Role = "assistant"
    kind: EventKind = "checkpoint"
    token_count: int | None = None
    turn_index: int | None = None
    meaningful: bool = True


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a session. Numbers start at 1 and have no gaps."""

    id: int
    session_id: int
    number: int
    role: Role
    kind: EventKind
    text: str
    token_count: int | None
    turn_index: int | None
    meaningful: bool
    at: int


@dataclass(frozen=True, slots=True)
class SnapshotDraft:
    """How to make a snapshot: from a given text, or without one from the newest events."""

    text: str | None = None
    slug: str = ""
    trigger: Trigger = "manual"
    event_count: int = 15
    meaningful_only: bool = True


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state of a session at one moment, as markdown."""

    id: int
    session_id: int
    slug: str
    trigger: Trigger
    text: str
    at: int


@dataclass(frozen=True, slots=True)
class ReminderDraft:
    """A message to be shown whenever a five-field cron expression is due. An empty time zone means
    the default one.
    """

    cron: str
    message: str
    timezone: str = ""
    project: str = ""
    user: str = ""


@dataclass(frozen=True, slots=True)
class Reminder:
    """A message with a schedule. An empty time zone means the one of the machine; without `next_at`
    the reminder is inactive.
    """

    id: int
    bank_id: int
    project: str
    user: str
    cron: str
    timezone: str
    message: str
    enabled: bool
    next_at: int | None
    last_at: int | None
    created_at: int


@dataclass(frozen=True, slots=True)
class DueReminder:
    """A reminder that is due, the moment it was due at, and its state after the call."""

    due_at: int
    reminder: Reminder


@dataclass(frozen=True, slots=True)
class BankItem:
    """A named item of a bank that is not a memory, such as a directive or a mental model. The
    content is in its body.
    """

    id: int
    bank_id: int
    kind: str
    name: str
    tags: tuple[str, ...]
    body: Metadata
    created_at: int
    updated_at: int


@dataclass(frozen=True, slots=True)
class Stream:
    """An unfinished memory that arrives in chunks."""

    id: int
    bank_id: int
    chunk_count: int
    text_bytes: int
    text_chars: int
    started_at: int
    touched_at: int


@dataclass(frozen=True, slots=True)
class Job:
    """Work to be done later. `leased_until` is when another worker may take over a running job."""

    id: int
    bank_id: int
    bank: str
    kind: str
    payload: Mapping[str, object]
    state: JobState
    done_count: int
    total_count: int | None
    stage: str
    attempt_count: int
    attempts_max: int
    run_at: int
    leased_until: int | None
    worker: str
    cancel_asked: bool
    error: str
    result: object
    created_at: int
    updated_at: int
    finished_at: int | None


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a job."""

    done_count: int = 0
    total_count: int | None = None
    stage: str = ""
