from dataclasses import replace

import pytest

from commonplace import ids
from commonplace.engine.engine import Engine
from commonplace.errors import Conflict, Invalid, NotFound
from commonplace.records.memory import Draft, Edit, IdempotencyKey, Origin, Scope
from commonplace.records.query import Filter
from tests.conftest import StoppedClock

BY = Origin(who="ada", dialect="cli", session="s1", reason="because")


def test_a_memory_comes_back_exactly_as_it_was_said(engine: Engine) -> None:
    draft = Draft(
        "  Größe: 北京 🐙\r\n\tindented  ",
        title="A title",
        kind="decision",
        tags=("b", "a"),
        metadata={"deep": {"list": [1, 2.5, None, True, "ü"]}},
        paths=("src/**",),
        category="api",
        happened_at=-5,
        happened_until=7,
        expires_at=9_000_000_000_000,
        scope=Scope("app", "ada", "agent", "run"),
    )
    memory = engine.get("b", engine.remember("b", draft, BY).memory.id)
    for name in (
        "text",
        "title",
        "kind",
        "tags",
        "metadata",
        "paths",
        "category",
        "happened_at",
        "expires_at",
        "scope",
    ):
        assert getattr(memory, name) == getattr(draft, name)


def test_every_form_of_an_id_finds_the_memory(engine: Engine) -> None:
    memory = engine.remember("b", Draft("x")).memory
    for form in (
        memory.id,
        str(memory.id),
        ids.short_form(memory.id),
        ids.memstate_form(memory.id),
        ids.note_form(memory.id),
    ):
        assert engine.get("b", form) == memory
    assert engine.get("b", ids.uuid_form(memory.id)) == memory


def test_the_id_of_any_version_leads_to_the_memory(engine: Engine) -> None:
    first = engine.remember("b", Draft("one")).memory
    second = engine.revise("b", first.id, Edit(text="two")).memory
    assert len({first.id, first.version_id, second.version_id}) == 3
    assert engine.get("b", second.version_id) == second
    assert engine.get_version("b", first.version_id).text == "one"


def test_a_version_tells_who_when_how_and_why(engine: Engine, clock: StoppedClock) -> None:
    memory = engine.remember("b", Draft("one"), BY).memory
    clock.advance(5)
    engine.revise("b", memory.id, Edit(text="two"), replace(BY, who="bob", reason="typo"))
    first, second = engine.history("b", memory.id)
    assert (first.action, first.origin, first.at) == ("remember", BY, clock.now() - 5)
    assert (second.action, second.origin.who, second.origin.reason, second.at) == (
        "revise",
        "bob",
        "typo",
        clock.now(),
    )


def test_a_stale_writer_changes_nothing(engine: Engine) -> None:
    memory = engine.remember("b", Draft("The port is 8080.")).memory
    engine.revise("b", memory.id, Edit(text="The port is 9090."), expected=1)
    with pytest.raises(Conflict) as caught:
        engine.revise("b", memory.id, Edit(text="The port is 7070."), expected=1)
    assert caught.value.hint
    assert engine.get("b", memory.id).text == "The port is 9090."
    assert len(engine.history("b", memory.id)) == 2


def test_time_never_runs_backwards_for_a_memory(engine: Engine, clock: StoppedClock) -> None:
    memory = engine.remember("b", Draft("one")).memory
    clock.advance(-3_600_000)
    later = engine.revise("b", memory.id, Edit(text="two")).memory
    assert later.updated_at == memory.updated_at
    assert later.version_id > memory.version_id


def test_a_key_names_one_chain_per_scope(engine: Engine) -> None:
    app, lib = Scope(project="app"), Scope(project="lib")
    one = engine.remember("b", Draft("1", key="port", scope=app))
    two = engine.remember("b", Draft("2", key="port", scope=app))
    other = engine.remember("b", Draft("3", key="port", scope=lib))
    assert (one.change, two.change, other.change) == ("added", "revised", "added")
    assert two.memory.id == one.memory.id != other.memory.id


def test_saying_the_same_under_a_key_again_is_no_new_version(engine: Engine) -> None:
    draft = Draft("1", key="port", tags=("a",))
    engine.remember("b", draft)
    again = engine.remember("b", draft)
    assert (again.change, again.memory.version, engine.revision("b")) == ("unchanged", 1, 1)


def test_a_forgotten_key_comes_back_with_its_numbering(engine: Engine) -> None:
    memory = engine.remember("b", Draft("1", key="port")).memory
    engine.forget("b", [memory.id])
    back = engine.remember("b", Draft("1", key="port"))
    assert (back.change, back.memory.id, back.memory.version) == ("restored", memory.id, 3)


def test_forgetting_twice_is_forgetting_once(engine: Engine) -> None:
    memory = engine.remember("b", Draft("x")).memory
    (first,) = engine.forget("b", [memory.id])
    (second,) = engine.forget("b", [memory.id])
    assert (first.change, second.change) == ("forgotten", "unchanged")
    assert second.memory.forgotten_at == first.memory.forgotten_at
    assert engine.revision("b") == 2


def test_a_forgotten_memory_cannot_be_revised_until_it_is_restored(engine: Engine) -> None:
    memory = engine.remember("b", Draft("x")).memory
    engine.forget("b", [memory.id])
    with pytest.raises(NotFound, match="forgotten"):
        engine.revise("b", memory.id, Edit(text="y"))
    assert engine.restore("b", [memory.id])[0].change == "restored"
    assert engine.revise("b", memory.id, Edit(text="y")).memory.text == "y"


def test_a_bulk_write_happens_whole_or_not_at_all(engine: Engine) -> None:
    good = engine.remember("b", Draft("good")).memory
    with pytest.raises(Invalid):
        engine.remember_many("b", [Draft("one"), Draft("   ")])
    with pytest.raises(NotFound):
        engine.forget("b", [good.id, good.id + 999_999])
    assert [m.text for m in engine.list("b")] == ["good"]
    assert engine.revision("b") == 1


def test_a_bulk_write_is_one_revision_of_each_project(engine: Engine) -> None:
    drafts = [Draft(str(n), scope=Scope(project=p)) for n in range(3) for p in ("app", "lib")]
    outcomes = engine.remember_many("b", drafts)
    assert {outcome.revision for outcome in outcomes} == {1}
    assert (engine.revision("b", "app"), engine.revision("b", "lib"), engine.revision("b")) == (
        1,
        1,
        0,
    )


def test_a_revision_that_never_was_is_an_error_with_a_hint(engine: Engine) -> None:
    engine.remember("b", Draft("x", scope=Scope(project="app")))
    for number in (-1, 2):
        with pytest.raises(Invalid) as caught:
            engine.at_revision("b", "app", number)
        assert "0 to 1" in caught.value.hint
    assert engine.at_revision("b", "app", 0) == ()
    assert engine.at_revision("b", "nowhere", 0) == ()


def test_projects_are_listed_by_their_last_change(engine: Engine, clock: StoppedClock) -> None:
    for name in ("one", "two", "three"):
        engine.remember("b", Draft("x", scope=Scope(project=name)))
        clock.advance(1)
    engine.remember("b", Draft("y", scope=Scope(project="one")))
    engine.forget_where("b", Filter(projects=("two",)))
    listed = engine.list_projects("b")
    assert [(p.name, p.memory_count, p.revision) for p in listed] == [
        ("one", 2, 2),
        ("three", 1, 1),
    ]


def test_the_same_idempotency_key_does_the_work_once(engine: Engine) -> None:
    key = IdempotencyKey("session", "append", "k")
    first = engine.remember_once("b", key, Draft("note"))
    again = engine.remember_once("b", key, Draft("note"))
    assert (first.change, again.change, again.memory.id) == ("added", "unchanged", first.memory.id)
    assert engine.count("b") == 1


def test_an_idempotency_key_with_other_content_is_a_conflict_and_writes_nothing(
    engine: Engine,
) -> None:
    engine.remember_once("b", IdempotencyKey("session", "append", "k"), Draft("note"))
    with pytest.raises(Conflict):
        engine.remember_once("b", IdempotencyKey("session", "append", "k"), Draft("another"))
    engine.remember_once("b", IdempotencyKey("other session", "append", "k"), Draft("another"))
    engine.remember_once("b", IdempotencyKey("session", "other tool", "k"), Draft("another"))
    assert engine.count("b") == 3


def test_a_failure_is_not_kept_as_an_answer(engine: Engine) -> None:
    key = IdempotencyKey("session", "bundle", "k")

    def fail() -> str:
        engine.remember("b", Draft("half done"))
        raise Conflict

    with pytest.raises(Conflict):
        engine.once("b", key, "content", fail)
    assert engine.count("b") == 0
    assert engine.once("b", key, "content", lambda: "answer") == ("answer", True)
    assert engine.once("b", key, "content", lambda: "another") == ("answer", False)


def test_the_wall_holds_for_every_verb(engine: Engine) -> None:
    mine = engine.remember("mine", Draft("secret", tags=("t",))).memory
    engine.remember("yours", Draft("public"))
    for act in (
        lambda: engine.get("yours", mine.id),
        lambda: engine.history("yours", mine.id),
        lambda: engine.get_version("yours", mine.version_id),
        lambda: engine.revise("yours", mine.id, Edit(text="stolen")),
        lambda: engine.forget("yours", [mine.id]),
        lambda: engine.restore("yours", [mine.id]),
        lambda: engine.purge("yours", [mine.id]),
        lambda: engine.tag("yours", [mine.id], add=["x"]),
        lambda: engine.get("nobody", mine.id),
    ):
        with pytest.raises(NotFound):
            act()
    assert engine.list("yours", Filter(ids=(mine.id,))) == ()
    assert engine.list_tags("yours") == ()
    assert engine.get("mine", mine.id) == mine


def test_reading_a_bank_does_not_make_it(engine: Engine) -> None:
    assert engine.list("b") == ()
    assert engine.count("b") == 0
    assert engine.list_tags("b") == ()
    assert engine.list_banks() == ()


def test_tags_are_listed_with_counts_and_wildcards(engine: Engine) -> None:
    engine.remember_many(
        "b", [Draft("1", tags=("project:a", "x")), Draft("2", tags=("project:b", "x")), Draft("3")]
    )
    assert [(t.tag, t.count) for t in engine.list_tags("b")] == [
        ("x", 2),
        ("project:a", 1),
        ("project:b", 1),
    ]
    assert [t.tag for t in engine.list_tags("b", "PROJECT:*")] == ["project:a", "project:b"]
    assert [t.tag for t in engine.list_tags("b", "?")] == ["x"]
    assert engine.list_tags("b", "project") == ()
