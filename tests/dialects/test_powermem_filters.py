"""PowerMem's filters, the same in list and search."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import StoppedClock
from tests.dialects.powermem_client import PowerMem
from tests.dialects.requirements import requirement

ROWS: dict[str, dict[str, Any]] = {
    "alpha": {"n": 1, "team": "red", "done": True, "deep": {"level": {"x": 5}}, "tags": ["a", "b"]},
    "beta": {"n": 2, "team": "blue", "done": False, "tags": ["b", "c"], "note": "50%_off"},
    "gamma": {"n": 3.5, "team": "Red", "n_text": "3", "tags": [], "note": None},
    "delta": {"n": "1"},
}


@pytest.fixture
def filled(powermem: PowerMem) -> PowerMem:
    for name, metadata in ROWS.items():
        powermem.add(f"The ship {name} sails", metadata=metadata)
    return powermem


def check(filled: PowerMem, filters: dict[str, Any], names: str) -> None:
    """Both tools mean the same memories by a filter."""
    wanted = [f"The ship {name} sails" for name in names.split()]
    assert filled.listed(filters=filters) == wanted
    assert sorted(filled.found("ship sails", filters=filters)) == sorted(wanted)


@requirement("powermem:filters:operators", "powermem:search:filters", "powermem:list:filters")
@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({"team": "red"}, "alpha"),
        ({"team": {"eq": "red"}}, "alpha"),
        ({"team": {"ne": "red"}}, "beta gamma delta"),
        ({"n": 1}, "alpha"),
        ({"n": "1"}, "delta"),
        ({"n": {"gt": 1}}, "beta gamma"),
        ({"n": {"gte": 2}}, "beta gamma"),
        ({"n": {"lt": 2}}, "alpha"),
        ({"n": {"lte": 3.5}}, "alpha beta gamma"),
        ({"n": {"$gte": 2, "$lt": 3}}, "beta"),
        ({"n": {"in": [1, 2]}}, "alpha beta"),
        ({"n": {"nin": [1, 2]}}, "gamma delta"),
        ({"team": {"like": "r%"}}, "alpha"),
        ({"team": {"ilike": "r_d"}}, "alpha gamma"),
        ({"done": True}, "alpha"),
        ({"done": False}, "beta"),
        ({"done": 1}, ""),
        ({"n": 10**40}, ""),
        ({"n": {"lt": 10**400}}, "alpha beta gamma"),
        ({}, "alpha beta gamma delta"),
    ],
)
def test_values_are_compared(filled: PowerMem, filters: dict[str, Any], names: str) -> None:
    check(filled, filters, names)


@requirement("powermem:filters:joined")
@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({"AND": [{"n": {"gt": 0}}, {"team": "blue"}]}, "beta"),
        ({"OR": [{"team": "blue"}, {"n": 1}]}, "alpha beta"),
        ({"$or": [{"team": "blue"}, {"AND": [{"n": 1}, {"done": True}]}]}, "alpha beta"),
        ({"team": "red", "OR": [{"n": 2}, {"done": True}]}, "alpha"),
        ({"and": {"n": 1}}, "alpha"),
    ],
)
def test_conditions_are_joined(filled: PowerMem, filters: dict[str, Any], names: str) -> None:
    check(filled, filters, names)


ODD_NAMES = (
    "back\\slash",
    "ends\\",
    'quo"te',
    '"',
    "apo'strophe",
    "[0]",
    "a$",
    "\\u0041",
    "a\nb",
    "é",
    "\u2028",
    "or ",
)


@requirement("powermem:filters:paths")
@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_field_is_found_whatever_letters_its_name_has(powermem: PowerMem, name: str) -> None:
    powermem.add("The ship first sails", metadata={name: "x", "inner": {name: 5}})
    powermem.add("The ship second sails", metadata={name: "y", "inner": {name: 6}})

    for field in (name, f"metadata.{name}"):
        check(powermem, {field: "x"}, "first")
        check(powermem, {"OR": [{field: {"like": "x%"}}, {"AND": [{field: "z"}]}]}, "first")
        check(powermem, {"AND": [{"OR": [{field: {"ne": "x"}}]}]}, "second")
    check(powermem, {f"inner.{name}": 6}, "second")
    check(powermem, {"OR": [{f"inner.{name}": {"lt": 6}}, {"n": 1}]}, "first")


ODD = st.sampled_from(
    (*ODD_NAMES, "a\x00", "\ud83d", "a.b", ".", "$or", "AND", "user_id", "created_at", "id", "text")
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | ODD
FILTERS = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(ODD | st.sampled_from(("gt", "in", "like")), inner)
    ),
    max_leaves=12,
)


@requirement("powermem:filters:unknown")
@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(filters=st.dictionaries(ODD | st.sampled_from(("OR", "AND")), FILTERS, max_size=3))
def test_whatever_a_filter_is_made_of_is_answered_or_refused_in_words(
    filled: PowerMem, filters: dict[str, Any]
) -> None:
    for tool, more in (("list_memories", {}), ("search_memories", {"query": "ship"})):
        answer = filled.client.result(tool, filters=filters, **more)
        assert "internal error" not in answer["content"][0]["text"], filters


@requirement("powermem:filters:null", "powermem:filters:paths")
@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({"note": None}, "alpha gamma delta"),
        ({"note": {"ne": None}}, "beta"),
        ({"agent_id": None}, "alpha beta gamma delta"),
        ({"deep.level.x": 5}, "alpha"),
        ({"metadata.deep.level.x": {"gte": 5}}, "alpha"),
        ({"metadata.team": "blue"}, "beta"),
        ({"tags": "b"}, "alpha beta"),
        ({"tags": ["a", "c"]}, "alpha beta"),
        ({"tags": {"ne": "b"}}, "gamma delta"),
        ({"team": ["red", "blue"]}, "alpha beta"),
    ],
)
def test_null_paths_and_lists(filled: PowerMem, filters: dict[str, Any], names: str) -> None:
    check(filled, filters, names)


@requirement("powermem:filters:own")
def test_own_fields_can_be_asked_in_every_way(powermem: PowerMem, clock: StoppedClock) -> None:
    powermem.add("The ship early sails", memory_type="fact", scope="user", agent_id="a1")
    clock.advance(86_400_000)
    number = powermem.added("The ship late sails", memory_type="event", agent_id="a2", run_id="r")
    between = "2026-09-21T20:00:00Z"

    check(powermem, {"memory_type": "fact"}, "early")
    check(powermem, {"OR": [{"memory_type": {"like": "ev%"}}, {"n": 1}]}, "late")
    check(powermem, {"memory_type": {"ne": "fact"}}, "late")
    check(powermem, {"scope": "user"}, "early")
    check(powermem, {"scope": None}, "late")
    check(powermem, {"created_at": {"lt": between}}, "early")
    check(powermem, {"updated_at": {"gte": between}}, "late")
    check(powermem, {"agent_id": "a1"}, "early")
    check(powermem, {"OR": [{"run_id": "r"}, {"agent_id": {"in": ["a1"]}}]}, "early late")
    check(powermem, {"id": number}, "late")
    check(powermem, {"memory": {"ilike": "%EARLY%"}}, "early")


@requirement("powermem:filters:own", "powermem:scope:isolates")
def test_a_scope_in_the_filters_never_opens_what_the_arguments_close(powermem: PowerMem) -> None:
    powermem.add("The ship anas sails", user_id="ana")
    powermem.add("The ship owned sails")

    assert powermem.listed(user_id="ana", filters={"user_id": "mcp_user"}) == []
    assert powermem.listed(filters={"user_id": "ana"}) == ["The ship anas sails"]
    assert powermem.listed(filters={"OR": [{"user_id": "ana"}, {"user_id": "mcp_user"}]}) == [
        "The ship owned sails"
    ]
    assert powermem.listed(user_id="bob", filters={"OR": [{"user_id": "ana"}, {"n": None}]}) == []


@requirement("powermem:filters:unknown")
@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ({"n": {"near": 3}}, "Unknown operator `near`"),
        ({"n": {"$regex": "x"}}, "Unknown operator `$regex`"),
        ({"$where": "1"}, "Unknown operator `$where`"),
        ({"deep": {"level": 1}}, '{"deep.level": value}'),
        ({"n": {}}, "is empty"),
        ({"n": {"in": 1}}, "needs a list"),
        ({"n": {"like": 1}}, "needs a string"),
        ({"n": {"gt": [1]}}, "cannot compare"),
        ({"n": [{"a": 1}]}, "nested"),
        ({"AND": 3}, "list of filters"),
        ({"OR": []}, "list of filters"),
        ({"created_at": {"gt": "yesterday"}}, "not a time"),
        ({"a\x00b": 1}, "NUL"),
        ({"OR": [{"n": 9}, {"a\x00b": {"gt": 1}}]}, "NUL"),
        ({"AND": [{"OR": [{"a.\ud83d": 1}]}]}, "half of a character"),
        ({"a..b": 1}, "not a field"),
        ({"n": {"in": list(range(1_001))}}, "too many"),
        ({"OR": [{"n": number} for number in range(201)]}, "more than 200"),
        ("n = 1", "must be an object"),
    ],
)
def test_what_is_not_a_filter_is_a_clear_error(filled: PowerMem, filters: Any, said: str) -> None:
    for tool, more in (("list_memories", {}), ("search_memories", {"query": "ship"})):
        assert said in filled.failure(tool, filters=filters, **more)["error"]


def test_a_filter_nested_without_end_is_refused(filled: PowerMem) -> None:
    filters: dict[str, Any] = {"n": 1}
    for _ in range(40):
        filters = {"AND": [filters]}

    assert "deeply" in filled.failure("list_memories", filters=filters)["error"]
