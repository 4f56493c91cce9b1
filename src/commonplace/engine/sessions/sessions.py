"""Sessions: stretches of work whose events are kept in order, and snapshots of them as markdown."""

import re
from dataclasses import replace
from typing import get_args

from commonplace import ids, validation
from commonplace.clock import iso
from commonplace.engine.banks import known
from commonplace.engine.runtime import Parts
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
    Page,
    Role,
    Session,
    SessionDraft,
    SessionFilter,
    SessionStatus,
    Snapshot,
    SnapshotDraft,
    Trigger,
)
from commonplace.storage import banks, session_files, sessions


def start_session(parts: Parts, bank: str, draft: SessionDraft = SessionDraft()) -> Session:
    """A new active session."""
    name = validation.name(bank, what="bank")
    validation.metadata(draft.metadata)
    checked = replace(
        draft,
        title=validation.line(draft.title, what="title", chars_max=TITLE_CHARS_MAX),
        client=validation.line(draft.client, what="client"),
        project=validation.line(draft.project, what="project"),
        user=validation.line(draft.user, what="user"),
    )
    with parts.db.transaction():
        now = parts.clock.now()
        bank_id = banks.ensure(parts.db, name, now).id
        number = banks.new_ids(parts.db, now)[0]
        sessions.add(parts.db, bank_id, number, checked, now)
        return _found(parts, bank, number)


def checkpoint_session(parts: Parts, bank: str, session_id: int | str, draft: EventDraft) -> Event:
    """Append an event to an active session."""
    validation.body(draft.text)
    validation.choice(draft.role, get_args(Role), what="role")
    validation.choice(draft.kind, get_args(EventKind), what="kind of event")
    for what, value in (("token count", draft.token_count), ("turn index", draft.turn_index)):
        if value is not None:
            validation.count(value, what=what, most=COUNT_MAX)
    with parts.db.transaction():
        session = _found(parts, bank, session_id)
        if session.status != "active":
            raise Conflict(
                f"Session {session_id} is {session.status}.",
                hint="Start a new session and checkpoint that one.",
            )
        now = parts.clock.now()
        return sessions.add_event(parts.db, session.id, banks.new_ids(parts.db, now)[0], draft, now)


def end_session(
    parts: Parts, bank: str, session_id: int | str, status: EndStatus = "closed"
) -> Session:
    """A session with its final status. Ending it again as something else changes the status;
    nothing reopens it.
    """
    validation.choice(status, get_args(EndStatus), what="final status")
    with parts.db.transaction():
        session = _found(parts, bank, session_id)
        if session.status != status:
            sessions.end(parts.db, session.id, status, parts.clock.now())
        return _found(parts, bank, session.id)


def get_session(parts: Parts, bank: str, session_id: int | str) -> Session:
    """One session."""
    return _found(parts, bank, session_id)


def list_sessions(
    parts: Parts,
    bank: str,
    chosen: SessionFilter = SessionFilter(),
    *,
    limit: int = 20,
    offset: int = 0,
) -> Page[Session]:
    """The sessions a filter means, last started first."""
    validation.count(limit, what="limit", most=LIST_MAX)
    validation.count(offset, what="offset", most=COUNT_MAX)
    if chosen.status is not None:
        validation.choice(chosen.status, get_args(SessionStatus), what="status")
    for values in (chosen.projects or (), chosen.users or ()):
        validation.count(len(values), what="number of values", most=FILTER_VALUES_MAX)
    with parts.db.snapshot():
        found = banks.find(parts.db, validation.name(bank, what="bank"))
        if found is None:
            return Page()
        items = sessions.listed(parts.db, found.id, chosen, limit=limit, offset=offset)
        return Page(tuple(items), sessions.count(parts.db, found.id, chosen))


def list_events(
    parts: Parts, bank: str, session_id: int | str, *, after: int = 0, limit: int = 100
) -> tuple[Event, ...]:
    """A session's events in their order, beginning after a number."""
    validation.count(after, what="number to begin after", most=COUNT_MAX)
    validation.count(limit, what="limit", most=LIST_MAX)
    session = _found(parts, bank, session_id)
    return tuple(
        sessions.events(parts.db, session.id, after=after, meaningful_only=False, limit=limit)
    )


def recent_events(
    parts: Parts, bank: str, session_id: int | str, *, limit: int = 15, meaningful_only: bool = True
) -> tuple[Event, ...]:
    """A session's newest events, in their order."""
    validation.count(limit, what="limit", most=LIST_MAX)
    session = _found(parts, bank, session_id)
    return tuple(
        sessions.recent_events(parts.db, session.id, meaningful_only=meaningful_only, limit=limit)
    )


def snapshot_session(
    parts: Parts, bank: str, session_id: int | str, draft: SnapshotDraft = SnapshotDraft()
) -> Snapshot:
    """Keep a session as markdown, from a given text or from its newest events. Ended sessions can
    be kept too.
    """
    validation.choice(draft.trigger, get_args(Trigger), what="trigger")
    validation.count(draft.event_count, what="number of events", least=1, most=SNAPSHOT_EVENTS_MAX)
    given = None if draft.text is None else validation.body(draft.text, what="transcript")
    wanted = validation.line(draft.slug, what="slug")
    with parts.db.transaction():
        session = _found(parts, bank, session_id)
        now = parts.clock.now()
        text = given if given is not None else _transcript(parts, session, draft)
        snapshot = Snapshot(
            id=banks.new_ids(parts.db, now)[0],
            session_id=session.id,
            slug=_slug(wanted) or _slug_of(session, draft.trigger, now),
            trigger=draft.trigger,
            text=text,
            at=now,
        )
        sessions.add_snapshot(parts.db, snapshot)
    return snapshot


def publish_snapshot(
    parts: Parts, bank: str, session_id: int | str, draft: SnapshotDraft = SnapshotDraft()
) -> tuple[Snapshot, str]:
    """A new snapshot, and the path of its markdown file below the folder of the store; both or
    neither.
    """
    with parts.db.transaction():
        snapshot = snapshot_session(parts, bank, session_id, draft)
        return snapshot, session_files.write(parts.db.path.parent, bank, snapshot)


def get_snapshot(parts: Parts, bank: str, snapshot_id: int | str) -> Snapshot:
    """One snapshot."""
    found = sessions.find_snapshot(parts.db, known(parts, bank).id, ids.parse(snapshot_id))
    if found is None:
        raise NotFound(
            f"There is no snapshot {snapshot_id}.", hint="List the snapshots of the session."
        )
    return found


def list_snapshots(
    parts: Parts, bank: str, session_id: int | str, *, limit: int = 20
) -> tuple[Snapshot, ...]:
    """A session's snapshots, newest first."""
    validation.count(limit, what="limit", most=LIST_MAX)
    return tuple(sessions.snapshots(parts.db, _found(parts, bank, session_id).id, limit=limit))


def _found(parts: Parts, bank: str, session_id: int | str) -> Session:
    found = sessions.find(parts.db, known(parts, bank).id, ids.parse(session_id))
    if found is None:
        raise NotFound(
            f"There is no session {session_id}.",
            hint="Check the id and the bank, or start a session.",
        )
    return found


def _transcript(parts: Parts, session: Session, draft: SnapshotDraft) -> str:
    found = sessions.recent_events(
        parts.db, session.id, meaningful_only=draft.meaningful_only, limit=draft.event_count
    )
    if not found:
        raise Invalid(
            f"Session {ids.short(session.id)} has no events to keep.",
            hint=(
                "Give a transcript, checkpoint the session first, or include events that are not"
                " meaningful."
            ),
        )
    heading = f"# {session.title or 'Session'}\n\nSession: {ids.short(session.id)}"
    text = "\n\n".join([heading, *(f"### {e.role} ({e.kind})\n\n{e.text}" for e in found)]) + "\n"
    if len(text.encode()) > TEXT_BYTES_MAX:
        raise TooLarge(
            f"The newest {len(found)} events are more than {TEXT_BYTES_MAX:,} bytes together.",
            hint="Keep fewer events.",
        )
    return text


def _slug_of(session: Session, trigger: Trigger, now: int) -> str:
    # The time comes after a title that is cut short, so that it is never the part that is lost.
    moment = _slug(iso(now))
    title = _slug(session.title) or _slug(trigger)
    return f"{title[: SLUG_CHARS_MAX - len(moment) - 1].strip('-')}-{moment}"


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:SLUG_CHARS_MAX].strip("-")
