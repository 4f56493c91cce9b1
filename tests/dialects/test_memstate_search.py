"""Memstate's search and its thrift, and what it shows of other dialects, through the MCP layer."""

import pytest

from commonplace import ids
from commonplace.engine.engine import Engine
from commonplace.records.memory import Draft, Edit, Origin, Scope
from tests.dialects.memstate_client import Memstate
from tests.dialects.requirements import requirement

HERE = Scope(project="p")


@requirement("memstate:search:by-meaning")
def test_a_question_finds_what_means_the_same_in_other_words(memstate: Memstate) -> None:
    memstate.set("p", "provider", "Users log in with a password through SuperTokens")
    memstate.set("p", "store", "PostgreSQL keeps the customer records")
    memstate.set("p", "lunch", "The canteen serves soup on Mondays")
    assert memstate.found("login credentials", project_id="p")[:1] == ["provider"]
    assert memstate.found("where is client data stored", project_id="p")[:1] == ["store"]
    assert memstate.found("zebra migration in Kenya", project_id="p") == []
    assert memstate.search("???", project_id="p")["total_found"] == 0


@requirement(
    "memstate:search:answer", "memstate:search:flat-and-nested", "memstate:search:summaries"
)
def test_a_result_is_a_summary_that_leads_to_the_whole(memstate: Memstate) -> None:
    text = "Authentication via SuperTokens Cloud " + "and more about it " * 20
    memstate.set("myapp", "auth.provider", "nothing yet")
    number = memstate.set("myapp", "auth.provider", text, category="decision", topics=["login"])[
        "memory_id"
    ]

    data = memstate.search("SuperTokens authentication", project_id="myapp", limit=3)
    assert (data["total_found"], data["query"]) == (1, "SuperTokens authentication")
    hit = data["results"][0]
    assert set(hit) == {"id", "summary", "keypath", "score", "version", "created_at", "memory"}
    assert (hit["id"], hit["keypath"], hit["version"]) == (number, "auth.provider", 2)
    assert 0 < hit["score"] <= 1
    assert len(hit["summary"]) <= 103
    nested = hit["memory"]
    assert (nested["id"], nested["keypath"]) == (number, "project.myapp.auth.provider")
    assert (nested["is_latest"], nested["is_deleted"], nested["project_id"]) == (
        True,
        False,
        "myapp",
    )
    assert (nested["category"], nested["topics"]) == ("decision", ["login"])
    assert memstate.get(memory_id=number)["content"] == text


@requirement("memstate:search:query-required", "memstate:search:limit")
def test_the_query_is_required_and_the_limit_is_at_most_a_hundred(
    memstate: Memstate, engine: Engine
) -> None:
    engine.remember_many(
        "default", [Draft(f"apple {n}", key=f"k{n:03}", scope=HERE) for n in range(120)]
    )

    assert "`query` is required" in memstate.failure("search", project_id="p")["message"]
    assert len(memstate.found("apple", project_id="p")) == 20
    assert len(memstate.found("apple", project_id="p", limit=100)) == 100
    assert len(memstate.found("apple", project_id="p", limit=1)) == 1
    memstate.failure("search", query="apple", limit=101)
    memstate.failure("search", query="apple", limit=0)


@requirement("memstate:search:total-found")
def test_total_found_counts_what_matches_and_not_what_is_returned(
    memstate: Memstate, engine: Engine
) -> None:
    engine.remember_many(
        "default", [Draft(f"apple {n}", key=f"k{n:03}", scope=HERE) for n in range(150)]
    )
    assert memstate.search("apple", project_id="p", limit=5)["total_found"] == 150
    assert memstate.search("", project_id="p", limit=5)["total_found"] == 150
    engine.remember_many(
        "default", [Draft(f"apple {n}", key=f"l{n:03}", scope=HERE) for n in range(150)]
    )
    assert memstate.search("apple", project_id="p", limit=5)["total_found"] == 200
    assert memstate.search("", project_id="p", limit=5)["total_found"] == 300


@requirement(
    "memstate:search:intersection",
    "memstate:search:project",
    "memstate:search:categories",
    "memstate:search:keypath-prefix",
)
@pytest.mark.parametrize("query", ["apple", ""])
def test_filters_combine_as_intersection(memstate: Memstate, query: str) -> None:
    for project in ("p", "q"):
        for key in ("auth.x", "auth.y", "db.x"):
            memstate.set(project, key, "an apple", category="fact" if key.endswith("x") else "task")

    def keys(**given: object) -> list[str]:
        data = memstate.search(query, **given)
        assert data["total_found"] == len(data["results"])
        return sorted(one["memory"]["keypath"] for one in data["results"])

    assert len(keys()) == 6
    assert keys(project_id="p") == ["project.p.auth.x", "project.p.auth.y", "project.p.db.x"]
    assert keys(keypath_prefix="auth") == [f"project.{p}.auth.{k}" for p in "pq" for k in "xy"]
    assert keys(categories=["task"]) == ["project.p.auth.y", "project.q.auth.y"]
    assert keys(project_id="p", categories=["fact", "task"], keypath_prefix="auth") == [
        "project.p.auth.x",
        "project.p.auth.y",
    ]
    assert keys(project_id="q", categories=["fact"], keypath_prefix="auth") == ["project.q.auth.x"]
    assert keys(project_id="q", categories=["code"]) == []
    assert keys(project_id="none") == []


@requirement("memstate:search:include-superseded")
def test_older_versions_come_only_when_asked_for_and_after_the_present(memstate: Memstate) -> None:
    old = memstate.set("p", "auth", "Logins use session cookies")["memory_id"]
    new = memstate.set("p", "auth", "Logins use JWT tokens")["memory_id"]

    assert [one["id"] for one in memstate.search("logins use", project_id="p")["results"]] == [new]
    assert memstate.found("session cookies", project_id="p") == []
    data = memstate.search("logins use", project_id="p", include_superseded=True)
    assert ([one["id"] for one in data["results"]], data["total_found"]) == ([new, old], 2)
    past = data["results"][1]["memory"]
    assert (past["is_latest"], past["superseded_by"], past["version"]) == (False, new, 1)
    assert (
        memstate.search("session cookies", project_id="p", include_superseded=True)["results"][0][
            "id"
        ]
        == old
    )
    assert memstate.search("", project_id="p", include_superseded=True)["total_found"] == 2


@requirement("memstate:search:empty-query")
@pytest.mark.parametrize("query", ["", "  "])
def test_an_empty_query_lists_by_keypath(memstate: Memstate, query: str) -> None:
    for key in ("b", "a.z", "c", "a.b"):
        memstate.set("p", key, "v")
    assert memstate.found(query, project_id="p") == ["a.b", "a.z", "b", "c"]
    assert memstate.found(query, project_id="p", limit=2) == ["a.b", "a.z"]


@requirement("memstate:thrift:summaries")
@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("short", "short"),
        ("x" * 100, "x" * 100),
        ("x" * 101, "x" * 100 + "..."),
        ("ä" * 50, "ä" * 50),
        ("ä" * 51, "ä" * 50 + "..."),
        ("a" + "ä" * 50, "a" + "ä" * 49 + "..."),
        ("word " * 30, ("word " * 20).strip() + "..."),
        ("x" * 60 + " " + "y" * 60, "x" * 60 + "..."),
    ],
)
def test_a_summary_is_a_hundred_bytes_cut_at_the_last_space(
    memstate: Memstate, text: str, summary: str
) -> None:
    number = memstate.set("p", "a", text)["memory_id"]
    assert memstate.tree("p") == {"a": summary}
    assert memstate.history("p", "a")[0]["summary"] == summary
    assert memstate.get(memory_id=number)["content"] == text


@requirement("memstate:thrift:truncated")
def test_a_tree_of_ten_thousand_keys_says_how_to_narrow_it(
    memstate: Memstate, engine: Engine
) -> None:
    texts = [
        f"The value of number {n} is told in a sentence of some length, as they are"
        for n in range(10_000)
    ]
    drafts = [
        Draft(text, key=f"s{n % 40}.part{n % 5}.k{n}", scope=HERE) for n, text in enumerate(texts)
    ]
    engine.remember_many("default", drafts)

    result = memstate.client.result("memstate_get", project_id="p")
    assert len(result["content"][0]["text"]) < 100_000
    data = result["structuredContent"]["data"]
    assert data["total_count"] == 10_000
    assert 500 < len(data["memories"]) < 10_000
    assert "keypath" in data["truncated"]
    assert len(data["subtrees"]) == 40
    narrowed, count = next(iter(data["subtrees"].items()))
    below = memstate.get(project_id="p", keypath=narrowed)
    assert (len(below["memories"]), below["total_count"]) == (count, 250)
    assert "truncated" not in below


@requirement("memstate:others:visible")
def test_what_other_dialects_remember_in_a_project_is_part_of_it(
    memstate: Memstate, engine: Engine
) -> None:
    other = Origin(dialect="powermem", who="cursor")
    memory = engine.remember(
        "default", Draft("Ada likes tea", kind="fact", scope=HERE), other
    ).memory
    key = f"fact.{ids.short_form(memory.id)}"

    assert memstate.tree("p") == {key: "Ada likes tea"}
    assert memstate.tree("p", keypath="fact") == {key: "Ada likes tea"}
    for query in ("tea", ""):
        assert memstate.found(query, project_id="p", keypath_prefix="fact") == [key]
        assert memstate.found(query, project_id="p", keypath_prefix=key) == [key]
        assert (
            memstate.found(query, project_id="p", categories=["task"], keypath_prefix="fact") == []
        )
    assert memstate.history("p", key)[0]["source"] == "powermem"
    assert memstate.get(memory_id=str(memory.id))["content"] == "Ada likes tea"

    assert memstate.set("p", key, "Ada likes coffee")["version"] == 2
    assert engine.get("default", memory.id).text == "Ada likes coffee"
    engine.revise("default", memory.id, Edit(text="Ada likes cocoa"), other)
    assert [one["source"] for one in memstate.history("p", key)] == [
        "powermem",
        "memstate",
        "powermem",
    ]
    assert memstate.tree("p", at_revision=2) == {key: "Ada likes coffee"}
    assert memstate.delete("p", key)["deleted_keypaths"] == [f"project.p.{key}"]
    assert engine.get("default", memory.id).forgotten_at is not None
    assert memstate.set("p", key, "Ada likes water")["version"] == 5
    assert memstate.tree("p") == {key: "Ada likes water"}


@requirement("memstate:others:visible")
def test_a_memory_without_a_key_stays_one_chain_when_its_kind_changes(
    memstate: Memstate, engine: Engine
) -> None:
    memory = engine.remember("default", Draft("Ship on Friday", scope=HERE)).memory
    seen = f"note.{ids.short_form(memory.id)}"
    changed = memstate("set", project_id="p", keypath=seen, value="Ship on Monday", category="task")
    assert changed["meta"]["resolved_keypath"] == f"project.p.task.{ids.short_form(memory.id)}"
    assert memstate.set("p", seen, "Ship on Tuesday")["version"] == 3
    assert list(memstate.tree("p").values()) == ["Ship on Tuesday"]


@requirement("memstate:others:visible")
def test_a_key_that_another_dialect_spelled_its_own_way_is_found_by_it(
    memstate: Memstate, engine: Engine
) -> None:
    engine.remember("default", Draft("v1", key="Auth.Sign-In", scope=HERE))
    assert memstate.tree("p") == {"Auth.Sign-In": "v1"}
    assert memstate.tree("p", keypath="Auth.Sign-In") == {"Auth.Sign-In": "v1"}
    assert memstate.set("p", "project.p.Auth.Sign-In", "v2")["version"] == 2
    assert len(memstate.history("p", "Auth.Sign-In")) == 2
    assert memstate.delete("p", "Auth.Sign-In")["deleted_count"] == 1


@requirement("memstate:others:users")
def test_the_memories_of_other_users_never_show(memstate: Memstate, engine: Engine) -> None:
    theirs = engine.remember(
        "default", Draft("their secret", key="a", scope=Scope(project="p", user="x"))
    ).memory
    engine.remember(
        "default", Draft("another secret", scope=Scope(project="only-theirs", user="x"))
    )

    assert memstate.tree("p") == {}
    assert memstate.get()["projects"] == []
    assert memstate.history("p", "a") == []
    for query in ("secret", ""):
        assert memstate.search(query, include_superseded=True)["total_found"] == 0
    for tool in ("get", "history"):
        memstate.failure(tool, memory_id=ids.memstate_form(theirs.id))
        memstate.failure(tool, memory_id=ids.memstate_form(theirs.version_id))
    assert memstate.set("p", "a", "ours")["version"] == 1
    assert memstate.delete_project("p")["deleted_count"] == 1
    assert engine.get("default", theirs.id).forgotten_at is None
    assert memstate.tree("p", at_revision=2) == {"a": "ours"}


@requirement("memstate:others:visible")
def test_a_memory_of_no_project_is_found_and_has_no_prefix(
    memstate: Memstate, engine: Engine
) -> None:
    memory = engine.remember("default", Draft("Ada likes tea")).memory
    hit = memstate.search("tea")["results"][0]
    assert hit["memory"]["keypath"] == hit["keypath"] == f"note.{ids.short_form(memory.id)}"
    assert memstate.get(memory_id=hit["id"])["keypath_parts"] == ["note", ids.short_form(memory.id)]


@requirement("memstate:get:project-tree")
def test_what_has_expired_is_not_in_the_tree(memstate: Memstate, engine: Engine) -> None:
    now = engine.clock.now()
    engine.remember("default", Draft("gone", key="a", expires_at=now - 1, scope=HERE))
    engine.remember("default", Draft("still here", key="b", expires_at=now + 1, scope=HERE))
    assert memstate.tree("p") == {"b": "still here"}
    assert memstate.get()["projects"][0]["memory_count"] == 1
