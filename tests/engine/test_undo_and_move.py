"""What a person can take back, and where memories can move to."""

import pytest

from commonplace.engine.engine import Engine
from commonplace.engine.versions.move import Destination
from commonplace.errors import Conflict, Invalid, NotFound
from commonplace.records.memory import Draft, Edit, Scope
from commonplace.records.query import Filter

BANK = "default"


def text(engine: Engine, memory_id: int) -> str:
    return engine.get(BANK, memory_id).text


def test_each_kind_of_step_is_taken_back(engine: Engine) -> None:
    one = engine.remember(BANK, Draft("First.", tags=("a",))).memory
    engine.revise(BANK, one.id, Edit(text="Second.", tags=("b",)))
    engine.undo(BANK, [(one.id, 2)])
    assert (text(engine, one.id), engine.get(BANK, one.id).tags) == ("First.", ("a",))

    engine.forget(BANK, [one.id])
    engine.undo(BANK, [(one.id, 4)])
    assert engine.get(BANK, one.id).forgotten_at is None

    engine.forget(BANK, [one.id])
    engine.restore(BANK, [one.id])
    engine.undo(BANK, [(one.id, 7)])
    assert engine.get(BANK, one.id).forgotten_at is not None


def test_a_first_version_is_taken_back_by_forgetting(engine: Engine) -> None:
    one = engine.remember(BANK, Draft("A mistake.")).memory
    outcome = engine.undo(BANK, [(one.id, 1)])[0]

    assert outcome.change == "forgotten"
    assert engine.list(BANK) == ()


def test_a_newer_version_is_never_taken_back(engine: Engine) -> None:
    one = engine.remember(BANK, Draft("First.")).memory
    engine.revise(BANK, one.id, Edit(text="Second."))
    engine.revise(BANK, one.id, Edit(text="Third."))

    assert engine.undo(BANK, [(one.id, 2)])[0].change == "unchanged"
    assert text(engine, one.id) == "Third."


def test_a_move_keeps_everything_but_the_id_and_says_where_it_went(engine: Engine) -> None:
    draft = Draft("Kept.", title="T", kind="rule", tags=("a",), key="k.v", scope=Scope("shop"))
    one = engine.remember(BANK, draft).memory
    moved = engine.move(BANK, [one.id], Destination("other", "site"))
    copy = moved.copies[0].memory

    assert (copy.text, copy.title, copy.kind, copy.tags, copy.key, copy.scope.project) == (
        *("Kept.", "T", "rule", ("a",), "k.v", "site"),
    )
    assert engine.get(BANK, one.id).forgotten_at is not None
    assert engine.history(BANK, one.id)[-1].origin.reason == "moved to other"
    assert engine.history("other", copy.id)[-1].origin.reason == "moved from default"


def test_a_move_that_cannot_be_whole_changes_nothing(engine: Engine) -> None:
    good = engine.remember(BANK, Draft("Good.")).memory
    keyed = engine.remember(BANK, Draft("Keyed.", key="k")).memory
    engine.remember("other", Draft("There already.", key="k"))
    with pytest.raises(Conflict):
        engine.move(BANK, [good.id, keyed.id], Destination("other"))
    assert [one.text for one in engine.list("other")] == ["There already."]

    engine.forget(BANK, [good.id])
    with pytest.raises(NotFound):
        engine.move(BANK, [keyed.id, good.id], Destination("third"))
    with pytest.raises(Invalid):
        engine.move(BANK, [keyed.id], Destination())
    assert [one.name for one in engine.list_banks()] == ["default", "other"]


def test_the_values_of_each_field_are_listed_once_and_in_order(engine: Engine) -> None:
    for project, kind, tag in (("b", "rule", "y"), ("a", "note", "x"), ("a", "fact", "y")):
        scope = Scope(project, user="ada", agent="codex")
        engine.remember(BANK, Draft(f"{project}{kind}.", kind=kind, tags=(tag,), scope=scope))
    engine.remember("other", Draft("Elsewhere.", kind="odd", scope=Scope("z")))
    found = engine.list_facets(BANK)

    assert found.projects == ("a", "b")
    assert sorted(found.kinds) == ["fact", "note", "rule"]
    assert (found.tags, found.users, found.agents) == (("x", "y"), ("ada",), ("codex",))
    assert engine.list_facets(BANK, limit=1).projects == ("a",)
    assert engine.list_facets("unknown").projects == ()


def test_memories_of_one_call_are_cut_into_pages_by_their_ids(engine: Engine) -> None:
    engine.remember_many(BANK, [Draft(f"Fact {number}.") for number in range(5)])
    whole = engine.list(BANK)
    third = whole[2]

    later = engine.list(BANK, Filter(older_than=(third.created_at, third.id)))
    assert [one.id for one in later] == [one.id for one in whole[3:]]
