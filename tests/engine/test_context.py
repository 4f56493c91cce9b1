"""The context an agent gets before a task: what the dialects rely on, without any dialect."""

from dataclasses import replace

import pytest

from commonplace.engine.engine import Engine
from commonplace.engine.sessions.compaction import CompactionHints
from commonplace.engine.sessions.context import CallerState, ContextQuery
from commonplace.engine.sessions.rules import find_file_names
from commonplace.errors import Invalid, TooLarge
from commonplace.records.memory import Draft, Scope
from commonplace.records.query import Filter
from commonplace.records.work import SessionDraft
from tests.conftest import StoppedClock

BANK = "b"


def test_a_bank_nobody_wrote_to_has_an_empty_context(engine: Engine) -> None:
    found = engine.context("never", ContextQuery("tea", depth=2))
    assert (found.rules, found.memories, found.conflicts, found.compaction) == ((), (), (), None)
    assert engine.list_banks() == ()


def test_a_context_sees_the_owners_rows_and_the_users_own(engine: Engine) -> None:
    for user in ("", "ada", "bob"):
        engine.remember(BANK, Draft(f"Tea of {user or 'the owner'}", scope=Scope(user=user)))
        engine.remember(
            BANK, Draft(f"Rule of {user or 'the owner'}", kind="rule", scope=Scope(user=user))
        )
    found = engine.context(BANK, ContextQuery(scope=Scope(user="ada")))
    assert {one.text for one in found.memories} == {"Tea of the owner", "Tea of ada"}
    assert {one.text for one in found.rules} == {"Rule of the owner", "Rule of ada"}


def test_kinds_of_other_dialects_belong_to_the_context(engine: Engine) -> None:
    engine.remember(BANK, Draft("Tea is hot", kind="world"))
    assert [one.kind for one in engine.context(BANK, ContextQuery("tea")).memories] == ["world"]


def test_room_for_what_is_in_hand_is_kept(engine: Engine, clock: StoppedClock) -> None:
    for number in range(10):
        engine.remember(
            BANK, Draft(f"Tea {number}", expires_at=clock.now() + 1000 if number < 5 else None)
        )
    found = engine.context(BANK, ContextQuery(limit=5))
    assert (len(found.working), len(found.lasting)) == (3, 2)
    one = engine.context(BANK, ContextQuery(limit=1))
    assert len(one.memories) == 1


def test_bad_questions_are_refused_before_anything_is_read(engine: Engine) -> None:
    for query in (ContextQuery(limit=0), ContextQuery(linked_max=0)):
        with pytest.raises(Invalid):
            engine.context(BANK, query)
    for query in (ContextQuery(limit=201), ContextQuery(depth=3)):
        with pytest.raises(TooLarge):
            engine.context(BANK, query)


def test_each_call_that_asks_for_compaction_writes_its_own_checkpoint(engine: Engine) -> None:
    session = engine.start_session(BANK, SessionDraft())
    query = ContextQuery(
        caller=CallerState(str(session.id), hints=CompactionHints(task_completed=True))
    )
    first, second = engine.context(BANK, query), engine.context(BANK, query)
    assert first.compaction is not None
    assert second.compaction is not None
    assert first.compaction.checkpoint_id != second.compaction.checkpoint_id
    assert engine.get_session(BANK, session.id).event_count == 4
    quiet = replace(query, caller=CallerState(str(session.id)))
    assert engine.context(BANK, quiet).compaction is None
    assert engine.get_session(BANK, session.id).event_count == 4


def test_rules_can_be_asked_for_with_files(engine: Engine) -> None:
    engine.remember(BANK, Draft("api", kind="rule", paths=("src/api/**",)))
    engine.remember(BANK, Draft("all", kind="rule"))
    assert [one.text for one in engine.list_rules(BANK)] == ["api", "all"]
    assert [one.text for one in engine.list_rules(BANK, Filter(), ("src/api/x.ts",))] == [
        "api",
        "all",
    ]
    assert [one.text for one in engine.list_rules(BANK, Filter(), ("lib/x.ts",))] == ["all"]
    assert engine.list_rules("never") == ()


@pytest.mark.parametrize(
    ("text", "sure", "maybe"),
    [
        ("fix src/api/users.ts now", ("src/api/users.ts",), ()),
        ("in ./a/b.py:12 and (lib/c.rs)", ("./a/b.py", "lib/c.rs"), ()),
        (r"C:\work\app\main.go", (r"C:\work\app\main.go",), ()),
        ("Node.js and main.py", (), ("Node.js", "main.py")),
        ("https://h.com/a/b.html", (), ()),
        ("read/write, and/or, 3.14, v1.2.3, e.g. this", (), ()),
        ("github.com/u/r", (), ()),
        ("", (), ()),
    ],
)
def test_the_files_a_text_names(text: str, sure: tuple[str, ...], maybe: tuple[str, ...]) -> None:
    found = find_file_names(text)
    assert found[0] == sure
    assert set(maybe) <= set(found[1])
    assert not maybe or len(found[1]) == len(maybe)
    if not maybe:
        assert set(found[1]) <= {"e.g", "h.com", "github.com"}
