import pytest

from commonplace.engine.engine import Engine
from commonplace.errors import Invalid, TooLarge
from commonplace.records.memory import Draft, Edit, Scope
from commonplace.records.query import AllOf, AnyOf, Filter, LabelMatch, Match, Not, TagMatch
from tests.conftest import StoppedClock

DAY = 86_400_000


def texts(engine: Engine, **chosen: object) -> set[str]:
    return {memory.text for memory in engine.list("b", Filter(**chosen))}


@pytest.fixture
def stocked(engine: Engine, clock: StoppedClock) -> Engine:
    drafts = [
        Draft(
            "alpha Ärger",
            kind="rule",
            category="api",
            tags=("a",),
            paths=("src/api/**",),
            scope=Scope("app"),
        ),
        Draft(
            "beta 50% off_x",
            kind="fact",
            key="db.port",
            tags=("b", "Testing"),
            scope=Scope("app", user="u1"),
        ),
        Draft(
            "gamma",
            kind="fact",
            key="db.portal",
            tags=("a", "b"),
            scope=Scope("", user="u2", agent="g", run="r"),
        ),
        Draft(
            "delta\nline two",
            title="Titled",
            key="db",
            happened_at=10 * DAY,
            happened_until=12 * DAY,
        ),
        Draft("epsilon", expires_at=clock.now() + DAY),
    ]
    for draft in drafts:
        engine.remember("b", draft)
        clock.advance(1000)
    return engine


@pytest.mark.parametrize(
    ("chosen", "found"),
    [
        ({}, "alpha beta gamma delta epsilon"),
        ({"projects": ("app",)}, "alpha beta"),
        ({"projects": ("app", "")}, "alpha beta gamma delta epsilon"),
        ({"projects": ()}, ""),
        ({"users": ("",)}, "alpha delta epsilon"),
        ({"users": ("u1", "u2")}, "beta gamma"),
        ({"agents": ("g",), "runs": ("r",)}, "gamma"),
        ({"kinds": ("rule", "fact")}, "alpha beta gamma"),
        ({"categories": ("api",)}, "alpha"),
        ({"key": "db.port"}, "beta"),
        ({"key_prefix": "db"}, "beta gamma delta"),
        ({"key_prefix": "db.port"}, "beta"),
        ({"key_prefix": "d_"}, ""),
        ({"tags_like": ("test",)}, "beta"),
        ({"tags_like": ("A", "zzz")}, "alpha gamma"),
        ({"tags_like": ("%",)}, ""),
        ({"text_contains": "ÄRGER"}, "alpha"),
        ({"text_contains": "titled"}, "delta"),
        ({"text_contains": "%"}, "beta"),
        ({"text_pattern": "50% *_x"}, "beta"),
        ({"text_pattern": "DELTA*two"}, "delta"),
        ({"text_pattern": "?eta"}, "beta"),
        ({"text_pattern": "[ab]"}, ""),
        ({"title": "Titled"}, "delta"),
        ({"path": "src/api/deep/x.py"}, "alpha"),
        ({"path": "src/apix/x.py"}, ""),
        ({"happened_from": 11 * DAY}, "delta"),
        ({"happened_from": 13 * DAY}, ""),
        ({"happened_before": 10 * DAY}, ""),
        ({"happened_before": 10 * DAY + 1}, "delta"),
        ({"kinds": ("fact",), "projects": ("app",), "tags_like": ("b",)}, "beta"),
    ],
)
def test_each_filter_means_what_it_says(
    stocked: Engine, chosen: dict[str, object], found: str
) -> None:
    assert {text.split()[0] for text in texts(stocked, **chosen)} == set(found.split())
    assert stocked.count("b", Filter(**chosen)) == len(found.split())


def test_times_of_writing_are_half_open_ranges(stocked: Engine, clock: StoppedClock) -> None:
    start = clock.now() - 5000
    assert texts(stocked, created_from=start + 1000, created_before=start + 3000) == {
        "beta 50% off_x",
        "gamma",
    }
    memory = stocked.list("b", Filter(kinds=("rule",)))[0]
    stocked.revise("b", memory.id, Edit(text="alpha two"))
    assert texts(stocked, updated_from=clock.now()) == {"alpha two"}
    assert "alpha two" not in texts(stocked, updated_before=clock.now())


def test_an_expired_memory_is_hidden_but_not_gone(stocked: Engine, clock: StoppedClock) -> None:
    clock.advance(DAY)
    assert "epsilon" not in texts(stocked)
    assert "epsilon" in texts(stocked, expired=True)


def test_forgotten_memories_show_only_when_asked_for(stocked: Engine) -> None:
    stocked.forget_where("b", Filter(key="db"))
    assert "delta\nline two" not in texts(stocked)
    assert texts(stocked, status="forgotten") == {"delta\nline two"}
    assert len(texts(stocked, status="any")) == 5


@pytest.mark.parametrize(
    ("mode", "found"),
    [
        ("any", "a b ab -"),
        ("all", "ab -"),
        ("any_strict", "a b ab"),
        ("all_strict", "ab"),
        ("exact", "ab"),
    ],
)
def test_tag_modes_follow_the_table_of_hindsight(engine: Engine, mode: str, found: str) -> None:
    for text, tags in (("a", ("a",)), ("b", ("b",)), ("ab", ("a", "b")), ("-", ())):
        engine.remember("b", Draft(text, tags=tags))
    assert texts(engine, where=TagMatch(("a", "b"), mode)) == set(found.split())
    assert texts(engine, where=TagMatch((), "exact")) == {"-"}


@pytest.mark.parametrize(
    ("mode", "found"),
    [
        ("any", "p t pt u -"),
        ("all", "pt -"),
        ("any_strict", "p t pt u"),
        ("all_strict", "pt"),
        ("exact", "pt"),
    ],
)
def test_a_label_is_a_tag_a_project_or_an_agent(engine: Engine, mode: str, found: str) -> None:
    for text, tags, scope in (
        ("p", ("x",), Scope(project="boat")),
        ("t", ("a",), Scope()),
        ("pt", ("a",), Scope(project="boat")),
        ("u", ("project:boat",), Scope(agent="cook")),
        ("-", (), Scope(run="1")),
        ("o", (), Scope(project="pier")),
    ):
        engine.remember("b", Draft(text, tags=tags, scope=scope))
    assert texts(engine, where=LabelMatch(("a", "project:boat"), mode)) == set(found.split())
    assert texts(engine, where=LabelMatch((), "exact")) == {"-"}


METADATA = {
    "one": {"n": 1, "s": "Port", "list": ["x", "y"], "deep": {"er": True}},
    "two": {"n": 2.5, "s": "portal", "list": [], "deep": {"er": False}},
    "text": {"n": "1", "s": None},
    "none": {},
}


@pytest.mark.parametrize(
    ("where", "found"),
    [
        (Match(("n",), "eq", 1), "one"),
        (Match(("n",), "eq", "1"), "text"),
        (Match(("n",), "eq", True), ""),
        (Match(("n",), "ne", 1), "two text none"),
        (Match(("n",), "gt", 1), "two"),
        (Match(("n",), "gte", 1), "one two"),
        (Match(("n",), "lt", 2), "one"),
        (Match(("n",), "lte", 2.5), "one two"),
        (Match(("n",), "in", [1, "1"]), "one text"),
        (Match(("n",), "nin", [1, "1"]), "two none"),
        (Match(("list",), "in", ["y", "z"]), "one"),
        (Match(("list",), "eq", ["x"]), "one"),
        (Match(("s",), "eq", None), "text none"),
        (Match(("s",), "ne", None), "one two"),
        (Match(("s",), "like", "port%"), "two"),
        (Match(("s",), "ilike", "PORT%"), "one two"),
        (Match(("s",), "like", "P_rt"), "one"),
        (Match(("deep", "er"), "eq", True), "one"),
        (Match(("deep", "er"), "ne", True), "two text none"),
        (AllOf((Match(("n",), "gte", 1), Not(Match(("s",), "eq", "Port")))), "two"),
        (AnyOf((Match(("n",), "eq", 1), Match(("n",), "eq", "1"))), "one text"),
        (AllOf(()), "one two text none"),
        (AnyOf(()), ""),
    ],
)
def test_metadata_conditions_compare_types_and_values(
    engine: Engine, where: object, found: str
) -> None:
    for name, metadata in METADATA.items():
        engine.remember("b", Draft(name, metadata=metadata))
    assert texts(engine, where=where) == set(found.split())


@pytest.mark.parametrize("order", ["created", "updated", "happened", "key"])
def test_pages_are_stable_disjoint_and_complete(stocked: Engine, order: str) -> None:
    pages = [stocked.list("b", order=order, limit=2, offset=offset) for offset in (0, 2, 4, 6)]
    together = [memory.id for page in pages for memory in page]
    assert len(together) == len(set(together)) == 5
    assert together == [memory.id for memory in stocked.list("b", order=order)]


@pytest.mark.parametrize(
    "chosen",
    [
        {"text_pattern": "  "},
        {"text_contains": ""},
        {"tags_like": (" ",)},
        {"key_prefix": ""},
        {"path": ""},
        {"text_contains": "\ud800"},
        {"kinds": ("\ud800",)},
        {"title": "\ud800"},
        {"where": Match((), "eq", 1)},
        {"where": Match(("a",), "in", 1)},
        {"where": Match(("a",), "like", 1)},
        {"where": Match(("a",), "gt", {})},
        {"where": Match(("a",), "eq", 2**70)},
    ],
)
def test_a_filter_that_cannot_be_meant_is_refused(
    stocked: Engine, chosen: dict[str, object]
) -> None:
    with pytest.raises(Invalid) as caught:
        stocked.forget_where("b", Filter(**chosen))
    assert caught.value.hint
    assert stocked.count("b") == 5


def test_a_filter_nested_without_end_is_refused(stocked: Engine) -> None:
    where: Not | Match = Match(("a",), "eq", 1)
    for _ in range(50):
        where = Not(where)
    with pytest.raises(Invalid):
        texts(stocked, where=where)


def test_a_filter_with_too_many_values_is_refused(stocked: Engine) -> None:
    with pytest.raises(TooLarge):
        texts(stocked, kinds=tuple(map(str, range(1001))))


def test_a_hostile_pattern_takes_no_time(engine: Engine) -> None:
    engine.remember("b", Draft("a" * 100_000))
    assert texts(engine, text_pattern="*a" * 200 + "b") == set()
