"""Sessions keep their events in order and without gaps, whoever writes them."""

from pathlib import Path
from typing import Any

import pytest

from commonplace.app import open_engine
from commonplace.clock import SystemClock
from commonplace.engine.engine import Engine
from commonplace.engine.sessions import sessions
from commonplace.errors import CommonplaceError, Conflict, Invalid, NotFound, TooLarge
from commonplace.limits import TEXT_BYTES_MAX
from commonplace.records.work import EventDraft, SessionDraft, SessionFilter, SnapshotDraft
from commonplace.settings import load
from tests.conftest import StoppedClock
from tests.crowd import crowd

WORK = SessionDraft(
    title="Refactor auth", client="codex", project="p", user="u", metadata={"branch": "main"}
)


def checkpoint_many(home: Path, session_id: int, count: int) -> list[int]:
    engine = open_engine(load({"COMMONPLACE_HOME": str(home)}), SystemClock())
    drafts = (EventDraft(f"Event {index}") for index in range(count))
    numbers = [
        sessions.checkpoint_session(engine, "b", session_id, draft).number for draft in drafts
    ]
    engine.db.close()
    return numbers


def test_a_session_starts_active_with_what_was_said_of_it(
    engine: Engine, clock: StoppedClock
) -> None:
    session = sessions.start_session(engine, "b", WORK)

    assert sessions.get_session(engine, "b", session.id) == session
    assert (session.status, session.started_at, session.ended_at) == ("active", clock.now(), None)
    assert (session.title, session.client, session.project, session.user) == (
        "Refactor auth",
        "codex",
        "p",
        "u",
    )
    assert (session.metadata, session.event_count) == ({"branch": "main"}, 0)


def test_events_are_numbered_from_one_in_their_order(engine: Engine, clock: StoppedClock) -> None:
    session = sessions.start_session(engine, "b")
    other = sessions.start_session(engine, "b")
    clock.advance(5)

    first = sessions.checkpoint_session(engine, "b", session.id, EventDraft("One"))
    sessions.checkpoint_session(engine, "b", other.id, EventDraft("Elsewhere"))
    draft = EventDraft(
        "Two", role="user", kind="message", token_count=320, turn_index=2, meaningful=False
    )
    second = sessions.checkpoint_session(engine, "b", session.id, draft)

    assert [first.number, second.number] == [1, 2]
    assert (first.role, first.kind, first.meaningful, first.token_count) == (
        "assistant",
        "checkpoint",
        True,
        None,
    )
    assert (second.role, second.kind, second.token_count, second.turn_index) == (
        "user",
        "message",
        320,
        2,
    )
    assert sessions.list_events(engine, "b", session.id) == (first, second)
    assert sessions.list_events(engine, "b", session.id, after=1) == (second,)
    after = sessions.get_session(engine, "b", session.id)
    assert (after.event_count, after.active_at) == (2, clock.now())


def test_recent_events_are_the_newest_meaningful_ones_in_their_order(engine: Engine) -> None:
    session = sessions.start_session(engine, "b")
    for index in range(6):
        sessions.checkpoint_session(
            engine, "b", session.id, EventDraft(str(index), meaningful=index != 4)
        )

    assert [e.text for e in sessions.recent_events(engine, "b", session.id, limit=3)] == [
        "2",
        "3",
        "5",
    ]
    everything = sessions.recent_events(engine, "b", session.id, limit=2, meaningful_only=False)
    assert [e.text for e in everything] == ["4", "5"]


@pytest.mark.servers
def test_event_numbers_have_no_gaps_when_several_processes_write(
    engine: Engine, home: Path
) -> None:
    session = sessions.start_session(engine, "b")

    drawn = crowd(3, checkpoint_many, home, session.id, 30)

    assert sorted(number for numbers in drawn for number in numbers) == list(range(1, 91))
    events = sessions.list_events(engine, "b", session.id)
    assert [event.number for event in events] == list(range(1, 91))


@pytest.mark.parametrize("status", ["closed", "compacted"])
def test_an_ended_session_takes_no_more_events(
    engine: Engine, clock: StoppedClock, status: Any
) -> None:
    session = sessions.start_session(engine, "b")
    clock.advance(7)
    ended = sessions.end_session(engine, "b", session.id, status)

    with pytest.raises(Conflict) as refusal:
        sessions.checkpoint_session(engine, "b", session.id, EventDraft("Late"))

    assert (ended.status, ended.ended_at) == (status, clock.now())
    assert refusal.value.hint
    assert sessions.list_events(engine, "b", session.id) == ()


def test_ending_again_in_the_same_way_changes_nothing(engine: Engine, clock: StoppedClock) -> None:
    session = sessions.start_session(engine, "b")
    once = sessions.end_session(engine, "b", session.id)
    clock.advance(9)

    assert sessions.end_session(engine, "b", session.id) == once
    assert sessions.end_session(engine, "b", session.id, "compacted").status == "compacted"


def test_sessions_are_listed_by_status_project_and_user(
    engine: Engine, clock: StoppedClock
) -> None:
    scopes = [("p", "u"), ("", "u"), ("q", ""), ("p", "v")]
    started: list[int] = []
    for project, user in scopes:
        clock.advance(1)
        started.append(
            sessions.start_session(engine, "b", SessionDraft(project=project, user=user)).id
        )
    sessions.end_session(engine, "b", started[0])

    def listed(**chosen: Any) -> list[int]:
        page = sessions.list_sessions(engine, "b", SessionFilter(**chosen))
        assert page.total == len(page.items)
        return [started.index(session.id) for session in page.items]

    assert listed() == [3, 2, 1, 0]
    assert listed(status="active") == [3, 2, 1]
    assert listed(projects=("p", "")) == [3, 1, 0]
    assert listed(projects=("p",), users=("u",)) == [0]
    assert listed(users=()) == []
    page = sessions.list_sessions(engine, "b", limit=1, offset=1)
    assert ([started.index(s.id) for s in page.items], page.total) == ([2], 4)


def test_a_snapshot_of_events_is_markdown_oldest_first(engine: Engine) -> None:
    session = sessions.start_session(engine, "b", WORK)
    for index in range(20):
        sessions.checkpoint_session(
            engine, "b", session.id, EventDraft(f"Step {index}", meaningful=index != 19)
        )

    snapshot = sessions.snapshot_session(engine, "b", session.id)

    assert snapshot.text.startswith("# Refactor auth\n\nSession: m")
    headings = [line for line in snapshot.text.splitlines() if line.startswith("### ")]
    assert headings == ["### assistant (checkpoint)"] * 15
    assert [line for line in snapshot.text.splitlines() if line.startswith("Step")] == [
        f"Step {index}" for index in range(4, 19)
    ]


def test_a_snapshot_keeps_a_given_transcript_as_it_is_even_of_an_ended_session(
    engine: Engine,
) -> None:
    session = sessions.start_session(engine, "b")
    sessions.end_session(engine, "b", session.id)

    snapshot = sessions.snapshot_session(
        engine,
        "b",
        session.id,
        SnapshotDraft(text="# Mine\n", slug="My Snapshot!", trigger="reset"),
    )

    assert (snapshot.text, snapshot.slug, snapshot.trigger) == ("# Mine\n", "my-snapshot", "reset")
    assert sessions.get_snapshot(engine, "b", snapshot.id) == snapshot


@pytest.mark.parametrize(
    ("title", "slug", "expected"),
    [
        ("Refactor auth", "", "refactor-auth-2026-09-21t14-13-20-000z"),
        ("", "", "manual-2026-09-21t14-13-20-000z"),
        ("日本語", "", "manual-2026-09-21t14-13-20-000z"),
        ("T" * 200, "", "t" * 55 + "-2026-09-21t14-13-20-000z"),
        ("Refactor auth", " !! ", "refactor-auth-2026-09-21t14-13-20-000z"),
        ("Refactor auth", "a" * 79 + " b", "a" * 79),
    ],
)
def test_a_slug_comes_from_the_caller_or_from_title_and_time(
    engine: Engine, title: str, slug: str, expected: str
) -> None:
    session = sessions.start_session(engine, "b", SessionDraft(title=title))

    snapshot = sessions.snapshot_session(
        engine, "b", session.id, SnapshotDraft(text="x", slug=slug)
    )

    assert snapshot.slug == expected


def test_snapshots_are_listed_newest_first(engine: Engine) -> None:
    session = sessions.start_session(engine, "b")
    kept = [
        sessions.snapshot_session(engine, "b", session.id, SnapshotDraft(text=t))
        for t in ("one", "two", "three")
    ]

    assert sessions.list_snapshots(engine, "b", session.id) == tuple(reversed(kept))
    assert sessions.list_snapshots(engine, "b", session.id, limit=1) == (kept[2],)


def test_a_snapshot_of_no_events_is_refused(engine: Engine) -> None:
    session = sessions.start_session(engine, "b")
    sessions.checkpoint_session(engine, "b", session.id, EventDraft("Noise", meaningful=False))

    with pytest.raises(Invalid) as refusal:
        sessions.snapshot_session(engine, "b", session.id)

    assert refusal.value.hint
    assert sessions.list_snapshots(engine, "b", session.id) == ()
    assert sessions.snapshot_session(
        engine, "b", session.id, SnapshotDraft(meaningful_only=False)
    ).text


def test_a_snapshot_over_the_limit_is_refused_not_cut(engine: Engine) -> None:
    session = sessions.start_session(engine, "b")
    for _ in range(2):
        sessions.checkpoint_session(
            engine, "b", session.id, EventDraft("x" * (TEXT_BYTES_MAX // 2))
        )

    with pytest.raises(TooLarge):
        sessions.snapshot_session(engine, "b", session.id)

    assert sessions.snapshot_session(engine, "b", session.id, SnapshotDraft(event_count=1)).text


@pytest.mark.parametrize(
    "draft",
    [
        EventDraft(""),
        EventDraft("  \n"),
        EventDraft("nul \x00"),
        EventDraft("half \udfff"),
        EventDraft("x" * (TEXT_BYTES_MAX + 1)),
        EventDraft("x", role="robot"),  # pyright: ignore[reportArgumentType]
        EventDraft("x", kind="thought"),  # pyright: ignore[reportArgumentType]
        EventDraft("x", token_count=-1),
        EventDraft("x", token_count=2**70),
        EventDraft("x", turn_index=-1),
    ],
)
def test_a_bad_event_is_refused_with_a_hint_and_nothing_changes(
    engine: Engine, draft: EventDraft
) -> None:
    session = sessions.start_session(engine, "b")

    with pytest.raises((Invalid, TooLarge)) as refusal:
        sessions.checkpoint_session(engine, "b", session.id, draft)

    assert refusal.value.hint
    assert sessions.get_session(engine, "b", session.id) == session


def test_unknown_sessions_and_those_of_another_bank_are_not_found(engine: Engine) -> None:
    session = sessions.start_session(engine, "b")
    snapshot = sessions.snapshot_session(engine, "b", session.id, SnapshotDraft(text="x"))
    sessions.start_session(engine, "c")

    for bank, number in (("b", 12345), ("c", session.id), ("nowhere", session.id)):
        for verb in (
            sessions.get_session,
            sessions.end_session,
            sessions.list_events,
            sessions.snapshot_session,
        ):
            with pytest.raises(NotFound):
                verb(engine, bank, number)
        with pytest.raises(NotFound):
            sessions.checkpoint_session(engine, bank, number, EventDraft("x"))
    with pytest.raises(NotFound):
        sessions.get_snapshot(engine, "c", snapshot.id)


def test_bad_arguments_of_lists_and_snapshots_are_refused(engine: Engine) -> None:
    session = sessions.start_session(engine, "b")
    wrong: Any = "wrong"
    calls = [
        lambda: sessions.list_sessions(engine, "b", limit=-1),
        lambda: sessions.list_sessions(engine, "b", SessionFilter(status=wrong)),
        lambda: sessions.list_events(engine, "b", session.id, limit=100_000),
        lambda: sessions.list_events(engine, "b", session.id, after=-1),
        lambda: sessions.end_session(engine, "b", session.id, wrong),
        lambda: sessions.end_session(engine, "b", session.id, "active"),  # pyright: ignore[reportArgumentType]
        lambda: sessions.snapshot_session(engine, "b", session.id, SnapshotDraft(event_count=0)),
        lambda: sessions.snapshot_session(engine, "b", session.id, SnapshotDraft(text="  ")),
        lambda: sessions.snapshot_session(
            engine, "b", session.id, SnapshotDraft(trigger=wrong, text="x")
        ),
        lambda: sessions.get_session(engine, "b", "not an id"),
        lambda: sessions.get_session(engine, "b", 2**64),
        lambda: sessions.start_session(engine, "b", SessionDraft(title="a\x00b")),
        lambda: sessions.start_session(engine, "b", SessionDraft(project="p" * 201)),
    ]
    for call in calls:
        with pytest.raises(CommonplaceError) as refusal:
            call()
        assert refusal.value.hint
    assert sessions.list_sessions(engine, "b").items == (session,)


def test_listing_does_not_make_a_bank(engine: Engine) -> None:
    assert sessions.list_sessions(engine, "nowhere").items == ()
    assert engine.list_banks() == ()
