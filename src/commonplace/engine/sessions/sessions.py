"""Sessions: periods of work with ordered events, and snapshots of them as markdown."""

import re
from dataclasses import replace
from typing import get_args

from commonplace import ids, validation
from commonplace.clock import iso
from commonplace.engine.banks import require_bank
from commonplace.engine.runtime import Runtime
from commonplace.errors import Conflict, Invalid, NotFound, TooLarge
from commonplace.limits import (
    COUNT_MAX,
    FILTER_VALUES_MAX,
    LIST_MAX,
    SLUG_CHARS_MAX,
    SNAPSHOT_EVENTS_MAX,
    TEXT_BYTES_MAX,
    TITLE_CHARS_MAX,
)
from commonplace.records.work import (
    EndStatus,
    Event,
    EventDraft,
    EventKind,
    ResultPage,
    Role,
    Session,
    SessionDraft,
    SessionFilter,
    SessionStatus,
    Snapshot,
    SnapshotDraft,
    Trigger,
)
from commonplace.storage.rows import banks, session_files, sessions


def start_session(runtime: Runtime, bank: str, draft: SessionDraft = SessionDraft()) -> Session:
    """Start a session."""
    name = validation.name(bank, what="bank")
    validation.metadata(draft.metadata)
    checked = replace(
        draft,
        title=validation.line(draft.title, what="title", chars_max=TITLE_CHARS_MAX),
        client=validation.line(draft.client, what="client"),
        project=validation.line(draft.project, what="project"),
        user=validation.line(draft.user, what="user"),
    )
    with runtime.db.transaction():
        now = runtime.clock.now()
        bank_id = banks.ensure(runtime.db, name, now).id
        number = banks.new_ids(runtime.db, now)[0]
        sessions.add(runtime.db, bank_id, number, checked, now)
        return _require_session(runtime, bank, number)


def checkpoint_session(
    runtime: Runtime, bank: str, session_id: int | str, draft: EventDraft
) -> Event:
    """Append an event to an active session."""
    validation.nonempty_text(draft.text)
    validation.choice(draft.role, get_args(Role), what="role")
    validation.choice(draft.kind, get_args(EventKind), what="kind of event")
    for what, value in (("token count", draft.token_count), ("turn index", draft.turn_index)):
        if value is not None:
            validation.count(value, what=what, most=COUNT_MAX)
    with runtime.db.transaction():
        session = _require_session(runtime, bank, session_id)
        if session.status != "active":
            raise Conflict(
                f"Session {session_id} is {session.status}.",
                hint="Start a new session and checkpoint that one.",
            )
        now = runtime.clock.now()
        return sessions.add_event(
            runtime.db, session.id, banks.new_ids(runtime.db, now)[0], draft, now
        )


def end_session(
    runtime: Runtime, bank: str, session_id: int | str, status: EndStatus = "closed"
) -> Session:
    """End a session. Ending it again may change the status; no call reopens it."""
    validation.choice(status, get_args(EndStatus), what="final status")
    with runtime.db.transaction():
        session = _require_session(runtime, bank, session_id)
        if session.status != status:
            sessions.end(runtime.db, session.id, status, runtime.clock.now())
        return _require_session(runtime, bank, session.id)


def get_session(runtime: Runtime, bank: str, session_id: int | str) -> Session:
    """One session."""
    return _require_session(runtime, bank, session_id)


def list_sessions(
    runtime: Runtime,
    bank: str,
    chosen: SessionFilter = SessionFilter(),
    *,
    limit: int = 20,
    offset: int = 0,
) -> ResultPage[Session]:
    """The sessions that match a filter, last started first."""
    validation.count(limit, what="limit", most=LIST_MAX)
    validation.count(offset, what="offset", most=COUNT_MAX)
    if chosen.status is not None:
        validation.choice(chosen.status, get_args(SessionStatus), what="status")
    for values in (chosen.projects or (), chosen.users or ()):
        validation.count(len(values), what="number of values", most=FILTER_VALUES_MAX)
    with runtime.db.snapshot():
        found = banks.find(runtime.db, validation.name(bank, what="bank"))
        if found is None:
            return ResultPage()
        items = sessions.list_sessions(runtime.db, found.id, chosen, limit=limit, offset=offset)
        return ResultPage(tuple(items), sessions.count(runtime.db, found.id, chosen))


def list_events(
    runtime: Runtime, bank: str, session_id: int | str, *, after: int = 0, limit: int = 100
) -> tuple[Event, ...]:
    """A session's events in order, after a number."""
    validation.count(after, what="number to begin after", most=COUNT_MAX)
    validation.count(limit, what="limit", most=LIST_MAX)
    session = _require_session(runtime, bank, session_id)
    return tuple(
        sessions.events(runtime.db, session.id, after=after, meaningful_only=False, limit=limit)
    )


def recent_events(
    runtime: Runtime,
    bank: str,
    session_id: int | str,
    *,
    limit: int = 15,
    meaningful_only: bool = True,
) -> tuple[Event, ...]:
    """A session's newest events in order."""
    validation.count(limit, what="limit", most=LIST_MAX)
    session = _require_session(runtime, bank, session_id)
    return tuple(
        sessions.recent_events(runtime.db, session.id, meaningful_only=meaningful_only, limit=limit)
    )


def snapshot_session(
    runtime: Runtime, bank: str, session_id: int | str, draft: SnapshotDraft = SnapshotDraft()
) -> Snapshot:
    """Store a session as markdown, from a given text or from its newest events. Ended sessions work
    too.
    """
    validation.choice(draft.trigger, get_args(Trigger), what="trigger")
    validation.count(draft.event_count, what="number of events", least=1, most=SNAPSHOT_EVENTS_MAX)
    given = None if draft.text is None else validation.nonempty_text(draft.text, what="transcript")
    wanted = validation.line(draft.slug, what="slug")
    with runtime.db.transaction():
        session = _require_session(runtime, bank, session_id)
        now = runtime.clock.now()
        text = given if given is not None else _transcript(runtime, session, draft)
        snapshot = Snapshot(
            id=banks.new_ids(runtime.db, now)[0],
            session_id=session.id,
            slug=_slug(wanted) or _slug_of(session, draft.trigger, now),
            trigger=draft.trigger,
            text=text,
            at=now,
        )
        sessions.add_snapshot(runtime.db, snapshot)
    return snapshot


def publish_snapshot(
    runtime: Runtime, bank: str, session_id: int | str, draft: SnapshotDraft = SnapshotDraft()
) -> tuple[Snapshot, str]:
    """Store a snapshot and write its markdown file. Returns both, with the path below the folder of
    the store.
    """
    with runtime.db.transaction():
        snapshot = snapshot_session(runtime, bank, session_id, draft)
        return snapshot, session_files.write(runtime.db.path.parent, bank, snapshot)


def get_snapshot(runtime: Runtime, bank: str, snapshot_id: int | str) -> Snapshot:
    """One snapshot."""
    found = sessions.find_snapshot(
        runtime.db, require_bank(runtime, bank).id, ids.parse(snapshot_id)
    )
    if found is None:
        raise NotFound(
            f"There is no snapshot {snapshot_id}.", hint="List the snapshots of the session."
        )
    return found


def list_snapshots(
    runtime: Runtime, bank: str, session_id: int | str, *, limit: int = 20
) -> tuple[Snapshot, ...]:
    """A session's snapshots, newest first."""
    validation.count(limit, what="limit", most=LIST_MAX)
    return tuple(
        sessions.snapshots(runtime.db, _require_session(runtime, bank, session_id).id, limit=limit)
    )


def _require_session(runtime: Runtime, bank: str, session_id: int | str) -> Session:
    found = sessions.find(runtime.db, require_bank(runtime, bank).id, ids.parse(session_id))
    if found is None:
        raise NotFound(
            f"There is no session {session_id}.",
            hint="Check the id and the bank, or start a session.",
        )
    return found


def _transcript(runtime: Runtime, session: Session, draft: SnapshotDraft) -> str:
    found = sessions.recent_events(
        runtime.db, session.id, meaningful_only=draft.meaningful_only, limit=draft.event_count
    )
    if not found:
        raise Invalid(
            f"Session {ids.short_form(session.id)} has no events to keep.",
            hint=(
                "Give a transcript, checkpoint the session first, or include events that are not"
                " meaningful."
            ),
        )
    heading = f"# {session.title or 'Session'}\n\nSession: {ids.short_form(session.id)}"
    text = "\n\n".join([heading, *(f"### {e.role} ({e.kind})\n\n{e.text}" for e in found)]) + "\n"
    if len(text.encode()) > TEXT_BYTES_MAX:
        raise TooLarge(
            f"The newest {len(found)} events are more than {TEXT_BYTES_MAX:,} bytes together.",
            hint="Keep fewer events.",
        )
    return text


def _slug_of(session: Session, trigger: Trigger, now: int) -> str:
    # The title is truncated, so that the time after it is never lost.
    moment = _slug(iso(now))
    title = _slug(session.title) or _slug(trigger)
    return f"{title[: SLUG_CHARS_MAX - len(moment) - 1].strip('-')}-{moment}"


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:SLUG_CHARS_MAX].strip("-")
