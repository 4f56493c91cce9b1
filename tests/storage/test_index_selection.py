"""An index leads to all that a filter means, whatever stands in metadata, and only what it means
comes of it.
"""

import json
from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from typing import cast

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commonplace.app import open_engine
from commonplace.engine.engine import Engine
from commonplace.errors import Invalid
from commonplace.records.memory import Draft, Scope
from commonplace.records.query import (
    AllOf,
    AnyOf,
    Condition,
    Filter,
    LabelMatch,
    Match,
    Not,
    Query,
    TagMatch,
)
from commonplace.settings import load
from commonplace.storage import migrations, text_index
from commonplace.storage.database import Database
from commonplace.storage.index_selection import IndexLookups
from commonplace.storage.migrations import open_database
from commonplace.storage.rows import memories
from commonplace.storage.text_index import SearchScope
from tests.conftest import StoppedClock

NOW = 10_000
STEP = "0011_filtered_fields"
LONG = "long " * 40
VALUES = (
    1,
    1.0,
    2,
    -7,
    2.5,
    1e300,
    True,
    False,
    "1",
    "true",
    "a",
    "b",
    "é",
    "",
    'qu"ote',
    LONG + "x",
    LONG + "y",
    None,
)
FIELDS = (("a",), ("b",), ("a", "b"), ("odd key.é",), ("fact",), ("fact", "b"), ("nowhere",))
TAGS = ("red", "green", "blue")


def _metadata(place: int) -> dict[str, object]:
    """Scalars, lists and objects of all values under all fields, so that each meets each."""
    value, other = VALUES[place % len(VALUES)], VALUES[(place * 7 + 3) % len(VALUES)]
    forms: tuple[object, ...] = (
        value,
        [value, other],
        {"b": value},
        {"b": [other, [value]]},
        [],
        {},
        [{"b": value}],
    )
    kinds = {
        "a": forms[place % 7],
        "b": forms[(place // 7) % 7],
        "odd key.é": other,
        "fact": forms[(place // 3) % 7],
    }
    return {name: one for number, (name, one) in enumerate(kinds.items()) if (place >> number) % 3}


def _draft(place: int) -> Draft:
    scope = Scope(
        f"p{place % 3}",
        ("", "ann", "bob")[place % 3],
        ("", "x")[place % 2],
        ("", "r")[place % 5 == 0],
    )
    at = None if place % 4 == 0 else 1_000 + place
    return Draft(
        f"Thing number {place} stands in the hall.",
        kind=("note", "fact", "rule")[place % 3],
        tags=tuple(tag for number, tag in enumerate(TAGS) if place >> number & 1),
        category=("", "c")[place % 2],
        metadata=_metadata(place),
        scope=scope,
        happened_at=at,
        happened_until=at + 40 if at and place % 3 == 0 else None,
    )


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    opened = open_engine(
        load({"COMMONPLACE_HOME": str(tmp_path_factory.mktemp("ways"))}), StoppedClock()
    )
    written = opened.remember_many("b", [_draft(place) for place in range(300)])
    opened.remember_many("other", [_draft(place) for place in range(50)])
    opened.forget("b", [outcome.memory.id for outcome in written[::10]])
    yield opened
    opened.db.close()


_values = st.sampled_from(VALUES)
_some = st.lists(_values, max_size=3)
_matches = st.one_of(
    st.builds(Match, st.sampled_from(FIELDS), st.sampled_from(["eq", "ne"]), _values),
    st.builds(Match, st.sampled_from(FIELDS), st.sampled_from(["in", "nin"]), _some),
    st.builds(
        Match,
        st.sampled_from(FIELDS),
        st.sampled_from(["gt", "gte", "lt", "lte"]),
        st.sampled_from(VALUES[:-1]),
    ),
    st.builds(
        Match,
        st.sampled_from(FIELDS),
        st.sampled_from(["like", "ilike"]),
        st.sampled_from(["%", "a", "long%"]),
    ),
    st.builds(
        Match,
        st.sampled_from([("user",), ("kind",), ("agent",), ("run",), ("category",)]),
        st.just("in"),
        st.lists(st.sampled_from(["", "ann", "note", "fact", "x", "r", "c"]), max_size=3),
        st.just(True),
    ),
    st.builds(
        Match,
        st.sampled_from([("created_at",), ("updated_at",)]),
        st.sampled_from(["gt", "lte"]),
        st.sampled_from([0, 5_000_000_000_000]),
        st.just(True),
    ),
)
_tags = st.builds(
    TagMatch,
    st.lists(st.sampled_from(TAGS), max_size=2, unique=True).map(tuple),
    st.sampled_from(["any", "any_strict", "all", "all_strict", "exact"]),
)
_labels = st.builds(
    LabelMatch,
    st.lists(
        st.sampled_from((*TAGS, "project:p1", "agent:x", "project:")), max_size=2, unique=True
    ).map(tuple),
    st.sampled_from(["any", "any_strict", "all", "all_strict", "exact"]),
)
_conditions: st.SearchStrategy[Condition] = st.recursive(
    st.one_of(_matches, _tags, _labels),
    lambda inner: st.one_of(
        st.builds(AllOf, st.lists(inner, max_size=3).map(tuple)),
        st.builds(AnyOf, st.lists(inner, max_size=3).map(tuple)),
        st.builds(Not, inner),
    ),
    max_leaves=5,
)


def _names(*known: str) -> st.SearchStrategy[tuple[str, ...] | None]:
    return st.none() | st.lists(st.sampled_from(known), max_size=2).map(tuple)


_moments = st.none() | st.integers(1_000, 1_300)
_filters = st.builds(
    Filter,
    projects=_names("p0", "p1", "none"),
    users=_names("", "ann"),
    agents=_names("", "x"),
    runs=_names("", "r"),
    kinds=_names("note", "fact"),
    categories=_names("", "c"),
    happened_from=_moments,
    happened_before=_moments,
    where=st.none() | _conditions,
    status=st.sampled_from(["live", "forgotten", "any"]),
)


def _meant(db: Database, bank_id: int, chosen: Filter) -> set[int]:
    return set(memories.select_ids(db, bank_id, chosen, NOW))


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
@given(chosen=_filters)
def test_every_way_leads_to_all_that_a_filter_means(engine: Engine, chosen: Filter) -> None:
    bank_id = engine.get_bank("b").id
    expected = _meant(engine.db, bank_id, chosen)
    ways = IndexLookups(engine.db, bank_id)
    for way in ways.for_filter(chosen):
        assert expected <= {int(number) for number in ways.ids(way).split()}, way
    assert {
        int(number)
        for number in text_index.matching_ids(engine.db, SearchScope(bank_id, chosen, NOW)).split()
    } == expected


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
@given(chosen=_filters)
def test_a_search_finds_what_a_filter_means_and_nothing_else(
    engine: Engine, chosen: Filter
) -> None:
    bank_id = engine.get_bank("b").id
    expected = _meant(engine.db, bank_id, chosen)
    match = text_index.any_of(["hall", "thing"])
    assert (
        set(text_index.keyword_ids(engine.db, bank_id, match, chosen, NOW, limit=300)) == expected
    )
    some = text_index.keyword_ids(engine.db, bank_id, match, chosen, NOW, limit=5)
    assert len(some) == min(5, len(expected))
    assert set(some) <= expected
    together = text_index.newest_with_terms(
        engine.db, SearchScope(bank_id, chosen, NOW), ["hall", "thing"], limit=300
    )
    assert set(together) == expected


def test_fields_follow_what_becomes_of_a_memory(engine: Engine) -> None:
    def found(colour: object) -> list[int]:
        asked = Query("what colour is the fence?", Filter(where=Match(("colour",), "in", [colour])))
        return [hit.memory.id for hit in engine.recall("fence", asked).hits]

    memory = engine.remember(
        "fence", Draft("The fence has a colour.", key="fence", metadata={"colour": "red"})
    ).memory
    assert (found("red"), found("green")) == ([memory.id], [])
    engine.remember(
        "fence", Draft("The fence has a colour.", key="fence", metadata={"colour": ["green", 3]})
    )
    assert (found("red"), found("green"), found(3)) == ([], [memory.id], [memory.id])
    engine.forget("fence", [memory.id])
    assert found("green") == []
    engine.restore("fence", [memory.id])
    assert found("green") == [memory.id]
    engine.purge("fence", [memory.id])
    assert found("green") == []
    assert (
        engine.db.select("select 1 from metadata_index where memory_id = :id", {"id": memory.id})
        == []
    )


@pytest.mark.parametrize(
    ("where", "told"),
    [
        (Match((), "eq", 1), "names no metadata field"),
        (Match(("a\x00b",), "gt", 1), "NUL"),
        (Match(("a", "\ud83d"), "gt", 1), "half of a character"),
        (Match(("a",), "in", 3), "needs a list"),
        (
            reduce(
                lambda inner, _: AllOf((inner,)), range(5_000), cast(Condition, TagMatch(("red",)))
            ),
            "too deeply",
        ),
    ],
    ids=["no path", "NUL", "half of a character", "no list", "nested"],
)
def test_what_is_no_filter_is_refused_in_words(engine: Engine, where: Condition, told: str) -> None:
    bank_id = engine.get_bank("b").id
    with pytest.raises(Invalid, match=told):
        text_index.keyword_ids(
            engine.db, bank_id, text_index.any_of(["hall"]), Filter(where=where), NOW, limit=5
        )


def test_what_was_looked_up_is_remembered_only_within_one_state_of_the_file(engine: Engine) -> None:
    first = engine.remember("yard", Draft("A rake leans on the wall.", tags=("tool",))).memory
    chosen, bank_id = Filter(where=TagMatch(("tool",))), engine.get_bank("yard").id

    def found() -> list[int]:
        return text_index.keyword_ids(
            engine.db, bank_id, text_index.any_of(["wall"]), chosen, NOW, limit=10
        )

    with engine.db.snapshot():
        assert found() == [first.id]
        assert len(engine.db.snapshot_cache) == 1
    assert found() == [first.id]
    second = engine.remember("yard", Draft("A spade leans on the wall.", tags=("tool",))).memory
    assert sorted(found()) == [first.id, second.id]
    with engine.db.transaction():
        engine.forget("yard", [first.id])
        assert found() == [second.id]
        engine.forget("yard", [second.id])
        assert found() == []


def test_an_older_store_gets_the_fields_that_writing_makes(
    engine: Engine, tmp_path: Path, clock: StoppedClock
) -> None:
    steps = migrations.packaged_steps()
    before = [step for step in steps if step.name < STEP]
    open_database(tmp_path / "a.db", clock, steps=tuple(before)).close()
    old = apsw.Connection(str(tmp_path / "a.db"))
    old.execute("insert into banks (id, name, created_at) values (1, 'b', 0)")
    rows = engine.db.select(
        "select * from memories where bank_id = :bank", {"bank": engine.get_bank("b").id}
    )
    for row in rows:
        values = {**row, "bank_id": 1, "document_id": None}
        values["user"] = values.pop("user_name")  # As the column was called then.
        names = ", ".join(values)
        old.execute(
            f"insert into memories ({names}) values ({', '.join(':' + name for name in values)})",
            values,
        )
    old.close()
    upgraded = open_database(tmp_path / "a.db", clock)
    chosen = "memory_id in (select value from json_each(:ids))"
    listed = f"select path, value, memory_id from metadata_index where {chosen} order by 1, 2, 3"
    ids = {"ids": json.dumps([row["id"] for row in rows])}
    assert upgraded.select(listed, ids) == engine.db.select(listed, ids)
    assert len(upgraded.select(listed, ids)) > 300
    upgraded.close()
