"""Memstate's versions and revisions, alone and among many clients, through the MCP layer."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from commonplace.engine.engine import Engine
from commonplace.engine.keypaths import Key
from commonplace.records.memory import Draft, Edit, Scope
from commonplace.records.query import Filter
from tests.dialects.memstate_client import Memstate
from tests.dialects.requirements import requirement
from tests.faces.pipe_client import opened

SERVER = ("commonplace.mcp", "--dialect", "memstate")
HERE = Scope(project="p")


@requirement("memstate:version:own-id")
def test_each_version_has_an_id_of_its_own_that_reads_that_version(memstate: Memstate) -> None:
    ids = [memstate.set("p", "a", value)["memory_id"] for value in ("one", "two")]
    memstate.delete("p", "a")
    ids = [one["id"] for one in memstate.history("p", "a")]

    assert len(set(ids)) == 3
    read = [memstate.get(memory_id=number) for number in ids]
    assert [one["id"] for one in read] == ids
    assert [one["content"] for one in read][:2] == ["one", "two"]
    assert [one["is_latest"] for one in read] == [False, False, True]
    assert [one["is_deleted"] for one in read] == [False, False, True]
    assert [one["superseded_by"] for one in read] == [ids[1], ids[2], None]
    assert [one["supersedes_id"] for one in read] == [None, ids[0], ids[1]]
    assert [one["project_revision_created"] for one in read] == [1, 2, 3]


@requirement("memstate:chain:unchanged")
def test_an_identical_write_makes_no_version_and_no_revision(memstate: Memstate) -> None:
    first = memstate.set("p", "a", "v", category="fact", topics=["t"])
    for more in ({}, {"category": "fact"}, {"topics": ["t"]}):
        again = memstate.set("p", "a", "v", **more)
        assert (again["action"], again["version"], again["memory_id"]) == (
            "unchanged",
            1,
            first["memory_id"],
        )
    assert memstate.revision("p") == 1
    assert memstate.set("p", "a", "v", category="task")["version"] == 2


@requirement("memstate:chain:one-live-row")
def test_a_keypath_has_one_chain_whoever_writes_it(memstate: Memstate, engine: Engine) -> None:
    memstate.set("p", "db.port", "5432")
    memstate.remember("p", "# DB\n- Port: 5433")
    engine.remember("default", Draft("5434", key="db.port", scope=HERE))
    engine.set_key("default", Key(HERE, "db.port"), Edit(text="5435"))
    memstate.remember("p", "The db.port is wrong.\n\ndb.port: 5436")

    assert [one["summary"] for one in memstate.history("p", "db.port")] == [
        "5432",
        "5433",
        "5434",
        "5435",
        "5436",
    ]
    assert sum(one["is_latest"] for one in memstate.history("p", "db.port")) == 1
    assert memstate.tree("p", keypath="db") == {"db.port": "5436"}
    assert engine.count("default", Filter(projects=("p",), key="db.port", status="any")) == 1


@requirement("memstate:revision:every-call")
def test_every_mutating_call_by_anybody_is_one_revision(memstate: Memstate, engine: Engine) -> None:
    seen = [memstate.revision("p")]

    def counted() -> None:
        seen.append(memstate.revision("p"))

    memstate.set("p", "a", "1")
    counted()
    memstate.remember("p", "# B\n- one\n- two\n- three")
    counted()
    memory = engine.remember("default", Draft("note", scope=HERE)).memory
    counted()
    engine.revise("default", memory.id, Edit(text="other"))
    counted()
    engine.tag("default", [memory.id], add=["t"])
    counted()
    engine.forget("default", [memory.id])
    counted()
    engine.restore("default", [memory.id])
    counted()
    memstate.delete("p", "b", recursive=True)
    counted()
    memstate.delete_project("p")
    counted()
    assert seen == list(range(10))
    memstate.get(project_id="p")
    memstate.search("a", project_id="p")
    memstate.set("q", "a", "elsewhere")
    assert memstate.revision("p") == 9


@requirement("memstate:revision:exact", "memstate:get:at-revision")
def test_a_revision_shows_exactly_the_state_after_it_for_ever(memstate: Memstate) -> None:
    memstate.set("p", "a", "1")
    memstate.set("p", "a.b", "2")
    memstate.set("p", "ab", "3")
    memstate.set("p", "a", "4")
    memstate.delete("p", "a.b")
    memstate.remember("p", "ab: 5\na.b: 6")
    memstate.delete_project("p")
    memstate.set("p", "a", "7")

    states = [
        {},
        {"a": "1"},
        {"a": "1", "a.b": "2"},
        {"a": "1", "a.b": "2", "ab": "3"},
        {"a": "4", "a.b": "2", "ab": "3"},
        {"a": "4", "ab": "3"},
        {"a": "4", "a.b": "6", "ab": "5"},
        {},
        {"a": "7"},
    ]
    for number, state in enumerate(states):
        data = memstate.get(project_id="p", at_revision=number)
        assert (data["revision_number"], data["total_count"]) == (number, len(state))
        assert memstate.tree("p", at_revision=number) == state
        below = {key: value for key, value in state.items() if key in ("a", "a.b")}
        assert memstate.tree("p", keypath="a", at_revision=number) == below
        single = memstate.get(
            project_id="p", keypath="a", recursive=False, include_content=True, at_revision=number
        )
        assert list(single["memories"].values()) == [
            value for key, value in state.items() if key == "a"
        ]
        assert (single["full_memory"] or {}).get("content") == state.get("a")
    assert memstate.tree("p") == states[-1]


@requirement("memstate:revision:zero", "memstate:revision:beyond")
def test_revision_zero_is_empty_and_one_too_many_is_an_error(memstate: Memstate) -> None:
    assert memstate.tree("p", at_revision=0) == {}
    assert "revision 1" in memstate.failure("get", project_id="p", at_revision=1)["message"]
    memstate.set("p", "a", "1")
    assert memstate.tree("p", at_revision=0) == {}
    error = memstate.failure("get", project_id="p", at_revision=2)
    assert (error["code"], "1 is the newest" in error["message"]) == ("invalid_argument", True)
    memstate.failure("get", project_id="p", at_revision=-1)
    memstate.failure("get", at_revision=1)


def crowd(engine: Engine, work: Callable[[Memstate, int], dict[str, Any]]) -> list[dict[str, Any]]:
    """What sixteen clients that begin at the same moment were answered."""
    gate = threading.Barrier(16)

    def one(number: int) -> dict[str, Any]:
        gate.wait(30)
        return work(Memstate(engine, f"client {number}"), number)

    with ThreadPoolExecutor(16) as clients:
        return list(clients.map(one, range(16)))


@requirement("memstate:clients:sixteen")
def test_sixteen_clients_on_one_keypath_make_sixteen_versions(
    memstate: Memstate, engine: Engine
) -> None:
    answers = crowd(engine, lambda client, number: client.set("p", "a", f"value {number}"))

    versions = memstate.history("p", "a")
    assert sorted(one["version"] for one in answers) == list(range(1, 17))
    assert [one["version"] for one in versions] == list(range(1, 17))
    assert [one["is_latest"] for one in versions] == [False] * 15 + [True]
    told = {one["memory_id"]: one.get("superseded_id") for one in answers}
    assert told == {one["id"]: one["supersedes_id"] for one in versions}
    assert memstate.get(project_id="p")["total_count"] == 1
    assert memstate.revision("p") == 16


@requirement("memstate:remember:idempotent", "memstate:chain:one-live-row")
def test_sixteen_clients_that_remember_the_same_text_make_one_version(
    memstate: Memstate, engine: Engine
) -> None:
    text = "# Auth\n- Provider: SuperTokens\n- Sessions last for an hour"
    answers = crowd(engine, lambda client, _: client.remember("p", text))
    assert len({one["job_id"] for one in answers}) == 16
    assert memstate.revision("p") == 1
    assert [len(memstate.history("p", key)) for key in memstate.tree("p")] == [1, 1]


@requirement("memstate:clients:second-process", "memstate:clients:sixteen")
def test_another_process_sees_a_write_at_once_and_goes_on_counting(home: Path) -> None:
    with opened(home, *SERVER) as first, opened(home, *SERVER) as second:
        for number in range(8):
            writer, reader = (first, second) if number % 2 else (second, first)
            done = writer.call("memstate_set", project_id="p", keypath="a", value=f"v{number}")
            assert done["structuredContent"]["data"]["version"] == number + 1
            seen = reader.call("memstate_get", project_id="p")["structuredContent"]["data"]
            assert (seen["memories"], seen["revision_number"]) == (
                {"project.p.a": f"v{number}"},
                number + 1,
            )
        found = second.call("memstate_search", query="v7")["structuredContent"]["data"]
        assert [one["keypath"] for one in found["results"]] == ["a"]


@requirement("memstate:envelope:twice", "memstate:envelope:failure")
@pytest.mark.parametrize("keypath", ["a", "project.other.a"])
def test_the_wire_carries_the_envelope_as_text_and_as_structure(home: Path, keypath: str) -> None:
    with opened(home, *SERVER) as server:
        result = server.call("memstate_set", project_id="p", keypath=keypath, value="v")
    envelope = result["structuredContent"]
    assert envelope["ok"] is not result["isError"]
    assert envelope["request"] == {"project_id": "p", "keypath": keypath, "value": "v"}
    text = result["content"][0]["text"]
    assert text.startswith("{" if envelope["ok"] else envelope["error"]["message"])
